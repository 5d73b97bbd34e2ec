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

/** Questions of people who built a library, an API and an auction with the book alone. */
const moreRows: typeof rows = [
  ["How do I get started?", "first-page", "first-program"],
  ["How do I install fw?", "first-page", "first-program"],
  ["quickstart", "first-page", "first-program"],
  ["What is ctx?", "context"],
  ["How do I sign up users with e-mail confirmation?", "accounts"],
  ["How do I add a role to the accounts that init created?", "accounts"],
  ["How do I show the current user's name in the layout?", "render-views"],
  ["How do I translate validation messages?", "validation-errors", "languages"],
  ["How do I seed the database?", "run-at-start", "database-migrations"],
  ["How do I get the request URL?", "context"],
  ["How do I make an optional route parameter?", "read-path-parameter"],
  ["How do I nest routers?", "split-routes"],
  ["How do I use TypeScript path aliases?", "split-routes"],
  ["How do I enable gzip?", "compress-and-cache"],
  ["How do I log to a file?", "log-requests"],
  ["How do I inject request scoped providers?", "dependencies"],
  ["How do I write an interceptor?", "write-middleware", "come-from-nest"],
  ["How do I dispatch events and listeners?", "limits"],
  ["How do I write a console command?", "limits"],
  ["How do I use route model binding?", "come-from-laravel"],
  ["How do I do rails scaffolding generate model?", "come-from-rails"],
  ["How do I validate a unique email?", "handle-form"],
  ["How do I use PATCH for partial updates?", "mass-assignment"],
  ["How do I make idempotent POST?", "submit-once"],
  ["How do I return 201 with a Location header?", "send-response"],
  ["How do I test with fixtures or factories?", "test-route"],
  ["How do I measure test coverage?", "test-route"],
  ["How do I mock time?", "test-time"],
  ["How do I implement two factor authentication?", "accounts"],
  ["How do I add passkeys?", "accounts"],
  ["How do I protect against brute force logins?", "limit-requests"],
  ["How do I implement multi tenancy by subdomain?", "serve-several-apps", "hosts"],
  ["How do I set up HTTPS locally?", "https"],
  ["How do I show who is online?", "rooms"],
  ["typed websocket client in browser", "socket-controllers"],
  ["nginx sub path", "path-prefix"],
  ["How do I send webhooks to subscribers?", "send-webhooks"],
  ["rate limit per api key", "limit-requests"],
  ["How do I see failed jobs?", "job-queue"],
  ["How do I run a transaction per request?", "postgres"],
  ["How do I share types with my frontend?", "call-api-with-types"],
  ["How do I write a plugin?", "write-extension"],
  ["How do I deploy to a VPS?", "systemd"],
  ["How do I restart on crash?", "systemd"],
];

/** All questions. */
export const questions: readonly Asked[] = rows.map(asked);

/** Questions that were asked later. */
export const moreQuestions: readonly Asked[] = moreRows.map(asked);

function asked([question, ...pages]: typeof rows[number]): Asked {
  return { question, pages };
}
