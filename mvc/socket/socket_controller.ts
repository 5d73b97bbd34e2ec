/**
 * Inspects WebSocket controllers. Determines which event each `OnX` method handles, and the values of its arguments.
 *
 * @module
 */

import { FrameworkError, HTTPError } from "../../src/base/errors/errors.ts";
import type { DefaultKind } from "../../src/base/signature/parameter_list.ts";
import { parametersOf } from "../../src/base/signature/signature.ts";
import { misspelled } from "../../src/base/text/near_names.ts";
import type { EventFact } from "../../src/core/exchange/handler_facts.ts";
import { Call, inputsOf } from "../inject/call.ts";
import type { Container } from "../inject/container.ts";
import { type Controller, type Method, readController } from "../reflect/controller.ts";
import { ControllerTarget } from "../serve/controller_target.ts";

/** An event that a controller method receives. */
export interface Received {
  readonly data: unknown;
  readonly event: string;
  /** The parameters of a client that joins a room. */
  readonly params?: unknown;
  /** Whether the parameters are the body that a schema checks. Otherwise, the data is. */
  readonly isParamsBody?: boolean;
}

/** A controller with one instance per connection. */
export interface SocketController {
  readonly name: string;
  readonly namespace: string;
  readonly target: ControllerTarget;
  /** The methods by event name. */
  readonly calls: ReadonlyMap<string, Call<Received>>;
  /** Whether `OnRoomJoin` has a parameter for the room, so that a schema checks the parameters of the client. */
  readonly namesRoom: boolean;
}

/**
 * Reads a controller class.
 *
 * @param type The class.
 * @param lifecycle The names of the lifecycle methods.
 * @param newContainer Creates the container of its dependencies.
 */
export function readSocketController(
  type: unknown,
  lifecycle: readonly string[],
  newContainer: (owner: string) => Container,
): SocketController {
  const controller = readController(type);
  const { name } = controller;
  if (controller.type === undefined) {
    throw new FrameworkError(
      "FW_CONTROLLER",
      `Cannot serve an instance of "${name}": each connection has its own instance; pass the class instead`,
    );
  }
  const container = newContainer(name);
  const namespace = namespaceOf(type as { Namespace?: unknown }, name);
  const calls = callsOf(controller, lifecycle, container);
  if (namespace !== "" && calls.has("_OnNativeMessage")) {
    throw new FrameworkError(
      "FW_CONTROLLER",
      `Cannot serve "${name}": raw messages have no namespace, so "OnNativeMessage" requires the default namespace`,
    );
  }
  return {
    name,
    namespace,
    calls,
    namesRoom: hasData(controller.methods.get("OnRoomJoin")),
    target: new ControllerTarget({ controller, container, isSingleton: false, errorHandler: () => undefined }),
  };
}

/** Describes the events that clients can send. */
export function describeEvents({ namespace, calls }: SocketController): EventFact[] {
  return Array.from(calls, ([Name, call]) => ({
    Namespace: namespace,
    Name,
    Action: call.label(),
    Schema: inputsOf(call.asks).find(({ Kind }) => Kind === "Body")?.Schema,
  })).filter(({ Name }) => !Name.startsWith("_"));
}

function namespaceOf(type: { readonly Namespace?: unknown }, name: string): string {
  const { Namespace = "" } = type;
  if (typeof Namespace === "string") return Namespace;
  throw new FrameworkError("FW_CONTROLLER", `Cannot serve "${name}": its static field "Namespace" is not a string`);
}

/** Returns the event that a method handles. For example, `OnSay` handles `say`. */
function eventOf(method: string, lifecycle: readonly string[]): string {
  return lifecycle.includes(method) ? `_${method}` : method.charAt(2).toLowerCase() + method.slice(3);
}

function callsOf(
  { name: owner, methods }: Controller,
  lifecycle: readonly string[],
  container: Container,
): Map<string, Call<Received>> {
  const calls = new Map<string, Call<Received>>();
  for (const [name, method] of methods) {
    checkHookName(owner, name, lifecycle);
    if (!/^On[A-Z]/.test(name)) continue;
    const parameters = parametersOf(method) ?? [];
    // Arguments whose default value is a call are dependencies and inputs.
    let given = 0;
    const readers = parameters.map(({ fallback }) => {
      if (fallback?.kind === "call") return () => undefined;
      if (given++ === 0) return dataReader(name, fallback?.kind);
      if (name === "OnRoomJoin" && given === 2) return paramsReader(name, fallback?.kind);
      checkEventName(owner, name, given, fallback?.kind);
      return ({ event }: Received) => event;
    });
    calls.set(eventOf(name, lifecycle), new Call(method, { container, owner, name, parameters, readers }));
  }
  if (calls.size > 0) return calls;
  throw new FrameworkError("FW_CONTROLLER", `Cannot serve "${owner}": it has no method "OnX" for an event`);
}

/** Reports whether a method has a parameter that is neither a dependency nor an input. */
function hasData(method: Method | undefined): boolean {
  return method !== undefined && (parametersOf(method) ?? []).some(({ fallback }) => fallback?.kind !== "call");
}

/** Rejects misspelled lifecycle methods. A guard with another name would be an event, and would never run. */
function checkHookName(owner: string, name: string, lifecycle: readonly string[]): void {
  if (lifecycle.includes(name) || !/^on/i.test(name)) return;
  const meant = misspelled(name, lifecycle);
  if (meant === undefined) return;
  throw new FrameworkError(
    "FW_CONTROLLER",
    `Cannot serve "${owner}": its method "${name}" is probably a misspelling of "${meant}"; choose another name if it ` +
      "handles an event",
  );
}

/** Rejects parameters after the data that cannot be the event name, because an event has only one value. */
function checkEventName(owner: string, method: string, position: number, kind: DefaultKind | undefined): void {
  if (position === 2 && (kind === undefined || kind === "string")) return;
  throw new FrameworkError(
    "FW_CONTROLLER",
    `Cannot serve "${owner}": "${method}" has several parameters for data, but an event has one value; use an object`,
  );
}

/** Creates a reader for the parameters of a client that joins a room. */
function paramsReader(method: string, kind: DefaultKind | undefined): (received: Received) => unknown {
  const read = dataReader(method, kind);
  return ({ params, event }) => read({ data: params, event });
}

/**
 * Creates a reader for the data of an event. If the default value is a literal, it determines the type of the
 * parameter.
 */
function dataReader(method: string, kind: DefaultKind | undefined): (received: Received) => unknown {
  if (kind === undefined || kind === "call" || kind === "other") return ({ data }) => data;
  return ({ data }) => {
    // If data is missing, the default value is used.
    if (data === null || data === undefined) return undefined;
    // JSON does not distinguish numbers from bigints.
    if (kind === "bigint" && Number.isInteger(data)) return BigInt(data as number);
    if (kind === "number" && typeof data === "bigint") return Number(data);
    const found: string = typeof data;
    if (found === kind) return data;
    throw new HTTPError(422, `The event handled by "${method}" expects a ${kind}`);
  };
}
