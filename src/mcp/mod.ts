/**
 * Tools for agents: the routes of an application over the Model Context Protocol.
 *
 * Controller methods become tools with the same schemas, descriptions and guards. A tool call is a request to the
 * application itself, in process, with the caller's credentials: every guard, session, validation and limit applies as
 * it does over plain HTTP. If an input is invalid, the model gets the validation errors as the result of the call. If
 * authentication is required, the response has status 401, and the client logs in. The arguments of a tool are the path
 * parameters, query parameters and headers by name, and `body` or `form`; files are base64 strings.
 *
 * The transport is streamable HTTP with one JSON response per message. GET routes are also offered as resources.
 *
 * This module does not depend on the official `@modelcontextprotocol/sdk`, which brings 95 packages with it, among them
 * Express and Hono. A server needs a small part of the protocol; the tests run the official client against it.
 *
 * @example A tool, as a client calls it
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

import type { Application } from "../app/application.ts";
import type { Options } from "./options.ts";
import { Server } from "./server.ts";

export type { Authorization, Options, SessionOptions } from "./options.ts";
export { Server } from "./server.ts";
export type { Tool } from "./tool.ts";

/**
 * Serves the Model Context Protocol on a route of an application.
 *
 * @param app The application, before it is built.
 * @param options What is offered, and within which limits.
 * @returns The server.
 */
export function New(app: Application, options: Options): Server {
  return new Server(app, options);
}
