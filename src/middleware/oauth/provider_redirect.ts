/**
 * Redirects to the pages of the provider.
 *
 * @module
 */

import * as oauth from "npm:oauth4webapi@^3";
import type { Flow } from "./flow.ts";
import { type Provider, ProviderUnavailable } from "./provider.ts";

/** The parameters of an authorization request. */
export interface AuthorizationRequest {
  readonly ClientID: string;
  readonly RedirectURL: string;
  readonly Scopes: readonly string[];
  readonly Params: Readonly<Record<string, string>>;
}

/** A login that has just started. */
export interface StartedLogin {
  readonly state: string;
  readonly flow: Flow;
  /** The URL of the provider's login page. */
  readonly url: string;
}

/**
 * Starts a login.
 *
 * @param provider The provider.
 * @param request The authorization request.
 * @param path The path to return to.
 * @returns The data to store, and the URL of the login page.
 */
export async function startLogin(
  provider: Provider,
  request: AuthorizationRequest,
  path: string,
): Promise<StartedLogin> {
  const server = await provider.server();
  if (server.authorization_endpoint === undefined) {
    throw new ProviderUnavailable("The provider has no authorization endpoint");
  }
  const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()];
  const verifier = oauth.generateRandomCodeVerifier();
  const url = new URL(server.authorization_endpoint);
  const params = {
    ...request.Params,
    "client_id": request.ClientID,
    "response_type": "code",
    "redirect_uri": request.RedirectURL,
    "scope": request.Scopes.join(" "),
    "state": state,
    "nonce": nonce,
    "code_challenge": await oauth.calculatePKCECodeChallenge(verifier),
    "code_challenge_method": "S256",
  };
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
  return { state, flow: { nonce, verifier, path, at: Date.now() }, url: url.href };
}

/**
 * Returns the URL for redirecting a browser after a logout. This is the provider's logout page if it exists and the
 * provider is available.
 *
 * @param provider The provider.
 * @param client The client ID.
 * @param back The URL to return to.
 * @returns The URL, or a path on this site.
 */
export async function logoutURL(provider: Provider, client: string, back: URL): Promise<string> {
  const path = back.href.slice(back.origin.length);
  try {
    const { end_session_endpoint: endpoint } = await provider.server();
    if (endpoint === undefined) return path;
    const url = new URL(endpoint);
    url.searchParams.set("client_id", client);
    url.searchParams.set("post_logout_redirect_uri", back.href);
    return url.href;
  } catch (error) {
    // The local session has already ended, so the logout succeeds anyway.
    if (error instanceof ProviderUnavailable) return path;
    throw error;
  }
}
