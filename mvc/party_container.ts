/**
 * Handlers with dependencies, and the parties that have these: `party.ConfigureContainer()`.
 *
 * @module
 */

import {
  addRoute,
  type APIContainer,
  type InjectedErrorHandler,
  type InjectedHandler as Injected,
  type Party,
  recordOf,
  registryOf,
  setContainerFactory,
} from "../src/app/party.ts";
import type { PartyRecord, Registry, Route } from "../src/app/registry.ts";
import type { Handler } from "../src/context/handler.ts";
import { type MethodName, Methods } from "../src/http/request_line.ts";
import { Logger } from "../src/log/logger.ts";
import { Container } from "./inject/container.ts";
import { Lifetimes, Provide } from "./inject/provision.ts";
import { type ErrorHandler, failWith, respondWithError, statusOf } from "./result/result.ts";
import type { RouteInput } from "../src/app/route_description.ts";
import { FrameworkError, toError } from "../src/base/errors.ts";
import { isThenable } from "../src/base/promises.ts";
import { type Context, exchangeOf } from "../src/context/context.ts";
import { resetBody } from "../src/response/draft.ts";
import { Call, treeOf } from "./inject/graph.ts";
import { stopped } from "./inject/inject.ts";
import { invokeWith } from "./inject/invoke.ts";
import { injectorOf, type RequestInjector } from "./inject/request_injector.ts";
import type { Method } from "./reflect/controller.ts";
import { parametersOf } from "./reflect/signature.ts";
import { writeReturn } from "./result/returns.ts";

/** What a party has of its own for handlers with dependencies. */
interface Own {
  readonly container: Container;
  errorHandler: ErrorHandler | undefined;
}

const owns = new WeakMap<PartyRecord, Own>();

/** What a party has of its own, created on first use; its dependencies come before those of the party above. */
function ownOf(registry: Registry, record: PartyRecord): Own {
  let own = owns.get(record);
  if (own === undefined) {
    const below = record.parent === undefined ? newLifetimes(registry) : ownOf(registry, record.parent).container;
    own = { container: new Container(`Party ${record.subdomain}${record.prefix}`, below), errorHandler: undefined };
    if (record.parent === undefined) own.container.add(Provide(Logger, registry.logger));
    owns.set(record, own);
  }
  return own;
}

/** The lifetimes of a web application; they end with it. */
function newLifetimes(registry: Registry): Lifetimes {
  const lifetimes = new Lifetimes();
  registry.closers.push(() =>
    lifetimes.end((error) => registry.logger.Error("Cannot dispose of a dependency:", error))
  );
  return lifetimes;
}

/**
 * The dependencies of a party.
 *
 * @param party The party.
 */
export function partyContainer(party: Party): Container {
  return ownOf(registryOf(party), recordOf(party)).container;
}

class InjectedParty implements APIContainer {
  readonly #party: Party;

  constructor(party: Party) {
    this.#party = party;
  }

  Register(...dependencies: unknown[]): this {
    registryOf(this.#party).assertNotBuilt("register a dependency");
    partyContainer(this.#party).add(...dependencies);
    return this;
  }

  OnError(handler: InjectedErrorHandler): this {
    ownOf(registryOf(this.#party), recordOf(this.#party)).errorHandler = handler;
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
    const ready = handlers.map((handler) => this.#ready(handler));
    return addRoute(this.#party, {
      method,
      path,
      handlers: ready.map(toHandler),
      inputs: ready.flatMap((each) => each.inputs()),
      dependencies: () => ready.flatMap((each) => each.dependencies()),
    });
  }

  Get(path: string, ...handlers: Injected[]): Route {
    return this.Handle("GET", path, ...handlers);
  }

  Post(path: string, ...handlers: Injected[]): Route {
    return this.Handle("POST", path, ...handlers);
  }

  Put(path: string, ...handlers: Injected[]): Route {
    return this.Handle("PUT", path, ...handlers);
  }

  Delete(path: string, ...handlers: Injected[]): Route {
    return this.Handle("DELETE", path, ...handlers);
  }

  Patch(path: string, ...handlers: Injected[]): Route {
    return this.Handle("PATCH", path, ...handlers);
  }

  Head(path: string, ...handlers: Injected[]): Route {
    return this.Handle("HEAD", path, ...handlers);
  }

  Options(path: string, ...handlers: Injected[]): Route {
    return this.Handle("OPTIONS", path, ...handlers);
  }

  Connect(path: string, ...handlers: Injected[]): Route {
    return this.Handle("CONNECT", path, ...handlers);
  }

  Trace(path: string, ...handlers: Injected[]): Route {
    return this.Handle("TRACE", path, ...handlers);
  }

  Any(path: string, ...handlers: Injected[]): Route[] {
    return Methods.map((method) => this.Handle(method, path, ...handlers));
  }

  #toHandlers(handlers: readonly Injected[]): Handler[] {
    return handlers.map((handler) => toHandler(this.#ready(handler)));
  }

  #ready(handler: Injected): InjectedHandler {
    const registry = registryOf(this.#party);
    const ready = new InjectedHandler(handler, partyContainer(this.#party), () => this.#errorHandler());
    registry.builders.push(() => ready.check());
    return ready;
  }

  /** The error handler of this party, else of the nearest one above. */
  #errorHandler(): ErrorHandler | undefined {
    for (let record: PartyRecord | undefined = recordOf(this.#party); record !== undefined; record = record.parent) {
      const handler = owns.get(record)?.errorHandler;
      if (handler !== undefined) return handler;
    }
    return undefined;
  }
}

function toHandler(ready: InjectedHandler): Handler {
  return (ctx) => ready.serve(ctx);
}

const known = new WeakMap<object, APIContainer>();

function newInjectedParty(party: object): APIContainer {
  let container = known.get(party);
  if (container === undefined) known.set(party, container = new InjectedParty(party as Party));
  return container;
}

type Served = Promise<void> | undefined;

const nothing: object = {};

/** A handler whose further arguments are dependencies and inputs. */
class InjectedHandler {
  readonly #call: Call;
  readonly #takesContext: boolean;
  readonly #errorHandler: () => ErrorHandler | undefined;

  /**
   * Makes a handler ready.
   *
   * @param handler The function.
   * @param container Where its dependencies are found.
   * @param errorHandler Returns what responds to its errors.
   */
  constructor(
    handler: (ctx: Context) => unknown,
    container: Container,
    errorHandler: () => ErrorHandler | undefined,
  ) {
    const label = handler.name === "" ? "an anonymous handler" : handler.name;
    const parameters = parametersOf(handler) ?? [];
    const [first] = parameters;
    this.#takesContext = first === undefined || first.fallback === undefined;
    const bare = parameters.findIndex((each, i) => each.fallback === undefined && each.form !== "rest" && i > 0);
    if (bare !== -1) {
      throw new FrameworkError(
        "FW_DEPENDENCY",
        `Cannot register the handler "${label}": argument ${bare + 1} "${
          parameters[bare]?.name
        }" receives nothing, so ` +
          "give it a default value, mvc.Inject(...) or mvc.Body(...)",
      );
    }
    this.#call = new Call(handler as Method, { container, owner: label, name: label, parameters });
    this.#errorHandler = errorHandler;
  }

  /** The checked inputs among its arguments. */
  inputs(): readonly RouteInput[] {
    return this.#call.inputs();
  }

  /** What it depends on, as the lines of a tree. */
  dependencies(): string[] {
    return treeOf([this.#call.needs]);
  }

  /** Makes sure, when the application is built, that every dependency is there. */
  check(): void {
    this.#call.check();
  }

  /**
   * Serves a request.
   *
   * @param ctx The request.
   * @returns A promise only if something takes time.
   */
  serve(ctx: Context): Served {
    const injector = injectorOf(ctx);
    injector.open();
    try {
      const made = { instance: nothing, args: this.#takesContext ? [ctx] : [] };
      const result = invokeWith(injector, this.#call, made);
      if (isThenable(result)) return this.#serveLater(injector, result);
      const written = this.#write(injector, result);
      return written === undefined ? undefined : this.#serveLater(injector, written);
    } catch (thrown) {
      return this.#fail(ctx, thrown);
    }
  }

  async #serveLater(injector: RequestInjector, result: PromiseLike<unknown>): Promise<void> {
    try {
      await this.#write(injector, await result);
    } catch (thrown) {
      await this.#fail(injector.ctx, thrown);
    }
  }

  #write(injector: RequestInjector, result: unknown): Served {
    // The response is that of the dependency that stopped the request, also where the handler went on regardless.
    if (injector.isHalted) return undefined;
    return writeReturn(injector.ctx, result, (ctx, error) => this.#respond(ctx, error));
  }

  /** Hands what was thrown to the error handler, or on to the application when there is none. */
  #fail(ctx: Context, thrown: unknown): Served {
    if (thrown === stopped) return undefined;
    if (this.#errorHandler() === undefined) throw thrown;
    const error = toError(thrown);
    return failWith(ctx, error, (_ctx, failed) => this.#respond(ctx, failed), statusOf(error) ?? 500);
  }

  #respond(ctx: Context, error: Error): Served {
    const handler = this.#errorHandler();
    if (handler === undefined) return void respondWithError(ctx, error);
    const exchange = exchangeOf(ctx);
    exchange.error = error;
    exchange.isErrorPublic = false;
    resetBody(exchange.draft);
    return handler(ctx, error) ?? undefined;
  }
}

setContainerFactory(newInjectedParty);
