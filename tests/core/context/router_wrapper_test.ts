import * as fw from "@fw/web";
import * as apps from "@fw/web/apps";
import { assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { askInProcess, bothWays, listen, logged, quiet } from "../../serving.ts";

bothWays(
  "Application.WrapRouter() wraps every request, with the last wrapper as the outermost",
  () => {
    const app = quiet();
    app.Get("/", (ctx) => ctx.WriteString("inside"));
    for (const name of ["first", "second"]) {
      app.WrapRouter(async (request, next) => {
        const response = await next(request);
        const before = response.headers.get("x-way") ?? "inside";
        response.headers.set("x-way", `${before} ${name}`);
        return response;
      });
    }
    return app;
  },
  async (ask) => {
    assertEquals((await ask("/")).headers.get("x-way"), "inside first second");
    assertEquals((await ask("/nowhere")).headers.get("x-way"), "inside first second");
  },
);

bothWays(
  "Application.WrapRouter() can respond or pass on another request",
  () => {
    const app = quiet();
    app.Get("/new", (ctx) => ctx.WriteString(`new for ${ctx.RemoteAddr()}`));
    app.WrapRouter((request, next) => {
      if (request.url.endsWith("/shut")) return new Response("shut", { status: 503 });
      return next(request.url.endsWith("/old") ? new Request(request.url.replace("/old", "/new")) : request);
    });
    return app;
  },
  async (ask) => {
    assertEquals((await ask("/shut")).status, 503);
    assertEquals((await ask("/old")).text, "new for 127.0.0.1");
  },
);

Deno.test("Application.WrapRouter() throws after the application has been built", async () => {
  const app = quiet();
  await app.Build();
  assertThrows(() => app.WrapRouter((request, next) => next(request)), Error, "Cannot wrap the router");
});

/** The ways in which a wrapper can fail, and the end of the log line. */
const failures: Record<string, [wrapper: () => unknown, line: string]> = {
  "throws an error": [() => {
    throw new Error("boom");
  }, "Cannot serve GET /x: Error: boom"],
  "rejects": [() => Promise.reject(new Error("boom")), "Cannot serve GET /x: Error: boom"],
  "returns nothing": [
    () => undefined,
    'Cannot use the return value of a router wrapper for GET /x: a value of type "undefined" is not a Response',
  ],
  "resolves with a string": [
    () => Promise.resolve("tea"),
    'Cannot use the return value of a router wrapper for GET /x: a value of type "string" is not a Response',
  ],
};

for (const [name, [wrapper, line]] of Object.entries(failures)) {
  Deno.test(`Application.fetch() responds with a logged 500 if a router wrapper ${name}, as Run does`, async () => {
    const newApp = () => {
      const { app, lines } = logged();
      const seen: string[] = [];
      app.OnError((ctx, error) => void seen.push(`${ctx.Path()} ${error.message}`));
      app.OnErrorCode(500, (ctx) => ctx.WriteString("sorry"));
      app.WrapRouter(wrapper as fw.RouterWrapper);
      app.UseRouter((ctx) => ctx.WriteString("served"));
      return { app, lines, seen };
    };
    const inProcess = newApp();
    const { status, text } = await askInProcess(inProcess.app, "/x");
    assertEquals([status, text], [500, "sorry"]);
    const running = newApp();
    const { url, ended } = await listen(running.app);
    const response = await fetch(`${url}x`);
    assertEquals([response.status, await response.text()], [500, "sorry"]);
    await running.app.Shutdown();
    await ended;
    for (const { lines, seen } of [inProcess, running]) {
      assertEquals(lines.length, 1);
      assertStringIncludes(lines[0] ?? "", line);
      assertEquals(seen.length, 1);
      assertEquals(seen[0]?.startsWith("/x "), true);
    }
  });
}

Deno.test("Application.fetch() of a mounted or switched application fails itself if its router wrapper throws", async () => {
  const inner = quiet();
  inner.WrapRouter(() => {
    throw new fw.HTTPError(403, "no");
  });
  inner.OnAnyErrorCode((ctx) => ctx.WriteString(`inner ${ctx.GetStatusCode()}`));
  const app = quiet();
  app.Mount("/m", inner);
  assertEquals((await askInProcess(app, "/m/x")).text, "inner 403");
  const site = apps.Switch([{ Pattern: "localhost", Target: inner }]);
  assertEquals((await askInProcess(site, "/x")).text, "inner 403");
});

Deno.test("Application.fetch() does not serve a request whose router wrapper throws, also with apps.Switch()", async () => {
  const inner = quiet();
  inner.Get("/", (ctx) => ctx.WriteString("served"));
  const site = apps.Switch([{ Pattern: "localhost", Target: inner }]);
  site.Logger().SetLevel("disable");
  site.WrapRouter(() => {
    throw new Error("boom");
  });
  assertEquals((await askInProcess(site, "/")).status, 500);
});

Deno.test("Application.fetch() with a router wrapper throws if its argument is not a request", async () => {
  const app = quiet();
  app.WrapRouter((request, next) => next(request));
  await assertRejects(async () => await app.fetch("/" as unknown as Request), TypeError, "fetch takes a Request");
});
