/**
 * A notice board with all the guards that a public server needs, in the right order.
 *
 * Run it with `deno task example public`, open http://localhost:8080, and try the attacks it is protected against:
 *
 *     curl -i localhost:8080                                      # the headers of secure, ratelimit and requestid
 *     curl -i -d text=spam -H 'Sec-Fetch-Site: cross-site' localhost:8080/notices    # 403: a form on another site
 *     for i in $(seq 40); do curl -s -o /dev/null -w '%{http_code} ' -d text=$i localhost:8080/notices; done
 *     curl -i -u admin:wrong localhost:8080/admin                 # 401, after five of them 429
 *
 * See README.md in this folder for the configuration of a proxy in front of it.
 *
 * Permissions: `--allow-net --allow-read=examples/public --allow-env=SECRET,ADMIN_PASSWORD,PROXIES`.
 *
 * @module
 */

import * as fw from "jsr:@fw/web";
import * as keys from "jsr:@fw/web/keys";
import * as accesslog from "jsr:@fw/web/middleware/accesslog";
import * as auth from "jsr:@fw/web/middleware/auth";
import * as basicauth from "jsr:@fw/web/middleware/basicauth";
import * as compress from "jsr:@fw/web/middleware/compress";
import * as cors from "jsr:@fw/web/middleware/cors";
import * as csrf from "jsr:@fw/web/middleware/csrf";
import * as health from "jsr:@fw/web/middleware/health";
import * as ipfilter from "jsr:@fw/web/middleware/ipfilter";
import * as methodoverride from "jsr:@fw/web/middleware/methodoverride";
import * as metrics from "jsr:@fw/web/middleware/metrics";
import * as monitor from "jsr:@fw/web/middleware/monitor";
import * as ratelimit from "jsr:@fw/web/middleware/ratelimit";
import * as recover from "jsr:@fw/web/middleware/recover";
import * as requestid from "jsr:@fw/web/middleware/requestid";
import * as rewrite from "jsr:@fw/web/middleware/rewrite";
import * as secure from "jsr:@fw/web/middleware/secure";
import * as telemetry from "jsr:@fw/web/middleware/telemetry";
import * as timeout from "jsr:@fw/web/middleware/timeout";
import * as store from "jsr:@fw/web/store";
import { z } from "npm:zod@^4";
import { type Notice, Notices } from "./notices.ts";

/** The environment variables. */
const variables = z.object({
  SECRET: z.string().min(32).default(() => keys.Generate()),
  ADMIN_PASSWORD: z.string().default("notice"),
  PROXIES: z.array(z.string()).default([]), // separated by commas
});

/** Deployment-specific settings. */
export interface Setup {
  /** The key that signs form tokens. With several processes, set it in the environment. */
  Secret?: string;
  /** The administrator's password, or its hash from `auth.HashPassword`. */
  AdminPassword?: string;
  /** The addresses of trusted proxies, such as `loopback`. */
  Proxies?: readonly string[];
  /**
   * The store for state that requests share. In memory for a single process, otherwise from `@fw/web/store/sqlite` or
   * `/redis`.
   */
  Shared?: store.Store;
  /** Options for the access log. If omitted, it is written to standard output. */
  AccessLog?: accesslog.Options;
}

/** Creates the application. */
export function newApp(setup: Setup = {}): fw.Application {
  const { Secret = keys.Generate(), AdminPassword = "notice", Proxies = [], Shared = store.NewMemory() } = setup;
  const app = fw.New();
  const notices = new Notices();
  const access = accesslog.New({ Format: "json", ...setup.AccessLog });
  const counted = metrics.New();
  const watched = monitor.New({ Title: "Notice board" });
  app.RegisterOnShutdown(() => access.Close());
  app.RegisterView(fw.HTML(new URL("./views/", import.meta.url)));

  // 1. The client. Without the first line, every request would seem to come from the proxy, and rate limits and IP
  // filters would be useless.
  if (Proxies.length > 0) app.Configure(fw.WithProxy({ Trust: Proxies }));
  // Limits the duration of requests. The proxy must close connections that send their headers too slowly.
  app.Configure(fw.WithHandlerTimeout(30_000));

  // 2. The request target. It is changed before routing, so that a path's guards apply to every request that is
  // rewritten to it.
  app.WrapRouter(rewrite.New({ Rules: [{ From: "/index.html", To: "/", Status: 301 }] }));
  app.WrapRouter(methodoverride.New()); // lets HTML forms send DELETE

  // 3. Middleware for every request, even if no route matches. Middleware that observes the response comes before
  // middleware that may end the request.
  app.UseRouter(
    requestid.New(), // first, so that all log lines carry the ID
    telemetry.New(), // names OpenTelemetry spans, if OTEL_DENO is set
    access.Handler(), // logs everything below, including rejected requests
    counted.Handler(), // records metrics for the same requests
    watched.Handler(),
    secure.New({ Nonce: true }), // before anything that can respond, so that every page has its headers
    // Pages are compressed as a whole. A page must not contain both a secret and text that a client can choose, because
    // its compressed length would reveal the secret. Form tokens are safe, because they change with every response.
    compress.New(),
    recover.New(), // above the guards, so that their errors are logged and get a page with headers
    // Cheap guards come before expensive ones. Health checks from a load balancer are not counted.
    ratelimit.New({ Name: "all", Limit: 300, Period: 60_000, Store: Shared, Key: byAddress }),
  );

  // 4. Health checks for load balancers.
  health.New({ Checks: { notices: () => notices.list().length >= 0 } }).Register(app);

  // 5. An API for programs and other sites. It uses no cookies, so it needs no CSRF protection.
  const api = app.Party("/api");
  api.UseRouter(cors.New({ Origins: ["https://example.org", "https://*.example.org"], MaxAge: 600_000 }));
  api.Use(timeout.New({ After: 5000 }));
  api.Get("/notices", (ctx) => ctx.JSON(notices.list()));

  // 6. Pages. Forms must come from this site. Older browsers send a token.
  const site = app.Party("/");
  site.Use(csrf.New({ Keys: keys.New(Secret) }));
  site.Get("/", (ctx) => ctx.View("board", { Notices: notices.list() }));
  site.Post(
    "/notices",
    fw.LimitRequestBodySize(10_000),
    // Writes cost more than reads, so allow a burst of five and then one every twelve seconds.
    ratelimit.New({ Name: "write", Limit: 5, Period: 60_000, Store: Shared }),
    async (ctx) => {
      const text = (await ctx.PostValueTrim("text")).slice(0, 200);
      if (text === "") return ctx.StopWithText(400, "An empty notice");
      notices.add({ text, from: ctx.RemoteAddr() });
      ctx.Redirect("/", 303);
    },
  );

  // 7. Administration, protected by address, password and role. The cheapest check comes first.
  const admin = site.Party("/admin");
  admin.Use(
    ipfilter.New({ Allow: ["127.0.0.0/8", "::1", "10.0.0.0/8", "192.168.0.0/16"] }),
    basicauth.New({
      Users: [{ Name: "admin", Password: AdminPassword, Roles: ["admin"] }],
      MaxTries: 5,
      Store: Shared,
    }),
    auth.Allow("admin"),
  );
  admin.Get("/", (ctx) => ctx.View("admin", { Notices: notices.list(), User: ctx.User()?.Name }));
  admin.Delete("/notices/{id:int}", (ctx) => {
    const [id] = ctx.Params().GetInt("id");
    const removed: Notice | undefined = notices.remove(id);
    if (removed === undefined) return ctx.NotFound();
    ctx.Logger().Info(`removed notice ${id}`);
    ctx.Redirect("/admin", 303);
  });
  admin.Get("/metrics", counted.Page()); // for Prometheus, with a separate password
  watched.Register(admin.Party("/monitor"));
  return app;
}

function byAddress(ctx: fw.Context): string | undefined {
  return ["/livez", "/readyz"].includes(ctx.Path()) ? undefined : ratelimit.ByAddress(ctx);
}

if (import.meta.main) {
  const env = fw.Env(variables);
  const app = newApp({ Secret: env.SECRET, AdminPassword: env.ADMIN_PASSWORD, Proxies: env.PROXIES });
  await app.Run(fw.Addr(":8080"));
}
