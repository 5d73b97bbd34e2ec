/**
 * A notice board on the open internet: every guard that a public server needs, in an order that makes sense.
 *
 * Run it with `deno task example public`, open http://localhost:8080, and try what it is guarded against:
 *
 *     curl -i localhost:8080                                      # the headers of secure, ratelimit and requestid
 *     curl -i -d text=spam -H 'Sec-Fetch-Site: cross-site' localhost:8080/notices    # 403: a form on another site
 *     for i in $(seq 40); do curl -s -o /dev/null -w '%{http_code} ' -d text=$i localhost:8080/notices; done
 *     curl -i -u admin:wrong localhost:8080/admin                 # 401, after five of them 429
 *
 * What to tell a proxy in front of it stands in README.md beside this file.
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
import { type Notice, Notices } from "./notices.ts";

/** What the surroundings decide. */
export interface Setup {
  /** Signs the tokens of forms; from the environment where there are several processes. */
  Secret?: string;
  /** The administrator's password, or a hash of it by `basicauth.Hash`. */
  AdminPassword?: string;
  /** Addresses of the proxies in front, such as `loopback`. */
  Proxies?: readonly string[];
  /** State that all requests share; in memory for one process, else of `@fw/web/store/sqlite` or `/redis`. */
  Shared?: store.Store;
  /** The access log; standard output unless given. */
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

  // 1. Who asks. Without the first line every request comes from the proxy: limits and filters would mean nothing.
  if (Proxies.length > 0) app.Configure(fw.WithProxy({ Trust: Proxies }));
  // No request lasts for ever. Connections that send their head too slowly are for the proxy to end.
  app.Configure(fw.WithHandlerTimeout(30_000));

  // 2. What is asked for, before a route is looked for: so the guards of a path hold for all that is led there.
  app.WrapRouter(rewrite.New({ Rules: [{ From: "/index.html", To: "/", Status: 301 }] }));
  app.WrapRouter(methodoverride.New()); // lets the form of a page say DELETE

  // 3. For every request, also one that leads nowhere. What sees the end of a request stands before what may end it.
  app.UseRouter(
    requestid.New(), // first: all lines of the log carry the id
    telemetry.New(), // names the spans of OpenTelemetry, where OTEL_DENO asks for them
    access.Handler(), // sees everything below, refusals included
    counted.Handler(), // the same for those who read numbers
    watched.Handler(),
    secure.New({ Nonce: true }), // before all that can respond, so that no page goes out without its headers
    // Pages are compressed when they are whole. What a client can choose must not stand beside a secret in one of them:
    // its length would tell. The token of a form is another one each time, so that it may.
    compress.New(),
    recover.New(), // above the guards: what one of them throws is a page with headers, and in the log
    // Cheap, and before anything that costs. A load balancer that asks after our health is not counted.
    ratelimit.New({ Name: "all", Limit: 300, Period: 60_000, Store: Shared, Key: byAddress }),
  );

  // 4. What a load balancer asks for.
  health.New({ Checks: { notices: () => notices.list().length >= 0 } }).Register(app);

  // 5. An interface for programs and for pages of other sites. It takes no cookies, so that it needs no csrf.
  const api = app.Party("/api");
  api.UseRouter(cors.New({ AllowOrigin: ["https://example.org", "https://*.example.org"], MaxAge: 600_000 }));
  api.Use(timeout.New({ After: 5000 }));
  api.Get("/notices", (ctx) => ctx.JSON(notices.list()));

  // 6. Pages. Forms must come from this site; those of old browsers bring a token.
  const site = app.Party("/");
  site.Use(csrf.New({ Keys: keys.New(Secret) }));
  site.Get("/", (ctx) => ctx.View("board", { Notices: notices.list() }));
  site.Post(
    "/notices",
    fw.LimitRequestBodySize(10_000),
    // Writing is dearer than reading: a burst of five, then one every twelve seconds.
    ratelimit.New({ Name: "write", Limit: 5, Period: 60_000, Store: Shared }),
    async (ctx) => {
      const text = (await ctx.PostValueTrim("text")).slice(0, 200);
      if (text === "") return ctx.StopWithText(400, "An empty notice");
      notices.add({ text, from: ctx.RemoteAddr() });
      ctx.Redirect("/", 303);
    },
  );

  // 7. Administration: by address, then by password, then by role. The cheapest test comes first.
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
  admin.Get("/metrics", counted.Page()); // for Prometheus, with a password of its own
  watched.Register(admin.Party("/monitor"));
  return app;
}

function byAddress(ctx: fw.Context): string | undefined {
  return ["/livez", "/readyz"].includes(ctx.Path()) ? undefined : ratelimit.ByAddress(ctx);
}

if (import.meta.main) {
  const { env } = Deno;
  const Secret = env.get("SECRET");
  const AdminPassword = env.get("ADMIN_PASSWORD");
  const app = newApp({
    ...Secret !== undefined && { Secret },
    ...AdminPassword !== undefined && { AdminPassword },
    Proxies: env.get("PROXIES")?.split(",") ?? [],
  });
  await app.Run(fw.Addr(":8080"));
}
