/**
 * MVC applications: controllers and their dependencies on a party.
 *
 * @module
 */

import type { ResultMiddleware } from "../src/app/api_container.ts";
import { type Party, registryOf } from "../src/app/party.ts";
import type { Registry } from "../src/app/registry.ts";
import type { RouteDescription } from "../src/app/route_description.ts";
import { FrameworkError } from "../src/base/errors.ts";
import type { Handler } from "../src/context/handler.ts";
import { Action } from "./action.ts";
import type { ControllerOption } from "./controller_option.ts";
import { ControllerPlan } from "./controller_plan.ts";
import { Container } from "./inject/container.ts";
import { Provide, type Provision, termsOf } from "./inject/provision.ts";
import { partyContainer } from "./party_container.ts";
import { readController } from "./reflect/controller.ts";
import type { ControllerGuard } from "./reflect/controller_guard.ts";
import type { ErrorHandler } from "./result/returned_error.ts";
import { Activation } from "./route/activation.ts";
import { routeTable } from "./route/route_table.ts";
import { SocketRoute } from "./socket_route.ts";

/** Descriptions by the names of a controller's methods. */
export type ControllerDescription<C> = { readonly [K in keyof C]?: RouteDescription };

/** The type that has the methods of what is passed to `Handle`. */
export type Served<C> = C extends Provision<infer T> ? T : C extends abstract new (...args: never[]) => infer I ? I : C;

/** Options of {@linkcode Application.Handle}. */
export interface HandleOptions<T> {
  /**
   * Middleware by the names of the controller's methods, which runs before the method and after the middleware of the
   * party: `{ Use: { DeleteBy: [requireAdmin] } }`.
   */
  Use?: { readonly [K in keyof T]?: readonly Handler[] };
}

/**
 * Controllers and their dependencies on one party.
 *
 * @example A controller with a service
 * ```ts
 * import * as fw from "@fw/web";
 * import * as mvc from "@fw/web/mvc";
 *
 * class Greeter {
 *   greet(name: string) {
 *     return `Hello ${name}`;
 *   }
 * }
 * class GreetController {
 *   greeter = mvc.Inject(Greeter);
 *   GetBy(name: string) {
 *     return this.greeter.greet(name);
 *   }
 * }
 * const app = fw.New();
 * mvc.Configure(app.Party("/greet"), (m) => {
 *   m.Register(new Greeter());
 *   m.Handle(GreetController);
 * });
 *
 * await (await app.fetch(new Request("http://localhost/greet/Ada"))).text(); // → "Hello Ada"
 * ```
 */
export class Application {
  /** The party that the controllers are served on, with all that a party can do: `Use`, `UseGlobal`, `Done`. */
  readonly Router: Party;
  readonly #container: Container;
  readonly #from: Application | undefined;
  #errorHandler: ErrorHandler | undefined = undefined;
  #socketRoute: SocketRoute | undefined = undefined;

  /**
   * Created by {@linkcode New} and {@linkcode Configure}.
   *
   * @param router The party to serve controllers on.
   * @param from The application whose dependencies and error handler are taken over.
   */
  constructor(router: Party, from?: Application) {
    this.Router = router;
    this.#from = from;
    this.#container = from === undefined
      ? new Container("mvc.Application", partyContainer(router))
      : from.#container.copy("mvc.Application");
    this.#container.add(Provide(Application, this));
  }

  /**
   * Registers dependencies for the controllers of this application and of those created from it afterwards. If several
   * are found by one token, the last one is used.
   *
   * Singletons are created when the application is built, or for the first request if they take time, and disposed of
   * at shutdown. The value that `mvc.PerRequest` creates for a request is disposed of at the end of the request. The
   * constructor of a registered class runs once more when the application is built, to learn its dependencies: with
   * stand-ins, which can be stored but not used.
   *
   * @param dependencies Instances, found by their class and its superclasses; classes, constructed once; functions,
   * `() => T` called once and `(ctx) => T` once per request, found by themselves and by the class or token in their
   * `Provides`; and registrations that `mvc.Provide`, `mvc.Singleton`, `mvc.PerRequest`, `mvc.Parallel` and `mvc.Value`
   * return.
   * @returns This application.
   */
  Register(...dependencies: unknown[]): this {
    registryOf(this.Router).assertNotBuilt("register a dependency");
    this.#container.add(...dependencies);
    return this;
  }

  /**
   * Says what the routes of a controller are for, method by method: for documents, pages and tools.
   *
   * @param controller The class of the controller.
   * @param said What there is to say of each method.
   * @returns This application.
   *
   * @example A summary and the schema of what is returned
   * ```ts
   * import * as fw from "@fw/web";
   * import * as mvc from "@fw/web/mvc";
   *
   * class TeaController {
   *   Get() {
   *     return ["Assam"];
   *   }
   * }
   * const app = fw.New();
   * mvc.New(app.Party("/teas")).Handle(TeaController).Describe(TeaController, { Get: { Summary: "Lists all teas" } });
   * await app.Build();
   * app.Routes()[0]?.Description.Summary; // → "Lists all teas"
   * ```
   */
  Describe<C>(controller: abstract new (...args: never[]) => C, said: ControllerDescription<C>): this {
    const registry = registryOf(this.Router);
    // Told when the application is built: the order of Handle and Describe does not matter.
    registry.builders.push(() => describeRoutes(registry, controller, Object.entries(said)));
    return this;
  }

  /**
   * Serves a controller: each of its methods whose name begins with a verb becomes a route.
   *
   * A class has a new instance for every request. Its constructor runs once more when it is passed here, to learn its
   * dependencies: with stand-ins, which can be stored but not used. So it must have no side effects. An instance, or
   * `mvc.Singleton(Class)`, is shared by all requests.
   *
   * @param controller The class, the instance, or `mvc.Singleton(Class)`.
   * @param options Middleware of single methods, and options for all routes of the controller, such as `mvc.Version`
   * and `mvc.Deprecated`.
   * @returns This application.
   */
  Handle<C extends object>(
    controller: C & ControllerGuard<C extends Provision<infer T> ? T : C>,
    ...options: (HandleOptions<Served<C>> | ControllerOption)[]
  ): this {
    registryOf(this.Router).assertNotBuilt("serve a controller");
    const changes = options.filter((option) => typeof option === "function");
    const uses = Object.assign({}, ...options.map((option) => typeof option === "function" ? {} : option.Use ?? {}));
    // What is changed for this controller must not apply to those that are served after it.
    const router = changes.length === 0 ? this.Router : this.Router.Party("/");
    for (const change of changes) change(router);
    const { source, lifetime } = termsOf(controller);
    const isSingleton = lifetime === "singleton";
    const read = readController(source);
    const container = new Container(read.name, this.#container);
    const plan = new ControllerPlan({
      controller: read,
      container,
      isSingleton,
      errorHandler: () => this.#handler(),
    });
    const activation = new Activation({
      router,
      controller: read,
      container,
      isSingleton: isSingleton || read.instance !== undefined,
      newAction: (call) => new Action(plan, call),
      uses,
    });
    activation.run();
    plan.checkFields(activation.handled);
    registryOf(this.Router).builders.push(() => {
      plan.check();
      activation.check();
      const { logger } = registryOf(this.Router);
      if (!logger.Enabled("debug")) return;
      for (const line of routeTable(read.name, activation.routes)) logger.Debug(line);
    });
    return this;
  }

  /**
   * Serves WebSocket connections on this party's path with a controller: one instance per connection. Each of its
   * methods `OnX` handles the event `x`, and the returned value is the acknowledgement. Several controllers share the
   * connections of a path, each under its own static `Namespace`.
   *
   * A registered `websocket.Server` holds the connections; if there is none, one with default options is created.
   *
   * @param controller The class.
   * @returns This application.
   *
   * @example A controller with typed input
   * ```ts
   * import * as fw from "@fw/web";
   * import * as httptest from "@fw/web/httptest";
   * import * as mvc from "@fw/web/mvc";
   * import type * as websocket from "@fw/web/websocket";
   * import { z } from "npm:zod@^4";
   *
   * const say = z.object({ room: z.string(), text: z.string().max(500) });
   * class ChatController {
   *   Conn!: websocket.Conn;
   *   OnRoomJoin(room = "") {
   *     return room.startsWith("tea");
   *   }
   *   async OnSay(message = mvc.Body(say)) {
   *     await this.Conn.To(message.room).Emit("said", message.text);
   *     return { ok: true };
   *   }
   * }
   * const app = fw.New();
   * mvc.New(app.Party("/chat")).HandleWebsocket(ChatController);
   *
   * const socket = await httptest.New(app).WebSocket("/chat");
   * await socket.Join("tea");
   * await socket.Ask("say", { room: "tea", text: "hello" }); // → { ok: true }
   * await socket.ExpectEvent("said", "hello");
   * await socket.Close();
   * ```
   */
  HandleWebsocket(controller: new () => object): this {
    const registry = registryOf(this.Router);
    registry.assertNotBuilt("serve a WebSocket controller");
    this.#socketRoute ??= new SocketRoute(this.Router, registry, this.#container);
    this.#socketRoute.add(controller);
    return this;
  }

  /**
   * Creates an application on a party below this one's, with the same dependencies and error handler.
   *
   * @param path The prefix.
   * @param handlers The new party's first middleware.
   * @returns The new application; what is registered on it is not seen here.
   */
  Party(path: string, ...handlers: Handler[]): Application {
    return this.Clone(this.Router.Party(path, ...handlers));
  }

  /**
   * Creates an application on another party, with the same dependencies and error handler.
   *
   * @param party The party.
   * @returns The new application; what is registered on either of them from now on is not seen by the other, but for an
   * error handler, which holds for both until the new one has its own.
   */
  Clone(party: Party): Application {
    return new Application(party, this);
  }

  /**
   * Hands this application to functions.
   *
   * @param configurators The functions.
   * @returns This application.
   */
  Configure(...configurators: ((application: Application) => void)[]): this {
    for (const configure of configurators) configure(this);
    return this;
  }

  /**
   * Adds a handler that sees the objects that methods of controllers return, before they are written. It may pass on
   * another value, or write the response itself. The first one registered is the outermost; those of the party come
   * before those of this application. Texts, numbers, errors and bodies such as a `Response` are not handed to it.
   *
   * @param handler Receives the next handler, and returns the one that calls it.
   * @returns This application.
   *
   * @example Wrapping all objects
   * ```ts
   * import * as fw from "@fw/web";
   * import * as mvc from "@fw/web/mvc";
   *
   * class TeaController {
   *   Get() {
   *     return ["Assam"];
   *   }
   * }
   * const app = fw.New();
   * mvc.New(app).UseResultHandler((next) => (ctx, value) => next(ctx, { data: value })).Handle(TeaController);
   *
   * await (await app.fetch(new Request("http://localhost/"))).json(); // → { data: ["Assam"] }
   * ```
   */
  UseResultHandler(handler: ResultMiddleware): this {
    registryOf(this.Router).assertNotBuilt("add a result handler");
    this.#container.results.push(handler);
    return this;
  }

  /**
   * Sets the handler that responds to the errors that controllers return or throw, unless the controller has a
   * `HandleError` of its own. It runs before the error pages of `OnErrorCode`, which write the body if it writes none.
   *
   * @param handler Receives the request, with the status set, and the error.
   * @returns This application.
   */
  HandleError(handler: ErrorHandler): this {
    this.#errorHandler = handler;
    return this;
  }

  /** The error handler of this application, else of the one that it was created from. */
  #handler(): ErrorHandler | undefined {
    return this.#errorHandler ?? (this.#from === undefined ? undefined : this.#from.#handler());
  }
}

/**
 * Creates an MVC application on a party.
 *
 * @param party The party, or the whole web application.
 * @returns The MVC application.
 */
export function New(party: Party): Application {
  return new Application(party);
}

/**
 * Creates an MVC application on a party and hands it to functions.
 *
 * @param party The party, or the whole web application.
 * @param configurators The functions.
 * @returns The MVC application.
 */
export function Configure(party: Party, ...configurators: ((application: Application) => void)[]): Application {
  return new Application(party).Configure(...configurators);
}

/** Describes the routes of a controller; a method that has none is an error. */
function describeRoutes(
  registry: Registry,
  controller: { readonly name: string },
  said: readonly (readonly [action: string, description: RouteDescription | undefined])[],
): void {
  for (const [action, description = {}] of said) {
    // Two controllers may have one name, as in two versions of an API.
    const routes = registry.routes.filter(({ owner, route }) => owner === controller && route.Action === action);
    if (routes.length === 0) {
      throw new FrameworkError("FW_CONTROLLER", `Cannot describe "${controller.name}.${action}": it has no route`);
    }
    for (const { route } of routes) route.Describe(description);
  }
}
