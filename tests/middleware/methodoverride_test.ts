import { assertEquals, assertThrows } from "@std/assert";
import * as fw from "../../mod.ts";
import * as methodoverride from "../../src/middleware/methodoverride/mod.ts";
import * as rewrite from "../../src/middleware/rewrite/mod.ts";
import { askInProcess, bothWays, overSocket, type Question, quiet } from "../serving.ts";

function appWith(options?: methodoverride.Options): fw.Application {
  const app = quiet();
  app.WrapRouter(methodoverride.New(options));
  app.Any("/", async (ctx) => ctx.WriteString(`${ctx.Method()} ${await ctx.PostValue("a")}`.trim()));
  return app;
}

function form(body: string, more: Question = {}): Question {
  return {
    method: "POST",
    body,
    ...more,
    headers: { "content-type": "application/x-www-form-urlencoded", ...more.headers },
  };
}

function inForms(): fw.Application {
  return appWith({ FormField: "_method" });
}

bothWays("methodoverride.New() reads the method from headers, the query or a form", inForms, async (ask) => {
  for (const name of ["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"]) {
    assertEquals((await ask("/", { method: "POST", headers: { [name]: "DELETE" } })).text, "DELETE");
  }
  assertEquals((await ask("/?_method=put&x=1", { method: "POST" })).text, "PUT");
  assertEquals((await ask("/", form("a=1&_method=PATCH"))).text, "PATCH 1");
  assertEquals((await ask("/", form("a=1"))).text, "POST 1");
  assertEquals((await ask("/", form("_method= delete "))).text, "DELETE");
});

bothWays("methodoverride.New() changes only POST requests", appWith, async (ask) => {
  for (const method of ["GET", "PUT", "DELETE", "OPTIONS"]) {
    const response = await ask("/?_method=PATCH", { method, headers: { "x-http-method-override": "PATCH" } });
    assertEquals(response.text, method);
  }
});

for (
  const named of ["GET", "HEAD", "OPTIONS", "TRACE", "CONNECT", "get", "POST", "", "PUT, GET", "PURGE", "__proto__"]
) {
  Deno.test(`methodoverride.New() does not change a POST request with "${named}"`, async () => {
    const question = { method: "POST", headers: { "x-http-method-override": named } };
    assertEquals((await askInProcess(appWith(), "/", question)).text, "POST");
    assertEquals((await askInProcess(appWith(), `/?_method=${named}`, { method: "POST" })).text, "POST");
    assertEquals((await askInProcess(inForms(), "/", form(`_method=${named}`))).text, "POST");
  });
}

Deno.test("methodoverride.New() uses a header if present, even if its method is not allowed", async () => {
  const question = { method: "POST", headers: { "x-http-method-override": "GET" } };
  assertEquals((await askInProcess(appWith(), "/?_method=DELETE", question)).text, "POST");
});

Deno.test("methodoverride.New() reads forms only if configured, and never long ones or those with files", async () => {
  assertEquals((await askInProcess(appWith(), "/", form("_method=PUT&a=1"))).text, "POST 1");
  const files = new FormData();
  files.set("_method", "PUT");
  files.set("a", "1");
  const response = await inForms().fetch(new Request("http://localhost/", { method: "POST", body: files }));
  assertEquals(await response.text(), "POST 1");
  const long = `a=${"x".repeat(70_000)}&_method=PUT`;
  assertEquals((await askInProcess(inForms(), "/", form(long))).text, `POST ${"x".repeat(70_000)}`);
  await overSocket(inForms(), async (ask) => {
    assertEquals((await ask("/", form(long))).text, `POST ${"x".repeat(70_000)}`);
  });
});

Deno.test("methodoverride.New() preserves the body limits", async () => {
  const app = quiet();
  app.WrapRouter(methodoverride.New({ FormField: "_method" }));
  app.Put("/", fw.LimitRequestBodySize(20), async (ctx) => ctx.WriteString(await ctx.PostValue("a")));
  assertEquals((await askInProcess(app, "/", form("_method=PUT&a=1"))).text, "1");
  assertEquals((await askInProcess(app, "/", form(`_method=PUT&a=${"1".repeat(20)}`))).status, 413);
});

Deno.test("methodoverride.New() accepts custom names", async () => {
  const app = appWith({ Methods: ["patch"], Headers: ["x-verb"], Query: "" });
  assertEquals((await askInProcess(app, "/", { method: "POST", headers: { "x-verb": "PATCH" } })).text, "PATCH");
  assertEquals((await askInProcess(app, "/?_method=PATCH", { method: "POST" })).text, "POST");
  assertEquals((await askInProcess(app, "/", { method: "POST", headers: { "x-verb": "PUT" } })).text, "POST");
});

for (const method of ["GET", "head", "OPTIONS", "TRACE", "CONNECT", "POST", "", "A B"]) {
  Deno.test(`methodoverride.New() does not change a POST request to "${method}"`, () => {
    assertThrows(() => methodoverride.New({ Methods: [method] }), fw.FrameworkError);
  });
}

Deno.test("methodoverride.New() keeps the path set by rewrite", async () => {
  const app = quiet();
  app.WrapRouter(methodoverride.New({ FormField: "_method" }));
  app.WrapRouter(
    rewrite.New({ Rules: [{ From: "/old/{id:int}", To: "/new/{id}?_method=PUT" }, { From: "/f", To: "/new/1" }] }),
  );
  app.Any("/{rest:path}", (ctx) => ctx.WriteString(`${ctx.Method()} ${ctx.Path()}`));
  assertEquals((await askInProcess(app, "/old/7", { method: "POST" })).text, "PUT /new/7");
  assertEquals((await askInProcess(app, "/f", form("_method=DELETE"))).text, "DELETE /new/1");
  assertEquals((await askInProcess(app, "/f", form("a=1"))).text, "POST /new/1");
});
