/**
 * Protected resource metadata. It directs clients without a token to the authorization servers (RFC 9728).
 *
 * @module
 */

import { type Context, exchangeOf } from "../../core/context/context.ts";
import type { Handler } from "../../core/context/handler.ts";
import { onSend } from "../../core/exchange/ending/end_tasks.ts";
import { asPage } from "../../core/exchange/handler_facts.ts";
import { requestOrigin } from "../../core/exchange/peer/request_scheme.ts";
import { rootedPath } from "../../core/exchange/public_url.ts";
import { withoutAbsent } from "../openapi/json_schema.ts";
import type { Authorization } from "./options.ts";

/** Returns the metadata path of an endpoint. */
export function metadataPath(endpoint: string): string {
  return `/.well-known/oauth-protected-resource${endpoint}`;
}

/** Serves the metadata of an endpoint. */
export function serveMetadata(name: string, endpoint: string, authorization: Authorization): Handler {
  const { Servers, Scopes, Resource } = authorization;
  return asPage<Handler>(function protectedResource(ctx) {
    // The metadata is public, and clients that run in web pages read it as well.
    ctx.Header("access-control-allow-origin", "*");
    ctx.JSON(withoutAbsent({
      resource: Resource ?? urlOf(ctx, endpoint),
      authorization_servers: Servers,
      scopes_supported: Scopes,
      bearer_methods_supported: ["header"],
      resource_name: name,
    }));
  });
}

/**
 * Adds the metadata URL to the challenge of a response with status 401, or with status 403 if the token lacks a scope,
 * regardless of which guard wrote the response or has thrown an error.
 */
export function announceMetadata(endpoint: () => string, { Resource, Scopes }: Authorization): Handler {
  return function announceAuthorization(ctx) {
    onSend(exchangeOf(ctx), () => announce(ctx));
    return ctx.Next();
  };

  function announce(ctx: Context): void {
    const status = ctx.GetStatusCode();
    const challenge = ctx.GetResponseHeader("www-authenticate");
    if (status !== 401 && !(status === 403 && challenge !== "")) return;
    const metadata = metadataPath(endpoint());
    const url = Resource === undefined ? urlOf(ctx, metadata) : new URL(Resource).origin + metadata;
    const parts = [`resource_metadata="${url}"`];
    if (Scopes !== undefined && !/\bscope=/.test(challenge)) parts.push(`scope="${Scopes.join(" ")}"`);
    const given = /^Bearer\b\s*(.*)$/i.exec(challenge)?.[1] ?? "";
    ctx.Header("www-authenticate", `Bearer ${[given, ...parts].filter(Boolean).join(", ")}`);
  }
}

/**
 * Returns the URL of a path. Behind a proxy that removes a prefix, only paths below that prefix reach the application.
 */
function urlOf(ctx: Context, path: string): string {
  const { target } = exchangeOf(ctx);
  return requestOrigin(target) + rootedPath(target, path);
}
