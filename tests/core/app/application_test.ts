import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import * as fw from "../../../mod.ts";
import { askOverSocket, bothWays, logged, quiet } from "../../serving.ts";

/** Starts an application with `Run`, calls a function, and returns the result of `Run`. */
async function running(
  app: fw.Application,
  use: (port: number) => Promise<void>,
  ...configurators: fw.Configurator[]
): Promise<Error | null> {
  const port = Promise.withResolvers<number>();
  const onListen = fw.WithOnListen((addr) => port.resolve("port" in addr ? addr.port : 0));
  const run = app.Run(fw.Addr("127.0.0.1:0"), fw.WithoutInterruptHandler, onListen, ...configurators);
  try {
    await use(await Promise.race([port.promise, run.then(() => 0)]));
  } finally {
    await app.Shutdown();
  }
  return await run;
}

Deno.test("Application.Run() serves until Shutdown(), and logs its address", async () => {
  const { app, lines } = logged();
  app.Get("/ping", (ctx) => ctx.WriteString("pong"));
  const result = await running(app, async (port) => {
    assertEquals((await askOverSocket(port, "/ping")).text, "pong");
    assertStringIncludes(lines.join("\n"), `http://127.0.0.1:${port}`);
  });
  assertEquals(result, null);
});

Deno.test("WithoutStartupLog suppresses the start-up log of Run()", async () => {
  const { app, lines } = logged();
  await running(app, async () => {}, fw.WithoutStartupLog);
  assertEquals(lines, []);
});

Deno.test("Application.Run() accepts configurators", async () => {
  const app = quiet();
  app.Get("/a", (ctx) => ctx.WriteString("a"));
  await running(
    app,
    async (port) => {
      assertEquals((await askOverSocket(port, "/a/")).text, "a");
      assertEquals((await askOverSocket(port, "/a", { method: "POST" })).status, 404);
    },
    fw.WithoutPathCorrectionRedirection,
    fw.WithoutMethodNotAllowed,
  );
});

Deno.test("Application.Listen() is Run() with an address", async () => {
  const app = quiet();
  app.Get("/", (ctx) => ctx.WriteString("a"));
  const port = Promise.withResolvers<number>();
  const run = app.Listen(
    "127.0.0.1:0",
    fw.WithoutStartupLog,
    fw.WithoutInterruptHandler,
    fw.WithOnListen((addr) => port.resolve("port" in addr ? addr.port : 0)),
  );
  assertEquals((await askOverSocket(await port.promise, "/")).text, "a");
  await app.Shutdown();
  assertEquals(await run, null);
});

Deno.test("Application.RegisterOnShutdown() runs tasks in reverse order after the last request", async () => {
  const { app, lines } = logged();
  const done: string[] = [];
  const begun = Promise.withResolvers<void>();
  app.Get("/", async (ctx) => {
    begun.resolve();
    await new Promise((resolve) => setTimeout(resolve, 20));
    done.push("request");
    ctx.WriteString("served");
  });
  app.RegisterOnShutdown(() => void done.push("first"));
  app.RegisterOnShutdown(() => Promise.reject(new Error("task")));
  app.RegisterOnShutdown(async () => {
    await Promise.resolve();
    done.push("last");
  });
  let response = Promise.resolve("");
  await running(app, async (port) => {
    response = askOverSocket(port, "/").then(({ text }) => text);
    await begun.promise;
  });
  assertEquals(await response, "served");
  assertEquals(done, ["request", "last", "first"]);
  assert(lines.some((line) => line.includes("Cannot finish a shutdown task")), lines.join("\n"));
});

Deno.test("Application.Run() with fw.WithoutExit returns the error of a failed start without logging it", async () => {
  const exitCode = Deno.exitCode;
  using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const done: string[] = [];
  const { app, lines } = logged();
  app.RegisterOnShutdown(() => void done.push("shutdown"));
  const codes = async (app: fw.Application, address: string, ...more: fw.Configurator[]) => {
    const error = await app.Run(fw.Addr(address), fw.WithoutExit, ...more);
    return error instanceof fw.FrameworkError ? error.Code : error;
  };
  assertEquals(await codes(app, `127.0.0.1:${taken.addr.port}`), "FW_LISTEN");
  assertEquals(await codes(logged().app, "nonsense:port"), "FW_ADDRESS");
  assertEquals(await codes(logged().app, "127.0.0.1:0", (config) => void (config.Charset = "")), "FW_CONFIG");
  assertEquals([lines, done, Deno.exitCode], [[], [], exitCode]);
});

Deno.test("Application.Build() builds once and throws registration errors", () => {
  const app = quiet();
  app.Get("/", (ctx) => ctx.WriteString("a"));
  assertEquals(app.Build(), undefined);
  assertEquals(app.Build(), undefined);
  const bad = quiet().Configure((config) => void (config.PostMaxMemory = -1));
  assertThrows(() => bad.Build(), fw.FrameworkError);
  assertThrows(() => bad.fetch(new Request("http://localhost/")), fw.FrameworkError);
});

Deno.test("Application.Build() accepts parties with every kind of prefix", async () => {
  const app = quiet();
  for (const prefix of ["/a", "/{id:int}", "/f/{p:path}", "/", "admin.", "*./x", "/é"]) {
    app.Party(prefix).OnErrorCode(404, (ctx) => ctx.WriteString(prefix)).UseRouter((ctx) => ctx.Next());
  }
  app.Build();
  const body = async (path: string) => await (await app.fetch(new Request(`http://localhost${path}`))).text();
  assertEquals(await body("/a/x"), "/a");
  assertEquals(await body("/7/x"), "/{id:int}");
  assertEquals(await body("/f/x/y"), "/f/{p:path}");
  assertEquals(await body("/%C3%A9/x"), "/é");
  assertEquals(await body("/x"), "/");
});

Deno.test("Application.fetch() waits until the view engine is loaded", async () => {
  const app = quiet();
  const loaded = Promise.withResolvers<void>();
  app.RegisterView({ Load: () => loaded.promise, Render: (name, data) => `${name} ${JSON.stringify(data)}` });
  app.Get("/", (ctx) => {
    ctx.ViewData("a", 1);
    return ctx.View("page", { b: 2 });
  });
  const first = app.fetch(new Request("http://localhost/"));
  const second = app.fetch(new Request("http://localhost/"));
  assert(first instanceof Promise && second instanceof Promise);
  loaded.resolve();
  assertEquals(await (await first).text(), 'page {"a":1,"b":2}');
  assertEquals((await second).headers.get("content-type"), "text/html; charset=utf-8");
  assert(app.fetch(new Request("http://localhost/")) instanceof Response);
});

Deno.test("Application.fetch() fails if a view engine cannot load", async () => {
  const app = quiet();
  app.RegisterView({ Load: () => Promise.reject(new Error("no such folder")), Render: () => "" });
  await assertRejects(async () => await app.fetch(new Request("http://localhost/")), Error, "no such folder");
});

Deno.test("Application.fetch is an own property that works without this", async () => {
  const app = quiet();
  app.Get("/", (ctx) => ctx.WriteString("a"));
  const { fetch } = app;
  assertEquals(Object.hasOwn(app, "fetch"), true);
  assertEquals(await (await fetch(new Request("http://localhost/"))).text(), "a");
});

Deno.test("Context.Application() returns the application with its logger and configuration", async () => {
  const app = quiet().Configure(fw.WithVHost("example.com"));
  app.Get("/", (ctx) => {
    assert(ctx.Application().Logger() === app.Logger());
    ctx.WriteString(ctx.Application().Configuration().VHost);
  });
  assertEquals(await (await app.fetch(new Request("http://localhost/"))).text(), "example.com");
});

Deno.test("Application can be called by its own handlers", async () => {
  const app = quiet();
  app.Get("/inner/{x}", (ctx) => ctx.WriteString(`inner ${ctx.Params().Get("x")}`));
  app.Get("/outer/{y}", async (ctx) => {
    const inner = await app.fetch(new Request("http://localhost/inner/1"));
    ctx.WriteString(`${await inner.text()} outer ${ctx.Params().Get("y")}`);
  });
  assertEquals(await (await app.fetch(new Request("http://localhost/outer/2"))).text(), "inner 1 outer 2");
});

/** Returns the application after collecting its log lines. */
function application(app: fw.Application): fw.Application {
  const { lines } = logged(app);
  app.Get("/ping", (ctx) => ctx.WriteString("pong"));
  app.Get("/throw", () => {
    throw new Error("secret");
  });
  app.Get("/lines", (ctx) => ctx.JSON(lines));
  return app;
}

bothWays("Default() logs every request and recovers from errors", () => application(fw.Default()), async (ask) => {
  assertEquals((await ask("/ping")).text, "pong");
  assertEquals((await ask("/nowhere")).status, 404);
  const failed = await ask("/throw");
  assertEquals([failed.status, failed.text], [500, "Internal Server Error"]);
  const lines: string[] = JSON.parse((await ask("/lines")).text);
  assertEquals(lines.length, 4);
  assertMatch(lines[0] ?? "", /^\[INFO\] 200 \S+ 127\.0\.0\.1 GET \/ping$/);
  assertMatch(lines[1] ?? "", /^\[WARN\] 404 \S+ 127\.0\.0\.1 GET \/nowhere$/);
  assertMatch(lines[2] ?? "", /^\[ERRO\] Cannot serve GET \/throw: Error: secret\n/);
  assertMatch(lines[3] ?? "", /^\[ERRO\] 500 \S+ 127\.0\.0\.1 GET \/throw$/);
});

bothWays("New() has no middleware and still responds with a bare 500", () => application(fw.New()), async (ask) => {
  assertEquals((await ask("/ping")).text, "pong");
  const failed = await ask("/throw");
  assertEquals([failed.status, failed.text], [500, "Internal Server Error"]);
  const lines: string[] = JSON.parse((await ask("/lines")).text);
  assertEquals(lines.length, 1);
});

Deno.test("New() creates independent applications", async () => {
  const one = fw.New();
  const two = fw.New();
  one.Get("/", (ctx) => ctx.WriteString("one"));
  two.Macros().Register({ Name: "own", Test: () => true });
  assertEquals((await two.fetch(new Request("http://localhost/"))).status, 404);
  assertEquals(one.Macros().Get("own"), undefined);
  assert(one.Logger() !== two.Logger());
});
