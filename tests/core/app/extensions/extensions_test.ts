/**
 * Three extensions of an author of packages: the flags of `examples/extension/`, tenants and an error tracker.
 *
 * @module
 */

import * as fw from "@fw/web";
import * as httptest from "@fw/web/httptest";
import * as jobs from "@fw/web/jobs";
import * as cache from "@fw/web/middleware/cache";
import * as health from "@fw/web/middleware/health";
import * as metrics from "@fw/web/middleware/metrics";
import * as openapi from "@fw/web/openapi";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { quiet } from "../../../serving.ts";
import * as flags from "../../../../examples/extension/mod.ts";
import { errorTracker, type TrackedError } from "./error_tracker.ts";
import { type Tenant, tenantKey, tenants } from "./tenants.ts";

const acme: Tenant = { Name: "acme", Plan: "pro" };
const beta: Tenant = { Name: "beta", Plan: "free" };

/** Installs an extension and records the members of the host that it uses. */
function observed<T>(extension: fw.Extension<T>, used: Set<string>): fw.Extension<T> {
  return {
    ...extension,
    Install: (host) =>
      extension.Install(
        new Proxy(host, {
          get(target, member) {
            used.add(String(member));
            const value: unknown = Reflect.get(target, member, target);
            return typeof value === "function" ? value.bind(target) : value;
          },
        }),
      ),
  };
}

/** Creates an application with all three. */
function newBench() {
  const used = new Set<string>();
  const lines: string[] = [];
  const sent: TrackedError[] = [];
  const arrived = Promise.withResolvers<void>();
  const app = fw.New();
  app.Logger().SetTimeFormat("").SetOutput((line) => lines.push(line));
  const counted = metrics.New();
  app.UseRouter(counted.Handler());
  app.Install(observed(flags.New({ Load: () => "new-menu" }), used));
  const tenantOf = app.Install(observed(tenants({ Tenants: { acme, beta } }), used));
  app.Install(observed(
    errorTracker({
      Send(batch) {
        sent.push(...batch);
        arrived.resolve();
        return Promise.resolve();
      },
    }),
    used,
  ));
  health.New().Register(app);
  app.RegisterView(
    fw.HTML("").ParseTemplate("page.html", '<%= tenant() %> <%= flag("new-menu") ? "new" : "old" %>'),
  );
  app.Get("/", (ctx) => ctx.WriteString(tenantOf(ctx).Name));
  app.Get("/page", (ctx) => ctx.View("page"));
  app.Get("/log", (ctx) => ctx.Logger().Info("line"));
  app.Get("/fail", () => {
    throw new Error("Disk full");
  });
  let renders = 0;
  app.Get("/cached", cache.New({ MaxAge: 60_000 }), (ctx) => ctx.WriteString(`${tenantOf(ctx).Name} ${++renders}`));
  return { app, used, lines, sent, arrived: arrived.promise, counted, tenantOf };
}

const forAcme = { "x-tenant": "acme" };

async function textOf(app: fw.Application, path: string, headers: Record<string, string> = forAcme): Promise<string> {
  return await (await app.fetch(new Request(`http://localhost${path}`, { headers }))).text();
}

Deno.test("three extensions use every member of the host", () => {
  const { app, used } = newBench();
  const host = app.Install({ Name: "members", Install: (own) => own });
  const prototype = Object.getOwnPropertyNames(Object.getPrototypeOf(host)).filter((name) => name !== "constructor");
  assertEquals(prototype.filter((name) => /^[A-Z]/.test(name) && !used.has(name)), []);
});

Deno.test("three extensions: values, views and pages", async () => {
  const { app } = newBench();
  openapi.New({ Title: "Tenants", Version: "1.0.0" }).Serve(app);
  await using test = await httptest.Start(app);
  assertEquals(await textOf(app, "/"), "acme");
  assertEquals(await textOf(app, "/page"), "acme new");
  assertEquals(await textOf(app, "/page", {}), "nobody new");
  await test.GET("/tenant").WithHeader("x-tenant", "beta").Expect().JSON({ Name: "beta", Plan: "free" });
  await test.GET("/flags").Expect().JSON(["new-menu"]);
  const described: { paths: object } = JSON.parse(await textOf(app, "/openapi.json"));
  assertEquals(Object.keys(described.paths), ["/", "/page", "/log", "/fail", "/cached"]);
});

Deno.test("three extensions: labels of log lines, metrics and caches", async () => {
  const { app, lines, counted } = newBench();
  await using _test = await httptest.Start(app);
  await textOf(app, "/log");
  assertEquals(lines, ["[INFO] line flags=new-menu tenant=acme"]);
  assertEquals(await textOf(app, "/cached"), "acme 1");
  assertEquals(await textOf(app, "/cached"), "acme 1");
  assertEquals(await textOf(app, "/cached", { "x-tenant": "beta" }), "beta 2");
  assertStringIncludes(counted.Text(), 'plan="pro"');
  assertStringIncludes(counted.Text(), 'plan="free"');
  assertStringIncludes(counted.Text(), "flags_loads_total 1");
});

Deno.test("three extensions: failures have codes, are tracked and do not stop the others", async () => {
  const { app, sent, arrived, counted } = newBench();
  const codes = app.Extensions().flatMap(({ Errors }) => Object.keys(Errors));
  assertEquals(codes, ["FLAGS_UNREADABLE", "TENANT_UNKNOWN"]);
  {
    await using test = await httptest.Start(app);
    await test.GET("/fail").Expect().Status(500);
    await arrived;
    await test.GET("/").Expect().Status(500);
    await test.GET("/readyz").Expect().Status(200);
    assertEquals(app.Extensions().flatMap(({ Panels }) => Object.keys(Panels)), ["Flags", "Tenants", "Errors"]);
  }
  // The shutdown sends the rest.
  assertEquals(sent, [{ Path: "/fail", Message: "Disk full" }, {
    Path: "/",
    Message: "Cannot find the tenant of the call",
  }]);
  assertStringIncludes(counted.Text(), "errors_sent_total 2");
});

Deno.test("three extensions: jobs and mounted applications", async () => {
  const { app, sent, tenantOf } = newBench();
  const seen: string[] = [];
  function bill(_: undefined, ctx: jobs.Context): void {
    seen.push(`${tenantOf(ctx).Name} ${flags.Get(ctx).Names}`);
    if (ctx.Values().Get(tenantKey)?.Name === "beta") throw new jobs.PermanentError("Card expired");
  }
  const queue = jobs.New(jobs.NewMemory()).Handle(bill);
  const inner = fw.New();
  inner.Get("/bill", async () => void await queue.Add(bill));
  queue.RunWith(app);
  app.Mount("/inner", inner);
  {
    await using _test = await httptest.Start(app);
    await textOf(app, "/inner/bill");
    await textOf(app, "/inner/bill", { "x-tenant": "beta" });
    await queue.Drain();
  }
  assertEquals(seen.toSorted(), ["acme new-menu", "beta new-menu"]);
  assertEquals(sent.map(({ Message }) => Message), ["Card expired"]);
});

Deno.test("Host.Run: Dispose runs after requests that fail while they are drained", async () => {
  const app = quiet();
  const asked = Promise.withResolvers<void>();
  const drained = Promise.withResolvers<void>();
  const failing = Promise.withResolvers<void>();
  const [sent, waiting]: [string[], string[]] = [[], []];
  app.OnError((_ctx, { message }) => void waiting.push(message));
  app.Install({
    Name: "late errors",
    Install: (host) =>
      host.Run(() => {}, {
        Drain: () => drained.resolve(),
        Dispose: () => void sent.push(...waiting.splice(0)),
      }),
  });
  app.Get("/late", async () => {
    asked.resolve();
    await failing.promise;
    throw new Error("Disk full");
  });
  await using test = await httptest.Start(app);
  const response = test.GET("/late").Expect().Status(500);
  await asked.promise;
  const shutdown = app.Shutdown();
  await drained.promise;
  failing.resolve();
  await response;
  await shutdown;
  assertEquals(sent, ["Disk full"]);
});
