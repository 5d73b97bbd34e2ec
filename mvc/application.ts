/**
 * MVC applications: controllers and their dependencies on a party.
 *
 * @module
 */

import { type Party, registryOf } from "../src/app/party.ts";
import type { Handler } from "../src/context/handler.ts";
import { Logger } from "../src/log/logger.ts";
import { Action } from "./action.ts";
import { Activation } from "./route/activation.ts";
import { Provide } from "./inject/binding.ts";
import { Container } from "./inject/container.ts";
import { readController } from "./reflect/controller.ts";
import { ControllerPlan } from "./controller_plan.ts";
import type { ErrorHandler } from "./result/returned_error.ts";
import type { ControllerGuard } from "./reflect/guard.ts";
import { routeTable } from "./route/route_table.ts";

/**
 * Controllers and their dependencies on one party.
 *
 * @example A controller with a service
 * ```ts
 * import { assertEquals } from "@std/assert";
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
 * assertEquals(await (await app.fetch(new Request("http://localhost/greet/Ada"))).text(), "Hello Ada");
 * ```
 */
export class Application {
  /** The party that the controllers are served on, with all that a party can do: `Use`, `UseGlobal`, `Done`. */
  readonly Router: Party;
  readonly #container: Container;
  #errorHandler: ErrorHandler | undefined = undefined;

  /**
   * Made by {@linkcode New} and {@linkcode Configure}.
   *
   * @param router The party to serve controllers on.
   * @param from The application whose dependencies and error handler are taken over.
   */
  constructor(router: Party, from?: Application) {
    this.Router = router;
    this.#container = from === undefined ? new Container("mvc.Application") : from.#container.copy("mvc.Application");
    if (from === undefined) this.#container.add(Provide(Logger, registryOf(router).logger));
    this.#container.add(Provide(Application, this));
    this.#errorHandler = from === undefined ? undefined : from.#errorHandler;
  }

  /**
   * Registers dependencies for the controllers of this application and of those made from it afterwards. Of several
   * that answer one token the last counts.
   *
   * @param dependencies Instances, found by their class and its superclasses; classes, made once; functions, `() => T`
   * run once and `(ctx) => T` once a request, found by themselves and by the class or token in their `Provides`; and
   * what `mvc.Provide` makes.
   * @returns This application.
   */
  Register(...dependencies: unknown[]): this {
    registryOf(this.Router).assertNotBuilt("register a dependency");
    this.#container.add(...dependencies);
    return this;
  }

  /**
   * Serves a controller: each of its methods whose name begins with a verb becomes a route.
   *
   * A class has a new instance for every request, and one more when the application is built, to learn what it depends
   * on. An instance is shared by all requests.
   *
   * @param controller The class or the instance.
   * @returns This application.
   */
  Handle<C extends object>(controller: C & ControllerGuard<C>): this {
    registryOf(this.Router).assertNotBuilt("serve a controller");
    const read = readController(controller);
    const container = new Container(read.name, this.#container);
    const plan = new ControllerPlan(read, container, () => this.#errorHandler);
    const activation = new Activation({
      router: this.Router,
      controller: read,
      container,
      newServant: (method, route) => new Action(plan, method, route.readers),
    });
    activation.run();
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
   * Makes an application on a party below this one's, with the same dependencies and error handler.
   *
   * @param path The prefix.
   * @param handlers The new party's first middleware.
   * @returns The new application; what is registered on it is not seen here.
   */
  Party(path: string, ...handlers: Handler[]): Application {
    return this.Clone(this.Router.Party(path, ...handlers));
  }

  /**
   * Makes an application on another party, with the same dependencies and error handler.
   *
   * @param party The party.
   * @returns The new application; what is registered on either of them from now on is not seen by the other.
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
   * Answers the errors that controllers return or throw, unless the controller has a `HandleError` of its own.
   *
   * @param handler Receives the request, with the status set, and the error.
   * @returns This application.
   */
  HandleError(handler: ErrorHandler): this {
    this.#errorHandler = handler;
    return this;
  }
}

/**
 * Makes an MVC application on a party.
 *
 * @param party The party, or the whole web application.
 * @returns The MVC application.
 */
export function New(party: Party): Application {
  return new Application(party);
}

/**
 * Makes an MVC application on a party and hands it to functions.
 *
 * @param party The party, or the whole web application.
 * @param configurators The functions.
 * @returns The MVC application.
 */
export function Configure(party: Party, ...configurators: ((application: Application) => void)[]): Application {
  return new Application(party).Configure(...configurators);
}
