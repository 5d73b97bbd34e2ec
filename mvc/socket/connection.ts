/**
 * Serves a WebSocket connection with an instance of a controller.
 *
 * @module
 */

import { checkForm } from "../../src/accessors/form_result.ts";
import { issueMessage } from "../../src/context/format/issue_messages.ts";
import { check } from "../../src/accessors/schema.ts";
import { isThenable } from "../../src/async/thenable.ts";
import { type Context, exchangeOf } from "../../src/context/context.ts";
import type { Conn } from "../../src/websocket/conn.ts";
import type { EventHandler, Handlers } from "../../src/websocket/namespace.ts";
import { type Call, invoke } from "../inject/call.ts";
import { RequestWork } from "../inject/request_work.ts";
import { Scope } from "../inject/scope.ts";
import type { Work } from "../inject/work.ts";
import type { InputToken } from "../reflect/token.ts";
import { replyOf } from "./reply.ts";
import type { Received, SocketController } from "./socket_controller.ts";

/**
 * Creates the handlers of a connection, which are the methods of a new instance.
 *
 * @param controller The controller.
 * @param conn The connection.
 */
export async function connect({ target, calls }: SocketController, conn: Conn): Promise<Handlers> {
  const work = new EventWork(conn, undefined);
  const scope = new Scope(work);
  await scope.prepare(target);
  const instance = target.create(scope, undefined as unknown as Context) as { Conn?: Conn; Ctx?: Context };
  instance.Conn = conn;
  if (target.declares("Ctx")) instance.Ctx = conn.Context();
  return {
    find(event: string): EventHandler | undefined {
      const call = calls.get(event);
      return call === undefined ? undefined : (conn, data, name) => run(call, instance, conn, { data, event: name });
    },
    end: () => work.end(),
  };
}

function run(call: Call<Received>, instance: object, conn: Conn, received: Received): unknown {
  const work = new EventWork(conn, received);
  let result: unknown;
  try {
    result = invoke(new Scope(work), call, instance, call.argumentsOf(received));
  } catch (thrown) {
    return work.finish(Promise.reject(thrown));
  }
  if (isThenable(result)) return work.finish(result);
  return work.isOwner ? work.finish(Promise.resolve(result)) : replyOf(result);
}

/** The unit of work for a single connection event, or for the connection itself. */
class EventWork implements Work {
  readonly #conn: Conn;
  readonly #received: Received | undefined;
  #tasks: (() => void | Promise<void>)[] | undefined = undefined;
  readonly isStopped = false;

  constructor(conn: Conn, received: Received | undefined) {
    this.#conn = conn;
    this.#received = received;
  }

  // The context is created on first use, because that recreates the request, which takes 2.5 KiB per connection.
  get context(): Context {
    return this.#conn.Context();
  }

  get #request(): RequestWork {
    return new RequestWork(exchangeOf(this.context));
  }

  /** Reports whether there are values to dispose of. */
  get isOwner(): boolean {
    return this.#tasks !== undefined;
  }

  /** Reads the data of the event as the body or the form. All other inputs are read from the handshake request. */
  read(input: InputToken): unknown {
    if (!input.isLate) return this.#request.read(input);
    if (input.isOutcome) {
      return checkForm(this.#received?.data, input.schema, (issue) => issueMessage(exchangeOf(this.context), issue));
    }
    const checked = check(this.#received?.data, input.schema, "body");
    return isThenable(checked) ? checked.then(valid) : valid(checked);
  }

  readNow(input: InputToken): unknown {
    return input.isLate ? this.read(input) : this.#request.readNow(input);
  }

  onEnd(task: () => void | Promise<void>): void {
    (this.#tasks ??= []).push(task);
  }

  report(act: string, error: unknown): void {
    this.#request.report(act, error);
  }

  /** Waits for the result and then disposes of the values that were created for the event. */
  async finish(outcome: PromiseLike<unknown>): Promise<unknown> {
    try {
      return replyOf(await outcome);
    } finally {
      await this.end();
    }
  }

  /** Disposes of the values. The tasks report their own failures. */
  async end(): Promise<void> {
    const tasks = this.#tasks;
    this.#tasks = undefined;
    for (const task of tasks?.reverse() ?? []) await task();
  }
}

function valid([value, error]: readonly [unknown, Error | null]): unknown {
  if (error !== null) throw error;
  return value;
}
