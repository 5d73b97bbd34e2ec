/**
 * Turns a controller into routes and calls its activation hooks.
 *
 * @module
 */

import { addRoute, type Party, routeRecordsOf } from "../../src/core/app/party.ts";
import { splitMany } from "../../src/core/app/record_route.ts";
import type { Route } from "../../src/core/app/record/route.ts";
import type { Handler } from "../../src/core/context/handler.ts";
import { FrameworkError } from "../../src/base/errors/errors.ts";
import { type MethodName, Methods } from "../../src/http/headers/methods.ts";
import { alignColumns } from "../../src/base/text/columns.ts";
import { Call } from "../inject/call.ts";
import { closeDependencies, Dependencies, type ReadonlyDependencies } from "../inject/dependencies.ts";
import { type Controller, hookOf, type Method } from "../reflect/controller.ts";
import type { HookName } from "../reflect/hooks.ts";
import { parseMethodName } from "../reflect/method_parser.ts";
import { Action } from "../serve/action.ts";
import type { ControllerTarget } from "../serve/controller_target.ts";
import { callByHand, callByName, type RoutedCall } from "./routed_call.ts";

/** Middleware for individual methods, by name. */
type MethodMiddleware = Readonly<Record<string, readonly Handler[] | undefined>>;

/** The activation of a controller. */
export class Activation {
  readonly target: ControllerTarget;
  readonly router: Party;
  readonly dependencies: Dependencies;
  readonly routes: Route[] = [];
  /** The names of the methods with custom routes. */
  readonly #handled = new Set<string>();
  readonly #actions: Action[] = [];
  readonly #uses: MethodMiddleware;

  /**
   * Creates an activation.
   *
   * @param target The controller.
   * @param router The party that serves it.
   * @param uses Middleware for individual methods.
   */
  constructor(target: ControllerTarget, router: Party, uses: MethodMiddleware) {
    this.target = target;
    this.router = router;
    this.dependencies = new Dependencies(target.home);
    this.#uses = uses;
  }

  /** Creates all routes. Calls the controller's hooks before and after that. */
  run(): void {
    const { controller } = this.target;
    const before = routeRecordsOf(this.router).length;
    this.#callHook("BeforeActivation", BeforeActivation);
    closeDependencies(this.dependencies);
    for (const name of controller.methods.keys()) {
      const parsed = this.#handled.has(name) ? undefined : parseMethodName(name);
      if (parsed === undefined) continue;
      this.#serve(name, parsed.methods, callByName(this.router, controller, name, parsed), []);
    }
    if (hookOf(controller, "HandleHTTPError") !== undefined) {
      const action = this.#action("HandleHTTPError", callByHand(this.router, controller, "HandleHTTPError"));
      this.router.OnAnyErrorCode((ctx) => action.serve(ctx));
    }
    this.#callHook("AfterActivation", AfterActivation);
    if (routeRecordsOf(this.router).length === before && this.#actions.length === 0) throw noRoute(controller);
    const unused = Object.keys(this.#uses).find((name) => !this.routes.some((route) => route.Action === name));
    if (unused !== undefined) throw this.#misused(unused, "it has no route");
    this.target.checkFields(this.#handled);
  }

  /** Checks that every dependency is registered. Called when the application is built. */
  check(): void {
    this.target.check();
    for (const action of this.#actions) action.check();
  }

  /** Lists the routes as aligned lines. A method that accepts every HTTP method has one line. */
  table(): string[] {
    const groups = Map.groupBy(this.routes, ({ Subdomain, Path, Action }) => `${Subdomain}${Path}\n${Action}`);
    const rows = Array.from(groups, ([place, routes]) => [
      routes.length === Methods.length ? "ANY" : routes.map((each) => each.Method).join(" "),
      ...place.split("\n"),
    ]);
    return [`Controller ${this.target.label()} serves`, ...alignColumns(rows).map((line) => `  ${line}`)];
  }

  /** Registers a custom route for a method. */
  handle(method: string, path: string, name: string, middleware: readonly Handler[]): Route {
    return this.#handle(/^(?:any|all)$/i.test(method) ? Methods : [method], [path], name, middleware)[0] as Route;
  }

  /** Registers custom routes for a method. */
  handleMany(methods: string, paths: string, name: string, middleware: readonly Handler[]): Route[] {
    const many = splitMany(methods, paths);
    return this.#handle(many.methods, many.paths, name, middleware);
  }

  #handle(
    methods: readonly string[],
    paths: readonly string[],
    name: string,
    middleware: readonly Handler[],
  ): Route[] {
    this.#handled.add(name);
    const before = this.routes.length;
    for (const path of paths) {
      this.#serve(name, methods, callByHand(this.router, this.target.controller, name, path), middleware);
    }
    return this.routes.slice(before);
  }

  #misused(name: string, state: string): FrameworkError {
    const { name: owner } = this.target.controller;
    return new FrameworkError("FW_CONTROLLER", `Cannot use middleware for "${owner}.${name}": ${state}`);
  }

  /** Registers a method for the given HTTP methods. */
  #serve(name: string, methods: readonly string[], call: RoutedCall, middleware: readonly Handler[]): void {
    const action = this.#action(name, call);
    const own: Handler = (ctx) => action.serve(ctx);
    const uses = this.#uses[name];
    if (uses !== undefined && !Array.isArray(uses)) throw this.#misused(name, "it must be an array of handlers");
    const handlers = uses === undefined && middleware.length === 0 ? [own] : [...uses ?? [], ...middleware, own];
    const inputs = action.inputs();
    const { name: controller, type, instance } = this.target.controller;
    const owner = type ?? instance?.constructor;
    const { path } = call;
    for (const method of methods) {
      const spec = { method, path, handlers, controller, action: name, owner, inputs, dependent: action };
      this.routes.push(addRoute(this.router, spec));
    }
  }

  #action(name: string, { parameters, readers }: RoutedCall): Action {
    const { controller: { name: owner, methods }, home: container } = this.target;
    const call = new Call(methods.get(name) as Method, { container, owner, name, parameters, readers });
    const action = new Action(this.target, call);
    this.#actions.push(action);
    return action;
  }

  /**
   * Calls a hook. If the controller is a class, there is no instance yet, so hooks can use its methods but not its
   * fields.
   */
  #callHook(name: HookName, Argument: typeof BeforeActivation | typeof AfterActivation): void {
    const { controller } = this.target;
    const { instance, type } = controller;
    hookOf(controller, name)?.call(instance ?? Object.create(type?.prototype ?? null), new Argument(this));
  }
}

function noRoute({ name, methods }: Controller): FrameworkError {
  const names = Array.from(methods.keys(), (each) => `"${each}"`);
  if (methods.size > 0 && methods.keys().every((each) => /^On[A-Z]/.test(each))) {
    return new FrameworkError(
      "FW_CONTROLLER",
      `Cannot serve "${name}": it has no routes; serve its methods ${names.join(", ")} with "HandleWebsocket"`,
    );
  }
  return new FrameworkError(
    "FW_CONTROLLER",
    `Cannot serve "${name}": it has no routes; route names start with a verb and a capital letter, ` +
      `as in "GetUsers" or "PostBy", and ${
        names.length === 0 ? "it has no methods" : `its methods are ${names.join(", ")}`
      }`,
  );
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
   * Registers a custom route for a controller method. In `BeforeActivation`, the method name is
   * then not interpreted as a route.
   *
   * @param method The HTTP method, or `ANY` for all methods.
   * @param path The path template, relative to the party. Arguments receive the path parameters with the same name. If
   * no names match, arguments receive the parameters in order, and there must be the same number of both. If only some
   * names match, an error is thrown.
   * @param name The name of the controller method.
   * @param middleware The handlers to run before the method.
   * @returns The route. For `ANY`, the first route.
   */
  Handle(method: MethodName, path: string, name: string, ...middleware: Handler[]): Route {
    return this.#activation.handle(method, path, name, middleware);
  }

  /**
   * Registers custom routes for a controller method, one for each combination of methods and paths.
   *
   * @param methods The HTTP methods, separated by spaces, such as `"GET POST"`. `ANY` means all methods.
   * @param paths The path templates, separated by spaces, such as `"/a /b"`.
   * @param name The name of the controller method.
   * @param middleware The handlers to run before the method.
   * @returns The routes.
   */
  HandleMany(methods: string, paths: string, name: string, ...middleware: Handler[]): Route[] {
    return this.#activation.handleMany(methods, paths, name, middleware);
  }

  /**
   * Finds the route of a controller method.
   *
   * @param name The name of the controller method, such as `GetBy`.
   * @returns The route, or the first one if the method has several. `undefined` if it has none, or
   * if it is not registered yet.
   */
  GetRoute(name: string): Route | undefined {
    return this.#activation.routes.find((route) => route.Action === name);
  }

  /**
   * Returns the controller's dependencies. They are read-only.
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
   * Returns the controller's routes that are registered.
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
    return this.#activation.target.isShared;
  }
}

/**
 * The argument of a controller's `BeforeActivation` hook. The hook can register custom routes and change dependencies.
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
export class BeforeActivation extends AfterActivation {
  readonly #dependencies: Dependencies;

  /**
   * Created by `Handle`.
   *
   * @param activation The activation.
   * @ignore
   */
  constructor(activation: Activation) {
    super(activation);
    this.#dependencies = activation.dependencies;
  }

  /**
   * Returns the controller's dependencies. Changes do not affect other controllers.
   *
   * @returns The dependencies.
   */
  override Dependencies(): Dependencies {
    return this.#dependencies;
  }
}
