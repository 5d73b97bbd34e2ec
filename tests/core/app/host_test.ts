import * as fw from "@fw/web";
import * as cache from "@fw/web/middleware/cache";
import * as health from "@fw/web/middleware/health";
import * as metrics from "@fw/web/middleware/metrics";
import * as ratelimit from "@fw/web/middleware/ratelimit";
import { assert, assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { quiet } from "../../serving.ts";

function ask(app: fw.Application, path: string, headers: Record<string, string> = {}): Promise<Response> {
  return Promise.resolve(app.fetch(new Request(`http://localhost${path}`, { headers })));
}

async function textOf(app: fw.Application, path: string, headers: Record<string, string> = {}): Promise<string> {
  return await (await ask(app, path, headers)).text();
}

/** Installs an extension that consists of one function. */
function install<T>(party: fw.Party, run: (host: fw.Host) => T, Name = "tested"): T {
  return party.Install({ Name, Install: run });
}

Deno.test("Host.Provide() creates a value per call on first use, once, and disposes of it with the call", async () => {
  const steps: string[] = [];
  const key = fw.Key<{ name: string }>("tenant");
  const app = quiet();
  install(app, (host) =>
    host.Provide(key, (ctx) => {
      steps.push(`created for ${ctx.Path()}`);
      return Object.assign({ name: ctx.Path() }, { [Symbol.dispose]: () => void steps.push("disposed") });
    }));
  app.Get("/unused", (ctx) => ctx.WriteString("nothing"));
  app.Get("/used", (ctx) => {
    const tenant = ctx.Values().MustGet(key);
    ctx.WriteString(`${tenant.name} ${tenant === ctx.Values().Get(key)} ${ctx.Values().Has(key)}`);
  });
  assertEquals(await textOf(app, "/unused"), "nothing");
  assertEquals(steps, []);
  assertEquals(await textOf(app, "/used"), "/used true true");
  await app.Shutdown();
  assertEquals(steps, ["created for /used", "disposed"]);
});

Deno.test("Host.Provide() provides asynchronous values and disposes of their results", async () => {
  const steps: string[] = [];
  const key = fw.Key<Promise<{ name: string }>>("user");
  const app = quiet();
  install(app, (host) =>
    host.Provide(key, async () => {
      await Promise.resolve();
      return { name: "Ada", [Symbol.asyncDispose]: () => Promise.resolve(void steps.push("disposed")) };
    }));
  app.Get("/", async (ctx) => ctx.WriteString((await ctx.Values().Get(key))?.name ?? ""));
  assertEquals(await textOf(app, "/"), "Ada");
  await app.Shutdown();
  assertEquals(steps, ["disposed"]);
});

Deno.test("Host.Provide() does not delay a response until a value settles, and disposes of it then", async () => {
  const disposed = Promise.withResolvers<void>();
  const value = Promise.withResolvers<Disposable>();
  const key = fw.Key<Promise<Disposable>>("late");
  const app = quiet();
  install(app, (host) => host.Provide(key, () => value.promise));
  app.Get("/", async (ctx) => {
    await Promise.resolve();
    ctx.WriteString(typeof ctx.Values().Get(key));
  });
  assertEquals(await textOf(app, "/"), "object");
  await app.Shutdown();
  value.resolve({ [Symbol.dispose]: () => disposed.resolve() });
  await disposed.promise;
});

Deno.test("Host.Provide() of a party does not apply to other parties, and that of a mount applies inside", async () => {
  const key = fw.Key<string>("where");
  const inner = quiet();
  inner.Get("/", (ctx) => ctx.WriteString(String(ctx.Values().Get(key))));
  const own = quiet();
  install(own, (host) => host.Provide(key, () => "own"));
  own.Get("/", (ctx) => ctx.WriteString(String(ctx.Values().Get(key))));
  const app = quiet();
  const party = app.Party("/p");
  install(party, (host) => host.Provide(key, () => "party"));
  party.Mount("/inner", inner);
  party.Mount("/own", own);
  app.Get("/outside", (ctx) => ctx.WriteString(String(ctx.Values().Get(key))));
  assertEquals(await textOf(app, "/p/inner"), "party");
  assertEquals(await textOf(app, "/p/own"), "own");
  assertEquals(await textOf(app, "/outside"), "undefined");
});

Deno.test("Host.Label() adds a field to log lines, also across a mount", async () => {
  const lines: string[] = [];
  const inner = fw.New();
  inner.Logger().SetTimeFormat("").SetOutput((line) => lines.push(line));
  inner.Get("/", (ctx) => ctx.Logger().Info("inside"));
  const app = fw.New();
  app.Logger().SetTimeFormat("").SetOutput((line) => lines.push(line));
  install(app, (host) => host.Label("tenant", (ctx) => ctx.GetHeader("x-tenant") || undefined, { Log: true }));
  app.Mount("/m", inner);
  app.Get("/", (ctx) => ctx.Logger().Info("hello"));
  await textOf(app, "/", { "x-tenant": "acme" });
  await textOf(app, "/m", { "x-tenant": "acme" });
  await textOf(app, "/");
  assertEquals(lines, ["[INFO] hello tenant=acme", "[INFO] inside tenant=acme", "[INFO] hello"]);
});

Deno.test("Host.Label() adds declared values to metrics and counts the others together", async () => {
  const app = quiet();
  const counted = metrics.New();
  install(app, (host) => host.Label("plan", (ctx) => ctx.GetHeader("x-plan"), { Metric: ["free", "pro"] }));
  app.UseRouter(counted.Handler());
  app.Get("/", (ctx) => ctx.WriteString("x"));
  for (const plan of ["pro", "made up", "another"]) await textOf(app, "/", { "x-plan": plan });
  const text = counted.Text();
  assertStringIncludes(text, 'http_response_status_code="200",plan="pro"} 1');
  assertStringIncludes(text, 'http_response_status_code="200",plan="other"} 2');
});

Deno.test("Host.Label() with Vary separates cached responses and rate limits, and an unknown value is not stored", async () => {
  let runs = 0;
  const app = quiet();
  install(app, (host) => host.Label("tenant", (ctx) => ctx.GetHeader("x-tenant") || undefined, { Vary: "X-Tenant" }));
  app.Party("/cached", cache.New({ MaxAge: 60_000 })).Get("/", (ctx) => ctx.WriteString(`run ${++runs}`));
  app.Party("/limited", ratelimit.New({ Limit: 1, Period: 60_000 })).Get("/", (ctx) => ctx.WriteString("fine"));
  const acme = { "x-tenant": "acme" };
  const other = { "x-tenant": "other" };
  assertEquals(await textOf(app, "/cached", acme), "run 1");
  const hit = await ask(app, "/cached", acme);
  assertEquals([await hit.text(), hit.headers.get("vary")], ["run 1", "X-Tenant"]);
  assertEquals(await textOf(app, "/cached", other), "run 2");
  assertEquals(await textOf(app, "/cached"), "run 3");
  assertEquals(await textOf(app, "/cached"), "run 4");
  const statuses = [];
  for (const headers of [acme, acme, other]) {
    const response = await ask(app, "/limited", headers);
    statuses.push(response.status);
    await response.body?.cancel();
  }
  assertEquals(statuses, [200, 429, 200]);
});

Deno.test("Host.ViewFunc() adds a function with the context to the templates of its party", async () => {
  const app = quiet();
  const engine = fw.HTML("").ParseTemplate("page.html", "<%= flag('new') %>");
  app.RegisterView(engine);
  const party = app.Party("/p");
  install(party, (host) => host.ViewFunc("flag", (ctx: fw.Call, name: string) => `${name} at ${ctx.Path()}`));
  party.Get("/", (ctx) => ctx.View("page"));
  app.Get("/", (ctx) => ctx.View("page"));
  assertEquals(await textOf(app, "/p"), "new at /p");
  assertEquals((await ask(app, "/")).status, 500);
});

Deno.test("Host.Page() registers routes that the application serves and documents leave out", async () => {
  const app = quiet();
  install(app.Party("/flags"), (host) => {
    host.Page("/", (ctx) => ctx.WriteString("page"));
    host.Page("POST /change", (ctx) => ctx.WriteString("changed"));
  });
  assertEquals(await textOf(app, "/flags"), "page");
  const posted = await app.fetch(new Request("http://localhost/flags/change", { method: "POST" }));
  assertEquals(await posted.text(), "changed");
  assert(app.Routes().every((route) => route.Description.Hidden === true));
});

Deno.test("Call.GetCurrentRoute() returns the route that Host.Page() has returned", async () => {
  const app = quiet();
  install(app, (host) => {
    const page = host.Page("/down", (ctx) => ctx.WriteString("page"));
    host.Party.UseRouter((ctx) => ctx.GetCurrentRoute() === page ? ctx.Next() : ctx.StopWithStatus(503));
  });
  app.Get("/", (ctx) => ctx.WriteString("home"));
  assertEquals(await textOf(app, "/down"), "page");
  assertEquals((await ask(app, "/")).status, 503);
});

Deno.test("Host.Check() at the start fails the build and names the extension, the check and the reason", async () => {
  for (
    const [check, reason] of [
      [() => false, "It returned false"],
      [() => Promise.resolve(false), "It returned false"],
      [() => {
        throw new Error("No file");
      }, "No file"],
      [() => Promise.reject(new Error("No file")), "No file"],
    ] as const
  ) {
    const app = quiet();
    install(app, (host) => host.Check("files", check, "start"), "flags");
    const error = await assertRejects(async () => await app.Build(), fw.FrameworkError);
    assertEquals(error.message, `Cannot start the application: the check "files" of "flags" failed: ${reason}`);
  }
});

Deno.test("Host.Check() for readiness is run by the health endpoint, also for mounted applications", async () => {
  let isFine = true;
  const inner = quiet();
  install(inner, (host) => host.Check("database", () => isFine, "ready"));
  const app = quiet();
  app.Mount("/m", inner);
  health.New({ MaxAge: 0 }).Register(app);
  assertEquals((await ask(app, "/readyz")).status, 200);
  isFine = false;
  const response = await ask(app, "/readyz");
  assertEquals(response.status, 503);
  assertEquals((await response.json()).checks.database.status, "failed");
});

Deno.test("Host.Meter() adds numbers to the metrics, also those of mounted applications", async () => {
  const inner = quiet();
  install(inner, (host) => host.Meter(() => [{ Name: "teas_total", Type: "counter", Help: "Teas.", Value: 3 }]));
  const app = quiet();
  const counted = metrics.New();
  app.UseRouter(counted.Handler());
  app.Mount("/m", inner);
  await textOf(app, "/");
  assertStringIncludes(counted.Text(), "# TYPE teas_total counter\nteas_total 3\n");
});

Deno.test("Host.Options() checks options as fw does and applies the defaults", () => {
  const rules = {
    Limit: { Kind: "number", Min: 1, Max: 10, Default: 5 },
    Name: { Kind: "string", Required: true },
    Mode: { Kind: "string", OneOf: ["fast", "safe"] },
    OnChange: { Kind: "function" },
  } as const;
  const host = install(quiet(), (own) => own, "flags");
  const options = host.Options({ Name: "x" }, rules);
  const limit: number = options.Limit;
  assertEquals([limit, options.Name, options.Mode], [5, "x", undefined]);
  for (
    const [given, message] of [
      [{ Name: "x", Limit: 11 }, '"Limit" of flags'],
      [{ Name: "x", Limt: 1 }, 'did you mean "Limit"?'],
      [{}, '"Name" is missing'],
      [{ Name: "x", Mode: "slow" }, '"fast" or "safe"'],
      [undefined, '"Name" is missing'],
      [null, "they must be an object"],
      [5, "they must be an object"],
    ] as const
  ) {
    assertStringIncludes(assertThrows(() => host.Options(given, rules), fw.FrameworkError).message, message);
  }
});

Deno.test("Host.Errors() creates errors with the codes of the extension", () => {
  const fail = install(
    quiet(),
    (host) => host.Errors({ FLAGS_UNKNOWN: { Meaning: "A flag does not exist", Remedy: "Declare it in flags.json" } }),
    "flags",
  );
  const error = fail("FLAGS_UNKNOWN", 'Cannot read the flag "x"', { cause: 1 });
  assert(error instanceof Error);
  assertEquals([error.Code, error.name, error.cause], ["FLAGS_UNKNOWN", "flags [FLAGS_UNKNOWN]", 1]);
});

Deno.test("Host.Panel() is listed with the extension", () => {
  const app = quiet();
  install(app, (host) => host.Panel("Flags", () => [{ Name: "new", On: true }]));
  assertEquals(app.Extensions()[0]?.Panels["Flags"]?.({ Query: {}, Form: undefined }), [{ Name: "new", On: true }]);
});

Deno.test("Host.Label() of a mounted application is in its own metrics and logs, and not in those of the outer one", async () => {
  const [app, inner] = [quiet(), quiet()];
  const [outside, inside] = [metrics.New(), metrics.New()];
  const lines: string[] = [];
  for (const [each, counted, name] of [[app, outside, "outer"], [inner, inside, "inner"]] as const) {
    each.Logger().SetLevel("info").SetTimeFormat("").SetOutput((line) => lines.push(line));
    install(each, (host) => {
      host.Label(name, () => "yes", { Log: true, Metric: ["yes"] });
      host.Label("side", () => name, { Log: true, Metric: ["outer", "inner"] });
    });
    each.UseRouter(counted.Handler());
  }
  app.Use(async (ctx) => {
    await ctx.Next();
    ctx.Logger().Info("outside");
  });
  inner.Get("/", (ctx) => ctx.Logger().Info("inside"));
  app.Mount("/m", inner);
  await textOf(app, "/m");
  assertStringIncludes(outside.Text(), 'status_code="200",outer="yes",side="outer"} 1');
  assertStringIncludes(inside.Text(), 'status_code="200",outer="yes",inner="yes",side="inner"} 1');
  assertEquals(lines, ["[INFO] inside outer=yes inner=yes side=inner", "[INFO] outside outer=yes side=outer"]);
});
