/**
 * The features that read the state of a call with `exchangeOf` instead of the public context, each with its reason.
 * Other packages cannot do so. A member that they also need belongs to the public interface.
 *
 * @module
 */

/** The reason of each file outside of the core. */
export const exchangeFriends: Readonly<Record<string, string>> = {
  // Middleware that changes a response after the handlers and before its first byte.
  "src/middleware/cache/cache.ts": "waits for the end of the response and reads its labels",
  "src/middleware/cache/conditional_hit.ts": "replaces a stored body by a status without one",
  "src/middleware/cache/inner_response.ts": "records the response while it is being sent",
  "src/middleware/cache/mod.ts": "keys pages by language and by the route's path",
  "src/middleware/cache/policy.ts": "knows which facts of the request a response was made from",
  "src/middleware/cache_control.ts": "sets a header after the handlers have decided the status",
  "src/middleware/compress/mod.ts": "replaces the body when the response is sent",
  "src/middleware/cors.ts": "presets headers that handlers and errors keep",
  "src/middleware/etag.ts": "tags the body when the response is sent",
  "src/middleware/not_modified.ts": "removes the body of a response without one",
  "src/middleware/secure/mod.ts": "presets headers that handlers and errors keep",
  "src/work/webhooks/verify.ts": "forgets a delivery if its response is a failure",
  // Measurements and logs.
  "src/middleware/accesslog/access_log.ts": "counts the bytes of the request and the response",
  "src/middleware/accesslog/entry.ts": "reads the protocol, the failure and the labels",
  "src/middleware/logger.ts": "reads the status that a failure will get, and skips renewals of sockets",
  "src/middleware/metrics/collector.ts": "measures until the end of the response, and skips renewals of sockets",
  "src/middleware/telemetry.ts": "ends a span with the response, and skips renewals of sockets",
  // Values and failures that the application must not see or replace.
  "src/middleware/apikeys/guard.ts": "stores the key under a private key, also for mounted applications",
  "src/middleware/csrf/mod.ts": "marks its field as input of its own",
  "src/middleware/csrf/token.ts": "reads its field before the body is parsed",
  "src/middleware/jwt/guard.ts": "stores claims under a private key and marks its query parameter",
  "src/middleware/oauth/mod.ts": "stores the provider under a private key",
  "src/middleware/login/next.ts": "builds public paths below the base path and the mounts",
  "src/middleware/login/session.ts": "loads a user once for all applications of a call",
  "src/middleware/recover.ts": "hands an error to the handling of failures",
  "src/state/sessions/cookie.ts": "reads the cookie of the outermost application",
  "src/state/sessions/manager.ts": "shares the session with mounted applications and sockets",
  "src/state/sessions/session_responses.ts": "sets the cookie and the headers after the handlers",
  "src/state/sessions/session_manager.ts": "stores the source of view data under a private key",
  "src/state/sessions/view_flashes.ts": "uses up the messages when a page with them was sent",
  "src/hosts/versioning/deprecation.ts": "recognizes a context before it writes headers",
  "src/hosts/versioning/version.ts": "stores the chosen version under a private key",
  // How a call runs.
  "src/middleware/body_limit.ts": "checks the declared length before the body is read",
  "src/middleware/conditional.ts": "inserts handlers into the running chain",
  "src/middleware/health/health.ts": "knows whether the server is shutting down",
  "src/middleware/ratelimit.ts": "counts by labels, and skips renewals of sockets",
  "src/middleware/requestid.ts": "takes over the ID of the application around it",
  "src/middleware/timeout.ts": "stops the rest of the chain",
  "src/live/answers/answers.ts": "keeps producing after the client has left",
  "src/api/mcp/agent_call.ts": "finds the call that a tool is bound to",
  "src/api/mcp/calls.ts": "runs the route of a tool as a call of its own",
  "src/api/mcp/changes.ts": "ends a stream when the server is shutting down",
  "src/api/mcp/endpoint.ts": "reads numbers in the body without loss",
  "src/api/mcp/methods.ts": "compares arguments with the headers that repeat them",
  "src/api/mcp/tool/visibility.ts": "runs the guards of a tool without its handler",
  "src/live/websocket/accept.ts": "upgrades the connection of the request",
  "src/live/websocket/connections.ts": "reports failures of events to the observers of the application",
  "src/live/websocket/kept_request.ts": "releases the request of an open connection",
  "src/live/websocket/link.ts": "ends the call with its connection",
  "src/live/websocket/polling.ts": "does not count the time that a poll waits for a message",
  "src/live/websocket/renewal.ts": "repeats the handshake to renew the user",
  "src/live/websocket/wire/failure.ts": "translates validation errors",
  "mvc/route/routed_call.ts": "reads the parameters of the route without a copy",
  "mvc/serve/action.ts": "reads the parameters and calls the method without a copy of the call",
  "mvc/socket/connection.ts": "creates the scope of a connection from its handshake",
  "mvc/result/result_handlers.ts": "writes results to the response",
  "mvc/result/returns.ts": "writes return values to the response",
  // The origin of a request, and the targets of links and of other applications.
  "src/hosts/apps/mod.ts": "redirects to the same place at another host",
  "src/api/mcp/protected_resource.ts": "builds the public URL of a resource",
  "src/middleware/redirect_to_https.ts": "redirects to the same place with another scheme",
  "src/api/openapi/document.ts": "writes the public path of the application into the document",
  "src/hosts/proxy/proxy.ts": "knows the prefix of the party that the route belongs to",
  "src/hosts/proxy/forward.ts": "passes the body and the facts of the request on",
  "src/hosts/proxy/socket_bridge.ts": "upgrades the connection of the request",
};
