import { assertEquals } from "@std/assert";
import { joinPaths, readPrefix } from "../../src/app/party_prefix.ts";

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
