/**
 * Sends requests to applications, in process through `app.fetch` and over a real socket.
 *
 * @module
 */

import * as fw from "../mod.ts";

/** A request to send. */
export interface Question {
  /** The method. Defaults to GET. */
  readonly method?: string;
  /** The headers. `host` sets the host. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The body. */
  readonly body?: string;
}

/** A complete response. */
export interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  readonly text: string;
}

/** Sends a request for a path. */
export type Ask = (path: string, question?: Question) => Promise<Received>;

/** The way in which requests are sent, for behavior that depends on it. */
export type Way = "in process" | "over a socket";

/**
 * Registers two tests for one behavior.
 *
 * @param name The behavior, as a sentence that begins with the symbol.
 * @param newApp Creates the application.
 * @param run Sends the requests.
 */
export function bothWays(
  name: string,
  newApp: () => fw.Application | Promise<fw.Application>,
  run: (ask: Ask, way: Way) => void | Promise<void>,
): void {
  Deno.test(`${name}, in process`, async () => {
    const app = await newApp();
    await run((path, question) => askInProcess(app, path, question), "in process");
  });
  Deno.test(`${name}, over a socket`, async () => {
    await overSocket(await newApp(), (ask) => run(ask, "over a socket"));
  });
}

/** Serves an application on a free port while a function runs. */
export async function overSocket(
  app: fw.Application,
  run: (ask: Ask, port: number) => void | Promise<void>,
): Promise<void> {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, app.fetch);
  try {
    await run((path, question) => askOverSocket(server.addr.port, path, question), server.addr.port);
  } finally {
    await server.shutdown();
  }
}

/** Runs an application on a free port. */
export async function listen(app: fw.Application): Promise<{ url: string; ended: Promise<unknown> }> {
  const port = Promise.withResolvers<number>();
  const ended = app.Run(
    fw.Addr("127.0.0.1:0"),
    fw.WithoutStartupLog,
    fw.WithoutInterruptHandler,
    fw.WithOnListen((address) => port.resolve("port" in address ? address.port : 0)),
  );
  return { url: `http://127.0.0.1:${await port.promise}/`, ended };
}

/** Creates an application that does not log anything. */
export function quiet(): fw.Application {
  const app = fw.New();
  app.Logger().SetLevel("disable");
  return app;
}

/** Creates an application and the list of its log lines. */
export function logged(app: fw.Application = fw.New()): { app: fw.Application; lines: string[] } {
  const lines: string[] = [];
  app.Logger().SetTimeFormat("").SetOutput((line) => lines.push(line));
  return { app, lines };
}

/** Sends a request to an application without a connection. */
export async function askInProcess(app: fw.Application, path: string, question: Question = {}): Promise<Received> {
  const { host = "localhost", ...headers } = question.headers ?? {};
  const request = new Request(`http://${host}${path}`, {
    method: question.method ?? "GET",
    headers,
    ...question.body !== undefined && { body: question.body },
  });
  const response = await app.fetch(request, { remoteAddr: { transport: "tcp", hostname: "127.0.0.1", port: 50000 } });
  const bytes = await response.bytes();
  return { status: response.status, headers: response.headers, bytes, text: new TextDecoder().decode(bytes) };
}

/** Sends a request over a new connection. The path and the method are sent unchanged. */
export async function askOverSocket(port: number, path: string, question: Question = {}): Promise<Received> {
  const headers = {
    host: "localhost",
    connection: "close",
    ...question.body !== undefined && { "content-length": String(encode(question.body).length) },
    ...question.headers,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `${question.method ?? "GET"} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`;
  return readReceived(await sendBytes(port, encode(head + (question.body ?? ""))));
}

/** Sends bytes to a port and reads until the server closes the connection. */
export async function sendBytes(port: number, bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await writeAll(connection, bytes);
  return await new Response(connection.readable).bytes();
}

/**
 * Writes bytes to a connection. `connection.writable` is not used: if that stream is collected as garbage while the
 * response is awaited, Deno closes the connection, and reading fails with "operation canceled".
 */
export async function writeAll(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}

/** Parses the response of a server. */
export function readReceived(bytes: Uint8Array): Received {
  const text = new TextDecoder("latin1").decode(bytes);
  const end = text.indexOf("\r\n\r\n");
  const [first = "", ...lines] = text.slice(0, end).split("\r\n");
  const headers = new Headers(lines.map((line) => splitAt(line, ": ")));
  const rest = bytes.subarray(end + 4);
  const body = headers.get("transfer-encoding") === "chunked" ? unchunk(rest) : rest;
  return { status: Number(first.split(" ")[1]), headers, bytes: body, text: new TextDecoder().decode(body) };
}

function unchunk(bytes: Uint8Array): Uint8Array {
  const whole: number[] = [];
  for (let at = 0;;) {
    const line = bytes.indexOf(10, at);
    const size = line < 0 ? NaN : parseInt(new TextDecoder().decode(bytes.subarray(at, line)), 16);
    if (Number.isNaN(size)) throw new Error("The response broke off");
    if (size === 0) return Uint8Array.from(whole);
    whole.push(...bytes.subarray(line + 1, line + 1 + size));
    at = line + 1 + size + 2;
  }
}

function splitAt(text: string, border: string): [string, string] {
  const at = text.indexOf(border);
  return [text.slice(0, at), text.slice(at + border.length)];
}

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}
