/**
 * Serves a WebSocket connection with an instance of a controller.
 *
 * @module
 */

import type { ResultHandler } from "../../src/core/app/api_container.ts";
import { isThenable } from "../../src/base/async/thenable.ts";
import { type Context, exchangeOf } from "../../src/core/context/context.ts";
import type { SocketConn, SocketHandlers } from "../../src/core/context/socket_support.ts";
import { type Call, invoke } from "../inject/call.ts";
import { RequestWork } from "../inject/request_work.ts";
import { Scope } from "../inject/scope.ts";
import type { Work } from "../inject/work.ts";
import type { InputToken } from "../reflect/token.ts";
import type { EventInputReader } from "./event_input.ts";
import { handleReply, replyOf } from "./reply.ts";
import type { Received, SocketController } from "./socket_controller.ts";

const OnRoomJoin = "_OnRoomJoin";

/**
 * Creates the handlers of a connection, which are the methods of a new instance.
 *
 * @param controller The controller.
 * @param conn The connection.
 * @param parts The handlers for replies, if there are any, and the reader of inputs.
 */
export async function connect(
  { target, calls, namesRoom }: SocketController,
  conn: SocketConn,
  { results, readInput }: { readonly results: ResultHandler | undefined; readonly readInput: EventInputReader },
): Promise<SocketHandlers> {
  const work = new EventWork({ conn, readInput });
  const scope = new Scope(work);
  await scope.prepare(target);
  const instance = target.create(scope, undefined as unknown as Context) as { Conn?: SocketConn; Ctx?: Context };
  instance.Conn = conn;
  if (target.declares("Ctx")) instance.Ctx = conn.Context();
  return {
    find(event: string): ReturnType<SocketHandlers["find"]> {
      const call = calls.get(event);
      if (call === undefined) return undefined;
      const running = { call, instance, conn, readInput, results: isReplied(event) ? results : undefined };
      if (event !== OnRoomJoin) return (_conn, data, name) => run(running, { data, event: name });
      return (_conn, data, params) => run(running, { data, params, isParamsBody: namesRoom, event });
    },
    end: () => work.end(),
  };
}

/** The lifecycle methods whose return value is sent to the client. */
const replied: ReadonlySet<string> = new Set(["_OnAnyEvent", "_OnNativeMessage", OnRoomJoin]);

/** Reports whether the return value for an event is sent to the client. Those of most lifecycle methods are not. */
function isReplied(event: string): boolean {
  return !event.startsWith("_") || replied.has(event);
}

/** A method to call for an event. */
interface Running {
  readonly call: Call<Received>;
  readonly instance: object;
  readonly conn: SocketConn;
  readonly results: ResultHandler | undefined;
  readonly readInput: EventInputReader;
}

function run(running: Running, received: Received): unknown {
  const { call, instance } = running;
  const work = new EventWork(running, received);
  let result: unknown;
  try {
    result = invoke(new Scope(work), call, instance, call.argumentsOf(received));
  } catch (thrown) {
    return work.finish(Promise.reject(thrown));
  }
  if (isThenable(result)) return work.finish(result);
  return work.isOwner ? work.finish(Promise.resolve(result)) : work.reply(result);
}

/** The unit of work for a single connection event, or for the connection itself. */
class EventWork implements Work {
  readonly #conn: SocketConn;
  readonly #received: Received | undefined;
  readonly #results: ResultHandler | undefined;
  readonly #readInput: EventInputReader;
  #tasks: (() => void | Promise<void>)[] | undefined = undefined;
  readonly isStopped = false;

  constructor(
    { conn, readInput, results }: Pick<Running, "conn" | "readInput"> & Partial<Pick<Running, "results">>,
    received?: Received,
  ) {
    this.#conn = conn;
    this.#received = received;
    this.#results = results;
    this.#readInput = readInput;
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
    const received = this.#received;
    return this.#readInput(
      () => exchangeOf(this.context),
      received?.isParamsBody === true ? received.params : received?.data,
      input,
    );
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

  /** Returns the reply. */
  reply(result: unknown): unknown {
    return handleReply(() => this.context, replyOf(result), this.#results);
  }

  /** Waits for the result and then disposes of the values that were created for the event. */
  async finish(outcome: PromiseLike<unknown>): Promise<unknown> {
    try {
      return await this.reply(await outcome);
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
