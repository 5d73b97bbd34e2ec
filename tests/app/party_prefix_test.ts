import { assertEquals } from "@std/assert";
import type * as fw from "../../mod.ts";
import { joinPaths, readPrefix } from "../../src/app/party_prefix.ts";
import { logged } from "../serving.ts";

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
  Deno.test(`joinPaths() of "${prefix}" and "${path}" is "${whole}"`, () =>
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
  Deno.test(`readPrefix() of "${path}" in "${subdomain}${parent}" is "${expectedSubdomain}${expectedPath}"`, () => {
    assertEquals(readPrefix(path, { subdomain, path: parent }), { subdomain: expectedSubdomain, path: expectedPath });
  });
}

/** Paths as other frameworks write them, what is found in them, and how they are written here. */
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
  Deno.test(`Party.Get() warns of the path ${path} and names the spelling of fw`, () => {
    const { app, lines } = logged();
    app.Get(path, () => {});
    assertEquals(lines, [
      `[WARN] Path of "GET ${path}" matches only the literal "${found}": use "${ours}" for a parameter`,
    ]);
  });
}

Deno.test("Party.Party() warns of a prefix in the spelling of others", () => {
  const { app, lines } = logged();
  app.Party("/u/:id");
  assertEquals(lines.length, 1);
});

for (const path of ["/", "/u/{id}", "/u/{id:int max(5)}", "/items:batch", "/a*b", "/f/{rest:path}", "/time/12:30"]) {
  Deno.test(`Party.Get() does not warn of the path ${path}`, () => {
    const { app, lines } = logged();
    app.Get(path, () => {});
    app.Subdomain("*").Get(path, () => {});
    assertEquals(lines, []);
  });
}

Deno.test("Application logs an error where a handler of unchecked code returns what is not a Response", async () => {
  const { app, lines } = logged();
  const unchecked = (value: unknown): fw.Handler => (() => value) as fw.Handler;
  app.Get("/text", unchecked("hello"));
  app.Get("/object", unchecked({ a: 1 }));
  app.Get("/later", unchecked(Promise.resolve("hello")));
  app.Get("/null", unchecked(null));
  app.Get("/false", unchecked(false));
  for (const path of ["/text", "/object", "/later", "/null", "/false"]) {
    assertEquals((await app.fetch(new Request(`http://localhost${path}`))).status, 200);
  }
  assertEquals(lines, [
    '[ERRO] Cannot use the return value of a handler for GET /text: a value of type "string" is not a Response',
    '[ERRO] Cannot use the return value of a handler for GET /object: a value of type "object" is not a Response',
    '[ERRO] Cannot use the return value of a handler for GET /later: a value of type "string" is not a Response',
  ]);
});
