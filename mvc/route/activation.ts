/**
 * Turns a controller into routes, and calls its activation hooks.
 *
 * @module
 */

import { addRoute, type Party, registryOf } from "../../src/app/party.ts";
import type { Route } from "../../src/app/record/route.ts";
import type { RouteInput } from "../../src/app/record/route_description.ts";
import { FrameworkError } from "../../src/errors/errors.ts";
import type { Context } from "../../src/context/context.ts";
import type { Handler } from "../../src/context/handler.ts";
import { type MethodName, Methods } from "../../src/http/methods.ts";
import type { Container } from "../inject/container.ts";
import { closeDependencies, Dependencies, type ReadonlyDependencies } from "../inject/dependencies.ts";
import { Call } from "../inject/call.ts";
import type { Controller } from "../reflect/controller.ts";
import { parseMethodName } from "../reflect/method_parser.ts";
import { planByHand, planByName, planWithoutPath, type RoutePlan } from "./route_plan.ts";

/** A controller method that is ready to serve. Implemented in the layer above. */
export interface Servant {
  /** Returns the validated inputs of the method. */
  inputs(): readonly RouteInput[];
  /** Returns the dependencies of the method, as the lines of a tree. */
  dependencies(): string[];
  /** Checks, when the application is built, that every dependency is registered. */
  check(): void;
  /** Serves a request. */
  serve(ctx: Context): Promise<void> | undefined;
}

/** The data for an activation. */
export interface ActivationParts {
  /** The party that serves the controller. */
  readonly router: Party;
  readonly controller: Controller;
  readonly container: Container;
  /** Whether all requests share one instance. */
  readonly isSingleton: boolean;
  /** Prepares a method to serve requests. */
  readonly newAction: (call: Call<Context>) => Servant;
  /** Middleware for individual methods, by name. */
  readonly uses: Readonly<Record<string, readonly Handler[] | undefined>>;
}

/** The activation of a controller. */
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

  /** Creates all routes, and calls the controller's hooks before and after. */
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

  /** Checks, when the application is built, that every dependency is registered. */
  check(): void {
    for (const servant of this.#servants) servant.check();
  }

  /** Registers a route for a method by hand. */
  handle(method: string, path: string, name: string, middleware: readonly Handler[]): Route {
    const methods = /^(?:any|all)$/i.test(method) ? Methods : [method];
    const route = this.#serve(name, methods, planByHand(this.router, this.controller, name, path), middleware);
    if (route === undefined) throw new FrameworkError("FW_ROUTE", `Cannot route "${name}": it has no HTTP method`);
    this.handled.add(name);
    return route;
  }

  /** Serves a method for the given HTTP methods. Returns the first route. */
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
      `Cannot serve "${this.controller.name}": it has no routes; route names start with a verb and a capital letter, ` +
        `as in "GetUsers" or "PostBy", and ${methods}`,
    );
  }

  /**
   * Calls a hook. If the controller is a class, there is no instance yet, so hooks can use its methods but not its
   * fields.
   */
  #callHook(name: string, Argument: typeof BeforeActivation | typeof AfterActivation): void {
    const { instance, type, methods } = this.controller;
    methods.get(name)?.call(instance ?? Object.create(type?.prototype ?? null), new Argument(this));
  }
}

/**
 * The argument of a controller's `BeforeActivation` hook, which can register routes by hand and change dependencies.
 *
 * @example Register a route that no method name can express
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
   * Registers a route for a controller method by hand. The method name is then not interpreted as a route.
   *
   * @param method The HTTP method, or `ANY` for all methods.
   * @param path The path template, relative to the party. Arguments receive the path parameters of the same name. If no
   * names match, arguments receive the parameters in order, and their numbers must be equal. If only some names match,
   * an error is thrown.
   * @param name The name of the controller method.
   * @param middleware The handlers to run before the method.
   * @returns The route. For `ANY`, the first route.
   */
  Handle(method: MethodName, path: string, name: string, ...middleware: Handler[]): Route {
    return this.#activation.handle(method, path, name, middleware);
  }

  /**
   * Returns the controller's dependencies. Changes do not affect other controllers.
   *
   * @returns The dependencies.
   */
  Dependencies(): Dependencies {
    return this.#activation.dependencies;
  }

  /**
   * Returns the party that serves the controller.
   *
   * @returns The party.
   */
  Router(): Party {
    return this.#activation.router;
  }
}

/**
 * The argument of a controller's `AfterActivation` hook. By this point, the routes are registered and the
 * dependencies are read-only.
 */
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
   * Registers an additional route for a controller method by hand.
   *
   * @param method The HTTP method, or `ANY` for all methods.
   * @param path The path template, relative to the party.
   * @param name The name of the controller method.
   * @param middleware The handlers to run before the method.
   * @returns The route. For `ANY`, the first route.
   */
  Handle(method: MethodName, path: string, name: string, ...middleware: Handler[]): Route {
    return this.#activation.handle(method, path, name, middleware);
  }

  /**
   * Returns the controller's dependencies, which are read-only.
   *
   * @returns The dependencies.
   */
  Dependencies(): ReadonlyDependencies {
    return this.#activation.dependencies;
  }

  /**
   * Returns the party that serves the controller.
   *
   * @returns The party.
   */
  Router(): Party {
    return this.#activation.router;
  }

  /**
   * Returns the controller's routes.
   *
   * @returns The routes.
   */
  Routes(): readonly Route[] {
    return [...this.#activation.routes];
  }

  /**
   * Reports whether all requests share one instance.
   *
   * @returns `true` if an instance or `mvc.Singleton(Class)` was passed to `Handle`.
   */
  Singleton(): boolean {
    return this.#activation.isSingleton;
  }
}

function ignore(): void {}
