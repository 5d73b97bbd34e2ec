/**
 * MVC applications. They serve controllers and their dependencies on a party.
 *
 * @module
 */

import { record } from "../src/base/config/option_kinds.ts";
import { checkArgument, checkText, optionTable, readOptions } from "../src/base/config/option_table.ts";
import { applyAll, assertFunction } from "../src/base/config/returned.ts";
import type { ResultMiddleware } from "../src/core/app/api_container.ts";
import { assertNotBuilt, type Party, routeRecordsOf } from "../src/core/app/party.ts";
import type { RouteDescription } from "../src/core/app/record/route_description.ts";
import type { Handler } from "../src/core/context/handler.ts";
import { type SocketControllers, socketSupport } from "../src/core/context/socket_support.ts";
import { FrameworkError } from "../src/base/errors/errors.ts";
import type { Logger } from "../src/base/log/logger.ts";
import type { ControllerOption } from "../src/hosts/versioning/party_option.ts";
import { Container, noteContainer } from "./inject/container.ts";
import { Provide, type Provision, termsOf } from "./inject/provision.ts";
import { hostOf, partyContainer } from "./party_container.ts";
import { readController } from "./reflect/controller.ts";
import type { ControllerGuard } from "./reflect/controller_guard.ts";
import type { ErrorHandler } from "./result/result_handlers.ts";
import { Activation } from "./route/activation.ts";
import { ControllerTarget } from "./serve/controller_target.ts";

/** Route descriptions, by the names of a controller's methods. */
export type ControllerDescription<C> = { readonly [K in keyof C]?: RouteDescription };

/** The controller type for an argument of `Handle`. */
export type Served<C> = C extends Provision<infer T> ? T : C extends abstract new (...args: never[]) => infer I ? I : C;

/** Options for {@linkcode Application.Handle}. */
export interface HandleOptions<T> {
  /**
   * Middleware by method name, such as `{ Use: { DeleteBy: [requireAdmin] } }`. It runs before the method and after the
   * party's middleware.
   */
  Use?: { readonly [K in keyof T]?: readonly Handler[] };
}

const table = optionTable<HandleOptions<object>>("mvc.HandleOptions", "Handle")({ Use: record() });

/**
 * An MVC application. It serves controllers and their dependencies on a party.
 *
 * @example Serve a controller with a service
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
  /** The party that serves the controllers. All its methods, such as `Use`, `UseGlobal` and `Done`, are available. */
  readonly Router: Party;
  readonly #container: Container;
  readonly #from: Application | undefined;
  #name = "";
  #errorHandler: ErrorHandler | undefined = undefined;
  #sockets: SocketControllers | undefined = undefined;

  /**
   * Created by {@linkcode New} and {@linkcode Configure}.
   *
   * @param router The party to serve controllers on.
   * @param from The application from which to take the dependencies and the error handler.
   */
  constructor(router: Party, from?: Application) {
    this.Router = router;
    this.#from = from;
    const below = partyContainer(router);
    this.#container = from === undefined
      ? new Container("mvc.Application", below)
      : from.#container.copy("mvc.Application");
    this.#container.add(Provide(Application, this));
    noteContainer(this, this.#container);
  }

  /** Returns the name of this application, or an empty string if none was set. */
  get Name(): string {
    return this.#name;
  }

  /**
   * Sets the name of this application, which the list of its routes in the log contains.
   *
   * @param name The name.
   * @returns This application, for chaining.
   */
  SetName(name: string): this {
    checkText(name, "name", "SetName");
    this.#name = name;
    return this;
  }

  /**
   * Registers dependencies for the controllers of this application and of applications created from it afterwards. If
   * several dependencies are registered for the same token, the last one is used.
   *
   * Singletons are created when the application is built or, if they are asynchronous, for the first request. They are
   * disposed of at shutdown. The values of `mvc.PerRequest` are disposed of at the end of the request. When the
   * application is built, the constructor of each registered class runs one additional time to discover its
   * dependencies. It receives stand-ins, which can be stored but not used.
   *
   * @param dependencies An instance is registered for its class and its superclasses. A class is constructed once. A
   * function `() => T` is called once, and `(ctx) => T` is called once per request. Functions are registered for
   * themselves and for the class or token in their `Provides`. Registrations can also be created with `mvc.Provide`,
   * `mvc.Singleton`, `mvc.PerRequest`, `mvc.Parallel` or `mvc.Value`.
   * @returns This application, for chaining.
   */
  Register(...dependencies: unknown[]): this {
    assertNotBuilt(this.Router, "register a dependency");
    this.#container.add(...dependencies);
    return this;
  }

  /**
   * Describes the routes of a controller, by method name, for API documents and tools.
   *
   * @param controller The controller class.
   * @param said The descriptions, by method name.
   * @returns This application, for chaining.
   *
   * @example Describe a route and its return value
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
    assertFunction(controller, "a controller");
    checkArgument(said, record(), "said", "Describe");
    // The descriptions are applied when the application is built, so the order of Handle and Describe does not matter.
    hostOf(this.Router).Check(`descriptions of ${controller.name}`, () => {
      for (const [action, description] of Object.entries<RouteDescription | undefined>(said)) {
        // Two controllers may have the same name, for example in two versions of an API.
        const routes = routeRecordsOf(this.Router).filter((each) =>
          each.owner === controller && each.route.Action === action
        );
        if (routes.length === 0) {
          throw new FrameworkError("FW_CONTROLLER", `Cannot describe "${controller.name}.${action}": it has no route`);
        }
        for (const { route } of routes) route.Describe(description ?? {});
      }
    }, "start");
    return this;
  }

  /**
   * Serves a controller. Each method whose name starts with a verb becomes a route.
   *
   * A class is constructed once per request. In addition, its constructor runs once during this call to discover its
   * dependencies. It receives stand-ins, which can be stored but not used, so the constructor must not have side
   * effects. An instance, or `mvc.Singleton(Class)`, is shared by all requests.
   *
   * @param controller The class, an instance, or `mvc.Singleton(Class)`.
   * @param options Middleware for individual methods, and options for all routes of the controller, such as
   * `mvc.Version` and `mvc.Deprecated`.
   * @returns This application, for chaining.
   */
  Handle<C extends object>(
    controller: C & ControllerGuard<C>,
    ...options: (HandleOptions<Served<C>> | ControllerOption)[]
  ): this {
    assertNotBuilt(this.Router, "serve a controller");
    const changes = options.filter((option) => typeof option === "function");
    const given = options.filter((option) => typeof option !== "function");
    const uses = Object.assign({}, ...given.map((option) => readOptions(table, option).Use));
    // Changes for this controller must not apply to controllers that are registered later.
    const router = changes.length === 0 ? this.Router : this.Router.Party("/");
    for (const change of changes) change(router);
    const { source, lifetime } = termsOf(controller);
    const read = readController(source);
    const container = new Container(read.name, this.#container);
    const target = new ControllerTarget({
      controller: read,
      container,
      isSingleton: lifetime === "singleton",
      errorHandler: () => this.#handler(),
    });
    const activation = new Activation(target, router, uses);
    activation.run();
    const host = hostOf(this.Router);
    host.Check(read.name, () => {
      activation.check();
      const logger = host.App.Logger() as Logger;
      if (!logger.Enabled("debug")) return;
      const [title = "", ...lines] = activation.table();
      logger.Debug(this.#name === "" ? title : `${this.#name}: ${title}`);
      for (const line of lines) logger.Debug(line);
    }, "start");
    return this;
  }

  /**
   * Serves WebSocket connections on this party's path with a controller, with one instance per connection. Each `OnX`
   * method handles the event `x`, and its return value is the acknowledgement. Several controllers can share the
   * connections of a path, each with its own static `Namespace`.
   *
   * The connections are managed by the registered `websocket.Server`. If there is none, a server with default options
   * is created, which the controllers of this application can inject as well. The program has to import
   * `@fw/web/websocket`, which contains the server.
   *
   * @param controller The class.
   * @returns This application, for chaining.
   * @throws {FrameworkError} If the program does not import `@fw/web/websocket`.
   *
   * @example Serve a controller with typed input
   * ```ts
   * import * as fw from "@fw/web";
   * import * as httptest from "@fw/web/httptest";
   * import * as mvc from "@fw/web/mvc";
   * import * as websocket from "@fw/web/websocket";
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
   * mvc.New(app.Party("/chat")).Register(websocket.New()).HandleWebsocket(ChatController);
   *
   * const socket = await httptest.New(app).WebSocket("/chat");
   * await socket.Join("tea");
   * await socket.Ask("say", { room: "tea", text: "hello" }); // → { ok: true }
   * await socket.ExpectEvent("said", "hello");
   * await socket.Close();
   * ```
   */
  HandleWebsocket(controller: new () => object): this {
    assertNotBuilt(this.Router, "serve a WebSocket controller");
    if (socketSupport === undefined) {
      throw new FrameworkError(
        "FW_IMPORT",
        `Cannot serve "${controller?.name}": the program does not load the WebSocket server; write ` +
          '`import "jsr:@fw/web/websocket"`, because an import of types alone is removed',
      );
    }
    this.#sockets ??= socketSupport.open(this.Router, hostOf(this.Router), this.#container);
    this.#sockets.add(controller);
    return this;
  }

  /**
   * Creates an application on a party inside this one, with the dependencies, result handlers and error handler of this
   * application, as {@linkcode Application.Clone} does.
   *
   * @param path The prefix of the new party.
   * @param handlers The first middleware of the new party.
   * @returns The new application. Dependencies registered on it are not visible in this application.
   */
  Party(path: string, ...handlers: Handler[]): Application {
    return this.Clone(this.Router.Party(path, ...handlers));
  }

  /**
   * Creates an application on another party, with the dependencies, result handlers and error handler of this
   * application.
   *
   * The dependencies are those registered so far on this application and those of its party, even if the new party is
   * elsewhere. Dependencies registered with `ConfigureContainer` on the new party are not available.
   *
   * @param party The party.
   * @returns The new application. Dependencies that are registered later on one of the applications are not visible in
   * the other. An error handler set on this application applies to both, until the new application sets its own.
   */
  Clone(party: Party): Application {
    return new Application(party, this);
  }

  /**
   * Passes this application to functions.
   *
   * @param configurators The functions.
   * @returns This application, for chaining.
   */
  Configure(...configurators: ((application: Application) => void)[]): this {
    applyAll(configurators, this, "a configurator");
    return this;
  }

  /**
   * Adds a handler for the objects that controller methods return. It runs before they are written, and can pass on
   * another value or write the response itself. The first registered handler is the outermost one, and the party's
   * handlers run before those of this application. Strings, numbers, errors and bodies such as a `Response` are not
   * passed to it. The replies of WebSocket controllers pass through it as well. Their response has been sent, so only
   * the value that it passes on counts.
   *
   * @param handler A function that receives the next handler and returns a handler that calls it.
   * @returns This application, for chaining.
   *
   * @example Wrap all returned objects
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
    assertNotBuilt(this.Router, "add a result handler");
    assertFunction(handler, "a handler");
    this.#container.results.push(handler);
    return this;
  }

  /**
   * Sets the handler for errors that controllers return or throw. A controller's own `HandleError` method takes
   * precedence. The handler runs before the `OnErrorCode` error pages, which write the body if the handler does not.
   *
   * @param handler A function that receives the context, with the status code set, and the error.
   * @returns This application, for chaining.
   */
  HandleError(handler: ErrorHandler): this {
    assertFunction(handler, "a handler");
    this.#errorHandler = handler;
    return this;
  }

  /** Returns the error handler of this application, or that of the application it was created from. */
  #handler(): ErrorHandler | undefined {
    return this.#errorHandler ?? (this.#from === undefined ? undefined : this.#from.#handler());
  }
}

/**
 * Creates an MVC application on a party.
 *
 * @param party The party or web application.
 * @returns The MVC application.
 */
export function New(party: Party): Application {
  return new Application(party);
}

/**
 * Creates an MVC application on a party and passes it to functions.
 *
 * @param party The party or web application.
 * @param configurators The functions.
 * @returns The MVC application.
 */
export function Configure(party: Party, ...configurators: ((application: Application) => void)[]): Application {
  return new Application(party).Configure(...configurators);
}
