/**
 * Turns a controller into routes, and calls its hooks before and after.
 *
 * @module
 */

import { addRoute, type Party, registryOf } from "../../src/app/party.ts";
import type { Route } from "../../src/app/route.ts";
import type { RouteInput } from "../../src/app/route_description.ts";
import { FrameworkError } from "../../src/base/errors.ts";
import type { Context } from "../../src/context/context.ts";
import type { Handler } from "../../src/context/handler.ts";
import { type MethodName, Methods } from "../../src/http/methods.ts";
import type { Container } from "../inject/container.ts";
import { closeDependencies, Dependencies, type ReadonlyDependencies } from "../inject/dependencies.ts";
import { Call } from "../inject/call.ts";
import type { Controller } from "../reflect/controller.ts";
import { parseMethodName } from "../reflect/method_parser.ts";
import { planByHand, planByName, planWithoutPath, type RoutePlan } from "./route_plan.ts";

/** A method of a controller, ready to serve; the floor above knows how. */
export interface Servant {
  /** The checked inputs of the method. */
  inputs(): readonly RouteInput[];
  /** What the method depends on, as the lines of a tree. */
  dependencies(): string[];
  /** Makes sure, when the application is built, that every dependency is there. */
  check(): void;
  /** Serves a request. */
  serve(ctx: Context): Promise<void> | undefined;
}

/** What an activation begins with. */
export interface ActivationParts {
  /** The party to serve the controller on. */
  readonly router: Party;
  readonly controller: Controller;
  readonly container: Container;
  /** True when all requests share one instance. */
  readonly isSingleton: boolean;
  /** Makes a method ready to serve. */
  readonly newAction: (call: Call<Context>) => Servant;
  /** Middleware of single methods, by their names. */
  readonly uses: Readonly<Record<string, readonly Handler[] | undefined>>;
}

/** A controller on its way to being served. */
export class Activation {
  readonly controller: Controller;
  readonly container: Container;
  readonly dependencies: Dependencies;
  readonly isSingleton: boolean;
  readonly router: Party;
  readonly routes: Route[] = [];
  readonly #newAction: (call: Call<Context>) => Servant;
  /** The names of the methods that are routed by hand. */
  readonly handled: Set<string> = new Set();
  readonly #servants: Servant[] = [];
  readonly #uses: ActivationParts["uses"];

  constructor(parts: ActivationParts) {
    this.controller = parts.controller;
    this.container = parts.container;
    this.dependencies = new Dependencies(parts.container);
    this.isSingleton = parts.isSingleton;
    this.router = parts.router;
    this.#newAction = parts.newAction;
    this.#uses = parts.uses;
  }

  /** Creates all routes, with the controller's hooks before and after. */
  run(): void {
    const before = registryOf(this.router).routes.length;
    this.#callHook("BeforeActivation", BeforeActivation);
    closeDependencies(this.dependencies);
    for (const name of this.controller.methods.keys()) {
      const parsed = this.handled.has(name) ? undefined : parseMethodName(name);
      if (parsed === undefined) continue;
      this.#serve(name, parsed.methods, planByName(this.router, this.controller, name, parsed), []);
    }
    if (this.controller.methods.has("HandleHTTPError")) {
      const action = this.#action("HandleHTTPError", planWithoutPath(this.controller, "HandleHTTPError"));
      this.router.OnAnyErrorCode((ctx) => action.serve(ctx));
    }
    this.#callHook("AfterActivation", AfterActivation);
    if (registryOf(this.router).routes.length === before && this.#servants.length === 0) throw this.#noRoute();
    const unused = Object.keys(this.#uses).find((name) => !this.routes.some((route) => route.Action === name));
    if (unused !== undefined) {
      throw new FrameworkError(
        "FW_CONTROLLER",
        `Cannot use middleware for "${this.controller.name}.${unused}": it has no route`,
      );
    }
  }

  /** Makes sure, when the application is built, that every dependency is there. */
  check(): void {
    for (const servant of this.#servants) servant.check();
  }

  /** Routes a method by hand. */
  handle(method: string, path: string, name: string, middleware: readonly Handler[]): Route {
    const methods = /^(?:any|all)$/i.test(method) ? Methods : [method];
    const route = this.#serve(name, methods, planByHand(this.router, this.controller, name, path), middleware);
    if (route === undefined) throw new FrameworkError("FW_ROUTE", `Cannot route "${name}": it has no HTTP method`);
    this.handled.add(name);
    return route;
  }

  /** Serves a method under HTTP methods; returns the first route. */
  #serve(
    name: string,
    methods: readonly string[],
    plan: RoutePlan,
    middleware: readonly Handler[],
  ): Route | undefined {
    const action = this.#action(name, plan);
    const own: Handler = (ctx) => action.serve(ctx);
    const handlers = [...this.#uses[name] ?? [], ...middleware, own];
    const inputs = action.inputs();
    const { name: controller, type, instance } = this.controller;
    const owner = type ?? instance?.constructor;
    const { path } = plan;
    const from = this.routes.length;
    for (const method of methods) {
      const spec = { method, path, handlers, controller, action: name, owner, inputs, dependent: action };
      this.routes.push(addRoute(this.router, spec));
    }
    return this.routes[from];
  }

  #action(name: string, plan: RoutePlan): Servant {
    const method = this.controller.methods.get(name) ?? ignore;
    const { parameters, readers } = plan;
    const owner = this.controller.name;
    const servant = this.#newAction(new Call(method, { container: this.container, owner, name, parameters, readers }));
    this.#servants.push(servant);
    return servant;
  }

  #noRoute(): FrameworkError {
    const names = [...this.controller.methods.keys()].map((name) => `"${name}"`);
    const methods = names.length === 0 ? "it has no methods" : `its methods are ${names.join(", ")}`;
    return new FrameworkError(
      "FW_CONTROLLER",
      `Cannot serve "${this.controller.name}": it has no route; the name of a route begins with a verb and a capital, ` +
        `as in "GetUsers" or "PostBy", and ${methods}`,
    );
  }

  /** A class has no instance yet, so that its hooks see its methods but no fields. */
  #callHook(name: string, Argument: typeof BeforeActivation | typeof AfterActivation): void {
    const { instance, type, methods } = this.controller;
    methods.get(name)?.call(instance ?? Object.create(type?.prototype ?? null), new Argument(this));
  }
}

/**
 * What a controller's `BeforeActivation` hook receives: the time to route by hand and to change dependencies.
 *
 * @example A route that no method name can spell
 * ```ts
 * import * as fw from "@fw/web";
 * import * as mvc from "@fw/web/mvc";
 *
 * class HelloController {
 *   BeforeActivation(b: mvc.BeforeActivation) {
 *     b.Handle("GET", "/custom_path/{id:long}", "Custom");
 *   }
 *   Custom(id: bigint) {
 *     return `Number ${id}`;
 *   }
 * }
 * const app = fw.New();
 * mvc.New(app).Handle(HelloController);
 *
 * await (await app.fetch(new Request("http://localhost/custom_path/7"))).text(); // → "Number 7"
 * ```
 */
export class BeforeActivation {
  readonly #activation: Activation;

  /**
   * Created by `Handle`.
   *
   * @param activation The activation.
   * @ignore
   */
  constructor(activation: Activation) {
    this.#activation = activation;
  }

  /**
   * Routes a method of the controller by hand; its name is then not read as a route.
   *
   * @param method The HTTP method, or `ANY` for all.
   * @param path The path template, relative to the party. Arguments of the method receive the parameters
   * that they are named after. If none is named so, they receive the path's parameters in order, as many as it has; if
   * only some are, it is an error.
   * @param name The name of the controller's method.
   * @param middleware Handlers that run before it.
   * @returns The route; for `ANY` the first.
   */
  Handle(method: MethodName, path: string, name: string, ...middleware: Handler[]): Route {
    return this.#activation.handle(method, path, name, middleware);
  }

  /**
   * The controller's dependencies; what is changed there is seen by no other controller.
   *
   * @returns The dependencies.
   */
  Dependencies(): Dependencies {
    return this.#activation.dependencies;
  }

  /**
   * The party that the controller is served on.
   *
   * @returns The party.
   */
  Router(): Party {
    return this.#activation.router;
  }
}

/** What a controller's `AfterActivation` hook receives: its routes are created, its dependencies fixed. */
export class AfterActivation {
  readonly #activation: Activation;

  /**
   * Created by `Handle`.
   *
   * @param activation The activation.
   * @ignore
   */
  constructor(activation: Activation) {
    this.#activation = activation;
  }

  /**
   * Routes a method of the controller by hand, in addition to the routes that it has.
   *
   * @param method The HTTP method, or `ANY` for all.
   * @param path The path template, relative to the party.
   * @param name The name of the controller's method.
   * @param middleware Handlers that run before it.
   * @returns The route; for `ANY` the first.
   */
  Handle(method: MethodName, path: string, name: string, ...middleware: Handler[]): Route {
    return this.#activation.handle(method, path, name, middleware);
  }

  /**
   * The controller's dependencies, to look at.
   *
   * @returns The dependencies.
   */
  Dependencies(): ReadonlyDependencies {
    return this.#activation.dependencies;
  }

  /**
   * The party that the controller is served on.
   *
   * @returns The party.
   */
  Router(): Party {
    return this.#activation.router;
  }

  /**
   * The controller's routes so far.
   *
   * @returns The routes.
   */
  Routes(): readonly Route[] {
    return [...this.#activation.routes];
  }

  /**
   * Reports whether all requests share one instance.
   *
   * @returns True when an instance or `mvc.Singleton(Class)` was passed to `Handle`.
   */
  Singleton(): boolean {
    return this.#activation.isSingleton;
  }
}

function ignore(): void {}
