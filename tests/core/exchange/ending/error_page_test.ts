import { assertEquals } from "@std/assert";
import * as fw from "../../../../mod.ts";
import { bothWays, quiet } from "../../../serving.ts";

function text(body: string): fw.Handler {
  return (ctx) => ctx.WriteString(body);
}

// Unexpected errors must not be visible to clients.

const secret = "the password is sesame";

// Error pages

bothWays("OnErrorCode() does not change a response that has a body", () => {
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

bothWays("OnErrorCode() accepts several handlers, which can be asynchronous and change the status", () => {
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

bothWays("OnErrorCode() responds with the status text if its handler writes nothing", () => {
  const app = quiet();
  app.OnErrorCode(404, (ctx) => ctx.Header("x-page", "1"));
  return app;
}, async (ask) => {
  const response = await ask("/nowhere");
  assertEquals([response.status, response.text, response.headers.get("x-page")], [404, "Not Found", "1"]);
});

bothWays("OnErrorCode() responds with the bare status if its handler fails", () => {
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

bothWays("OnErrorCode() responds with an HTTPError that its handler throws", () => {
  const app = quiet();
  app.OnErrorCode(404, () => {
    throw new fw.HTTPError(403, "Not for you");
  });
  return app;
}, async (ask) => {
  const response = await ask("/nowhere");
  assertEquals([response.status, response.text], [403, "Not for you"]);
});

bothWays("OnErrorCode() can redirect or return a Response", () => {
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

bothWays("OnErrorCode() responds to errors thrown by a handler and can access the error", () => {
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

Deno.test("Party.OnErrorCode() keeps the status if its handler returns a Response without one", async () => {
  const app = fw.New();
  app.OnErrorCode(404, () => new Response("no such page"));
  app.OnErrorCode(405, () => new Response("gone", { status: 410 }));
  app.Post("/post", (ctx) => ctx.WriteString("posted"));
  const missing = await app.fetch(new Request("http://localhost/none"));
  assertEquals([missing.status, await missing.text()], [404, "no such page"]);
  const refused = await app.fetch(new Request("http://localhost/post"));
  assertEquals([refused.status, await refused.text()], [410, "gone"]);
});

bothWays("Application sends the default page as text, regardless of a content type set before", () => {
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

bothWays("Application sends the status code if it has no reason phrase", () => {
  const app = quiet();
  app.Get("/", (ctx) => ctx.StatusCode(599));
  return app;
}, async (ask) => {
  const response = await ask("/");
  assertEquals([response.status, response.text], [599, "Status 599"]);
});

// A site with an API

bothWays(
  "fw.WriteProblem makes a party respond with problem details to all clients, regardless of the pages of the site",
  () => {
    const app = quiet();
    app.OnErrorCode(404, text("page"));
    app.OnAnyErrorCode(text("page"));
    const api = app.Party("/api");
    api.OnAnyErrorCode(fw.WriteProblem);
    api.Get("/known", () => {
      throw new fw.HTTPError(409, "Taken");
    });
    api.Get("/secret", () => {
      throw new Error(secret);
    });
    api.Get("/details", () => {
      throw fw.NewProblem({ Status: 402, Title: "Out of credit", Extensions: { balance: 30 } });
    });
    api.Party("/deep").Get("/known", (ctx) => ctx.StopWithStatus(403));
    return app;
  },
  async (ask) => {
    for (const accept of ["", "text/html,*/*;q=0.8", "text/plain", "application/json"]) {
      const get = async (path: string) => {
        const response = await ask(path, { headers: accept === "" ? {} : { accept } });
        assertEquals(response.headers.get("content-type"), "application/problem+json");
        return JSON.parse(response.text);
      };
      const type = "about:blank";
      assertEquals(await get("/api/nowhere"), { type, title: "Not Found", status: 404 });
      assertEquals(await get("/api/known"), { type, title: "Conflict", status: 409, detail: "Taken" });
      assertEquals(await get("/api/secret"), { type, title: "Internal Server Error", status: 500 });
      assertEquals(await get("/api/details"), { type, title: "Out of credit", status: 402, balance: 30 });
      assertEquals(await get("/api/deep/known"), { type, title: "Forbidden", status: 403 });
    }
    assertEquals((await ask("/nowhere")).text, "page");
  },
);
