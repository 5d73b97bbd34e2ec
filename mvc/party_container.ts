/**
 * Implements handlers with injected arguments for parties (`party.ConfigureContainer()`).
 *
 * @module
 */

import { assertFunction } from "../src/base/config/returned.ts";
import {
  APIContainer,
  type InjectedErrorHandler,
  type InjectedHandler as Injected,
  type ResultMiddleware,
  setContainerFactory,
} from "../src/core/app/api_container.ts";
import { addRoute, assertNotBuilt, type Party, recordOf } from "../src/core/app/party.ts";
import { joinPaths } from "../src/core/app/party_prefix.ts";
import type { Host, HostApp } from "../src/core/context/extension.ts";
import type { PartyRecord } from "../src/core/app/record/registry.ts";
import type { Route } from "../src/core/app/record/route.ts";
import type { Handler } from "../src/core/context/handler.ts";
import { factsOf, noteFacts } from "../src/core/exchange/handler_facts.ts";
import type { MethodName } from "../src/http/headers/methods.ts";
import { Logger } from "../src/base/log/logger.ts";
import { noAsks, noSteps } from "./inject/binding.ts";
import { Call } from "./inject/call.ts";
import { Container, noteContainer, notedContainer } from "./inject/container.ts";
import { Lifetimes } from "./inject/lifetimes.ts";
import { Provide } from "./inject/provision.ts";
import type { Method } from "./reflect/controller.ts";
import type { ErrorHandler } from "./result/result_handlers.ts";
import { callOfHandler } from "./route/routed_call.ts";
import { Action } from "./serve/action.ts";

const errorHandlers = new WeakMap<PartyRecord, ErrorHandler>();

/**
 * Returns the dependencies of a party, which are created on first use. They take precedence over those of its parent.
 *
 * @param party The party.
 */
export function partyContainer(party: Party): Container {
  const { App } = hostOf(party);
  return containerOf(recordOf(party), App);
}

function containerOf(record: PartyRecord, app: HostApp): Container {
  let container = notedContainer(record);
  if (container === undefined) {
    const below = record.parent === undefined ? newLifetimes(app) : containerOf(record.parent, app);
    container = new Container(`Party ${record.subdomain}${record.prefix}`, below);
    if (record.parent === undefined) container.add(Provide(Logger, app.Logger() as Logger));
    noteContainer(record, container);
  }
  return container;
}

/** Creates the lifetimes of a web application. They end when the application shuts down. */
function newLifetimes(app: HostApp): Lifetimes {
  const lifetimes = new Lifetimes();
  const report = (error: unknown) => app.Logger().Error("Cannot dispose of a dependency:", error);
  app.Install({
    Name: "dependencies",
    Many: true,
    Install: (host) => host.Run(() => {}, { Dispose: () => lifetimes.dispose(report) }),
  });
  return lifetimes;
}

const hosts = new WeakMap<PartyRecord, Host>();

/** Returns the host of the parts of MVC that are attached to a party. */
export function hostOf(party: Party): Host {
  const record = recordOf(party);
  let host = hosts.get(record);
  if (host === undefined) hosts.set(record, host = party.Install({ Name: "mvc", Many: true, Install: (own) => own }));
  return host;
}

class InjectedParty extends APIContainer {
  readonly #party: Party;

  constructor(party: Party) {
    super();
    this.#party = party;
  }

  Register(...dependencies: unknown[]): this {
    assertNotBuilt(this.#party, "register a dependency");
    partyContainer(this.#party).add(...dependencies);
    return this;
  }

  OnError(handler: InjectedErrorHandler): this {
    assertFunction(handler, "a handler");
    errorHandlers.set(recordOf(this.#party), handler);
    return this;
  }

  UseResultHandler(handler: ResultMiddleware): this {
    assertNotBuilt(this.#party, "add a result handler");
    assertFunction(handler, "a handler");
    partyContainer(this.#party).results.push(handler);
    return this;
  }

  Use(...handlers: Injected[]): this {
    this.#party.Use(...this.#toHandlers(handlers));
    return this;
  }

  Done(...handlers: Injected[]): this {
    this.#party.Done(...this.#toHandlers(handlers));
    return this;
  }

  Party(path: string, ...handlers: Injected[]): APIContainer {
    return newInjectedParty(this.#party.Party(path, ...this.#toHandlers(handlers)));
  }

  Handle(method: MethodName, path: string, ...handlers: Injected[]): Route {
    const ready = handlers.map((handler) => this.#ready(handler, { method, path }));
    return addRoute(this.#party, {
      method,
      path,
      handlers: ready.map((action, i) => toHandler(action, handlers[i] as Injected)),
      inputs: ready.flatMap((each) => each.inputs()),
      dependent: { dependencies: () => ready.flatMap((each) => each.dependencies()), creator: ready[0]?.creator },
    });
  }

  #toHandlers(handlers: readonly Injected[]): Handler[] {
    return handlers.map((handler) => toHandler(this.#ready(handler), handler));
  }

  /** Prepares a handler of a route, or middleware if there is no route. */
  #ready(handler: Injected, route?: { readonly method: string; readonly path: string }): Action {
    assertFunction(handler, "a handler");
    const prefix = this.#party.Prefix();
    const place = route === undefined
      ? `middleware of ${prefix}`
      : `${String(route.method)} ${joinPaths(prefix, route.path)}`;
    const name = handler.name === "" ? place : handler.name;
    const { parameters, readers } = callOfHandler(this.#party, { name, call: handler }, route?.path);
    const container = partyContainer(this.#party);
    const call = new Call(handler as Method, { container, owner: name, name, parameters, readers });
    const action = new Action({
      ...noInstance,
      home: container,
      errorHandler: () => this.#errorHandler(),
      label: () => name,
    }, call);
    hostOf(this.#party).Check(name, () => action.check(), "start");
    return action;
  }

  /** Returns the error handler of this party or of its nearest ancestor with an error handler. */
  #errorHandler(): ErrorHandler | undefined {
    for (let record: PartyRecord | undefined = recordOf(this.#party); record !== undefined; record = record.parent) {
      const handler = errorHandlers.get(record);
      if (handler !== undefined) return handler;
    }
    return undefined;
  }
}

/** Creates a handler with the name and the facts of the original one, for tools and logs. */
function toHandler(action: Action, original: Injected): Handler {
  const handler: Handler = (ctx) => action.serve(ctx);
  return noteFacts(Object.defineProperty(handler, "name", { value: original.name }), factsOf(original));
}

const nothing: object = {};

/** The lifecycle of a function. It has neither an instance nor hooks. */
const noInstance = {
  asks: noAsks,
  plan: noSteps,
  begin: undefined,
  end: undefined,
  handleError: undefined,
  create: () => nothing,
  bare: () => nothing,
};

const known = new WeakMap<object, APIContainer>();

function newInjectedParty(party: object): APIContainer {
  let container = known.get(party);
  if (container === undefined) known.set(party, container = new InjectedParty(party as Party));
  return container;
}

setContainerFactory(newInjectedParty);
