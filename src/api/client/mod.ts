/**
 * Typed HTTP clients for controllers, derived from the controllers' types.
 *
 * Import the controller with `import type`, so that the client does not load any server code. The path arguments of a
 * controller method are positional. Typed inputs, headers and the abort signal follow in a single options object. Calls
 * to the routes of an application ({@linkcode Application}) have no positional arguments. Their path parameters are
 * `Params` in the options.
 *
 * Calls never throw. Each call resolves to `[value, null]` or `[undefined, error]`. If a response arrived,
 * `error.Status` is its status code, and `error.Problem` and `error.Body` contain its content (see {@linkcode
 * ResponseError}). Otherwise `error.Status` is `undefined`. The result's `Response` property has the status and
 * headers, and `users.GetBy.Raw(1n)` returns the response itself. If a method returns tuples with literal statuses,
 * such as `mvc.Tuple({ why }, 409)`, the error bodies are typed as well. In this case, `error.Body` is `{ why: string
 * }` if `error?.Status === 409`.
 *
 * Values have their JSON types. For example, a Date becomes a string. A bigint is sent as a JSON number and has the
 * type `number | bigint`, because it is read as a bigint only if a number would lose digits. Generators are read as
 * async iterables of strings, bytes, server-sent events, or values sent as JSON lines.
 *
 * An injected string, number or boolean parameter cannot be distinguished from a path argument. Wrap the value in a
 * class or inject it into a field.
 *
 * @example Send a path argument and a body
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
 * @example Handle errors
 * ```ts
 * import * as fw from "@fw/web";
 * import * as client from "@fw/web/client";
 * import * as mvc from "@fw/web/mvc";
 *
 * class NoteController {
 *   GetBy(id = 0) {
 *     return mvc.Tuple({ id }, id < 10);
 *   }
 * }
 * const app = fw.New();
 * mvc.New(app.Party("/notes")).Handle(NoteController);
 *
 * const notes = client.New<NoteController>("http://localhost/notes", { Fetch: app.fetch });
 * const [note, error] = await notes.GetBy(70);
 * function describe() {
 *   if (error === null) return `Note ${note.id}`;
 *   if (error.Status === 404) return "There is no such note";
 *   return error.Problem?.detail ?? error.message;
 * }
 * describe(); // → "There is no such note"
 * ```
 *
 * @example Call the routes of an application
 * ```ts
 * import * as fw from "@fw/web";
 * import * as client from "@fw/web/client";
 *
 * function getNote(ctx: fw.Context) {
 *   return { id: ctx.Params().GetIntDefault("id", 0) };
 * }
 * const app = fw.New();
 * app.ConfigureContainer().Get("/notes/{id:int}", getNote);
 *
 * type API = { "GET /notes/{id:int}": typeof getNote };
 * const api = client.Application<API>("http://localhost", { Fetch: app.fetch });
 * await api["GET /notes/{id:int}"]({ Params: { id: 5 } }); // → [{ id: 5 }, null]
 * ```
 *
 * @module
 */

export { Application, type ApplicationClient } from "./application.ts";
export { New } from "./client.ts";
export { type Problem, ResponseError } from "./call_error.ts";
export type {
  CallError,
  CallResult,
  ErrorOf,
  ErrorStatus,
  LostCallError,
  StatusError,
  WithResponse,
} from "./call_result.ts";
export type { Call, Client } from "./client_type.ts";
export type { ReceivedEvent } from "./json_type.ts";
export type { JSONOf, ValueOf } from "./json_type.ts";
export type { CallOptions, ClientOptions, HeaderSource, RetryStrategy } from "./options.ts";
export { Retry, type RetryOptions } from "./sender.ts";
export { Routed, type RoutedOptions } from "./routed.ts";
export {
  type AskArgumentsOf,
  type AsksOf,
  type DataOf,
  type EmitsOf,
  type EventsOf,
  IsLiveError,
  type JoinArguments,
  type JoinReplyOf,
  Live,
  type LiveClient,
  type LiveClientOptions,
  type LiveHandler,
  type ReceivedOf,
  type ReplyOf,
} from "./live_client.ts";
export type { LiveAskOptions, LiveJoinOptions, LiveOptions } from "../../live/websocket/client/live_options.ts";
export type {
  LiveError,
  LiveIssue,
  LivePresence,
  LiveState,
  MissedMessages,
} from "../../live/websocket/client/live_types.ts";
