/**
 * Contributions of extensions crossed with the ways in which an application is reached and with other features.
 *
 * @module
 */

import * as fw from "@fw/web";
import * as apps from "@fw/web/apps";
import * as httptest from "@fw/web/httptest";
import * as mail from "@fw/web/mail";
import * as cache from "@fw/web/middleware/cache";
import * as health from "@fw/web/middleware/health";
import * as mvc from "@fw/web/mvc";
import * as metrics from "@fw/web/middleware/metrics";
import * as monitor from "@fw/web/middleware/monitor";
import * as requestid from "@fw/web/middleware/requestid";
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { quiet } from "../../../serving.ts";
import { type Tenant, tenantKey, tenants } from "./tenants.ts";

const acme: Tenant = { Name: "acme", Plan: "pro" };
const beta: Tenant = { Name: "beta", Plan: "free" };

function install(party: fw.Party): void {
  party.Install(tenants({ Tenants: { acme, beta } }));
}

async function textOf(app: fw.Application, path: string, tenant = "acme"): Promise<string> {
  const response = await app.fetch(new Request(`http://localhost${path}`, { headers: { "x-tenant": tenant } }));
  return await response.text();
}

function nameOf(ctx: fw.Context): string {
  return ctx.Values().Get(tenantKey)?.Name ?? "none";
}

/** The ways to serve a page that differs by tenant below a cache. */
const ways: Readonly<Record<string, (app: fw.Application, show: fw.Handler) => void>> = {
  "a party": (app, show) => {
    const party = app.Party("/m");
    install(party);
    party.Get("/x", show);
  },
  "a mount": (app, show) => {
    const inner = quiet();
    install(inner);
    inner.Get("/x", show);
    app.Mount("/m", inner);
  },
  "a mount in a switch": (app, show) => {
    const inner = quiet();
    install(inner);
    inner.Get("/x", show);
    app.Mount("/m", apps.Switch([{ Pattern: "localhost", Target: inner }]));
  },
  "another route": (app, show) => {
    const party = app.Party("/inner");
    install(party);
    party.Get("/x", show);
    app.Get("/m/x", (ctx) => ctx.Exec("GET", "/inner/x"));
  },
};

for (const [name, add] of Object.entries(ways)) {
  Deno.test(`Host.Label() with Vary: a cache outside of ${name} does not mix the values`, async () => {
    const app = quiet();
    app.Use(cache.New({ MaxAge: 60_000 }));
    add(app, (ctx) => ctx.WriteString(nameOf(ctx)));
    for (const tenant of ["acme", "beta", "acme"]) assertEquals(await textOf(app, "/m/x", tenant), tenant);
  });
}

Deno.test("Host.Provide() on a party also applies to its unmatched requests", async () => {
  const app = quiet();
  install(app.Party("/p"));
  app.OnErrorCode(404, (ctx) => ctx.WriteString(nameOf(ctx)));
  assertEquals([await textOf(app, "/p/none"), await textOf(app, "/none")], ["acme", "none"]);
});

Deno.test("mvc.Inject() takes the key of a provided value, in controllers, their services and mounts", async () => {
  class Service {
    readonly tenant = mvc.Inject(tenantKey);
  }
  class Controller {
    readonly service = mvc.Inject(Service);
    Get(tenant = mvc.Inject(tenantKey)): string {
      return `${tenant.Name} ${this.service.tenant.Name}`;
    }
  }
  class Optional {
    Get(tenant = mvc.InjectOptional(tenantKey)): string {
      return tenant?.Name ?? "none";
    }
  }
  const [app, inner] = [quiet(), quiet()];
  install(app);
  for (const each of [app, inner]) mvc.New(each.Party("/c")).Register(mvc.PerRequest(Service)).Handle(Controller);
  mvc.New(app.Party("/optional")).Handle(Optional);
  app.Mount("/m", inner);
  for (const path of ["/c", "/m/c"]) assertEquals(await textOf(app, path), "acme acme");
  assertEquals(await textOf(app, "/optional", "nobody"), "none");
  assertEquals(await textOf(app, "/c", "nobody"), "Internal Server Error");
  class Wrong {
    readonly tenant = mvc.Inject(tenantKey);
  }
  class Captive {
    readonly wrong = mvc.Inject(Wrong);
    Get(): void {}
  }
  const other = quiet();
  mvc.New(other).Register(Wrong).Handle(Captive);
  await assertRejects(async () => await other.Build(), fw.FrameworkError, '"tenant", which is created per request');
});

Deno.test("Host.Label() may fail or write log lines itself, also if all log lines of a call have its labels", async () => {
  const app = fw.New();
  const lines: string[] = [];
  app.Logger().SetTimeFormat("").SetOutput((line) => void lines.push(line.split("\n", 1)[0] ?? ""));
  app.Use(requestid.New({ Generator: () => "1" }));
  app.Install({
    Name: "talkative",
    Install(host) {
      host.Provide(tenantKey, () => acme, { Encode: () => "acme", Decode: () => acme });
      host.Label("broken", () => {
        throw new Error("No label");
      }, { Log: true });
      host.Label("service", () => {
        app.Logger().Info("service");
        return "yes";
      }, { Log: true });
      host.Label("own", (ctx: fw.Context) => {
        ctx.Logger().Info("own");
        return "yes";
      }, { Log: true });
    },
  });
  app.Get("/", () => app.Logger().Info("hello"));
  await textOf(app, "/");
  assertEquals(lines.at(-1), "[INFO] hello request_id=1 service=yes own=yes");
  assertEquals(lines.filter((line) => line.includes("No label")).length, 1);
});

Deno.test("Host: an extension that could not be installed cannot add anything later", async () => {
  const app = quiet();
  const later = Promise.withResolvers<unknown>();
  const late: fw.Extension<Promise<void>> = {
    Name: "late",
    async Install(host) {
      await Promise.resolve();
      later.resolve(assertThrows(() => host.Run(() => {}), fw.FrameworkError, "it could not be installed"));
    },
  };
  assertThrows(() => app.Install(late), fw.FrameworkError, "asynchronous");
  await later.promise;
});

Deno.test("Host: names that would hide each other are refused", () => {
  const host = quiet().Install({ Name: "x", Install: (own) => own });
  host.Check("a", () => true, "ready");
  host.Panel("A", () => "");
  assertThrows(() => host.Check("a", () => false, "ready"), fw.FrameworkError, 'it already has "a"');
  assertThrows(() => host.Panel("A", () => ""), fw.FrameworkError, 'it already has "A"');
  const app = quiet();
  app.Install({ Name: "one", Install: (own) => own.ViewFunc("f", () => 1) });
  const add = () => app.Install({ Name: "two", Install: (own) => own.ViewFunc("f", () => 2) });
  assertThrows(add, fw.FrameworkError, 'its party already has "f"');
  host.Label("plan", () => "pro", { Metric: ["pro"] });
  assertThrows(() => host.Label("plan", () => "", {}), fw.FrameworkError, 'its party already has "plan"');
  for (const name of ["http_route", "le", "request_id"]) {
    assertThrows(() => host.Label(name, () => "", {}), fw.FrameworkError, "an unused name");
  }
});

Deno.test("Host.Check() and Host.Meter() of two applications with the same extension are shown once each", async () => {
  const counter: fw.Extension = {
    Name: "teas",
    Install(host) {
      host.Check("teas", () => true, "ready");
      host.Meter(() => [{ Name: "teas_total", Type: "counter", Help: "Teas,\nall.", Value: 2 }]);
    },
  };
  const [app, inner] = [quiet(), quiet()];
  const counted = metrics.New();
  app.UseRouter(counted.Handler());
  for (const each of [app, inner]) each.Install(counter);
  app.Mount("/m", inner);
  health.New({ MaxAge: 0 }).Register(app);
  const { checks } = JSON.parse(await textOf(app, "/readyz"));
  assertEquals(Object.keys(checks), ["teas", "teas: teas"]);
  const lines = counted.Text().split("\n").filter((line) => line.includes("teas_total"));
  assertEquals(lines, ["# HELP teas_total Teas,\\nall.", "# TYPE teas_total counter", "teas_total 4"]);
});

Deno.test("Host.Run() that fails is one check, which is logged once", async () => {
  const app = fw.New();
  const lines: string[] = [];
  app.Logger().SetTimeFormat("").SetOutput((line) => lines.push(line));
  const fail = () => Promise.reject(new Error("No disk"));
  app.Install({ Name: "disk", Install: (host) => [host.Run(fail), host.Run(fail)] });
  health.New({ MaxAge: 0 }).Register(app);
  await using _test = await httptest.Start(app);
  for (let i = 0; i < 2; i++) assertEquals(Object.keys(JSON.parse(await textOf(app, "/readyz")).checks).length, 2);
  assertEquals(lines.filter((line) => line.includes("health check")).length, 2);
});

Deno.test("Host.Meter() is shown by a monitor that does not count requests", async () => {
  const app = quiet();
  const Meter = () => [{ Name: "teas_total", Type: "counter", Help: "Teas.", Value: 2 } as const];
  app.Install({ Name: "teas", Install: (host) => host.Meter(Meter) });
  const own = monitor.New();
  own.Register(app.Party("/monitor"));
  assertEquals((await own.Stats()).Others.map(({ Name }) => Name), ["teas_total"]);
  await textOf(app, "/monitor/stats");
});

Deno.test("httptest.Start() releases the resources of an application that cannot start", async () => {
  const steps: string[] = [];
  const app = quiet();
  app.Install({
    Name: "steps",
    Install(host) {
      host.Run(() => void steps.push("started"), { Dispose: () => void steps.push("disposed") });
      host.Check("steps", () => false, "start");
    },
  });
  await assertRejects(() => httptest.Start(app), fw.FrameworkError, 'the check "steps" of "steps" failed');
  assertEquals(steps, ["disposed"]);
});

for (const isShared of [true, false]) {
  Deno.test(`Host.ViewFunc() is available in mails with ${isShared ? "the application's" : "their own"} views`, async () => {
    const app = quiet();
    const views = fw.HTML("").ParseTemplate("hello.html", "<title>Hello</title><%= plan() %>");
    // The parser has been loaded before, so that the engine is synchronous.
    await fw.HTML("").ParseTemplate("other.html", "").Load();
    const party = app.Party("/p");
    party.Install({
      Name: "plans",
      Install: (host) => host.ViewFunc("plan", (ctx: fw.Call) => ctx.GetHeader("x-tenant")),
    });
    if (isShared) app.RegisterView(views);
    const box = mail.NewMemory();
    const mailer = mail.New({ Transport: box, From: "a@example.com", Views: views, App: app });
    party.Get("/", async () => void await mailer.Send({ To: "b@example.com", View: "hello" }));
    await textOf(app, "/p");
    assertEquals(box.Expect({ To: "b@example.com" }).Text, "acme\n");
  });
}
