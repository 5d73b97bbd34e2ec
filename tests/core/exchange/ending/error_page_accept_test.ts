import { assertEquals, assertStringIncludes } from "@std/assert";
import { z } from "npm:zod@^4";
import * as fw from "../../../../mod.ts";
import { bothWays, quiet } from "../../../serving.ts";

function newApp(page: fw.Handler): fw.Application {
  const app = quiet();
  app.OnAnyErrorCode(page);
  app.Get("/conflict", (ctx) => ctx.StopWithStatus(409));
  app.Get("/thrown", () => {
    throw fw.NewProblem({ Status: 403, Type: "https://example.com/credit", Title: "No credit" });
  });
  app.Get("/written", (ctx) => ctx.StopWithProblem({ Status: 402, Detail: "Pay first" }));
  app.Get("/invalid", async (ctx) => {
    const [, error] = await ctx.ReadQuery(z.object({ n: z.number() }));
    if (error !== null) throw error;
  });
  return app;
}

function html(ctx: fw.Context): void {
  ctx.HTML(`<h1>${ctx.GetStatusCode()}</h1>`);
}

bothWays(
  "Party.OnAnyErrorCode() pages do not replace problems for clients that ask for JSON",
  () => newApp(html),
  async (ask) => {
    const asking = ["application/json", "application/problem+json", "application/json, text/plain, */*"];
    const more = ["application/json, text/html;q=0.5", "text/html;q=0.1, application/json;q=0.9"];
    for (const accept of [...asking, ...more]) {
      for (
        const [path, status] of [["/conflict", 409], ["/thrown", 403], ["/written", 402], ["/invalid", 422], [
          "/none",
          404,
        ]] as const
      ) {
        const response = await ask(path, { headers: { accept } });
        assertEquals(response.status, status);
        assertEquals(response.headers.get("content-type"), "application/problem+json", `${accept} ${path}`);
        assertEquals(JSON.parse(response.text).status, status);
        assertStringIncludes((response.headers.get("vary") ?? "").toLowerCase(), "accept");
      }
    }
  },
);

bothWays(
  "Party.OnAnyErrorCode() pages are sent to browsers and to clients without a preference",
  () => newApp(html),
  async (ask) => {
    const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    for (const accept of [browser, "*/*", "text/html, application/json"]) {
      for (const [path, status] of [["/conflict", 409], ["/thrown", 403], ["/none", 404]] as const) {
        const response = await ask(path, { headers: { accept } });
        assertEquals([response.status, response.text], [status, `<h1>${status}</h1>`]);
        assertStringIncludes((response.headers.get("vary") ?? "").toLowerCase(), "accept");
      }
      // A problem that was written is never replaced.
      assertStringIncludes((await ask("/written", { headers: { accept } })).text, "Pay first");
    }
  },
);

Deno.test("Party.OnAnyErrorCode() handlers that write JSON, another status or a response have the last word", async () => {
  const headers = { accept: "application/json" };
  const pages: readonly (readonly [fw.Handler, number, string | null])[] = [
    [(ctx) => void ctx.JSON({ code: "own" }), 409, "application/json"],
    [
      (ctx) => (ctx.ContentType("application/vnd.api+json"), void ctx.WriteString("{}")),
      409,
      "application/vnd.api+json",
    ],
    [fw.WriteProblem, 409, "application/problem+json"],
    [(ctx) => ctx.Redirect("/login", 302), 302, null],
    [() => Response.json({ own: true }), 409, "application/json"],
    [() => new Response("page", { headers: { "content-type": "text/html" } }), 409, "application/problem+json"],
    [
      async (ctx) => {
        await Promise.resolve();
        ctx.HTML("page");
      },
      409,
      "application/problem+json",
    ],
  ];
  for (const [page, status, type] of pages) {
    const response = await newApp(page).fetch(new Request("http://localhost/conflict", { headers }));
    await response.text();
    assertEquals([response.status, response.headers.get("content-type")?.split(";")[0] ?? null], [status, type]);
  }
});

Deno.test("Context.StopWithError() sends the same status in the problem as in the response", async () => {
  const app = quiet();
  const invalid = new fw.ValidationError([{ Path: ["a"], Message: "Enter a name" }]);
  app.Get("/validation", (ctx) => ctx.StopWithError(400, invalid));
  app.Get("/problem", (ctx) => ctx.StopWithError(409, fw.NewProblem({ Status: 404, Detail: "Gone" })));
  app.Get("/typed", (ctx) => ctx.StopWithError(409, fw.NewProblem({ Status: 404, Type: "urn:x", Title: "Own" })));
  app.Get("/own", (ctx) => ctx.StopWithError(422, invalid));
  app.Get("/handler", () => {
    throw invalid;
  });
  app.Party("/inner").OnErrorCode(422, (ctx) => (ctx.StatusCode(400), fw.WriteProblem(ctx))).Get("/", () => {
    throw invalid;
  });
  const expected = {
    "/validation": [400, "Bad Request"],
    "/problem": [409, "Conflict"],
    "/typed": [409, "Own"],
    "/own": [422, "Unprocessable Content"],
    "/handler": [422, "Unprocessable Content"],
    "/inner": [400, "Bad Request"],
  };
  for (const [path, [status, title]] of Object.entries(expected)) {
    for (const accept of ["application/json", "*/*", "application/problem+xml"]) {
      const response = await app.fetch(new Request(`http://localhost${path}`, { headers: { accept } }));
      const text = await response.text();
      assertEquals(response.status, status);
      if (accept.endsWith("xml")) assertStringIncludes(text, `<status>${status}</status>`);
      else assertEquals([JSON.parse(text).status, JSON.parse(text).title], [status, title]);
    }
  }
});
