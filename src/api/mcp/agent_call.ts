/**
 * Lets a route talk to the client that has called it.
 *
 * @module
 */

import type { StandardSchema } from "../../core/accessors/schema.ts";
import { type Context, exchangeOf } from "../../core/context/context.ts";
import { HTTPError } from "../../base/errors/errors.ts";
import type { JSONSchema, SchemaConverter } from "../openapi/json_schema.ts";
import { awaitMessage } from "../../core/exchange/ending/deadline.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import { capabilityOf, type InputRequest, type Question, readReply, requestOf } from "./questions.ts";
import { canRequest, type Link, notify, request } from "./wire/link.ts";
import { codes, type Params, ProtocolError } from "./wire/messages.ts";
import { type Level, levels } from "./wire/revisions.ts";

/** The interim result of a call that needs input from the client. */
export class InputRequired extends Error {
  readonly requests: Readonly<Record<string, InputRequest>>;
  /** The replies that the client has given so far. */
  readonly replies: Params;

  constructor(requests: Readonly<Record<string, InputRequest>>, replies: Params) {
    super("Cannot finish the call: input is required");
    this.requests = requests;
    this.replies = replies;
  }
}

/** Throws the interim result or the error that a call ended with, if there is one. */
export let throwOutcome: (call: AgentCall) => void;

/** A call of an agent. */
export class AgentCall implements Call {
  readonly #link: Link;
  readonly #convert: SchemaConverter | undefined;
  /** The replies of earlier rounds and of this one. */
  readonly #replies: Params;
  #outcome: Error | undefined = undefined;
  /** The request of the route that talks to the client. */
  exchange: Exchange<Context> | undefined = undefined;

  constructor(link: Link, replies: Params, convert: SchemaConverter | undefined) {
    this.#link = link;
    this.#replies = replies;
    this.#convert = convert;
  }

  get Client(): Readonly<Record<string, unknown>> {
    return this.#link.client.info;
  }

  get Capabilities(): Readonly<Record<string, unknown>> {
    return this.#link.client.capabilities;
  }

  Progress(progress: number, total?: number, message?: string): void {
    const { progressToken } = this.#link;
    if (progressToken === undefined) return;
    notify(this.#link, "notifications/progress", {
      progressToken,
      progress,
      ...total === undefined ? {} : { total },
      ...message === undefined ? {} : { message },
    });
  }

  Log(level: Level, data: unknown, logger?: string): void {
    const least = this.#link.client.level;
    if (least === undefined || levels.indexOf(level) < levels.indexOf(least)) return;
    notify(this.#link, "notifications/message", { level, ...logger === undefined ? {} : { logger }, data });
  }

  async Elicit<T = Record<string, unknown>>(
    key: string,
    message: string,
    schema: StandardSchema<T> | JSONSchema,
  ): Promise<Elicited<T>> {
    const replies = await this.Ask({ [key]: { Elicit: message, Schema: schema } });
    const { action, content } = Object(replies[key]);
    return action === "accept" ? { Action: action, Content: content } : { Action: action };
  }

  async Ask(questions: Readonly<Record<string, Question>>): Promise<Readonly<Record<string, unknown>>> {
    const found: Record<string, unknown> = {};
    const open: [key: string, question: Question][] = [];
    for (const [key, question] of Object.entries(questions)) {
      const reply = Object.hasOwn(this.#replies, key) ? await readReply(question, this.#replies[key]) : undefined;
      if (reply === undefined) open.push([key, question]);
      else found[key] = reply;
    }
    if (open.length === 0) return found;
    this.#assertCapable(open.map(([, question]) => capabilityOf(question)));
    if (canRequest(this.#link)) return { ...found, ...await this.#wait(this.#request(open)) };
    const requests = open.map(([key, question]) => [key, requestOf(question, this.#convert)] as const);
    throw this.#end(new InputRequired(Object.fromEntries(requests), this.#replies));
  }

  /** Waits for replies. The time limits of the handlers do not apply in the meantime. */
  #wait<T>(replies: Promise<T>): Promise<T> {
    return this.exchange === undefined ? replies : awaitMessage(this.exchange, replies);
  }

  async #request(open: readonly [key: string, question: Question][]): Promise<Record<string, unknown>> {
    const replies = open.map(async ([key, question]) => {
      const { method, params } = requestOf(question, this.#convert);
      const reply = await readReply(question, await request(this.#link, method, params));
      if (reply === undefined) throw new HTTPError(422, `Cannot use the reply to "${key}": it is not valid`);
      return [key, reply] as const;
    });
    return Object.fromEntries(await Promise.all(replies));
  }

  #assertCapable(needed: readonly string[]): void {
    const isMute = !this.#link.isModern && !canRequest(this.#link);
    const missing = needed.filter((name) => isMute || this.Capabilities[name] === undefined);
    if (missing.length === 0) return;
    const requiredCapabilities = Object.fromEntries(missing.map((name) => [name, {}]));
    const message = `Cannot ask the client: it does not support ${missing.join(" and ")}`;
    throw this.#end(new ProtocolError(codes.capability, message, { requiredCapabilities }));
  }

  /** Records how the call ends, and returns the error that makes the handler stop. */
  #end(outcome: Error): HTTPError {
    this.#outcome = outcome;
    return new HTTPError(428, outcome.message);
  }

  static {
    throwOutcome = (call) => {
      if (call.#outcome !== undefined) throw call.#outcome;
    };
  }
}

/**
 * Returns the call of an agent that a request belongs to.
 *
 * @param ctx The request context.
 * @returns The call, or `undefined` if the request was not made by an agent.
 */
export function CallOf(ctx: Context): Call | undefined {
  const call = exchangeOf(ctx).target.outer?.route?.call;
  if (!(call instanceof AgentCall)) return undefined;
  call.exchange = exchangeOf(ctx);
  return call;
}

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
