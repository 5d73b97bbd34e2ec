import { assertEquals } from "@std/assert";
import * as fw from "../../mod.ts";
import * as logger from "../../src/middleware/logger.ts";
import * as recover from "../../src/middleware/recover.ts";
import { askOverSocket, bothWays, logged, overSocket, quiet } from "../serving.ts";

function text(body: string): fw.Handler {
  return (ctx) => ctx.WriteString(body);
}

bothWays("spec 1: an application registers routes and handlers", () => {
  const app = quiet();
  app.Get("/ping", text("pong"));
  return app;
}, async (ask) => {
  assertEquals((await ask("/ping")).text, "pong");
});

bothWays("spec 1.2: a route is registered directly by method, path and handler", () => {
  const app = quiet();
  app.Handle("GET", "/a", text("get"));
  app.Handle("POST", "/a", text("post"));
  return app;
}, async (ask) => {
  assertEquals((await ask("/a")).text, "get");
  assertEquals((await ask("/a", { method: "POST" })).text, "post");
});

bothWays("spec 1.3: the built-in recovery and logger middleware is added with Use", () => {
  const { app, lines } = logged();
  app.Use(logger.New());
  app.Use(recover.New());
  app.Get("/", () => {
    throw new Error("panic");
  });
  app.Get("/lines", (ctx) => ctx.JSON(lines.map((line) => line.split(" ").slice(0, 2).join(" "))));
  return app;
}, async (ask) => {
  assertEquals((await ask("/")).status, 500);
  assertEquals((await ask("/lines")).text, '["[ERRO] Cannot","[ERRO] 500"]');
});

Deno.test("spec 1.4: the server is started with Run and a listen-address option", async () => {
  const app = quiet();
  app.Get("/ping", text("pong"));
  const port = Promise.withResolvers<number>();
  const run = app.Run(
    fw.Addr("127.0.0.1:0"),
    fw.WithoutStartupLog,
    fw.WithoutInterruptHandler,
    fw.WithOnListen((addr) => port.resolve("port" in addr ? addr.port : 0)),
  );
  assertEquals((await askOverSocket(await port.promise, "/ping")).text, "pong");
  await app.Shutdown();
  assertEquals(await run, null);
});

bothWays("spec 4.1: app.Handle(method, path, handler) registers a handler for a method and path", () => {
  const app = quiet();
  for (const method of fw.Methods) app.Handle(method, "/a", (ctx) => ctx.Header("x-method", method));
  return app;
}, async (ask, way) => {
  for (const method of fw.Methods) {
    if (method === "CONNECT" || (method === "TRACE" && way === "in process")) continue;
    assertEquals((await ask("/a", { method })).headers.get("x-method"), method);
  }
});

bothWays("spec 4.1: app.Get, app.Post and similar methods call Handle with their HTTP method", () => {
  const app = quiet();
  const register = { GET: app.Get, POST: app.Post, PUT: app.Put, DELETE: app.Delete, PATCH: app.Patch, HEAD: app.Head };
  for (const [method, call] of Object.entries(register)) call.call(app, "/a", (ctx) => ctx.Header("x-method", method));
  app.Options("/a", (ctx) => ctx.Header("x-method", "OPTIONS"));
  return app;
}, async (ask) => {
  for (const method of ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"]) {
    assertEquals((await ask("/a", { method })).headers.get("x-method"), method);
  }
});

Deno.test("spec 4.1: app.Connect and app.Trace follow the same pattern", async () => {
  const app = quiet();
  app.Connect("/", text("connect"));
  app.Trace("/a", text("trace"));
  await overSocket(app, async (ask) => {
    assertEquals((await ask("example.com:443", { method: "CONNECT" })).text, "connect");
    assertEquals((await ask("/a", { method: "TRACE" })).text, "trace");
  });
});

bothWays("spec 4.1: app.Party(path_prefix) creates a route group", () => {
  const app = quiet();
  const users = app.Party("/users");
  users.Get("/", text("all"));
  users.Get("/{id:long}", (ctx) => ctx.WriteString(`one ${ctx.Params().Get("id")}`));
  return app;
}, async (ask) => {
  assertEquals((await ask("/users")).text, "all");
  assertEquals((await ask("/users/42")).text, "one 42");
});

bothWays("spec 4.1: app.Party accepts subdomains", () => {
  const app = quiet();
  app.Party("admin.").Get("/", text("admin"));
  app.Get("/", text("root"));
  return app;
}, async (ask) => {
  assertEquals((await ask("/", { headers: { host: "admin.example.com" } })).text, "admin");
  assertEquals((await ask("/", { headers: { host: "example.com" } })).text, "root");
});

bothWays("spec 4.1: a party's begin and done handlers run for its routes", () => {
  const app = quiet();
  const party = app.Party("/a");
  party.Use((ctx) => (ctx.WriteString("begin "), ctx.Next()));
  party.Done((ctx) => ctx.WriteString(" done"));
  party.Get("/", text("main"));
  return app;
}, async (ask) => {
  assertEquals((await ask("/a")).text, "begin main done");
});

bothWays("spec 4.1: app.Use(handler) adds a handler that runs for routes", () => {
  const app = quiet();
  app.Use((ctx) => (ctx.Header("x-used", "1"), ctx.Next()));
  app.Get("/a", text("a"));
  return app;
}, async (ask) => {
  assertEquals((await ask("/a")).headers.get("x-used"), "1");
  assertEquals((await ask("/nowhere")).headers.get("x-used"), null);
});

Deno.test("spec 4.1: app.Run(address option, configurators...) starts the server with the configurators", async () => {
  const app = quiet();
  app.Get("/a", text("a"));
  const port = Promise.withResolvers<number>();
  const run = app.Run(
    fw.Addr("127.0.0.1:0"),
    fw.WithPostMaxMemory(64 << 20),
    fw.WithoutPathCorrection,
    fw.WithoutStartupLog,
    fw.WithoutInterruptHandler,
    fw.WithOnListen((addr) => port.resolve("port" in addr ? addr.port : 0)),
  );
  assertEquals((await askOverSocket(await port.promise, "/a/")).status, 404);
  assertEquals(app.Configuration().PostMaxMemory, 64 << 20);
  await app.Shutdown();
  await run;
});

bothWays("spec 4.1: fw.Default() creates an application", () => {
  const { app } = logged(fw.Default());
  app.Get("/", text("a"));
  return app;
}, async (ask) => {
  assertEquals((await ask("/")).text, "a");
});

bothWays("spec 4.1: fw.New() also creates an application", () => {
  const app = fw.New();
  app.Get("/", text("a"));
  return app;
}, async (ask) => {
  assertEquals((await ask("/")).text, "a");
});

bothWays("spec 4.3: the basic routes respond with HTML, text and JSON", () => {
  const app = quiet();
  app.Get("/", (ctx) => ctx.HTML("<h1>Welcome</h1>"));
  app.Get("/ping", (ctx) => ctx.WriteString("pong"));
  app.Get("/hello", (ctx) => ctx.JSON({ message: "Hello fw" } satisfies fw.Map));
  return app;
}, async (ask) => {
  const root = await ask("/");
  assertEquals([root.status, root.text, root.headers.get("content-type")], [
    200,
    "<h1>Welcome</h1>",
    "text/html; charset=utf-8",
  ]);
  const ping = await ask("/ping");
  assertEquals([ping.status, ping.text, ping.headers.get("content-type")], [200, "pong", "text/plain;charset=UTF-8"]);
  const hello = await ask("/hello");
  assertEquals([hello.status, hello.text, hello.headers.get("content-type")], [
    200,
    '{"message":"Hello fw"}',
    "application/json",
  ]);
});

bothWays("spec 7: a path that does not match its typed parameters gets 404 Not Found", () => {
  const app = quiet();
  app.Get("/users/{id:long}", text("user"));
  app.Get("/flags/{on:bool}", text("flag"));
  return app;
}, async (ask) => {
  for (const path of ["/users/abc", "/users/1.5", "/users/9223372036854775808", "/users/", "/flags/maybe"]) {
    const response = await ask(path);
    assertEquals([response.status, response.text], [404, "Not Found"], path);
  }
  assertEquals((await ask("/users/9223372036854775807")).text, "user");
});

bothWays("spec 7: a panic inside a handler is recovered if the recovery middleware is installed", () => {
  const { app } = logged();
  app.Use(recover.New());
  app.Get("/panic", () => {
    throw new Error("panic");
  });
  app.Get("/later", async () => {
    await Promise.resolve();
    throw new Error("panic");
  });
  app.Get("/ok", text("ok"));
  return app;
}, async (ask) => {
  assertEquals((await ask("/panic")).status, 500);
  assertEquals((await ask("/later")).status, 500);
  assertEquals((await ask("/ok")).text, "ok");
});
