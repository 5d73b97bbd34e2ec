/**
 * The pages of the provider that a browser is sent to.
 *
 * @module
 */

import * as oauth from "npm:oauth4webapi@^3";
import type { Flow } from "./flow.ts";
import { type Provider, ProviderUnavailable } from "./provider.ts";

/** What the application asks the provider for. */
export interface AuthorizationRequest {
  readonly ClientID: string;
  readonly RedirectURL: string;
  readonly Scopes: readonly string[];
  readonly Params: Readonly<Record<string, string>>;
}

/** A login that begins. */
export interface Departure {
  readonly state: string;
  readonly flow: Flow;
  /** The page to log in at. */
  readonly url: string;
}

/**
 * Begins a login.
 *
 * @param provider The provider.
 * @param request What is asked for.
 * @param path The path to come back to.
 * @returns What must be remembered, and the page to log in at.
 */
export async function depart(provider: Provider, request: AuthorizationRequest, path: string): Promise<Departure> {
  const server = await provider.server();
  if (server.authorization_endpoint === undefined) throw new ProviderUnavailable("It has no page to log in at");
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
 * Where a browser goes after a logout: to the provider, if it has a page for that and can be asked.
 *
 * @param provider The provider.
 * @param client The name of the application.
 * @param back The URL to come back to.
 * @returns The URL, or a path on this site.
 */
export async function goodbye(provider: Provider, client: string, back: URL): Promise<string> {
  try {
    const { end_session_endpoint: endpoint } = await provider.server();
    if (endpoint === undefined) return back.pathname;
    const url = new URL(endpoint);
    url.searchParams.set("client_id", client);
    url.searchParams.set("post_logout_redirect_uri", back.href);
    return url.href;
  } catch (error) {
    // The session here has ended already, and that is what was asked for.
    if (error instanceof ProviderUnavailable) return back.pathname;
    throw error;
  }
}
