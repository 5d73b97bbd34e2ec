import { assertEquals } from "@std/assert";
import fc from "npm:fast-check@^4";
import {
  collapseSlashes,
  encodePath,
  resolveDots,
  resolveInnerDots,
  uncollapsedIndex,
} from "../../../src/http/headers/canonical_path.ts";
import { decodePath } from "../../../src/http/headers/path.ts";

Deno.test("resolveDots() resolves dot segments as RFC 3986 does", () => {
  const cases = {
    "/": "/",
    "/a": "/a",
    "/a/": "/a/",
    "/.": "/",
    "/..": "/",
    "/a/.": "/a/",
    "/a/..": "/",
    "/a/../": "/",
    "/a/./b": "/a/b",
    "/a/../b": "/b",
    "/../../b": "/b",
    "/a/b/../../../c/": "/c/",
    "/a//../b": "/a/b",
    "//..//b": "//b",
    "/a...": "/a...",
    "/.../b": "/.../b",
    "/.a/..b/c.": "/.a/..b/c.",
  };
  for (const [path, expected] of Object.entries(cases)) assertEquals(resolveDots(path), expected, path);
});

Deno.test("resolveDots() resolves the same segments as a URL parser", () => {
  const part = fc.constantFrom("a", ".", "..", "", "b.c", "...", ".d");
  fc.assert(fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
    const path = `/${parts.join("/")}`;
    assertEquals(resolveDots(path), new URL(`http://x${path}`).pathname, path);
  }));
});

Deno.test("resolveInnerDots() keeps dots behind escaped slashes inside their segment", () => {
  const cases = {
    "/a%2Fb": "/a%2Fb",
    "/a%2F..%2Fb": "/b",
    "/x/..%2Fb": "/x/b",
    "/x/..%2F..%2Fb/y": "/x/b/y",
    "/x/.%2Fb": "/x/b",
    "/x/%2F": "/x/%2F",
    "/x/..%2F..": "/x/%2F",
    "/x/a%2F.b": "/x/a%2F.b",
  };
  for (const [path, expected] of Object.entries(cases)) {
    assertEquals(encodePath(resolveInnerDots(decodePath(path) ?? "")), expected, path);
  }
});

Deno.test("uncollapsedIndex() finds a character of the collapsed path", () => {
  fc.assert(fc.property(fc.array(fc.constantFrom("/", "//", "a", "b"), { maxLength: 12 }), (parts) => {
    const path = `/${parts.join("")}`;
    const collapsed = collapseSlashes(path);
    for (let at = 0; at < collapsed.length; at++) {
      assertEquals(path[uncollapsedIndex(path, at)], collapsed[at], `${path} ${at}`);
    }
    assertEquals(uncollapsedIndex(path, collapsed.length), path.length);
  }));
});

Deno.test("encodePath() is the inverse of decodePath()", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 12 });
  fc.assert(fc.property(fc.array(text.map(encodeURIComponent), { maxLength: 4 }), (segments) => {
    const decoded = decodePath(`/${segments.join("/")}`) ?? "";
    const encoded = encodePath(decoded);
    assertEquals(decodePath(encoded), decoded);
    if (resolveDots(decoded) === decoded) assertEquals(new URL(`http://x${encoded}`).pathname, encoded);
  }));
});
