import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import * as fw from "../../mod.ts";
import { exchangeOf } from "../../src/context/context.ts";
import { afterResponse, beforeResponse } from "../../src/context/end_tasks.ts";
import { bothWays, logged, overSocket, quiet } from "../serving.ts";

function text(body: string): fw.Handler {
  return (ctx) => ctx.WriteString(body);
}

// What a stranger throws, a stranger does not see.

const secret = "the password is sesame";

function failing(app: fw.Application): fw.Application {
  app.Get("/sync", () => {
    throw new Error(secret);
  });
  app.Get("/async", async () => {
    await Promise.resolve();
    throw new TypeError(secret, { cause: new Error(secret) });
  });
  app.Get("/text", () => {
    throw secret;
  });
  app.Get("/nothing", () => {
    // deno-lint-ignore no-throw-literal -- others do.
    throw undefined;
  });
  app.Get("/object", () => {
    throw { status: 418, message: secret };
  });
  app.Get("/frozen", () => {
    throw Object.freeze(new Error(secret));
  });
  app.Get("/framework", () => {
    throw new fw.FrameworkError("FW_STATE", secret);
  });
  app.Get("/rejects", () => Promise.reject(new Error(secret)));
  app.Get("/half", (ctx) => {
    ctx.StatusCode(201);
    ctx.Header("etag", '"x"');
    ctx.Header("content-length", "1000");
    ctx.ContentType("application/pdf");
    ctx.Header("x-kept", "1");
    ctx.WriteString("half a response");
    throw new Error(secret);
  });
  app.Get("/ok", text("ok"));
  return app;
}

bothWays(
  "Application responds with a bare 500 to what a handler throws, and lives on",
  () => failing(quiet()),
  async (ask) => {
    for (const name of ["sync", "async", "text", "nothing", "object", "frozen", "framework", "rejects", "half"]) {
      const response = await ask(`/${name}`);
      assertEquals([response.status, response.text], [500, "Internal Server Error"], name);
      assertEquals(response.headers.get("content-type"), "text/plain;charset=UTF-8", name);
      assert(![...response.headers.values()].join().includes("sesame"), name);
      assertEquals((await ask("/ok")).text, "ok");
    }
  },
);

bothWays(
  "Application drops what described the half-written body, and keeps the other headers",
  () => failing(quiet()),
  async (ask) => {
    const response = await ask("/half");
    assertEquals(response.headers.get("etag"), null);
    assertEquals(response.headers.get("x-kept"), "1");
    assertEquals(response.text, "Internal Server Error");
  },
);

Deno.test("Application logs what a handler throws, with its stack and the request", async () => {
  const { app, lines } = logged(failing(fw.New()));
  for (const name of ["sync", "async", "text", "object"]) {
    lines.length = 0;
    await app.fetch(new Request(`http://localhost/${name}?q=1`));
    assertEquals(lines.length, 1);
    assertStringIncludes(lines[0] ?? "", `[ERRO] Cannot serve GET /${name}:`);
    assertStringIncludes(lines[0] ?? "", secret);
  }
  assertStringIncludes(lines.join(), "finish_test.ts");
});

bothWays("HTTPError responds with its status and message, or the status text", () => {
  const { app, lines } = logged();
  app.Get("/message", () => {
    throw new fw.HTTPError(409, "Name taken");
  });
  app.Get("/none", async () => {
    await Promise.resolve();
    throw new fw.HTTPError(410);
  });
  app.Get("/cause", () => {
    throw new fw.HTTPError(502, "Upstream", { cause: new Error(secret) });
  });
  app.Get("/html", () => {
    throw new fw.HTTPError(400, "<script>alert(1)</script>");
  });
  app.Get("/below", (ctx) => {
    ctx.JSON({ half: true });
    throw new fw.HTTPError(400, "no");
  });
  app.Get("/lines", (ctx) => ctx.JSON(lines));
  return app;
}, async (ask) => {
  const expected: [path: string, status: number, body: string][] = [
    ["/message", 409, "Name taken"],
    ["/none", 410, "Gone"],
    ["/cause", 502, "Upstream"],
    ["/html", 400, "<script>alert(1)</script>"],
    ["/below", 400, "no"],
  ];
  for (const [path, status, body] of expected) {
    const response = await ask(path);
    assertEquals([response.status, response.text], [status, body], path);
    assertEquals(response.headers.get("content-type"), "text/plain;charset=UTF-8", path);
  }
  assertEquals((await ask("/lines")).text, "[]", "what was made for the client is not for the log");
});

// Error pages

bothWays("OnErrorCode() does not touch a response that has a body", () => {
  const app = quiet();
  app.OnAnyErrorCode(text("page"));
  app.Get("/text", (ctx) => (ctx.StatusCode(404), ctx.WriteString("mine")));
  app.Get("/empty", (ctx) => (ctx.StatusCode(404), ctx.WriteString("")));
  app.Get("/json", (ctx) => (ctx.StatusCode(500), ctx.JSON(null)));
  app.Get("/response", () => new Response("mine", { status: 404 }));
  app.Get("/null", () => new Response(null, { status: 404 }));
  app.Get("/status", (ctx) => ctx.StatusCode(404));
  return app;
}, async (ask) => {
  const bodies: Record<string, string> = {
    "/text": "mine",
    "/empty": "",
    "/json": "null",
    "/response": "mine",
    "/null": "",
    "/status": "page",
  };
  for (const [path, body] of Object.entries(bodies)) assertEquals((await ask(path)).text, body, path);
});

bothWays("OnErrorCode() may run several handlers, asynchronous ones too, and change the status", () => {
  const app = quiet();
  app.OnErrorCode(404, async (ctx) => {
    await Promise.resolve();
    ctx.WriteString("a");
    await ctx.Next();
    ctx.WriteString("c");
  }, (ctx) => {
    ctx.StatusCode(410);
    ctx.WriteString("b");
  });
  return app;
}, async (ask) => {
  const response = await ask("/nowhere");
  assertEquals([response.status, response.text], [410, "abc"]);
});

bothWays("OnErrorCode() that writes nothing leaves the status text", () => {
  const app = quiet();
  app.OnErrorCode(404, (ctx) => ctx.Header("x-page", "1"));
  return app;
}, async (ask) => {
  const response = await ask("/nowhere");
  assertEquals([response.status, response.text, response.headers.get("x-page")], [404, "Not Found", "1"]);
});

bothWays("OnErrorCode() that fails itself responds with the bare status, once", () => {
  const app = quiet();
  let runs = 0;
  app.OnAnyErrorCode((ctx) => {
    runs++;
    ctx.WriteString("half");
    throw new Error(secret);
  });
  app.Get("/runs", (ctx) => ctx.WriteString(String(runs)));
  return app;
}, async (ask) => {
  const response = await ask("/nowhere");
  assertEquals([response.status, response.text], [500, "Internal Server Error"]);
  assertEquals((await ask("/runs")).text, "1");
});

bothWays("OnErrorCode() that throws an HTTPError responds with that", () => {
  const app = quiet();
  app.OnErrorCode(404, () => {
    throw new fw.HTTPError(403, "Not for you");
  });
  return app;
}, async (ask) => {
  const response = await ask("/nowhere");
  assertEquals([response.status, response.text], [403, "Not for you"]);
});

bothWays("OnErrorCode() may redirect and may return a Response", () => {
  const app = quiet();
  app.OnErrorCode(401, (ctx) => ctx.Redirect("/login"));
  app.OnErrorCode(404, () => new Response("page", { status: 404, headers: { "x-page": "1" } }));
  app.Get("/private", (ctx) => ctx.StatusCode(401));
  return app;
}, async (ask) => {
  const login = await ask("/private");
  assertEquals([login.status, login.headers.get("location")], [302, "/login"]);
  const page = await ask("/nowhere");
  assertEquals([page.status, page.text, page.headers.get("x-page")], [404, "page", "1"]);
});

bothWays("OnErrorCode() responds to what a handler threw, with the error at hand", () => {
  const app = quiet();
  app.OnErrorCode(500, (ctx) => ctx.WriteString(`sorry ${ctx.GetErr() instanceof RangeError}`));
  app.Get("/", () => {
    throw new RangeError(secret);
  });
  app.Get("/later", async () => {
    await Promise.resolve();
    throw new RangeError(secret);
  });
  return app;
}, async (ask) => {
  assertEquals((await ask("/")).text, "sorry true");
  assertEquals((await ask("/later")).text, "sorry true");
});

bothWays("Application sends the default page as text, whatever type was set for the body that never came", () => {
  const app = quiet();
  app.Get("/a", (ctx) => {
    ctx.ContentType("application/json");
    ctx.StatusCode(404);
  });
  return app;
}, async (ask) => {
  const response = await ask("/a");
  assertEquals([response.text, response.headers.get("content-type")], ["Not Found", "text/plain;charset=UTF-8"]);
});

bothWays("Application names a status that has no text", () => {
  const app = quiet();
  app.Get("/", (ctx) => ctx.StatusCode(599));
  return app;
}, async (ask) => {
  const response = await ask("/");
  assertEquals([response.status, response.text], [599, "Status 599"]);
});

bothWays("Application responds to HEAD of an error without its body", () => failing(quiet()), async (ask) => {
  const response = await ask("/sync", { method: "HEAD" });
  assertEquals([response.status, response.text, response.headers.get("content-length")], [500, "", "21"]);
});

bothWays("Application responds with 500 where a returned Response was used already, and lives on", () => {
  const app = quiet();
  const shared = new Response("shared");
  const parties = [app.Party("/plain"), app.Party("/headers", (ctx) => (ctx.Header("x-a", "1"), ctx.Next()))];
  for (const party of parties) {
    party.Get("/used", async () => {
      const response = new Response("read");
      await response.text();
      return response;
    });
    party.Get("/error", () => Response.error());
  }
  app.Get("/shared", () => shared);
  app.Get("/ok", text("ok"));
  return app;
}, async (ask) => {
  for (const path of ["/plain/used", "/plain/error", "/headers/used", "/headers/error"]) {
    const response = await ask(path);
    assertEquals([response.status, response.text], [500, "Internal Server Error"], path);
    const head = await ask(path, { method: "HEAD" });
    assertEquals([head.status, head.text], [500, ""], path);
  }
  assertEquals((await ask("/shared")).text, "shared");
  assertEquals((await ask("/shared")).status, 500);
  assertEquals((await ask("/ok")).text, "ok");
});

// Tasks for the end of a request

bothWays(
  "beforeResponse() runs tasks once and in order when the handlers have finished, and may change the response",
  () => {
    const app = quiet();
    app.Get("/", (ctx) => {
      const done: string[] = [];
      beforeResponse(exchangeOf(ctx), () => void done.push("a"));
      beforeResponse(exchangeOf(ctx), async () => {
        await Promise.resolve();
        done.push("b");
      });
      beforeResponse(exchangeOf(ctx), () => void done.push("c"));
      beforeResponse(exchangeOf(ctx), async () => {
        await Promise.resolve();
        ctx.Header("x-done", `${done.join("")} ${ctx.GetStatusCode()}`);
      });
      ctx.StatusCode(201);
      ctx.WriteString("a");
    });
    app.Get("/missing", (ctx) => {
      beforeResponse(exchangeOf(ctx), () => ctx.Header("x-body", "page first"));
      ctx.StatusCode(404);
    });
    return app;
  },
  async (ask) => {
    const response = await ask("/");
    assertEquals([response.status, response.headers.get("x-done")], [201, "abc 201"]);
    const missing = await ask("/missing");
    assertEquals([missing.text, missing.headers.get("x-body")], ["Not Found", "page first"]);
  },
);

bothWays("beforeResponse() that fails is a failure of the request", () => {
  const app = quiet();
  app.OnErrorCode(503, text("later"));
  app.Get("/", (ctx) => {
    ctx.WriteString("a");
    beforeResponse(exchangeOf(ctx), () => Promise.reject(new Error(secret)));
  });
  app.Get("/http", (ctx) => {
    ctx.WriteString("a");
    beforeResponse(exchangeOf(ctx), () => {
      throw new fw.HTTPError(503);
    });
  });
  return app;
}, async (ask) => {
  const response = await ask("/");
  assertEquals([response.status, response.text], [500, "Internal Server Error"]);
  const http = await ask("/http");
  assertEquals([http.status, http.text], [503, "later"]);
});

Deno.test("afterResponse() runs tasks last given first, each whatever the others did, in process", async () => {
  const { app, lines } = logged();
  const done: string[] = [];
  app.Get("/{how}", (ctx) => {
    afterResponse(exchangeOf(ctx), () => void done.push("a"));
    afterResponse(exchangeOf(ctx), () => Promise.reject(new Error("task")));
    afterResponse(exchangeOf(ctx), async () => {
      await Promise.resolve();
      done.push("b");
    });
    if (ctx.Params().Get("how") === "throw") throw new Error("handler");
    if (ctx.Params().Get("how") === "stream") return ctx.Stream(["x", "y"]);
    ctx.WriteString("text");
  });
  for (const how of ["text", "throw", "stream"]) {
    done.length = 0;
    const response = await app.fetch(new Request(`http://localhost/${how}`));
    if (how === "stream") assertEquals(done, []);
    await response.text();
    assertEquals(done, ["b", "a"], how);
  }
  assertEquals(lines.filter((line) => line.startsWith("[ERRO] Cannot end a request:")).length, 3);
});

Deno.test("afterResponse() runs tasks when a stream that is not read to its end is cancelled, or breaks", async () => {
  const app = quiet();
  const done: string[] = [];
  app.Get("/{how}", (ctx) => {
    const how = ctx.Params().Get("how");
    afterResponse(exchangeOf(ctx), () => void done.push(how));
    ctx.Stream(
      new ReadableStream({
        pull: (controller) =>
          how === "broken" ? controller.error(new Error("no")) : controller.enqueue(new Uint8Array(1)),
      }),
    );
  });
  const cancelled = await app.fetch(new Request("http://localhost/cancelled"));
  await cancelled.body?.cancel();
  const broken = await app.fetch(new Request("http://localhost/broken"));
  await broken.text().catch(() => {});
  assertEquals(done, ["cancelled", "broken"]);
});

Deno.test("afterResponse() runs tasks when the response has left the socket", async () => {
  const app = quiet();
  const ended = Promise.withResolvers<void>();
  const order: string[] = [];
  app.Get("/", (ctx) => {
    afterResponse(exchangeOf(ctx), () => {
      order.push("after");
      ended.resolve();
    });
    ctx.Stream((async function* () {
      yield "a";
      await Promise.resolve();
      yield "b";
      order.push("sent");
    })());
  });
  await overSocket(app, async (ask) => {
    assertEquals((await ask("/")).text, "ab");
    await ended.promise;
    assertEquals(order, ["sent", "after"]);
  });
});

Deno.test("afterResponse() runs tasks when the client goes away", async () => {
  const app = quiet();
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  app.Get("/", (ctx) => {
    afterResponse(exchangeOf(ctx), () => ended.resolve());
    ctx.Stream(
      new ReadableStream({
        pull(controller) {
          begun.resolve();
          controller.enqueue(new Uint8Array(1 << 16));
        },
      }),
    );
  });
  await overSocket(app, async (_ask, port) => {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    await connection.write(new TextEncoder().encode("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n"));
    await begun.promise;
    connection.close();
    await ended.promise;
  });
});

Deno.test("Party.OnErrorCode() keeps the status when its handler returns a Response that says nothing of it", async () => {
  const app = fw.New();
  app.OnErrorCode(404, () => new Response("no such page"));
  app.OnErrorCode(405, () => new Response("gone", { status: 410 }));
  app.Post("/post", (ctx) => ctx.WriteString("posted"));
  const missing = await app.fetch(new Request("http://localhost/none"));
  assertEquals([missing.status, await missing.text()], [404, "no such page"]);
  const refused = await app.fetch(new Request("http://localhost/post"));
  assertEquals([refused.status, await refused.text()], [410, "gone"]);
});
