/**
 * Serves controllers with a WebSocket server.
 *
 * @module
 */

import type { SocketSupport } from "../../core/context/socket_support.ts";
import type { Party } from "../../core/app/party.ts";
import type { Container } from "../../../mvc/inject/container.ts";
import { SocketRoute } from "../../../mvc/socket/socket_route.ts";
import { Handler } from "./accept.ts";
import { lifecycleMethods } from "./lifecycle_names.ts";
import { serveWith } from "./namespace.ts";
import { connectionsOf, New, type Server, SocketServer } from "./server.ts";

/** The part of this entry point that serves controllers. */
export const controllerSupport: SocketSupport = {
  token: SocketServer,
  lifecycleMethods,
  create: () => New(),
  open: (router, host, container) => new SocketRoute(router as Party, host, container as Container, controllerSupport),
  serve(registered, services) {
    const server = registered as Server;
    // This rejects other servers.
    const handler = Handler(server);
    for (const service of services) serveWith(server.Namespace(service.namespace), service);
    return { handler, meter: connectionsOf(server).meter };
  },
};
