/**
 * Typed clients of controllers, from their types alone.
 *
 * Import the controller with `import type`: no code of the server is loaded, nor of this package but the reader of
 * method names. Path arguments are positional; typed inputs, headers and a signal are one record after them. A call
 * never throws: it resolves to `[value, null]` or to `[undefined, error]`, and the error of a response is a
 * {@linkcode ResponseError}. The `Response` of either has the status and the headers; `users.GetBy.Raw(1n)` resolves to
 * the response itself. A method that returns tuples with literal statuses, such as `mvc.Tuple({ why }, 409)`, has typed
 * errors: if `error?.Status === 409`, `error.Body` is `{ why: string }`.
 *
 * Values are typed as JSON carries them: a Date is a string. A bigint is sent as a JSON number, and is read as a number
 * if a number can hold it, and as a bigint otherwise: its type is `number | bigint`. What a generator yields is read as
 * an async iterable: strings, bytes, server-sent events, or values, sent as JSON lines.
 *
 * A method whose argument is an injected string, number or boolean looks like one with a path argument; give such a
 * value a class or read it in a field.
 *
 * @example A call with a path argument and one with a body
 * ```ts
 * import * as fw from "@fw/web";
 * import * as client from "@fw/web/client";
 * import * as mvc from "@fw/web/mvc";
 * import { z } from "npm:zod@^4";
 *
 * const newNote = z.object({ text: z.string().min(1) });
 * class NoteController {
 *   GetBy(id = 0) {
 *     return { id, at: new Date(0) };
 *   }
 *   Post(note = mvc.Body(newNote)) {
 *     return mvc.Tuple({ id: 8, text: note.text }, 201);
 *   }
 * }
 * const app = fw.New();
 * mvc.New(app.Party("/notes")).Handle(NoteController);
 *
 * const notes = client.New<NoteController>("http://localhost/notes", { Fetch: app.fetch });
 * await notes.GetBy(7); // → [{ id: 7, at: "1970-01-01T00:00:00.000Z" }, null]
 * await notes.Post({ Body: { text: "Call Bob" } }); // → [{ id: 8, text: "Call Bob" }, null]
 * ```
 *
 * @module
 */

export { Application, type ApplicationClient } from "./application.ts";
export { New } from "./client.ts";
export { type ErrorCode, ErrorCodes, HTTPError } from "../base/errors.ts";
export { type Problem, ResponseError } from "./call_error.ts";
export type { CallResult, ErrorOf, ErrorStatus, LostCallError, StatusError, WithResponse } from "./call_result.ts";
export type { Call, Client } from "./client_type.ts";
export type { ReceivedEvent } from "./event_type.ts";
export type { JSONOf, ValueOf } from "./json_type.ts";
export type { CallOptions, ClientOptions, HeaderSource, RetryStrategy } from "./options.ts";
export { Retry, type RetryOptions } from "./retry.ts";
export { Routed, type RoutedOptions } from "./routed.ts";
export {
  type DataOf,
  type EmitsOf,
  type EventsOf,
  Live,
  type LiveClient,
  type LiveClientOptions,
  type ReplyOf,
} from "./live_client.ts";
export type { LiveOptions, LiveState, MissedMessages } from "../websocket/client/live.ts";
