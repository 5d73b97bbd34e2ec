/**
 * Redeeming the code that a browser brings back from the provider.
 *
 * @module
 */

import * as oauth from "npm:oauth4webapi@^3";
import { FrameworkError } from "../../base/errors.ts";
import type { Flow } from "./flow.ts";
import type { Provider } from "./provider.ts";

/** What the provider gave the application for requests of its own. */
export interface Tokens {
  /** Opens the provider's APIs. */
  readonly AccessToken: string;
  /** Gets another access token; absent where none was asked for. */
  readonly RefreshToken: string | undefined;
  /** How long the access token is valid, in milliseconds; `undefined` if the provider does not say. */
  readonly ExpiresIn: number | undefined;
}

/** A code, and what it must fit. */
export interface Redemption {
  readonly provider: Provider;
  readonly options: {
    readonly ClientID: string;
    readonly ClientSecret?: string;
    readonly SendSecret?: "basic" | "post";
    readonly RedirectURL: string;
  };
  readonly flow: Flow;
  /** The URL that the browser came back with. */
  readonly url: URL;
}

/**
 * Redeems a code; the promise is rejected when anything about it is wrong.
 *
 * @param redemption The code, and what it must fit.
 * @returns The claims of the ID token, and the tokens.
 */
export async function redeem(
  { provider, options, flow, url }: Redemption,
): Promise<{ claims: Readonly<Record<string, unknown>>; tokens: Tokens }> {
  const server = await provider.server();
  const client: oauth.Client = { "client_id": options.ClientID };
  const state = url.searchParams.get("state") ?? "";
  const params = oauth.validateAuthResponse(server, client, url.searchParams, state);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    authentication(options.ClientSecret, options.SendSecret),
    params,
    options.RedirectURL,
    flow.verifier,
    provider.options,
  );
  const result = await oauth.processAuthorizationCodeResponse(server, client, response, {
    expectedNonce: flow.nonce,
    requireIdToken: true,
  });
  // TLS vouches for the token already. The signature holds also where a proxy inside the company reads along.
  await oauth.validateApplicationLevelSignature(server, response, provider.options);
  const claims = oauth.getValidatedIdTokenClaims(result);
  if (claims === undefined) throw new FrameworkError("FW_AUTH", "Cannot end the login: the provider gave no ID token");
  return {
    claims: { ...claims },
    tokens: {
      AccessToken: result.access_token,
      RefreshToken: result.refresh_token,
      ExpiresIn: result.expires_in === undefined ? undefined : result.expires_in * 1000,
    },
  };
}

function authentication(secret: string | undefined, way: "basic" | "post" = "basic"): oauth.ClientAuth {
  if (secret === undefined) return oauth.None();
  return way === "post" ? oauth.ClientSecretPost(secret) : oauth.ClientSecretBasic(secret);
}
