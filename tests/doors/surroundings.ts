/**
 * The surroundings in which the features of an application have to work.
 *
 * @module
 */

import * as fw from "@fw/web";
import * as apps from "@fw/web/apps";
import * as accesslog from "@fw/web/middleware/accesslog";
import * as basicauth from "@fw/web/middleware/basicauth";
import * as cache from "@fw/web/middleware/cache";
import * as compress from "@fw/web/middleware/compress";
import * as cors from "@fw/web/middleware/cors";
import * as csrf from "@fw/web/middleware/csrf";
import * as etag from "@fw/web/middleware/etag";
import * as methodoverride from "@fw/web/middleware/methodoverride";
import * as ratelimit from "@fw/web/middleware/ratelimit";
import * as recover from "@fw/web/middleware/recover";
import * as requestid from "@fw/web/middleware/requestid";
import * as rewrite from "@fw/web/middleware/rewrite";
import * as secure from "@fw/web/middleware/secure";
import * as telemetry from "@fw/web/middleware/telemetry";
import * as timeout from "@fw/web/middleware/timeout";
import * as sessions from "@fw/web/sessions";
import * as versioning from "@fw/web/versioning";
import { quiet } from "../serving.ts";

/** Registers a feature. */
export type Add = (party: fw.Party, app: fw.Application) => unknown;

/** An application with a feature, as clients reach it. */
export interface Site {
  readonly app: fw.Application;
  /** The part of the path before that of the feature. */
  readonly prefix: string;
  readonly host?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function inside(add: Add, ...configurators: fw.Configurator[]): fw.Application {
  const app = quiet().Configure(...configurators);
  add(app, app);
  return app;
}

function behind(...handlers: readonly fw.Handler[]): (add: Add) => Site {
  return (add) => {
    const app = quiet();
    app.UseRouter(...handlers);
    add(app, app);
    return { app, prefix: "" };
  };
}

/** Middleware that reads its own copy of everything that it can reach. */
async function curious(ctx: fw.Context): Promise<void> {
  ctx.Recorder();
  ctx.GetCookie("a");
  ctx.URLParam("a");
  ctx.RemoteAddr();
  ctx.OnClose(() => {});
  await ctx.Next();
}

/** The surroundings by name. */
export const surroundings: Readonly<Record<string, (add: Add) => Site>> = {
  "no surroundings": (add) => ({ app: inside(add), prefix: "" }),
  "a base path": (add) => ({ app: inside(add, fw.WithBasePath("/seats")), prefix: "/seats" }),
  "a base path and a party": (add) => {
    const app = quiet().Configure(fw.WithBasePath("/seats"));
    add(app.Party("/deep"), app);
    return { app, prefix: "/seats/deep" };
  },
  "a mount": (add) => {
    const app = quiet();
    app.Mount("/m", inside(add).fetch);
    return { app, prefix: "/m" };
  },
  "a mount in a mount": (add) => {
    const [app, middle] = [quiet(), quiet()];
    middle.Mount("/n", inside(add).fetch);
    app.Mount("/m", middle.fetch);
    return { app, prefix: "/m/n" };
  },
  "a mount below a base path": (add) => {
    const app = quiet().Configure(fw.WithBasePath("/seats"));
    app.Mount("/m", inside(add).fetch);
    return { app, prefix: "/seats/m" };
  },
  "a mount with a parameter": (add) => {
    const app = quiet();
    app.Mount("/{tenant}/m", inside(add).fetch);
    return { app, prefix: "/tea/m" };
  },
  "a switch": (add) => {
    const app = apps.Switch([{ Pattern: "tea.example", Target: inside(add) }]);
    app.Logger().SetLevel("disable");
    return { app, prefix: "", host: "tea.example" };
  },
  "a switch that sets the host": (add) => {
    const app = apps.Switch([{ Pattern: "tea.example", Target: inside(add) }], apps.SetHost("inner.example"));
    app.Logger().SetLevel("disable");
    return { app, prefix: "", host: "tea.example" };
  },
  "a switch in a mount": (add) => {
    const app = quiet();
    app.Mount("/m", apps.Switch([{ Pattern: "tea.example", Target: inside(add) }]).fetch);
    return { app, prefix: "/m", host: "tea.example" };
  },
  "a language prefix": (add) => {
    const app = quiet();
    app.I18n.LoadKV({ en: { hi: "Hello" }, de: { hi: "Hallo" } }, "en", "de");
    add(app, app);
    return { app, prefix: "/de" };
  },
  "a version": (add) => {
    const app = quiet();
    add(versioning.NewGroup(app, "1.x") as unknown as fw.Party, app);
    return { app, prefix: "", headers: { "accept-version": "1.2.0" } };
  },
  "a subdomain": (add) => {
    const app = quiet();
    add(app.Subdomain("tea"), app);
    return { app, prefix: "", host: "tea.example.com" };
  },
  "a rewritten path": (add) => {
    const app = quiet();
    app.WrapRouter(rewrite.New({ Rules: [{ From: "/old/{rest:path}", To: "/{rest}" }] }));
    add(app, app);
    return { app, prefix: "/old" };
  },
  "methodoverride": (add) => {
    const app = quiet();
    app.WrapRouter(methodoverride.New());
    add(app, app);
    return { app, prefix: "" };
  },
  "basicauth": (add) => ({
    ...behind(basicauth.New({ Users: [{ Name: "ann", Password: "tea" }] }))(add),
    headers: { authorization: `Basic ${btoa("ann:tea")}` },
  }),
  "sessions": behind(sessions.New().Handler(), async (ctx) => {
    sessions.Get(ctx)?.Increment("visits");
    await ctx.Next();
  }),
  "csrf": behind(csrf.New()),
  "compress": (add) => ({ ...behind(compress.New({ MinBody: 0 }))(add), headers: { "accept-encoding": "gzip" } }),
  "etag": behind(etag.New()),
  "cache": behind(cache.New()),
  "cors": (add) => ({ ...behind(cors.New())(add) }),
  "secure": behind(secure.New()),
  "ratelimit": behind(ratelimit.New({ Limit: 1_000, Period: 60_000 })),
  "timeout": behind(timeout.New({ After: 60_000 })),
  "requestid, accesslog and telemetry": behind(
    requestid.New(),
    accesslog.New({ Output: () => {}, RequestBody: true, ResponseBody: true }).Handler(),
    telemetry.New(),
  ),
  "recover and a recorder": behind(recover.New(), curious),
  "error pages": (add) => {
    const app = quiet();
    app.OnAnyErrorCode((ctx) => ctx.HTML("<h1>error page</h1>"));
    add(app, app);
    return { app, prefix: "" };
  },
  "Done handlers": (add) => {
    const app = quiet();
    app.DoneGlobal(() => {});
    add(app, app);
    return { app, prefix: "" };
  },
};
