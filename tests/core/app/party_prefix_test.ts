import { assertEquals, assertStringIncludes } from "@std/assert";
import type * as fw from "../../../mod.ts";
import { joinPaths, readPrefix } from "../../../src/core/app/party_prefix.ts";
import { logged } from "../../serving.ts";

const joins: [prefix: string, path: string, whole: string][] = [
  ["/", "/", "/"],
  ["/", "", "/"],
  ["/", "a", "/a"],
  ["/", "/a/", "/a"],
  ["/a", "/", "/a"],
  ["/a", "", "/a"],
  ["/a", "b", "/a/b"],
  ["/a", "/b", "/a/b"],
  ["/a/", "//b//", "/a/b"],
  ["/a", "/{x:path}", "/a/{x:path}"],
  ["", "", "/"],
];

for (const [prefix, path, whole] of joins) {
  Deno.test(`joinPaths() joins "${prefix}" and "${path}" to "${whole}"`, () =>
    assertEquals(joinPaths(prefix, path), whole));
}

const prefixes: [path: string, parent: [string, string], expected: [string, string]][] = [
  ["/users", ["", "/"], ["", "/users"]],
  ["users", ["", "/"], ["", "/users"]],
  ["admin.", ["", "/"], ["admin.", "/"]],
  ["ADMIN.", ["", "/"], ["admin.", "/"]],
  ["admin./users", ["", "/"], ["admin.", "/users"]],
  ["panel.", ["admin.", "/"], ["panel.admin.", "/"]],
  ["panel.admin.", ["", "/"], ["panel.admin.", "/"]],
  ["*.", ["", "/"], ["*.", "/"]],
  ["*./x", ["", "/"], ["*.", "/x"]],
  ["/users", ["admin.", "/x"], ["admin.", "/x/users"]],
  ["/admin.", ["", "/"], ["", "/admin."]],
  ["v1.0", ["", "/"], ["", "/v1.0"]],
  ["/a.b.", ["", "/"], ["", "/a.b."]],
  ["bücher.", ["", "/"], ["xn--bcher-kva.", "/"]],
];

for (const [path, [subdomain, parent], [expectedSubdomain, expectedPath]] of prefixes) {
  Deno.test(`readPrefix() reads "${path}" in "${subdomain}${parent}" as "${expectedSubdomain}${expectedPath}"`, () => {
    assertEquals(readPrefix(path, { subdomain, path: parent }), { subdomain: expectedSubdomain, path: expectedPath });
  });
}

/** Paths in the syntax of other frameworks, the detected part, and the equivalent in fw. */
const foreign: readonly [path: string, found: string, ours: string][] = [
  ["/u/:id", ":id", "{id}"],
  ["/u/:id/posts", ":id", "{id}"],
  ["/u/{a}/:b", ":b", "{b}"],
  ["/u/:id(\\d+)", ":id", "{id}"],
  ["/f/*", "*", "{rest:path}"],
  ["/f/*file", "*file", "{file:path}"],
  ["/:id.json", ":id", "{id}"],
];

for (const [path, found, ours] of foreign) {
  Deno.test(`Party.Get() warns about the path ${path} and suggests fw's syntax`, () => {
    const { app, lines } = logged();
    app.Get(path, () => {});
    assertEquals(lines, [
      `[WARN] Path of "GET ${path}" matches only the literal "${found}": use "${ours}" for a parameter`,
    ]);
  });
}

Deno.test("Party.Party() warns about a prefix in the syntax of another framework", () => {
  const { app, lines } = logged();
  app.Party("/u/:id");
  assertEquals(lines.length, 1);
});

for (const path of ["/", "/u/{id}", "/u/{id:int max(5)}", "/items:batch", "/a*b", "/f/{rest:path}", "/time/12:30"]) {
  Deno.test(`Party.Get() does not warn about the path ${path}`, () => {
    const { app, lines } = logged();
    app.Get(path, () => {});
    app.Subdomain("*").Get(path, () => {});
    assertEquals(lines, []);
  });
}

function unchecked(value: unknown): fw.Handler {
  return (() => value) as fw.Handler;
}

for (
  const [name, value, advice] of [
    ["a string", "hello", '"string" is not a Response, write it with ctx.WriteString'],
    ["an object", { a: 1 }, '"object" is not a Response, write it with ctx.JSON'],
    ["an array", [1], '"object" is not a Response, write it with ctx.JSON'],
    ["a function", () => {}, '"function" is not a Response, call the function that creates the middleware before'],
    ["a number", 7, '"number" is not a Response, write it with ctx.JSON'],
    ["a promise for a string", Promise.resolve("hello"), '"string" is not a Response, write it with ctx.WriteString'],
  ] as const
) {
  Deno.test(`Application responds with 500 if an untyped handler returns ${name}`, async () => {
    const { app, lines } = logged();
    app.Get("/bare", unchecked(value));
    app.Party("/done").Done(() => {}).Get("/", unchecked(value));
    app.Get("/behind", (ctx) => ctx.Next(), async (ctx) => await ctx.Next(), unchecked(value));
    for (const path of ["/bare", "/behind", "/done"]) {
      const response = await app.fetch(new Request(`http://localhost${path}`));
      assertEquals([response.status, await response.text()], [500, "Internal Server Error"]);
      assertStringIncludes(
        lines.splice(0).join("\n"),
        `Cannot use the return value of a handler for GET ${path}: a value of type ${advice}`,
      );
    }
  });
}

Deno.test("Application lets middleware handle the return value of a handler as an error", async () => {
  const { app } = logged();
  app.Get("/", async (ctx) => {
    await ctx.Next()?.catch((error) => ctx.WriteString(error.Code));
  }, unchecked({ a: 1 }));
  const response = await app.fetch(new Request("http://localhost/"));
  assertEquals([response.status, await response.text()], [200, "FW_RETURN"]);
});

Deno.test("Application ignores null and booleans, and only logs a value returned next to a response", async () => {
  const { app, lines } = logged();
  for (const value of [null, false, true]) app.Get(`/${value}`, unchecked(value));
  app.Get("/both", (ctx) => {
    ctx.WriteString("written");
    return "returned" as unknown as undefined;
  });
  for (const path of ["/null", "/false", "/true"]) {
    assertEquals((await app.fetch(new Request(`http://localhost${path}`))).status, 200);
  }
  assertEquals(lines, []);
  assertEquals(await (await app.fetch(new Request("http://localhost/both"))).text(), "written");
  assertEquals(lines.length, 1);
});
