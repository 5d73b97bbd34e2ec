/**
 * Executes tool calls as in-process requests to the application.
 *
 * @module
 */

import type { Application } from "../../core/app/application.ts";
import { encodeSent } from "../../base/codec/sent.ts";
import { type Context, exchangeOf } from "../../core/context/context.ts";
import { isJSONObject } from "../../base/data/plain_object.ts";
import { announce } from "../../core/exchange/span.ts";
import { type BoundRoute, passOn } from "../../core/exchange/peer/outer_call.ts";
import { isShut } from "../../http/response/draft.ts";
import { AgentCall, InputRequired, throwOutcome } from "./agent_call.ts";
import { abortable, type Link } from "./wire/link.ts";
import { Challenge, codes, type Params, ProtocolError } from "./wire/messages.ts";
import type { Settings } from "./options.ts";
import { callerText, type Round } from "./request_state.ts";
import { promptResult } from "./tool/prompts.ts";
import { findResources } from "./tool/resources.ts";
import type { BoundTool } from "./tool/tool.ts";
import { ArgumentError, ToolConnection, toolRequest } from "./tool/tool_request.ts";
import {
  failure,
  OversizeError,
  type ReadResponse,
  readResponse,
  resourceContent,
  type ToolResult,
  toolResult,
} from "./tool/tool_result.ts";

/** The caller of a route. */
export interface Caller {
  readonly ctx: Context;
  /** Cancels the call. */
  readonly signal: AbortSignal;
  /** The way back to the client. */
  readonly link: Link;
  /** The client's replies to questions of earlier rounds. */
  readonly replies: Params;
  /** The round of a call that the client continues. */
  readonly round?: Round | undefined;
}

/** The tool calls of one endpoint. */
export class Calls {
  readonly #app: Application;
  readonly #settings: Settings;
  /** The number of calls in flight, by caller. */
  readonly #inFlight = new Map<string, number>();

  constructor(app: Application, settings: Settings) {
    this.#app = app;
    this.#settings = settings;
  }

  /** Calls a tool. Errors that the model can correct are returned as results instead of protocol errors. */
  async callTool(bound: BoundTool, given: unknown, caller: Caller): Promise<ToolResult> {
    try {
      const response = await this.#send(bound, argumentsOf(bound, given), caller);
      return toolResult(response, `app:///${bound.tool.name}`);
    } catch (error) {
      if (isCorrectable(error)) return failure(error.message);
      // Only revision 2026-07-28 has an error for missing capabilities.
      const isMute = error instanceof ProtocolError && error.code === codes.capability && !caller.link.isModern;
      if (isMute) return failure(error.message);
      throw error;
    }
  }

  /** Gets the messages of a prompt. */
  async getPrompt(bound: BoundTool, given: unknown, caller: Caller): Promise<unknown> {
    try {
      return promptResult(bound.tool.name, await this.#send(bound, argumentsOf(bound, given), caller));
    } catch (error) {
      if (isCorrectable(error)) throw new ProtocolError(codes.params, error.message);
      throw error;
    }
  }

  /** Reads a resource. If several routes have a URI of this form, the router decides which of them it belongs to. */
  async readResource(tools: Iterable<BoundTool>, uri: unknown, caller: Caller): Promise<unknown> {
    for (const { bound, given } of typeof uri === "string" ? findResources(tools, uri) : []) {
      try {
        const response = await this.#send(bound, given, caller);
        if (response.status < 300) return { contents: [resourceContent(response, String(uri))] };
        const code = response.status === 404 || response.status === 410 ? codes.noResource : codes.internal;
        throw new ProtocolError(code, `Cannot read "${uri}": the route responded with ${response.status}`);
      } catch (error) {
        if (error instanceof MissedError) continue;
        if (error instanceof ArgumentError) throw new ProtocolError(codes.params, error.message);
        if (isCorrectable(error)) throw new ProtocolError(codes.internal, error.message);
        throw error;
      }
    }
    throw new ProtocolError(codes.noResource, `Cannot read "${uri}": there is no such resource`);
  }

  /** Sends the request of a call. If the call is canceled, the request goes on alone until its handlers notice it. */
  async #send(bound: BoundTool, given: Readonly<Record<string, unknown>>, caller: Caller): Promise<ReadResponse> {
    const { request: message, target, runtime } = exchangeOf(caller.ctx);
    const request = toolRequest(bound, given, message, runtime.languages?.settings.URLParameter);
    Object.defineProperty(request, "signal", { value: caller.signal });
    const key = callerKey(caller.ctx);
    const others = this.#inFlight.get(key) ?? 0;
    if (others >= this.#settings.MaxCalls) {
      throw new BusyError(
        `Cannot call "${bound.tool.name}" now: too many calls are in flight for this caller; try again later`,
      );
    }
    const call = new AgentCall(caller.link, caller.replies, this.#settings.Convert);
    const { route: info, mounts, version, tool: { name } } = bound;
    const entrance = { act: `return the result of "${name}"`, root: "Result", code: "FW_RETURN" } as const;
    const writeExactly = (value: unknown) => encodeSent(value, entrance);
    const { language } = target;
    const own = { info, mounts, version: version(), language, call, writeExactly };
    const route: BoundRoute = { ...own, entry: runtime, app: undefined, isMissed: false };
    const connection = new ToolConnection(target.connection, passOn({ ...target.outer, route }));
    this.#inFlight.set(key, others + 1);
    announce("tool", name);
    const receiving = this.#receive(request, connection, call, caller).finally(() => this.#leave(key));
    const response = await abortable(receiving, caller.signal);
    if (route.isMissed) {
      throw new MissedError(`Cannot call "${bound.tool.name}": the arguments do not lead to its route`);
    }
    return response;
  }

  async #receive(
    request: Request,
    connection: ToolConnection,
    call: AgentCall,
    { ctx, signal, round }: Caller,
  ): Promise<ReadResponse> {
    await round?.claim();
    try {
      const response = await this.#app.fetch(request, connection);
      if (connection.outer.route?.isMissed) await round?.release();
      try {
        signal.throwIfAborted();
        throwOutcome(call);
      } catch (error) {
        await response.body?.cancel();
        throw error;
      }
      // The headers of a stream have already been sent.
      const { draft } = exchangeOf(ctx);
      if (!isShut(draft)) { for (const cookie of response.headers.getSetCookie()) ctx.AddHeader("set-cookie", cookie); }
      const challenge = response.headers.get("www-authenticate");
      if (response.status === 401 || (response.status === 403 && challenge !== null)) {
        await response.body?.cancel();
        throw new Challenge(response.status, challenge ?? "Bearer");
      }
      return await readResponse(response, this.#settings.MaxResult, signal);
    } catch (error) {
      // The client may continue the call with further replies, or after a login.
      if (error instanceof InputRequired || error instanceof Challenge) await round?.release();
      throw error;
    }
  }

  #leave(key: string): void {
    const left = (this.#inFlight.get(key) ?? 1) - 1;
    if (left === 0) this.#inFlight.delete(key);
    else this.#inFlight.set(key, left);
  }
}

/** Returns the key of a caller for the limit of calls. Anonymous callers are distinguished by their addresses. */
function callerKey(ctx: Context): string {
  return callerText(ctx) || `address ${ctx.RemoteAddr()}`;
}

function argumentsOf({ tool }: BoundTool, given: unknown): Record<string, unknown> {
  if (isJSONObject(given)) return given as Record<string, unknown>;
  throw new ProtocolError(codes.params, `Cannot call "${tool.name}": the arguments must be an object`);
}

/** The error for a call that is rejected because too many calls are in flight. */
class BusyError extends Error {}

/** The error for a call whose arguments do not lead to the route of the tool. */
class MissedError extends Error {}

/** Reports whether the model can correct an error or try again. */
function isCorrectable(error: unknown): error is Error {
  return error instanceof ArgumentError || error instanceof OversizeError || error instanceof BusyError ||
    error instanceof MissedError;
}
