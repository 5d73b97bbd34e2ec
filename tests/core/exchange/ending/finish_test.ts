import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import * as fw from "../../../../mod.ts";
import { exchangeOf } from "../../../../src/core/context/context.ts";
import { beforeResponse } from "../../../../src/core/exchange/ending/end_tasks.ts";
import { writeAsOwner } from "../../../../src/core/exchange/ending/ending.ts";
import { bothWays, logged, quiet } from "../../../serving.ts";

function text(body: string): fw.Handler {
  return (ctx) => ctx.WriteString(body);
}

// Unexpected errors must not be visible to clients.

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
    // deno-lint-ignore no-throw-literal -- third-party code may throw any value
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
  "Application responds with a plain 500 if a handler throws",
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
  "Application drops the headers of an incomplete body, and keeps the others",
  () => failing(quiet()),
  async (ask) => {
    const response = await ask("/half");
    assertEquals(response.headers.get("etag"), null);
    assertEquals(response.headers.get("x-kept"), "1");
    assertEquals(response.text, "Internal Server Error");
  },
);

Deno.test("Application logs handler errors with their stack trace and the request", async () => {
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
  const lines: string[] = JSON.parse((await ask("/lines")).text);
  assertEquals(lines.length, 1, "client errors are not for the log, server errors are");
  assertStringIncludes(lines[0] ?? "", secret);
});

bothWays("Application responds to HEAD of an error without its body", () => failing(quiet()), async (ask) => {
  const response = await ask("/sync", { method: "HEAD" });
  assertEquals([response.status, response.text, response.headers.get("content-length")], [500, "", "21"]);
});

bothWays("Application responds with 500 if a returned Response was already used, and continues to serve", () => {
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

// End tasks

bothWays(
  "beforeResponse() runs tasks once and in order after the handlers, and they can change the response",
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
        const value = `${done.join("")} ${ctx.GetStatusCode()}`;
        writeAsOwner(exchangeOf(ctx), () => ctx.Header("x-done", value));
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

bothWays("beforeResponse() fails the request if a task fails", () => {
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
