/**
 * The way to call a published function with options.
 *
 * @module
 */

import * as fw from "../../../../mod.ts";

/** Calls a function with options of any kind. */
// deno-lint-ignore no-explicit-any -- The options are wrong on purpose.
export type Call = (options: any) => unknown;

/** A call, the options that it needs at least, and those that objects in options need at least, by their names. */
export type Recipe =
  | Call
  | readonly [call: Call, least: Readonly<Record<string, unknown>>, nested?: Readonly<Record<string, object>>];

/** Recipes by the keys of their doors. */
export type Recipes = Readonly<Record<string, Recipe>>;

/** Runs a function in the handler of a request, and throws what it throws. */
export async function inHandler(
  use: (ctx: fw.Context) => unknown,
  request: Request = new Request("http://localhost/"),
): Promise<void> {
  let failure: unknown;
  const app = fw.New();
  app.Logger().SetLevel("disable");
  app.Any("/", async (ctx) => {
    try {
      await use(ctx);
    } catch (error) {
      failure = error;
    }
  });
  const response = await app.fetch(request);
  await response.body?.cancel();
  if (failure !== undefined) throw failure;
}

/** Sends a body to a handler. */
export function withBody(use: (ctx: fw.Context) => unknown, body: BodyInit, type?: string): Promise<void> {
  const headers = type === undefined ? {} : { "content-type": type };
  return inHandler(use, new Request("http://localhost/", { method: "POST", body, headers }));
}
