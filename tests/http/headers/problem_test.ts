import * as fw from "@fw/web";
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { bothWays, quiet } from "../../serving.ts";

function newApp(): fw.Application {
  const app = quiet();
  app.Get("/thrown", () => {
    throw fw.NewProblem({
      Type: "https://example.com/p/credit",
      Title: "Not enough credit",
      Status: 403,
      Detail: "It costs <50>",
      Instance: "/orders/1",
      Extensions: { balance: 30, accounts: ["/a", "/b"], status: 200, "bad name": 1 },
    });
  });
  app.Get("/written", (ctx) => {
    ctx.WriteString("half a page");
    ctx.Problem({ Status: 409, Detail: "Taken" });
  });
  app.Get("/goes-on", (ctx) => {
    ctx.Problem({ Status: 409, Detail: "Taken" });
    ctx.Header("x-stopped", String(ctx.IsStopped()));
    return ctx.Next();
  }, (ctx) => ctx.Header("x-after", "ran"));
  app.Get("/stops", (ctx) => {
    ctx.StopWithProblem({ Status: 409, Detail: "Taken" });
    ctx.Header("x-stopped", String(ctx.IsStopped()));
    return ctx.Next();
  }, (ctx) => ctx.Header("x-after", "ran"));
  app.Get("/secret", () => {
    throw new Error("the password is tea");
  });
  app.Get("/known", () => {
    throw new fw.HTTPError(410, "Gone with the wind");
  });
  return app;
}

bothWays("fw.NewProblem() thrown responds with problem details as JSON", newApp, async (ask) => {
  const response = await ask("/thrown");
  assertEquals(response.status, 403);
  assertEquals(response.headers.get("content-type"), "application/problem+json");
  assertEquals(JSON.parse(response.text), {
    type: "https://example.com/p/credit",
    title: "Not enough credit",
    status: 403,
    detail: "It costs <50>",
    instance: "/orders/1",
    balance: 30,
    accounts: ["/a", "/b"],
    "bad name": 1,
  });
});

bothWays("fw.NewProblem() responds with XML to a client that prefers it", newApp, async (ask) => {
  const response = await ask("/thrown", { headers: { accept: "application/problem+xml" } });
  assertEquals(response.headers.get("content-type"), "application/problem+xml");
  assertEquals(
    response.text,
    '<?xml version="1.0" encoding="UTF-8"?>\n<problem xmlns="urn:ietf:rfc:7807"><type>https://example.com/p/credit' +
      "</type><title>Not enough credit</title><status>403</status><detail>It costs &lt;50&gt;</detail>" +
      "<instance>/orders/1</instance><balance>30</balance><accounts><i>/a</i><i>/b</i></accounts></problem>",
  );
});

bothWays("Context.Problem() discards the body and derives the title from the status", newApp, async (ask) => {
  const response = await ask("/written");
  assertEquals(response.status, 409);
  assertEquals(JSON.parse(response.text), { type: "about:blank", title: "Conflict", status: 409, detail: "Taken" });
});

bothWays("Context.Problem() does not stop the chain, and StopWithProblem() does", newApp, async (ask) => {
  const [goesOn, stops] = [await ask("/goes-on"), await ask("/stops")];
  assertEquals([goesOn.status, goesOn.text], [stops.status, stops.text]);
  assertEquals([goesOn.headers.get("x-stopped"), goesOn.headers.get("x-after")], ["false", "ran"]);
  assertEquals([stops.headers.get("x-stopped"), stops.headers.get("x-after")], ["true", null]);
});

bothWays("Application sends problem details to clients that accept JSON, and text to others", newApp, async (ask) => {
  const accept = "application/json";
  const missing = await ask("/nowhere", { headers: { accept } });
  assertEquals(JSON.parse(missing.text), { type: "about:blank", title: "Not Found", status: 404 });
  const known = await ask("/known", { headers: { accept } });
  assertEquals(JSON.parse(known.text)["detail"], "Gone with the wind");
  const secret = await ask("/secret", { headers: { accept } });
  assertEquals(JSON.parse(secret.text), { type: "about:blank", title: "Internal Server Error", status: 500 });
  assertEquals((await ask("/nowhere")).text, "Not Found");
  assertEquals((await ask("/known", { headers: { accept: "text/html,*/*;q=0.8" } })).text, "Gone with the wind");
});

Deno.test("fw.NewProblem() rejects a status that is not an error", () => {
  assertThrows(() => fw.NewProblem({ Status: 200 }), Error, 'status "200"');
});

const browser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8", authorization: "Bearer hush" };

function developed(): fw.Application {
  const app = newApp();
  app.Configure(fw.WithDevelopment);
  app.Get("/teas/{name}", function showTea(ctx) {
    throw new Error(`No <tea> ${ctx.Params().Get("name")}`, { cause: new Error("The kettle is cold") });
  });
  return app;
}

bothWays(
  "fw.WithDevelopment shows the escaped message, source, route and request of a 500",
  developed,
  async (ask) => {
    const response = await ask("/teas/green?x=<b>", { headers: browser });
    assertEquals([response.status, response.headers.get("content-type")], [500, "text/html; charset=utf-8"]);
    for (
      const text of [
        "Error: No &lt;tea&gt; green",
        "problem_test.ts",
        "The kettle is cold",
        "GET /teas/{name}",
        "showTea",
        "<mark>",
        "(hidden)",
      ]
    ) assertStringIncludes(response.text, text);
    assert(!response.text.includes("<tea>"));
    assert(!response.text.includes("hush"));
  },
);

bothWays("fw.WithDevelopment lists similar routes on a 404 page, but only for browsers", developed, async (ask) => {
  const page = await ask("/writen", { headers: browser });
  assertEquals(page.status, 404);
  assertStringIncludes(page.text, "Similar routes");
  assertStringIncludes(page.text, "<code>/written</code>");
  assert(!page.text.includes("/thrown"), "It lists only similar routes");
  assertEquals((await ask("/writen")).text, "Not Found");
  assertEquals((await ask("/secret")).text, "Internal Server Error");
});

bothWays("Application without fw.WithDevelopment shows no error details to browsers", newApp, async (ask) => {
  assertEquals((await ask("/secret", { headers: browser })).text, "Internal Server Error");
});
