/**
 * Questions as users of other frameworks ask them, and the pages that should be found first.
 *
 * @module
 */

/** A question. */
export interface Asked {
  readonly question: string;
  /** The names of the pages that answer it. */
  readonly pages: readonly string[];
}

/** Each row contains the topic's page first. A second page is as good an answer. */
const rows: readonly (readonly [question: string, ...pages: string[]])[] = [
  ["req.body is undefined in my POST handler", "empty-body", "read-json-body"],
  ["get the raw request body to check a stripe signature", "read-raw-body"],
  ["apply an auth guard globally but make the login route public", "protect-all-but-login"],
  ["react router gives 404 when I refresh the page, serve index.html for all other paths", "serve-spa"],
  ["session cookie is not set when running behind nginx with https", "cookie-behind-proxy"],
  ["how to get the real client ip instead of the proxy's", "behind-proxy"],
  ["throttle requests by ip address", "limit-requests"],
  ["override a provider with a mock in e2e tests", "fake-service"],
  ["repeat a function every 5 minutes, like a cron job", "schedule-task"],
  ["run a slow function after sending the response", "run-in-background"],
  ["has been blocked by CORS policy: no Access-Control-Allow-Origin header", "cors-error", "allow-other-origin"],
  [
    "fetch with credentials include from localhost:3000 to another port",
    "frontend-on-another-port",
    "allow-other-origin",
  ],
  ["is there something like nodemon or hot reload", "restart-on-change"],
  ["load environment variables from dotenv", "read-env-file"],
  ["where do I put my routes when main.ts gets too big", "split-routes"],
  ["set req.user in a middleware and read it in the controller", "pass-data-to-handlers"],
  ["custom 404 handler", "not-found-page"],
  ["global exception filter", "handle-errors"],
  ["change the shape of the 422 validation response", "validation-errors"],
  ["query string ?tag=a&tag=b as a list", "read-query-arrays"],
  ["maximum file size for multer uploads", "limit-upload-size"],
  ["check that an uploaded file is really a png", "accept-only-images"],
  ["send a file as attachment with Content-Disposition and an umlaut in its name", "download-file"],
  ["export a million rows without running out of memory", "stream-large-csv"],
  ["add swagger ui to my api", "document-api"],
  ["text/event-stream endpoint for EventSource", "server-sent-events"],
  ["refresh token and logout with jwt", "use-jwt"],
  ["only admins may delete", "roles"],
  ["sign in with google", "login-with-openid"],
  ["hash passwords with bcrypt and sign users in", "login-with-password"],
  ["stay signed in for 30 days checkbox", "remember-me"],
  ["express-session with a redis store", "store-sessions-in-redis"],
  ["socket.io rooms: emit to everyone in a room", "broadcast-to-room"],
  ["verify the token during the websocket handshake", "authenticate-websocket"],
  ["supertest for a protected endpoint", "test-with-login"],
  ["Dockerfile for a small image", "deploy-docker"],
  ["mount the app at /api/v1 because the gateway strips the prefix (root_path)", "path-prefix"],
  ["EADDRINUSE address already in use", "port-in-use"],
  ["close the database pool on SIGTERM", "graceful-shutdown"],
  ["what replaces app.use and res.json when I migrate from Express", "come-from-express"],
];

/** All questions. */
export const questions: readonly Asked[] = rows.map(([question, ...pages]) => ({ question, pages }));
