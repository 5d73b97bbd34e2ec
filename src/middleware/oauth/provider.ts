/**
 * The server that users log in at (OpenID provider): where it is, and how it is asked.
 *
 * @module
 */

import { createHash } from "node:crypto";
import * as oauth from "npm:oauth4webapi@^3";
import { FrameworkError } from "../../base/errors.ts";
import { boundedFetch } from "../bounded_fetch.ts";

/** The provider could not be reached, which is not the fault of who logs in. */
export class ProviderUnavailable extends Error {
  override readonly name = "ProviderUnavailable";
}

/** The largest response of the provider, in bytes. */
const largest = 1 << 20;
/** How long the provider's metadata is used, and how long while it cannot be fetched again, in milliseconds. */
const [metadataAge, longestUse] = [3_600_000, 24 * 3_600_000];

/** Options of every request to the provider. */
export interface RequestOptions {
  [oauth.customFetch]: (url: string, init: object) => Promise<Response>;
  [oauth.allowInsecureRequests]: boolean;
}

/** Which provider, and what it knows the application by. */
export interface ProviderOptions {
  readonly Issuer: string;
  readonly ClientID: string;
  /** How long one request to it may take, in milliseconds. */
  readonly Timeout: number;
}

/** A provider, found by its issuer. */
export class Provider {
  readonly #issuer: URL;
  /** Tells it from other providers of the same application. */
  readonly name: string;
  readonly options: RequestOptions;
  #known: { server: oauth.AuthorizationServer; at: number } | undefined = undefined;
  #asking: Promise<oauth.AuthorizationServer> | undefined = undefined;

  constructor({ Issuer, ClientID, Timeout }: ProviderOptions) {
    const url = URL.parse(Issuer);
    const isLocal = url !== null && /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
    if (url === null || url.protocol !== "https:" && !(url.protocol === "http:" && isLocal)) {
      throw new FrameworkError("FW_CONFIG", `Cannot log users in at "${Issuer}": it is not an https URL`);
    }
    if (!(Timeout > 0)) {
      throw new FrameworkError("FW_CONFIG", `Cannot wait "${Timeout}" ms for the provider: it must be more than 0`);
    }
    this.#issuer = url;
    this.name = createHash("sha256").update(`${url.href}\n${ClientID}`).digest("base64url").slice(0, 22);
    this.options = {
      [oauth.customFetch]: (address, init) => fetchProvider(address, init, Timeout),
      [oauth.allowInsecureRequests]: url.protocol === "http:",
    };
  }

  /**
   * The metadata of the provider: fetched once an hour, and once for all requests that wait for it. If it is only old,
   * none waits.
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
      throw new ProviderUnavailable(`No metadata of ${this.#issuer}`, { cause: error });
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
