import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import * as fw from "../../mod.ts";
import * as recover from "../../src/middleware/recover.ts";
import { bothWays, logged } from "../serving.ts";

const secret = "the password is sesame";

function failing(): { app: fw.Application; lines: string[]; caught: unknown[] } {
  const { app, lines } = logged();
  const caught: unknown[] = [];
  app.Use((ctx) => {
    const rest = ctx.Next();
    ctx.Header("x-above", "ran on");
    return rest;
  });
  app.Use(recover.New({ OnError: (_ctx, error) => void caught.push(error) }));
  app.Get("/sync", (ctx) => {
    ctx.WriteString("half");
    throw new Error(secret);
  });
  app.Get("/async", async () => {
    await Promise.resolve();
    throw new Error(secret);
  });
  app.Get("/http", () => {
    throw new fw.HTTPError(409, "Name taken");
  });
  app.Get("/fine", (ctx) => ctx.WriteString("fine"));
  app.Get("/later", async (ctx) => {
    await Promise.resolve();
    ctx.WriteString("later");
  });
  app.Get("/caught", (ctx) => ctx.JSON(caught.map((error) => error instanceof Error ? error.message : error)));
  app.Get("/lines", (ctx) => ctx.JSON(lines));
  return { app, lines, caught };
}

bothWays(
  "recover.New() responds with 500 without details, and outer middleware continues",
  () => failing().app,
  async (ask) => {
    for (const path of ["/sync", "/async"]) {
      const response = await ask(path);
      assertEquals([response.status, response.text], [500, "Internal Server Error"], path);
      assertEquals(response.headers.get("x-above"), "ran on");
      assert(![...response.headers].join().includes("sesame"));
    }
  },
);

bothWays("recover.New() logs the stack trace of each error once", () => failing().app, async (ask) => {
  await ask("/sync");
  await ask("/async");
  const lines: string[] = JSON.parse((await ask("/lines")).text);
  assertEquals(lines.length, 2);
  for (const line of lines) {
    assertStringIncludes(line, secret);
    assertStringIncludes(line, "recover_test.ts");
  }
});

bothWays("recover.New() passes each error to OnError", () => failing().app, async (ask) => {
  await ask("/sync");
  await ask("/http");
  assertEquals((await ask("/caught")).text, JSON.stringify([secret, "Name taken"]));
});

bothWays(
  "recover.New() responds with the status of an HTTPError and does not log it",
  () => failing().app,
  async (ask) => {
    const response = await ask("/http");
    assertEquals([response.status, response.text], [409, "Name taken"]);
    assertEquals((await ask("/lines")).text, "[]");
  },
);

bothWays("recover.New() does not affect successful requests", () => failing().app, async (ask) => {
  assertEquals((await ask("/fine")).text, "fine");
  assertEquals((await ask("/later")).text, "later");
});

bothWays("recover.New() stops the chain, so that Done does not run after an error", () => {
  const { app } = logged();
  app.Use(recover.New());
  app.Done((ctx) => ctx.Header("x-done", "1"));
  app.Get("/", () => {
    throw new Error(secret);
  });
  return app;
}, async (ask) => {
  assertEquals((await ask("/")).headers.get("x-done"), null);
});

bothWays("recover.New() stops the chain, so that another Next runs no further handlers", () => {
  const { app } = logged();
  app.Use((ctx) => {
    ctx.Next();
    ctx.Next();
  });
  app.Use(recover.New());
  app.Get("/", () => {
    throw new Error(secret);
  }, (ctx) => ctx.WriteString("ran"));
  return app;
}, async (ask) => {
  assertEquals((await ask("/")).text, "Internal Server Error");
});

bothWays("recover.New() lets error handlers write the body", () => {
  const { app } = logged();
  app.Use(recover.New());
  app.OnErrorCode(500, (ctx) => ctx.WriteString("sorry"));
  app.Get("/", () => {
    throw new Error(secret);
  });
  return app;
}, async (ask) => {
  assertEquals((await ask("/")).text, "sorry");
});

Deno.test("recover.New() stays synchronous if the handlers are", () => {
  const { app } = failing();
  assert(app.fetch(new Request("http://localhost/fine")) instanceof Response);
  assert(app.fetch(new Request("http://localhost/sync")) instanceof Response);
});

bothWays("recover.New() responds with 500 even if OnError throws", () => {
  const { app } = logged();
  app.Use(recover.New({
    OnError() {
      throw new Error("reporter");
    },
  }));
  app.Get("/", () => {
    throw new Error(secret);
  });
  return app;
}, async (ask) => {
  const response = await ask("/");
  assertEquals([response.status, response.text], [500, "Internal Server Error"]);
});
