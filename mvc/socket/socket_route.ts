/**
 * The route for WebSocket controllers. The code that serves connections is loaded when the application is built.
 *
 * @module
 */

import type { Party } from "../../src/app/party.ts";
import type { Registry } from "../../src/app/record/registry.ts";
import { loadModule } from "../../src/async/lazy_module.ts";
import type { Context } from "../../src/context/context.ts";
import type { Handler } from "../../src/context/handler.ts";
import { FrameworkError } from "../../src/errors/errors.ts";
import { noteFacts } from "../../src/exchange/handler_facts.ts";
import type { Server } from "../../src/websocket/server.ts";
import { SocketServer } from "../../src/websocket/socket_server.ts";
import type { Binding } from "../inject/binding.ts";
import { Container } from "../inject/container.ts";
import { Provide } from "../inject/provision.ts";
import { createSingleton } from "../inject/scope.ts";
import { isClass, isSubclass } from "../reflect/token.ts";
import { describeEvents, readSocketController, type SocketController } from "./socket_controller.ts";

/** The WebSocket controllers of a party. */
export class SocketRoute {
  readonly #container: Container;
  readonly #controllers: SocketController[] = [];
  #handler: Handler | undefined = undefined;

  /** Registers the route. */
  constructor(router: Party, registry: Registry, container: Container) {
    this.#container = container;
    container.provideFallback(isServerToken, Provide(SocketServer, newServer));
    registry.loads.push(() => this.#load());
    // The handler is loaded when the application is built, so it exists before the first request.
    const events = () => this.#controllers.flatMap(describeEvents);
    router.Get("/", noteFacts((ctx: Context) => this.#handler?.(ctx), { events }));
    registry.builders.push(() => {
      for (const { target, calls } of this.#controllers) {
        target.check();
        for (const call of calls.values()) call.check();
      }
    });
  }

  /** Adds a controller class. */
  add(type: new () => object): void {
    const controller = readSocketController(type, (name) => new Container(name, this.#container));
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
    const [{ Handler }, { serveWith }, { connect }, { replyHandler }] = await Promise.all([
      loadModule(() => import("../../src/websocket/mod.ts")),
      loadModule(() => import("../../src/websocket/namespace.ts")),
      loadModule(() => import("./connection.ts")),
      loadModule(() => import("./reply.ts")),
    ]);
    const binding = this.#container.lookup(SocketServer) as Binding;
    const server = await createSingleton(binding) as Server;
    for (const controller of this.#controllers) {
      const { name, namespace, calls, target } = controller;
      const results = replyHandler(target.home.allResults());
      const isNative = calls.has("_OnNativeMessage");
      serveWith(server.Namespace(namespace), { name, isNative, create: (conn) => connect(controller, conn, results) });
    }
    this.#handler = Handler(server);
  }
}

/** Creates the server of an application that has not registered one. */
async function newServer(): Promise<SocketServer> {
  const { New } = await loadModule(() => import("../../src/websocket/mod.ts"));
  return New();
}

/** Reports whether a token is the class of servers, which may not be loaded, or its base class. */
function isServerToken(token: unknown): boolean {
  return isClass(token) && isSubclass(token, SocketServer);
}
