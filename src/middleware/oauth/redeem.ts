/**
 * Exchanges an authorization code for tokens.
 *
 * @module
 */

import * as oauth from "npm:oauth4webapi@^3";
import { FrameworkError } from "../../base/errors/errors.ts";
import type { Flow } from "./flow.ts";
import type { Provider } from "./provider.ts";

/** The tokens for requests to the provider. */
export interface Tokens {
  /** The access token for the provider's APIs. */
  readonly AccessToken: string;
  /** The refresh token, or `undefined` if none was requested. */
  readonly RefreshToken: string | undefined;
  /** The lifetime of the access token in milliseconds, or `undefined` if the provider does not report it. */
  readonly ExpiresIn: number | undefined;
}

/** An authorization code and the login that it belongs to. */
export interface Redemption {
  readonly provider: Provider;
  readonly options: {
    readonly ClientID: string;
    readonly ClientSecret: string | undefined;
    readonly SendSecret: "basic" | "post";
    readonly RedirectURL: string;
  };
  readonly flow: Flow;
  /** The callback URL, including its query string. */
  readonly url: URL;
}

/**
 * Exchanges an authorization code for tokens. The promise is rejected if a check fails.
 *
 * @param redemption The code and its login.
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
  // TLS already authenticates the token. Checking the signature also protects against corporate proxies that intercept
  // TLS.
  await oauth.validateApplicationLevelSignature(server, response, provider.options);
  const claims = oauth.getValidatedIdTokenClaims(result);
  if (claims === undefined) {
    throw new FrameworkError("FW_AUTH", "Cannot complete the login: the provider returned no ID token");
  }
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
