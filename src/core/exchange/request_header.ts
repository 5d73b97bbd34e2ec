/**
 * Reads request headers, for handlers or for fw itself.
 *
 * @module
 */

import { peekHeader } from "../../http/headers/header.ts";
import type { CompiledRoute } from "./compiled_route.ts";

/** A request and its route, if one matched. */
interface Routed {
  readonly request: Request;
  /** The connection. In-process requests have none. */
  readonly connection: unknown;
  readonly route: Pick<CompiledRoute<never>, "readsHeaders"> | undefined;
}

/** Returns the request headers, for the handlers. */
export function handlerHeaders({ request, route }: Routed): Headers {
  if (route !== undefined) route.readsHeaders = true;
  return request.headers;
}

/** Returns a request header for the handlers, or an empty string. A name that is not valid cannot be sent either. */
export function handlerHeader(routed: Routed, name: string): string {
  try {
    return handlerHeaders(routed).get(name) ?? "";
  } catch {
    return "";
  }
}

/**
 * Reads a header that fw itself needs. Avoids materializing all headers unless the handlers are likely to read them
 * anyway. That is the case if earlier requests to the same route read them, or if no route matched and the error page
 * needs the `Accept` header.
 *
 * @param routed The request.
 * @param name The header name, in lower case.
 * @returns The value, or `null` if the header is missing.
 */
export function ownHeader({ request, connection, route }: Routed, name: string): string | null {
  return headerOf(request, connection === undefined || route === undefined || route.readsHeaders, name);
}

/**
 * Reads a header.
 *
 * @param request The request.
 * @param isRead Whether the headers are materialized, or likely to be.
 * @param name The header name, in lower case.
 */
export function headerOf(request: Request, isRead: boolean, name: string): string | null {
  return isRead ? request.headers.get(name) : peekHeader(request, name);
}
