/**
 * Paths and URLs of routes, for the views of a request.
 *
 * @module
 */

import { FrameworkError } from "../base/errors.ts";
import type { PathValue, ReversedPath } from "../base/path_value.ts";
import type { Links } from "../view/engine.ts";
import type { Sender } from "./client/peer_address.ts";
import { requestHost, subdomainOf } from "./client/request_host.ts";
import { requestScheme } from "./client/request_scheme.ts";

/** What the views of one request may call. */
export class RequestLinks implements Links {
  readonly #sender: Sender;

  constructor(sender: Sender) {
    this.#sender = sender;
  }

  URLPath(name: string, ...values: PathValue[]): string {
    return this.#reverse(name, values).path;
  }

  URL(name: string, ...values: PathValue[]): string {
    const { path, subdomain } = this.#reverse(name, values);
    const host = requestHost(this.#sender) || "localhost";
    // A route of the root domain leads there from a subdomain too, and the other way round.
    const root = host.slice(subdomainOf(host, this.#sender.runtime.config.VHost).length);
    return `${requestScheme(this.#sender)}://${subdomain}${root}${path}`;
  }

  #reverse(name: string, values: readonly PathValue[]): ReversedPath {
    const reversed = this.#sender.runtime.reverse?.(name, values);
    if (reversed !== undefined) return reversed;
    throw new FrameworkError("FW_STATE", `Cannot build a path of "${name}": the application is not built`);
  }
}
