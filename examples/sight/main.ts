/**
 * Observability: request IDs, structured logs, an access log file, traces, metrics, health checks and a monitoring
 * page.
 *
 * Run it with `deno task example sight`, open http://localhost:8080/monitor, and send some requests:
 * `curl -i localhost:8080/teas/2`, `curl localhost:8080/readyz`, `curl localhost:8080/metrics`.
 *
 * Permissions: `--allow-net --allow-read=. --allow-write=.`.
 *
 * @module
 */

import * as fw from "jsr:@fw/web";
import * as accesslog from "jsr:@fw/web/middleware/accesslog";
import * as health from "jsr:@fw/web/middleware/health";
import * as metrics from "jsr:@fw/web/middleware/metrics";
import * as monitor from "jsr:@fw/web/middleware/monitor";
import * as recover from "jsr:@fw/web/middleware/recover";
import * as requestid from "jsr:@fw/web/middleware/requestid";
import * as telemetry from "jsr:@fw/web/middleware/telemetry";
import * as sessions from "jsr:@fw/web/sessions";

const teas = ["Gyokuro", "Dong Ding", "Assam"];

/** Deployment-specific settings. */
export interface Setup {
  /** Options for the access log. If omitted, it is written to standard output. */
  AccessLog?: accesslog.Options;
}

/** Creates the application. */
export function newApp({ AccessLog = {} }: Setup = {}): fw.Application {
  const app = fw.New();
  const manager = sessions.New();
  const access = accesslog.New({ Format: "json", Skip: (ctx) => ctx.Path() === "/monitor/stats", ...AccessLog });
  const counted = metrics.New();
  const watched = monitor.New({ Title: "Tea house" });

  // The order matters: the request ID comes first because all others use it, and recover comes last so that they see
  // its 500.
  app.UseRouter(
    requestid.New(),
    telemetry.New(),
    access.Handler(),
    counted.Handler(),
    watched.Handler(),
    recover.New(),
  );
  app.RegisterOnShutdown(() => access.Close());

  health.New({ Checks: { sessions: manager, teas: () => teas.length > 0 } }).Register(app);
  // In production, protect these two with a guard such as @fw/web/middleware/basicauth.
  watched.Register(app.Party("/monitor"));
  app.Get("/metrics", counted.Page());

  app.Get("/", (ctx) => ctx.JSON(teas));
  app.Get("/teas/{id:int}", async (ctx) => {
    const [id] = ctx.Params().GetInt("id");
    // From here on, every log line of this request includes the tea, even those written by fw.
    ctx.Logger().AddFields({ tea: id });
    const tea = teas[id];
    if (tea === undefined) return ctx.NotFound();
    await brew();
    ctx.Logger().Info("brewed");
    ctx.WriteString(tea);
  });
  app.Get("/spill", () => {
    throw new Error("the cup is broken");
  });
  return app;
}

/** Simulates a slow database query. */
function brew(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 5 + Math.random() * 20));
}

if (import.meta.main) {
  await newApp({ AccessLog: { File: "access.log" } }).Run(fw.Addr(":8080"));
}
