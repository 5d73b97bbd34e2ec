/**
 * A call of an agent, as the route that serves it sees it.
 *
 * @module
 */

import type { StandardSchema } from "../accessors/schema.ts";
import type { JSONSchema } from "../openapi/json_schema.ts";
import type { Question } from "./questions.ts";
import type { Level } from "./wire/revisions.ts";

/** The reply to a form: the user's input, or the reason why there is none. */
export type Elicited<T> =
  | { readonly Action: "accept"; readonly Content: T }
  | { readonly Action: "decline" | "cancel"; readonly Content?: undefined };

/**
 * A call of an agent. Returned by {@linkcode CallOf}.
 *
 * @example Report progress and ask the user
 * ```ts
 * import * as fw from "@fw/web";
 * import * as mcp from "@fw/web/mcp";
 * import { z } from "npm:zod@^4";
 *
 * const app = fw.New();
 * app.Delete("/teas", async (ctx) => {
 *   const call = mcp.CallOf(ctx);
 *   const reply = await call?.Elicit("sure", "Delete all teas?", z.object({ yes: z.boolean() }));
 *   if (reply?.Content?.yes !== true) return ctx.WriteString("kept");
 *   call?.Progress(1, 2, "deleting");
 *   ctx.WriteString("deleted");
 * });
 * mcp.New(app, { Name: "teas", Routes: ({ Path }) => Path === "/teas" });
 *
 * // Over plain HTTP, there is no agent to ask:
 * await (await app.fetch(new Request("http://localhost/teas", { method: "DELETE" }))).text(); // → "kept"
 * ```
 */
export interface Call {
  /** The name and version of the client, as reported by itself, or an empty object. */
  readonly Client: Readonly<Record<string, unknown>>;
  /** The capabilities of the client, with members such as `elicitation`, `sampling` and `roots`. */
  readonly Capabilities: Readonly<Record<string, unknown>>;
  /**
   * Reports progress. Ignored if the client has not asked for it.
   *
   * @param progress The progress so far. It must increase with every call.
   * @param total The total, if it is known.
   * @param message A message for the user.
   */
  Progress(progress: number, total?: number, message?: string): void;
  /**
   * Sends a log message to the client. Ignored if the client has not asked for messages of this level.
   *
   * @param level The severity.
   * @param data The message, or any JSON value.
   * @param logger The name of the logger.
   */
  Log(level: Level, data: unknown, logger?: string): void;
  /**
   * Asks the user to fill in a form.
   *
   * In revision 2026-07-28, the handler ends here with an error, and the client repeats the call with the reply. The
   * handler then runs again from its start, so it must not change anything before its last question. In older
   * revisions, the handler waits for the reply.
   *
   * @param key The name of the question, unique within the call.
   * @param message The message that the user reads.
   * @param schema The schema of the form: a flat object, as a schema of any library or as JSON Schema.
   * @returns The user's input, or the reason why there is none.
   */
  Elicit<T = Record<string, unknown>>(
    key: string,
    message: string,
    schema: StandardSchema<T> | JSONSchema,
  ): Promise<Elicited<T>>;
  /**
   * Puts several questions to the client at once. See {@linkcode Elicit} for how a handler continues.
   *
   * @param questions The questions by name.
   * @returns The replies by name, in the form of the protocol.
   */
  Ask(questions: Readonly<Record<string, Question>>): Promise<Readonly<Record<string, unknown>>>;
}
