/**
 * The path of a request as the router saw it.
 *
 * @module
 */

import { lowerASCII } from "../http/path.ts";
import { decodedPath } from "../http/path_place.ts";
import type { Exchange } from "./exchange.ts";

/** The path that was matched: a guard that compares another spelling would be passed by what the router serves. */
export function routedPath<C>(exchange: Exchange<C>): string {
  const path = decodedPath(exchange.place);
  return exchange.runtime.config.ForceLowercaseRouting ? lowerASCII(path) : path;
}
