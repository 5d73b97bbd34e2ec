/**
 * Form requests, and applications that respond with the values they read.
 *
 * @module
 */

import type * as fw from "../../../mod.ts";
import { type Question, quiet } from "../../serving.ts";
import { field, file } from "./cases.ts";

/** Creates requests with the same fields in both encodings. Accessors must not distinguish them. */
export function forms(fields: readonly (readonly [string, string])[]): Question[] {
  const plain = new URLSearchParams(fields.map(([name, value]) => [name, value])).toString();
  const parts = `${fields.map(([name, value]) => field(name, value)).join("")}--X--\r\n`;
  return [
    { method: "POST", body: plain, headers: { "content-type": "application/x-www-form-urlencoded" } },
    { method: "POST", body: parts, headers: { "content-type": "multipart/form-data; boundary=X" } },
  ];
}

/** Creates a request with files. */
export function upload(...files: (readonly [field: string, name: string, text: string])[]): Question {
  const body = `${files.map(([key, name, text]) => file(key, name, text)).join("")}--X--\r\n`;
  return { method: "POST", body, headers: { "content-type": "multipart/form-data; boundary=X" } };
}

/** Creates an application with one route that responds with the result of a handler. */
export function responding(read: (ctx: fw.Context) => unknown): () => fw.Application {
  return () => {
    const app = quiet();
    app.Any("/", async (ctx) => ctx.JSON(await read(ctx)));
    return app;
  };
}

/** Converts a result for JSON: the value, and whether there was an error. */
export function told<T>([value, error]: fw.Parsed<T>): [T, boolean] {
  return [value, error !== null];
}

/** Returns the results of several readers for one request. */
export async function readAll(
  ctx: fw.Context,
  checks: readonly (readonly [read: (ctx: fw.Context) => unknown, expected: unknown])[],
): Promise<unknown[]> {
  const results = [];
  for (const [read] of checks) results.push(await read(ctx));
  return results;
}
