/**
 * The path of a request as the router saw it.
 *
 * @module
 */

import { decodedPath, lowerASCII } from "../http/request_line.ts";
import type { Exchange } from "./exchange.ts";

/** The path that was matched: a guard that compares another spelling would be passed by what the router serves. */
export function routedPath<C>(exchange: Exchange<C>): string {
  const path = decodedPath(exchange.place);
  return exchange.runtime.config.ForceLowercaseRouting ? lowerASCII(path) : path;
}
