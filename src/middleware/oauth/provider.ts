/**
 * The server that users log in at (OpenID provider): where it is, and how it is asked.
 *
 * @module
 */

import * as oauth from "npm:oauth4webapi@^3";
import { FrameworkError } from "../../base/errors.ts";

/** The provider could not be reached, which is not the fault of who logs in. */
export class ProviderUnavailable extends Error {
  override readonly name = "ProviderUnavailable";
}

/** How long one request to the provider may take, in milliseconds. */
const longestRequest = 10_000;
/** How long what the provider says of itself is kept, in milliseconds. */
const metadataAge = 3_600_000;

/** What the library is told with every request. */
export interface RequestOptions {
  [oauth.customFetch]: typeof fetchProvider;
  [oauth.allowInsecureRequests]: boolean;
}

/** A provider, found by its issuer. */
export class Provider {
  readonly #issuer: URL;
  readonly options: RequestOptions;
  #known: { server: oauth.AuthorizationServer; until: number } | undefined = undefined;
  #asking: Promise<oauth.AuthorizationServer> | undefined = undefined;

  constructor(issuer: string) {
    const url = URL.parse(issuer);
    const isLocal = url !== null && /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
    if (url === null || url.protocol !== "https:" && !(url.protocol === "http:" && isLocal)) {
      throw new FrameworkError("FW_CONFIG", `Cannot log users in at "${issuer}": it is not an https URL`);
    }
    this.#issuer = url;
    this.options = { [oauth.customFetch]: fetchProvider, [oauth.allowInsecureRequests]: url.protocol === "http:" };
  }

  /** What the provider says of itself; asked once an hour, and once for all requests that wait for it. */
  server(): oauth.AuthorizationServer | Promise<oauth.AuthorizationServer> {
    const known = this.#known;
    if (known !== undefined && known.until > Date.now()) return known.server;
    this.#asking ??= this.#ask(known?.server).finally(() => this.#asking = undefined);
    return this.#asking;
  }

  async #ask(before: oauth.AuthorizationServer | undefined): Promise<oauth.AuthorizationServer> {
    try {
      const response = await oauth.discoveryRequest(this.#issuer, { ...this.options, algorithm: "oidc" });
      const server = await oauth.processDiscoveryResponse(this.#issuer, response);
      this.#known = { server, until: Date.now() + metadataAge };
      return server;
    } catch (error) {
      // What it said an hour ago still holds better than nothing.
      if (before !== undefined && error instanceof ProviderUnavailable) return before;
      throw error;
    }
  }
}

async function fetchProvider(url: string, options: object): Promise<Response> {
  let response: Response;
  const late = new AbortController();
  const timer = setTimeout(
    () => late.abort(new DOMException("The provider takes too long", "TimeoutError")),
    longestRequest,
  );
  try {
    response = await fetch(url, { ...options, signal: late.signal });
  } catch (error) {
    throw new ProviderUnavailable(`No response from ${url}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
  if (response.status < 500) return response;
  await response.body?.cancel();
  throw new ProviderUnavailable(`Status ${response.status} from ${url}`);
}
