/**
 * The headers of a request, read for a handler or for fw itself.
 *
 * @module
 */

import { peekHeader } from "../http/peek_header.ts";
import type { CompiledRoute } from "./compiled_route.ts";

/** A request whose route is known, if it leads to one. */
interface Routed {
  readonly request: Request;
  /** The connection; a request in process has none. */
  readonly connection: unknown;
  readonly route: Pick<CompiledRoute<never>, "readsHeaders"> | undefined;
}

/** The headers of a request, for its handlers. */
export function handlerHeaders({ request, route }: Routed): Headers {
  if (route !== undefined) route.readsHeaders = true;
  return request.headers;
}

/**
 * Reads a header that fw needs itself, in passing unless the handlers are likely to read others: those of the route did
 * before, or there is no route and the error page asks what the client accepts.
 *
 * @param routed The request.
 * @param name The header's name in lower case.
 * @returns Its value, or `null` when it is absent.
 */
export function ownHeader({ request, connection, route }: Routed, name: string): string | null {
  const isRead = connection === undefined || route === undefined || route.readsHeaders;
  return isRead ? request.headers.get(name) : peekHeader(request, name);
}
