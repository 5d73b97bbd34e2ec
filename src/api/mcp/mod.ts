/**
 * Offers an application's routes to AI agents as tools, over the Model Context Protocol (MCP).
 *
 * Controller methods become tools with the same schemas, descriptions and guards. A tool call is a request to the
 * application itself, in process and with the caller's credentials, so guards, sessions, validation and limits apply as
 * they do over plain HTTP. If the input is invalid, the model receives the validation errors as the result of the call.
 * If authentication is required, the response has status 401, and the client logs in. A tool's arguments are the path
 * parameters, query parameters and headers by name, and `body` or `form`. Files are passed as base64 strings.
 *
 * GET routes are also offered as resources, and other routes as prompts. Only the routes that the caller may call are
 * listed. During a call, a handler can report progress, log and ask the user with {@linkcode CallOf}.
 *
 * Revision 2026-07-28 of the protocol and the three revisions of 2025 are served at one address, over streamable HTTP.
 * A response is JSON, or a stream of server-sent events if other messages precede it. Only the older revisions have
 * sessions.
 *
 * This module does not depend on the official SDK, which installs 95 packages, including Express and Hono. The tests
 * run the official conformance suite and several clients against this implementation.
 *
 * @example Call a tool
 * ```ts
 * import * as fw from "@fw/web";
 * import * as mcp from "@fw/web/mcp";
 * import * as mvc from "@fw/web/mvc";
 *
 * class TeaController {
 *   GetBy(id = 0) {
 *     return { id, name: "Assam" };
 *   }
 * }
 * const app = fw.New();
 * mvc.New(app.Party("/teas")).Handle(TeaController);
 * mcp.New(app, { Name: "teas", Controllers: [TeaController], Sessions: false });
 *
 * const call = { name: "Tea_GetBy", arguments: { id: 7 } };
 * const response = await app.fetch(
 *   new Request("http://localhost/mcp", {
 *     method: "POST",
 *     headers: { "content-type": "application/json" },
 *     body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: call }),
 *   }),
 * );
 * (await response.json()).result.structuredContent; // → { id: 7, name: "Assam" }
 * ```
 *
 * @module
 */

import type { Application } from "../../core/app/application.ts";
import type { Options } from "./options.ts";
import { Server } from "./server.ts";

export { CallOf } from "./agent_call.ts";
export type { Call, Elicited } from "./agent_call.ts";
export type { ListName } from "./changes.ts";
export type { Completer, Completion } from "./completion.ts";
export { Content, type ContentPart } from "./tool/tool_result.ts";
export type { Authorization, Options, SessionOptions } from "./options.ts";
export type { ElicitQuestion, Question, RootsQuestion, SampleQuestion } from "./questions.ts";
export type { Level } from "./wire/revisions.ts";
export { Server } from "./server.ts";
export type { Tool } from "./tool/tool.ts";

/**
 * Serves the Model Context Protocol on a route of an application.
 *
 * @param app The application. It must not have been built yet.
 * @param options The tools to offer and their limits.
 * @returns The server.
 */
export function New(app: Application, options: Options): Server {
  return new Server(app, options);
}
