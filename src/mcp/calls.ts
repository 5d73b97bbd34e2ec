/**
 * Executes tool calls as in-process requests to the application.
 *
 * @module
 */

import type { Application } from "../app/application.ts";
import { type Context, exchangeOf } from "../context/context.ts";
import { isJSONObject } from "../data/plain_object.ts";
import { Challenge, codes, ProtocolError } from "./messages.ts";
import type { Settings } from "./options.ts";
import { findResource } from "./resources.ts";
import type { BoundTool } from "./tool.ts";
import { ArgumentError, toolRequest } from "./tool_request.ts";
import {
  failure,
  OversizeError,
  type ReadResponse,
  readResponse,
  resourceContent,
  type ToolResult,
  toolResult,
} from "./tool_result.ts";

/** The caller of a tool and the signal that cancels the call. */
export interface Caller {
  readonly ctx: Context;
  readonly signal: AbortSignal;
}

/** The tool calls of one endpoint. */
export class Calls {
  readonly #app: Application;
  readonly #settings: Settings;
  #inFlight = 0;

  constructor(app: Application, settings: Settings) {
    this.#app = app;
    this.#settings = settings;
  }

  /** Calls a tool. Errors that the model can correct are returned as results instead of protocol errors. */
  async callTool(bound: BoundTool, given: unknown, caller: Caller): Promise<ToolResult> {
    if (!isJSONObject(given)) {
      throw new ProtocolError(codes.params, `Cannot call "${bound.tool.name}": the arguments must be an object`);
    }
    try {
      const response = await this.#send(bound, given as Record<string, unknown>, caller);
      return toolResult(response, `app:///${bound.tool.name}`);
    } catch (error) {
      if (error instanceof ArgumentError || error instanceof OversizeError || error instanceof BusyError) {
        return failure(error.message);
      }
      throw error;
    }
  }

  /** Reads a resource. */
  async readResource(tools: Iterable<BoundTool>, uri: unknown, caller: Caller): Promise<unknown> {
    const found = typeof uri === "string" ? findResource(tools, uri) : undefined;
    if (found === undefined) {
      throw new ProtocolError(codes.noResource, `Cannot read "${uri}": there is no such resource`);
    }
    try {
      const response = await this.#send(found.bound, found.given, caller);
      if (response.status < 300) return { contents: [resourceContent(response, String(uri))] };
      const code = response.status === 404 || response.status === 410 ? codes.noResource : codes.internal;
      throw new ProtocolError(code, `Cannot read "${uri}": the route responded with ${response.status}`);
    } catch (error) {
      if (error instanceof ArgumentError) throw new ProtocolError(codes.params, error.message);
      if (error instanceof OversizeError || error instanceof BusyError) {
        throw new ProtocolError(codes.internal, error.message);
      }
      throw error;
    }
  }

  /**
   * Throws if the arguments resolve to a different route. For example, the value "export" must not turn `/teas/{name}`
   * into `/teas/export`, which may not be offered as a tool.
   */
  async #assertLeadsTo({ tool, template, route, method }: BoundTool, { url }: Request): Promise<void> {
    if (template.segments.every((segment) => segment.kind === "static")) return;
    const { Route } = await this.#app.Explain(method, new URL(url).pathname, route.Subdomain);
    if (Route === undefined || Route === route.Name) return;
    throw new ArgumentError(`Cannot call "${tool.name}": the arguments lead to another route`);
  }

  async #send(bound: BoundTool, given: Readonly<Record<string, unknown>>, caller: Caller): Promise<ReadResponse> {
    const { request: message, target } = exchangeOf(caller.ctx);
    const request = toolRequest(bound, given, message, target.runtime.basePath);
    await this.#assertLeadsTo(bound, request);
    // The signal is created on demand, because every signal takes time and Deno warns about its use.
    Object.defineProperty(request, "signal", { get: () => AbortSignal.any([message.signal, caller.signal]) });
    if (this.#inFlight >= this.#settings.MaxCalls) {
      throw new BusyError(`Cannot call "${bound.tool.name}" now: too many calls are in flight; try again later`);
    }
    this.#inFlight++;
    try {
      const response = await this.#app.fetch(request, target.connection);
      for (const cookie of response.headers.getSetCookie()) caller.ctx.AddHeader("set-cookie", cookie);
      const challenge = response.headers.get("www-authenticate");
      if (response.status === 401 || (response.status === 403 && challenge !== null)) {
        await response.body?.cancel();
        throw new Challenge(response.status, challenge ?? "Bearer");
      }
      return await readResponse(response, this.#settings.MaxResultSize);
    } finally {
      this.#inFlight--;
    }
  }
}

/** The error for a call that is rejected because too many calls are in flight. */
class BusyError extends Error {}
