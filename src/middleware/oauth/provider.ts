/**
 * Discovers the endpoints of an OpenID provider and sends requests to it.
 *
 * @module
 */

import { createHash } from "node:crypto";
import * as oauth from "npm:oauth4webapi@^3";
import { FrameworkError } from "../../base/errors/errors.ts";
import { boundedFetch } from "../bounded_fetch.ts";

/** The error for a provider that is unavailable. The user's login may be valid. */
export class ProviderUnavailable extends Error {
  override readonly name = "ProviderUnavailable";
}

/** The maximum size of a provider response, in bytes. */
const largest = 1 << 20;
/**
 * The time for which the metadata is fresh, and for which it is used while it cannot be fetched again, in milliseconds.
 */
const [metadataAge, longestUse] = [3_600_000, 24 * 3_600_000];

/** Options for every request to the provider. */
export interface RequestOptions {
  [oauth.customFetch]: (url: string, init: object) => Promise<Response>;
  [oauth.allowInsecureRequests]: boolean;
}

/** Options for a provider. */
export interface ProviderOptions {
  readonly Issuer: string;
  readonly ClientID: string;
  /** The time limit for a request, in milliseconds. */
  readonly Timeout: number;
}

/** A provider, identified by its issuer. */
export class Provider {
  readonly #issuer: URL;
  /** The name that identifies the provider within the application. */
  readonly name: string;
  readonly options: RequestOptions;
  #known: { server: oauth.AuthorizationServer; at: number } | undefined = undefined;
  #asking: Promise<oauth.AuthorizationServer> | undefined = undefined;

  constructor({ Issuer, ClientID, Timeout }: ProviderOptions) {
    const url = URL.parse(Issuer);
    const isLocal = url !== null && /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
    if (url === null || url.protocol !== "https:" && !(url.protocol === "http:" && isLocal)) {
      throw new FrameworkError("FW_CONFIG", `Issuer must be an https URL, not "${Issuer}"`);
    }
    this.#issuer = url;
    this.name = createHash("sha256").update(`${url.href}\n${ClientID}`).digest("base64url").slice(0, 22);
    this.options = {
      [oauth.customFetch]: (address, init) => fetchProvider(address, init, Timeout),
      [oauth.allowInsecureRequests]: url.protocol === "http:",
    };
  }

  /**
   * Returns the provider's metadata. It is fetched at most once an hour, and only once for all waiting requests.
   * Outdated metadata is refreshed in the background.
   */
  server(): oauth.AuthorizationServer | Promise<oauth.AuthorizationServer> {
    const known = this.#known;
    const age = known === undefined ? Infinity : performance.now() - known.at;
    if (known !== undefined && age < metadataAge) return known.server;
    const asking = this.#asking ??= this.#ask().finally(() => this.#asking = undefined);
    if (known === undefined || age > longestUse) return asking;
    asking.catch(ignore);
    return known.server;
  }

  async #ask(): Promise<oauth.AuthorizationServer> {
    try {
      const response = await oauth.discoveryRequest(this.#issuer, { ...this.options, algorithm: "oidc" });
      const server = await oauth.processDiscoveryResponse(this.#issuer, response);
      this.#known = { server, at: performance.now() };
      return server;
    } catch (error) {
      if (error instanceof ProviderUnavailable) throw error;
      throw new ProviderUnavailable(`Cannot fetch the metadata of ${this.#issuer}`, { cause: error });
    }
  }
}

async function fetchProvider(url: string, init: object, time: number): Promise<Response> {
  let response: Response;
  try {
    response = await boundedFetch(url, init, { time, size: largest });
  } catch (error) {
    throw new ProviderUnavailable(`No response from ${url}`, { cause: error });
  }
  if (response.status < 500) return response;
  throw new ProviderUnavailable(`Status ${response.status} from ${url}`);
}

function ignore(): void {}
