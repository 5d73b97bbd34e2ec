/**
 * The route for WebSocket controllers. The program imports the server that serves their connections.
 *
 * @module
 */

import type { Party } from "../../src/core/app/party.ts";
import type { Host } from "../../src/core/context/extension.ts";
import { loadModule } from "../../src/base/async/lazy_module.ts";
import type { Context } from "../../src/core/context/context.ts";
import type { SocketConn, SocketControllers, SocketSupport } from "../../src/core/context/socket_support.ts";
import { FrameworkError } from "../../src/base/errors/errors.ts";
import { noteFacts } from "../../src/core/exchange/handler_facts.ts";
import type { Binding } from "../inject/binding.ts";
import { Container } from "../inject/container.ts";
import { Provide } from "../inject/provision.ts";
import { createSingleton } from "../inject/scope.ts";
import { isClass, isSubclass } from "../reflect/token.ts";
import { describeEvents, readSocketController, type SocketController } from "./socket_controller.ts";

/** The WebSocket controllers of a party. */
export class SocketRoute implements SocketControllers {
  readonly #container: Container;
  readonly #controllers: SocketController[] = [];
  readonly #support: SocketSupport;
  #served: ReturnType<SocketSupport["serve"]> | undefined = undefined;

  /**
   * Registers the route.
   *
   * @param router The party.
   * @param host The host of the MVC application.
   * @param container The dependencies.
   * @param support The WebSocket server.
   */
  constructor(router: Party, host: Host, container: Container, support: SocketSupport) {
    this.#support = support;
    this.#container = container;
    const { token, create } = support;
    // The server that an application has not registered.
    container.provideFallback((each) => isClass(each) && isSubclass(each, token), Provide(token, () => create()));
    // The handler is loaded when the application is built, so it exists before the first request.
    const events = () => this.#controllers.flatMap(describeEvents);
    router.Get("/", noteFacts((ctx: Context) => this.#served?.handler(ctx), { events }));
    host.Meter(() => this.#served?.meter() ?? []);
    host.Check("socket controllers", () => {
      for (const { target, calls } of this.#controllers) {
        target.check();
        for (const call of calls.values()) call.check();
      }
      return this.#load();
    }, "start");
  }

  /** Adds a controller class. */
  add(type: new () => object): void {
    const { lifecycleMethods } = this.#support;
    const controller = readSocketController(type, lifecycleMethods, (name) => new Container(name, this.#container));
    const other = this.#controllers.find(({ namespace }) => namespace === controller.namespace);
    if (other !== undefined) {
      throw new FrameworkError(
        "FW_CONTROLLER",
        `Cannot serve "${controller.name}": "${other.name}" serves the same namespace "${controller.namespace}"; ` +
          'set a static field "Namespace"',
      );
    }
    this.#controllers.push(controller);
  }

  async #load(): Promise<void> {
    // The modules load after the checks of all controllers, so a missing dependency is reported before anything is
    // created.
    const [{ connect }, { replyHandler }, { readEventInput: readInput }] = await Promise.all([
      loadModule(() => import("./connection.ts")),
      loadModule(() => import("./reply.ts")),
      loadModule(() => import("./event_input.ts")),
    ]);
    const { token, serve } = this.#support;
    const server = await createSingleton(this.#container.lookup(token) as Binding) as object;
    const services = this.#controllers.map((controller) => {
      const { name, namespace, calls, target } = controller;
      const results = replyHandler(target.home.allResults());
      const isNative = calls.has("_OnNativeMessage");
      return {
        name,
        namespace,
        isNative,
        create: (conn: SocketConn) => connect(controller, conn, { results, readInput }),
      };
    });
    this.#served = serve(server, services);
  }
}
