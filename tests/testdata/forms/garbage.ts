/**
 * Malformed requests, and an application that reads them in every possible way.
 *
 * @module
 */

import { join } from "@std/path";
import * as fw from "../../../mod.ts";
import { field, file } from "./cases.ts";

/** A malformed request. The same number always produces the same request. */
export interface Garbage {
  readonly method: string;
  readonly path: string;
  readonly type: string;
  readonly body: Uint8Array<ArrayBuffer>;
  /** The way in which the length is declared over a socket. */
  readonly framing: "declared" | "chunked" | "too long" | "broken chunks";
}

const types = [
  "application/x-www-form-urlencoded",
  "application/x-www-form-urlencoded; charset=utf-16",
  "multipart/form-data; boundary=X",
  'multipart/form-data; boundary="X"',
  "multipart/form-data",
  "multipart/form-data; boundary=",
  'multipart/form-data; boundary="',
  "multipart/form-data; boundary=X; boundary=Y",
  `multipart/form-data; boundary=${"x".repeat(500)}`,
  "multipart/mixed; boundary=X",
  "application/json",
  "text/plain",
  "\u00e4\u00f6;;==",
  ";",
  "",
];
const pieces = [
  field("a", "1"),
  file("f", "a.txt", "hello"),
  file("f", "../../x", "\r\n--X"),
  file("f", "", ""),
  file("%00/..", "\u0001", "x"),
  "--X\r\n",
  "--X--",
  "\r\n",
  "\r\n\r\n",
  "Content-Disposition: form-data; name=",
  "Content-Disposition: form-data; name*=UTF-8''%ff; filename*=x'y'z",
  "a=1&b=%zz&%=&=&&",
  '{"a":',
  "[[[[[[",
  "\0\0\0\0",
  "\ufeff",
  "x".repeat(5000),
];
const paths = [
  "/value",
  "/values",
  "/int",
  "/file",
  "/upload",
  "/rename",
  "/body",
  "/json",
  "/form",
  "/unread",
  "/limit",
];
const framings = ["declared", "declared", "chunked", "too long", "broken chunks"] as const;

/** Creates the request for a number. */
export function garbage(number: number): Garbage {
  const random = generator(number);
  const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T;
  const parts: Uint8Array[] = [];
  for (let i = random(8); i > 0; i--) {
    const noise = Uint8Array.from({ length: random(300) }, () => random(256));
    parts.push(random(3) === 0 ? noise : new TextEncoder().encode(pick(pieces)));
  }
  if (random(2) === 0) parts.push(new TextEncoder().encode("--X--\r\n"));
  if (random(50) === 0) parts.push(new Uint8Array(300_000).fill(random(256)));
  const body = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    body.set(part, at);
    at += part.length;
  }
  return {
    method: pick(["POST", "PUT", "PATCH", "DELETE"]),
    path: pick(paths),
    type: pick(types),
    body,
    framing: pick(framings),
  };
}

/** Creates an application that reads bodies in every way and saves files to a folder. */
export function reader(folder: string): fw.Application {
  const app = fw.New();
  app.Logger().SetLevel("disable");
  app.Configure(fw.WithPostMaxMemory(10_000));
  const routes: Record<string, fw.Handler> = {
    "/value": async (ctx) => ctx.WriteString(await ctx.FormValue("a")),
    "/values": async (ctx) => ctx.JSON(await ctx.FormValues()),
    "/int": async (ctx) => ctx.JSON(orThrow(await ctx.PostValueInt("a"))),
    "/file": async (ctx) => {
      const [opened, , error] = await ctx.FormFile("f");
      if (opened === null) throw toHTTPError(error);
      ctx.Write(await opened.bytes());
    },
    "/upload": async (ctx) => ctx.JSON(orThrow(await ctx.UploadFormFiles(folder))),
    "/rename": async (ctx) => {
      const result = await ctx.UploadFormFiles(folder, async (c, header) => {
        header.Filename = join(await c.PostValue("a"), header.Filename);
      });
      ctx.JSON(orThrow(result));
    },
    "/body": async (ctx) => ctx.Write(orThrow(await ctx.GetBody())),
    "/json": async (ctx) => ctx.JSON(orThrow(await ctx.ReadJSON())),
    "/form": async (ctx) => ctx.JSON(Object.keys(orThrow(await ctx.ReadForm()))),
    "/unread": (ctx) => ctx.WriteString("early"),
  };
  for (const [path, handler] of Object.entries(routes)) app.Any(path, handler);
  app.Any("/limit", fw.LimitRequestBodySize(1000), async (ctx) => ctx.JSON(orThrow(await ctx.UploadFormFiles(folder))));
  return app;
}

/** Sends a request over a new connection and returns the status, or 0 if there was no response. */
export async function send(port: number, { method, path, type, body, framing }: Garbage): Promise<number> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const length = framing === "declared" ? body.length : framing === "too long" ? body.length + 10 : undefined;
  const told = length === undefined ? "Transfer-Encoding: chunked" : `Content-Length: ${length}`;
  const head =
    `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: ${type}\r\n${told}\r\n\r\n`;
  const open = length === undefined && body.length > 0 ? `${body.length.toString(16)}\r\n` : "";
  const close = framing === "chunked"
    ? `${open === "" ? "" : "\r\n"}0\r\n\r\n`
    : framing === "broken chunks"
    ? "zz\r\n"
    : "";
  try {
    // Headers are encoded as Latin-1.
    for (const bytes of [latin(head + open), body, latin(close)]) {
      for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
    }
    // A server may treat this as the end of the whole connection, so it is only used for bodies that never end.
    if (framing === "too long" || framing === "broken chunks") await connection.closeWrite();
    const response = await new Response(connection.readable).text();
    return Number(/^HTTP\/1\.1 (\d{3})/.exec(response)?.[1] ?? 0);
  } catch {
    // The server may close the connection while the request is sent.
    return 0;
  } finally {
    try {
      connection.close();
    } catch {
      // The readable stream has already closed the connection.
    }
  }
}

function orThrow<T>(result: fw.Parsed<T> | fw.Result<T>): T {
  if (result[1] !== null) throw toHTTPError(result[1]);
  return result[0] as T;
}

/** Converts errors that are caused by the client, such as missing fields and files or rejected names. */
function toHTTPError(error: Error | null): Error {
  const isOwn = error instanceof fw.FrameworkError && ["FW_FIELD", "FW_MISSING_FILE", "FW_UPLOAD"].includes(error.Code);
  return isOwn ? new fw.HTTPError(400, error.message) : error ?? new Error("no error");
}

function latin(text: string): Uint8Array {
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}

/** Creates a seeded generator of small numbers (a linear congruential generator with a bit shuffle). */
function generator(seed: number): (below: number) => number {
  let state = (seed * 2654435761 + 1) >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return ((state >>> 8) ^ (state >>> 20)) % below;
  };
}
