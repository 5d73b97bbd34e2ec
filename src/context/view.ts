/**
 * Responses rendered from templates.
 *
 * @module
 */

import { FrameworkError } from "../base/errors.ts";
import type { PathValue, ReversedPath } from "../base/path_value.ts";
import { writeTyped } from "../response/draft.ts";
import type { Links, RenderOptions } from "../view/engine.ts";
import { requestHost, requestScheme, type Sender, subdomainOf } from "./client.ts";
import type { Exchange } from "./exchange.ts";

/** Renders a template into the response. */
export function writeView<C>(exchange: Exchange<C>, name: string, data: unknown): Promise<void> | undefined {
  const { draft, runtime, route: { party: { engine } }, view } = exchange;
  if (engine === undefined) {
    throw new FrameworkError("FW_VIEW", `Cannot render "${name}": no view engine is registered`);
  }
  const options: RenderOptions = { Layout: view?.layout, Links: new RequestLinks(exchange) };
  const html = engine.Render(name, merged(view?.data, data), options);
  if (typeof html === "string") return void writeTyped(draft, html, runtime.htmlType);
  return html.then((text) => writeTyped(draft, text, runtime.htmlType));
}

/** The template's own data over what earlier handlers gathered; data that is not a plain record stands alone. */
function merged(gathered: Record<string, unknown> | undefined, data: unknown): unknown {
  if (gathered === undefined) return data;
  if (data === undefined) return gathered;
  return isRecord(data) ? { ...gathered, ...data } : data;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** What the views of one request may call. */
class RequestLinks implements Links {
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
