import { assertEquals } from "@std/assert";
import type * as fw from "../../../../mod.ts";
import { bothWays, quiet } from "../../../serving.ts";

/** Creates a handler that writes its name and calls the next one. */
function step(name: string): fw.Handler {
  return (ctx) => {
    ctx.Write(`${name} `);
    return ctx.Next();
  };
}

/** Creates a handler that writes its name before and after the next handlers, which it awaits. */
function around(name: string): fw.Handler {
  return async (ctx) => {
    ctx.Write(`<${name} `);
    await ctx.Next();
    ctx.Write(`${name}> `);
  };
}

/** Creates a handler that writes its name and does not call the next one. */
function end(name: string): fw.Handler {
  return (ctx) => ctx.Write(`${name} `);
}

/** Creates a handler that writes its name in a later turn of the event loop. */
function slow(name: string): fw.Handler {
  return async (ctx) => {
    await Promise.resolve();
    ctx.Write(`${name} `);
  };
}

bothWays("Application runs UseRouter, UseGlobal, Use, handlers, Done in this order", () => {
  const app = quiet();
  app.UseRouter(step("r1"), step("r2"));
  app.UseGlobal(step("g1"), step("g2"));
  app.Use(step("u1"), step("u2"));
  app.Done(step("d1"), step("d2"));
  app.Get("/", step("main"));
  return app;
}, async (ask) => {
  assertEquals((await ask("/")).text, "r1 r2 g1 g2 u1 u2 main d1 d2 ");
});

bothWays("Application runs middleware in the same order regardless of the order of registration", () => {
  const app = quiet();
  app.Done(step("d1"));
  app.Use(step("u1"));
  app.UseGlobal(step("g1"));
  app.Done(step("d2"));
  app.Use(step("u2"));
  app.Get("/", step("main"));
  app.UseGlobal(step("g2"));
  app.UseRouter(step("r1"), step("r2"));
  return app;
}, async (ask) => {
  assertEquals((await ask("/")).text, "r1 r2 g1 g2 u1 u2 main d1 d2 ");
});

bothWays("Party.Use() and Done() run from parent to child", () => {
  const app = quiet();
  app.Use(step("u0"));
  app.Done(step("d0"));
  const child = app.Party("/child", step("u1a"));
  child.Use(step("u1"));
  child.Done(step("d1"));
  const grandchild = child.Party("/grandchild");
  grandchild.Use(step("u2"));
  grandchild.Done(step("d2"));
  grandchild.Get("/", end("main"));
  return app;
}, async (ask) => {
  assertEquals((await ask("/child/grandchild")).text, "u0 u1a u1 u2 main d0 d1 d2 ");
});

bothWays("Party.Use() applies to routes and parties that are created after it", () => {
  const app = quiet();
  const before = app.Party("/before");
  app.Get("/early", end("early"));
  app.Use(step("u"));
  app.Get("/late", end("late"));
  before.Get("/a", end("a"));
  app.Party("/after").Get("/b", end("b"));
  return app;
}, async (ask) => {
  assertEquals((await ask("/early")).text, "early ");
  assertEquals((await ask("/late")).text, "u late ");
  assertEquals((await ask("/before/a")).text, "a ");
  assertEquals((await ask("/after/b")).text, "u b ");
});

bothWays("Party.Use() of a child does not affect its parent and siblings", () => {
  const app = quiet();
  const one = app.Party("/one");
  const two = app.Party("/two");
  one.Use(step("u"));
  one.Get("/", end("one"));
  two.Get("/", end("two"));
  app.Get("/", end("root"));
  return app;
}, async (ask) => {
  assertEquals((await ask("/one")).text, "u one ");
  assertEquals((await ask("/two")).text, "two ");
  assertEquals((await ask("/")).text, "root ");
});

bothWays("Party.Use() does not run if no route matches", () => {
  const app = quiet();
  app.Use((ctx) => (ctx.Header("x-use", "1"), ctx.Next()));
  app.UseGlobal((ctx) => (ctx.Header("x-global", "1"), ctx.Next()));
  app.Get("/a", end("a"));
  return app;
}, async (ask) => {
  const hit = await ask("/a");
  assertEquals([hit.headers.get("x-use"), hit.headers.get("x-global")], ["1", "1"]);
  const miss = await ask("/b");
  assertEquals([miss.status, miss.headers.get("x-use"), miss.headers.get("x-global")], [404, null, null]);
});

bothWays("Party.UseGlobal() applies to every earlier and later route of every party and subdomain", () => {
  const app = quiet();
  app.Get("/early", end("early"));
  const child = app.Party("/child");
  child.Get("/a", end("a"));
  app.Subdomain("admin").Get("/", end("admin"));
  child.UseGlobal(step("g"));
  app.Get("/late", end("late"));
  return app;
}, async (ask) => {
  assertEquals((await ask("/early")).text, "g early ");
  assertEquals((await ask("/late")).text, "g late ");
  assertEquals((await ask("/child/a")).text, "g a ");
  assertEquals((await ask("/", { headers: { host: "admin.example.com" } })).text, "g admin ");
});

bothWays("Party.UseRouter() runs for every request below its prefix, even without a route", () => {
  const app = quiet();
  const child = app.Party("/child");
  app.UseRouter((ctx) => (ctx.AddHeader("x-seen", "root"), ctx.Next()));
  child.UseRouter((ctx) => (ctx.AddHeader("x-seen", "child"), ctx.Next()));
  app.Get("/a", end("a"));
  child.Get("/b", end("b"));
  return app;
}, async (ask) => {
  const seen = async (path: string, method = "GET") => {
    const response = await ask(path, { method });
    return `${response.status} ${response.headers.get("x-seen")}`;
  };
  assertEquals(await seen("/a"), "200 root");
  assertEquals(await seen("/nowhere"), "404 root");
  assertEquals(await seen("/child/b"), "200 root, child");
  assertEquals(await seen("/child/nowhere"), "404 root, child");
  assertEquals(await seen("/child"), "404 root, child");
  assertEquals(await seen("/child/"), "404 root, child");
  assertEquals(await seen("/child/b/c/d"), "404 root, child");
  assertEquals(await seen("/children"), "404 root");
  assertEquals(await seen("/child/b", "POST"), "405 root, child");
  assertEquals(await seen("/child/b/"), "301 root, child");
  assertEquals(await seen("/child/%zz"), "400 root, child");
});

bothWays("Party.UseRouter() prevents the route from running if it does not call Next", () => {
  const app = quiet();
  app.UseRouter((ctx) => ctx.GetHeader("x-key") === "1" ? ctx.Next() : ctx.StopWithText(403, "shut"));
  app.Get("/a", end("a"));
  return app;
}, async (ask) => {
  assertEquals((await ask("/a")).text, "shut");
  assertEquals((await ask("/nowhere")).status, 403);
  assertEquals((await ask("/a", { headers: { "x-key": "1" } })).text, "a ");
});

bothWays("Party.UseRouter() can respond to a request without a route", () => {
  const app = quiet();
  app.UseRouter((ctx) => {
    if (ctx.GetCurrentRoute() !== undefined) return ctx.Next();
    ctx.StatusCode(200);
    ctx.WriteString("instead");
  });
  app.Get("/a", end("a"));
  return app;
}, async (ask) => {
  const response = await ask("/nowhere");
  assertEquals([response.status, response.text], [200, "instead"]);
});

bothWays("Party.Done() runs once, after a handler that does not call Next", () => {
  const app = quiet();
  app.Done(end("d1"), end("d2"));
  app.Get("/plain", end("main"));
  app.Get("/next", step("main"));
  app.Get("/slow", slow("main"));
  app.Get("/around", around("main"));
  app.Get("/response", () => new Response("response"));
  return app;
}, async (ask) => {
  assertEquals((await ask("/plain")).text, "main d1 d2 ");
  assertEquals((await ask("/next")).text, "main d1 d2 ");
  assertEquals((await ask("/slow")).text, "main d1 d2 ");
  assertEquals((await ask("/around")).text, "<main d1 d2 main> ");
});

bothWays("Party.Done() can read and change the response", () => {
  const app = quiet();
  app.Done((ctx) => ctx.Header("x-status", String(ctx.GetStatusCode())));
  app.Get("/created", (ctx) => {
    ctx.StatusCode(201);
    ctx.WriteString("made");
  });
  app.Get("/response", () => new Response("made", { status: 202 }));
  app.Get("/later", async () => {
    await Promise.resolve();
    return new Response("made", { status: 203 });
  });
  return app;
}, async (ask) => {
  for (const [path, status] of [["/created", 201], ["/response", 202], ["/later", 203]] as const) {
    const response = await ask(path);
    assertEquals([response.status, response.text, response.headers.get("x-status")], [status, "made", String(status)]);
  }
});

bothWays("Party.Done() does not run if execution was stopped or a handler threw", () => {
  const app = quiet();
  app.Done((ctx) => ctx.Header("x-done", "1"));
  app.Get("/stop", (ctx) => (ctx.WriteString("stopped"), ctx.StopExecution()));
  app.Get("/status", (ctx) => ctx.StopWithStatus(409));
  app.Get("/redirect", (ctx) => ctx.Redirect("/"));
  app.Get("/throw", () => {
    throw new Error("no");
  });
  app.Get("/slow", async (ctx) => {
    await Promise.resolve();
    ctx.StopExecution();
  });
  return app;
}, async (ask) => {
  for (const path of ["/stop", "/status", "/redirect", "/throw", "/slow"]) {
    assertEquals((await ask(path)).headers.get("x-done"), null, path);
  }
});

bothWays("Party.Done() does not run if middleware before the main handler did not call Next", () => {
  const app = quiet();
  app.Done(end("d"));
  app.Get("/", end("guard"), end("main"));
  return app;
}, async (ask) => {
  assertEquals((await ask("/")).text, "guard ");
});

bothWays("Party.Done() waits for asynchronous handlers", () => {
  const app = quiet();
  app.Done(slow("d1"), end("d2"), slow("d3"));
  app.Get("/", slow("main"));
  return app;
}, async (ask) => {
  assertEquals((await ask("/")).text, "main d1 d2 d3 ");
});

bothWays("Party.Done() applies to routes that are registered after it", () => {
  const app = quiet();
  app.Get("/early", end("early"));
  app.Done(end("d"));
  app.Get("/late", end("late"));
  return app;
}, async (ask) => {
  assertEquals((await ask("/early")).text, "early ");
  assertEquals((await ask("/late")).text, "late d ");
});

bothWays("Party.UseError() runs before error handlers and before the default page", () => {
  const app = quiet();
  app.UseError((ctx) => (ctx.Header("x-error", String(ctx.GetStatusCode())), ctx.Next()));
  app.OnErrorCode(404, end("no such page"));
  app.Get("/conflict", (ctx) => ctx.StatusCode(409));
  app.Get("/fine", end("fine"));
  return app;
}, async (ask) => {
  const missing = await ask("/nowhere");
  assertEquals([missing.text, missing.headers.get("x-error")], ["no such page ", "404"]);
  const conflict = await ask("/conflict");
  assertEquals([conflict.text, conflict.headers.get("x-error")], ["Conflict", "409"]);
  assertEquals((await ask("/fine")).headers.get("x-error"), null);
});

bothWays("Party.UseError() runs from parent to child", () => {
  const app = quiet();
  app.UseError(step("e0"));
  const child = app.Party("/child");
  child.UseError(step("e1"));
  child.OnErrorCode(404, end("child"));
  return app;
}, async (ask) => {
  assertEquals((await ask("/child/x")).text, "e0 e1 child ");
  assertEquals((await ask("/x")).text, "e0 ");
});

bothWays("Party.UseError() prevents the error handler from running if it responds", () => {
  const app = quiet();
  app.UseError((ctx) => ctx.WriteString("mine"));
  app.OnErrorCode(404, end("other"));
  return app;
}, async (ask) => {
  const response = await ask("/x");
  assertEquals([response.status, response.text], [404, "mine"]);
});

bothWays("Party.Party() accepts synchronous and asynchronous middleware, which runs from parent to child", () => {
  const app = quiet();
  app.UseRouter(around("r"));
  const child = app.Party("/a", around("u"), step("v"));
  child.Get("/", around("m"), slow("main"));
  return app;
}, async (ask) => {
  assertEquals((await ask("/a")).text, "<r <u v <m main m> u> r> ");
});
