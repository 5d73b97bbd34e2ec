/**
 * WebSocket controllers, with one instance per connection. `OnX` methods handle events.
 *
 * @module
 */

import { FrameworkError, HTTPError } from "../src/errors/errors.ts";
import { isThenable } from "../src/async/thenable.ts";
import { type Context, exchangeOf } from "../src/context/context.ts";
import type { EventFact } from "../src/exchange/handler_facts.ts";
import { reportFailure } from "../src/exchange/report_failure.ts";
import { checkForm } from "../src/accessors/form_result.ts";
import { check } from "../src/accessors/schema.ts";
import type { Conn } from "../src/websocket/conn.ts";
import type { EventHandler, Handlers } from "../src/websocket/namespace.ts";
import { ControllerPlan } from "./controller_plan.ts";
import { Call, inputsOf, invoke } from "./inject/call.ts";
import type { Container } from "./inject/container.ts";
import type { InputToken } from "./inject/input_token.ts";
import { readAlone, readChecked } from "./inject/read_checked.ts";
import { Scope } from "./inject/scope.ts";
import type { Work } from "./inject/work.ts";
import { type Controller, readController } from "./reflect/controller.ts";
import { parametersOf } from "./reflect/function_signature.ts";
import type { DefaultKind } from "./reflect/signature.ts";

/** The methods that do not handle client events. */
const lifecycle: ReadonlySet<string> = new Set([
  ...["OnNamespaceConnect", "OnNamespaceConnected", "OnNamespaceDisconnect"],
  ...["OnRoomJoin", "OnRoomJoined", "OnRoomLeave", "OnRoomLeft", "OnAnyEvent", "OnNativeMessage"],
]);

/** An event, as controller methods receive it. */
interface Received {
  readonly data: unknown;
  readonly event: string;
}

/** A controller that is ready to serve connections. */
export class SocketController {
  readonly namespace: string;
  readonly name: string;
  readonly #plan: ControllerPlan;
  readonly #calls: ReadonlyMap<string, Call<Received>>;

  /**
   * Inspects a controller class.
   *
   * @param type The class.
   * @param container Returns the container of its dependencies.
   */
  constructor(type: unknown, container: (name: string) => Container) {
    const controller = readController(type);
    if (controller.type === undefined) {
      throw new FrameworkError(
        "FW_CONTROLLER",
        `Cannot serve an instance of "${controller.name}": each connection has its own instance; pass the class instead`,
      );
    }
    const home = container(controller.name);
    this.name = controller.name;
    this.namespace = namespaceOf(type, controller.name);
    this.#calls = callsOf(controller, home);
    this.#plan = new ControllerPlan({
      controller,
      container: home,
      isSingleton: false,
      errorHandler: () => undefined,
    });
  }

  /** Checks, when the application is built, that every dependency is registered. */
  check(): void {
    this.#plan.check();
    for (const call of this.#calls.values()) call.check();
  }

  /** Returns the descriptions of the events. */
  describe(): EventFact[] {
    return Array.from(this.#calls, ([Name, call]) => ({
      Namespace: this.namespace,
      Name,
      Action: call.label(),
      Schema: inputsOf(call.asks).find(({ Kind }) => Kind === "Body")?.Schema,
    })).filter(({ Name }) => !Name.startsWith("_"));
  }

  /** Creates the handlers of a connection. */
  async connect(conn: Conn): Promise<Handlers> {
    const work = new EventWork(conn, undefined);
    const scope = new Scope(work);
    await scope.prepare(this.#plan);
    const instance = this.#plan.create(scope, undefined as unknown as Context) as { Conn?: Conn; Ctx?: Context };
    instance.Conn = conn;
    if (this.#plan.declares("Ctx")) instance.Ctx = conn.Context();
    return new InstanceHandlers(instance, this.#calls, work);
  }
}

/** The handlers of a connection: the methods of its instance. */
class InstanceHandlers implements Handlers {
  readonly #instance: object;
  readonly #calls: ReadonlyMap<string, Call<Received>>;
  readonly #work: EventWork;

  constructor(instance: object, calls: ReadonlyMap<string, Call<Received>>, work: EventWork) {
    this.#instance = instance;
    this.#calls = calls;
    this.#work = work;
  }

  find(event: string): EventHandler | undefined {
    const call = this.#calls.get(event);
    return call === undefined
      ? undefined
      : (conn, data, name) => run(call, this.#instance, conn, { data, event: name });
  }

  end(): Promise<void> {
    return this.#work.end();
  }
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
  return work.isOwner ? work.finish(Promise.resolve(result)) : unwrapped(result);
}

/** Rethrows an error that a method returns, so that it is rejected like a thrown one. */
function unwrapped(value: unknown): unknown {
  if (value instanceof Error) throw value;
  return value;
}

/** The unit of work for a single connection event, or for the connection itself. */
class EventWork implements Work {
  readonly #conn: Conn;
  readonly #received: Received | undefined;
  readonly #tasks: (() => void | Promise<void>)[] = [];
  readonly isStopped = false;

  constructor(conn: Conn, received: Received | undefined) {
    this.#conn = conn;
    this.#received = received;
  }

  get context(): Context {
    return this.#conn.Context();
  }

  /** Reports whether there are values to dispose of. */
  get isOwner(): boolean {
    return this.#tasks.length > 0;
  }

  read(input: InputToken): unknown {
    if (input.kind !== "Body" && input.kind !== "Form") return readChecked(this.context, input);
    if (input.isOutcome) return checkForm(this.#received?.data, input.schema);
    const checked = check(this.#received?.data, input.schema, "body");
    return isThenable(checked) ? checked.then(valid) : valid(checked);
  }

  readNow(input: InputToken): unknown {
    return input.kind === "Body" || input.kind === "Form" ? this.read(input) : readAlone(this.context, input);
  }

  onEnd(task: () => void | Promise<void>): void {
    this.#tasks.push(task);
  }

  report(act: string, error: unknown): void {
    reportFailure(exchangeOf(this.context), error, act);
  }

  /** Waits for the outcome, then disposes of the values that were created for the event. */
  async finish(outcome: PromiseLike<unknown>): Promise<unknown> {
    try {
      return unwrapped(await outcome);
    } finally {
      await this.end();
    }
  }

  async end(): Promise<void> {
    for (const task of this.#tasks.splice(0).reverse()) {
      try {
        await task();
      } catch (error) {
        this.report("Cannot dispose of a dependency", error);
      }
    }
  }
}

function valid([value, error]: readonly [unknown, Error | null]): unknown {
  if (error !== null) throw error;
  return value;
}

function namespaceOf(type: unknown, name: string): string {
  const { Namespace = "" } = type as { Namespace?: unknown };
  if (typeof Namespace === "string") return Namespace;
  throw new FrameworkError("FW_CONTROLLER", `Cannot serve "${name}": its static field "Namespace" is not a string`);
}

function callsOf(controller: Controller, container: Container): Map<string, Call<Received>> {
  const calls = new Map<string, Call<Received>>();
  for (const [name, method] of controller.methods) {
    if (!/^On[A-Z]/.test(name)) continue;
    const parameters = parametersOf(method) ?? [];
    // Arguments with a call as their default value are dependencies and inputs.
    let given = 0;
    const readers = parameters.map(({ fallback }) => {
      if (fallback?.kind === "call") return () => undefined;
      return given++ === 0 ? dataReader(name, fallback?.kind) : ({ event }: Received) => event;
    });
    calls.set(eventOf(name), new Call(method, { container, owner: controller.name, name, parameters, readers }));
  }
  if (calls.size > 0) return calls;
  throw new FrameworkError("FW_CONTROLLER", `Cannot serve "${controller.name}": it has no method "OnX" for an event`);
}

/** Returns the event that a method handles: `OnSay` handles `say`. */
function eventOf(method: string): string {
  if (lifecycle.has(method)) return `_${method}`;
  const name = method.slice(2);
  return name.charAt(0).toLowerCase() + name.slice(1);
}

/**
 * Creates a reader for the data of an event. If the default value is a literal, the type of the parameter is
 * inferred from it.
 */
function dataReader(method: string, kind: DefaultKind | undefined): (received: Received) => unknown {
  if (kind === undefined || kind === "call" || kind === "other") return ({ data }) => data;
  return ({ data }) => {
    // If data is missing, the default value is used.
    if (data === null || data === undefined) return undefined;
    if (kind === "bigint" && Number.isSafeInteger(data)) return BigInt(data as number);
    const found: string = typeof data;
    if (found === kind) return data;
    throw new HTTPError(422, `The event handled by "${method}" expects a ${kind}`);
  };
}
