/**
 * Builds route paths, URLs and translations for the views of a request.
 *
 * @module
 */

import { FrameworkError } from "../../base/errors/errors.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { requestHost } from "../exchange/peer/request_host.ts";
import { linkHome, originAt } from "../exchange/public_url.ts";
import { decodedPath } from "../../http/headers/request_url.ts";
import type { PathValue, ReversedPath } from "../../base/text/path_value.ts";
import type { Links } from "../../pages/engine/engine.ts";
import { tr } from "./format/language.ts";

/**
 * Returns the public paths of pages that are similar to the path of a request.
 *
 * @param exchange The request.
 * @param most The maximum number of paths.
 */
export function findClosest<C>({ runtime, target }: Exchange<C>, most: number): string[] {
  const paths = runtime.closestPaths?.(requestHost(target), decodedPath(target), most) ?? [];
  return paths.map((path) => linkHome(target) + path);
}

/** The functions that the views of a request can call. */
export class RequestLinks<C> implements Links {
  readonly #exchange: Exchange<C>;
  readonly #template: string;

  /**
   * Creates the functions.
   *
   * @param exchange The request.
   * @param template The name of the template, for warnings.
   */
  constructor(exchange: Exchange<C>, template = "") {
    this.#exchange = exchange;
    this.#template = template;
  }

  URLPath(name: string, ...values: PathValue[]): string {
    return linkHome(this.#exchange.target) + this.#reverse(name, values).path;
  }

  URL(name: string, ...values: PathValue[]): string {
    const { path, subdomain } = this.#reverse(name, values);
    if (subdomain === "*.") {
      throw new FrameworkError("FW_PARAM", `Cannot build a URL for "${name}": pass the value of its subdomain first`);
    }
    const { target } = this.#exchange;
    // A link between a subdomain and the root domain must change the host.
    return originAt(target, subdomain) + linkHome(target) + path;
  }

  Tr(key: string, ...args: unknown[]): string {
    return tr(this.#exchange, key, args, this.#template);
  }

  #reverse(name: string, values: readonly PathValue[]): ReversedPath {
    const reversed = this.#exchange.runtime.reverse?.(name, values);
    if (reversed !== undefined) return reversed;
    throw new FrameworkError("FW_STATE", `Cannot build a path for "${name}": the application has not been built`);
  }
}
