import * as assert from "@std/assert";
import * as colors from "@std/fmt/colors";
import * as printf from "@std/fmt/printf";
import * as fs from "@std/fs";
import { ensureDir } from "@std/fs/ensure-dir";
import { exists, existsSync } from "@std/fs/exists";
import { walk } from "@std/fs/walk";
import * as cookie from "@std/http/cookie";
import * as etag from "@std/http/etag";
import * as negotiation from "@std/http/negotiation";
import * as status from "@std/http/status";
import * as mediaTypes from "@std/media-types";
import { decode } from "@std/msgpack/decode";
import { encode } from "@std/msgpack/encode";
import * as path from "@std/path";
import * as posix from "@std/path/posix";
import { parse as parseVersion } from "@std/semver/parse";
import { parseRange } from "@std/semver/parse-range";
import { satisfies } from "@std/semver/satisfies";
import { assertSpyCall, assertSpyCalls, returnsNext, spy, stub } from "@std/testing/mock";
import { FakeTime } from "@std/testing/time";
import type { AssertFalse, AssertTrue, Has, IsExact, IsNullable, NotHas } from "@std/testing/types";
import { parse as parseTOML } from "@std/toml/parse";
import { parse as parseYAML } from "@std/yaml/parse";
import { stringify } from "@std/yaml/stringify";

const { assertEquals, assertThrows } = assert;

/** Type checks that ensure that the types of the stand-ins are as strict as those of the real packages. */
export type Checks = [
  AssertTrue<IsExact<status.RedirectStatus, 300 | 301 | 302 | 303 | 305 | 307 | 308>>,
  AssertTrue<IsExact<typeof status.STATUS_TEXT[404], "Not Found">>,
  AssertTrue<Has<status.ErrorStatus, 500>>,
  AssertTrue<NotHas<status.ErrorStatus, 200>>,
  AssertTrue<IsExact<ReturnType<typeof path.join>, string>>,
  AssertTrue<IsNullable<ReturnType<typeof mediaTypes.contentType>>>,
  AssertTrue<IsExact<ReturnType<typeof negotiation.accepts>, string | undefined>>,
  AssertTrue<IsExact<ReturnType<typeof cookie.getSetCookies>, cookie.Cookie[]>>,
  AssertFalse<IsExact<{ a: 1 }, { a?: 1 }>>,
  AssertFalse<IsExact<{ a: 1 }, { readonly a: 1 }>>,
  AssertFalse<IsExact<string, unknown>>,
];

Deno.test("@std/assert narrows types and throws its own error", () => {
  const value: unknown = new Date(0);
  assert.assertInstanceOf(value, Date);
  assertEquals(value.getTime(), 0);
  const error: RangeError = assertThrows(
    () => {
      throw new RangeError("too far");
    },
    RangeError,
    "far",
  );
  assert.assertIsError(error, RangeError, /^too/);
  assertThrows(() => assertEquals(1, 2), assert.AssertionError, "Values are not equal");
});

Deno.test("@std/fmt formats strings and colors them", () => {
  assertEquals(printf.sprintf("%05.1f|%-4s|%t", 3.14159, "ab", true), "003.1|ab  |true");
  assertEquals(colors.stripAnsiCode(colors.bold(colors.red("text"))), "text");
});

Deno.test("@std/fs creates, finds and walks folders", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await ensureDir(path.join(folder, "a", "b"));
    await fs.ensureDir(path.join(folder, "a", "b"));
    await Deno.writeTextFile(path.join(folder, "a", "b", "c.txt"), "c");
    assertEquals(await exists(path.join(folder, "a"), { isDirectory: true }), true);
    assertEquals(await exists(path.join(folder, "a"), { isFile: true }), false);
    assertEquals(existsSync(path.join(folder, "z")), false);
    const found = await Array.fromAsync(
      walk(folder),
      (entry) => path.relative(folder, entry.path).replaceAll("\\", "/"),
    );
    assertEquals(found, ["", "a", "a/b", "a/b/c.txt"]);
    const files = await Array.fromAsync(walk(folder, { includeDirs: false, exts: [".txt"] }), (entry) => entry.name);
    assertEquals(files, ["c.txt"]);
    assertEquals((await Array.fromAsync(walk(folder, { skip: [/[/\\]a[/\\]b$/] }))).length, 2);
    assertEquals((await Array.fromAsync(walk(folder, { maxDepth: 1 }))).length, 2);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("@std/fs throws Deno's errors, except if a file exists instead of a folder", async () => {
  const file = await Deno.makeTempFile();
  try {
    const error = await assert.assertRejects(() => ensureDir(file), Error, "expected 'dir', got 'file'");
    assertEquals(error.constructor, Error);
    assertThrows(() => fs.ensureDirSync(file), Error, "expected 'dir', got 'file'");
    // Windows reports that the path exists.
    const expected = Deno.build.os === "windows" ? Deno.errors.AlreadyExists : Deno.errors.NotADirectory;
    await assert.assertRejects(() => ensureDir(path.join(file, "below")), expected);
  } finally {
    await Deno.remove(file);
  }
});

Deno.test("@std/http writes cookies, entity tags and status texts, and negotiates", async () => {
  const headers = new Headers();
  cookie.setCookie(headers, { name: "a", value: "b", httpOnly: true, sameSite: "Lax" });
  assertEquals(headers.get("set-cookie"), "a=b; HttpOnly; SameSite=Lax");
  assertEquals(cookie.getCookies(new Headers({ cookie: "a=b; c=d" }))["c"], "d");
  const tag: string = await etag.eTag("body");
  assertEquals(etag.ifNoneMatch(tag, tag), false);
  assertEquals(status.STATUS_TEXT[status.STATUS_CODE.NotFound], "Not Found");
  assertEquals(status.isErrorStatus(204), false);
  const request = new Request("http://localhost/", { headers: { accept: "text/html;q=0.5, application/json" } });
  assertEquals(negotiation.accepts(request, "text/html", "application/json"), "application/json");
});

Deno.test("@std/media-types maps extensions to types and back", () => {
  assertEquals(mediaTypes.contentType(".html"), "text/html; charset=UTF-8");
  assertEquals(mediaTypes.typeByExtension("png"), "image/png");
  assertEquals(mediaTypes.extension("text/plain"), "txt");
  assertEquals(mediaTypes.parseMediaType("a/b; c=d"), ["a/b", { c: "d" }]);
  assertEquals(mediaTypes.getCharset("text/css"), "UTF-8");
});

Deno.test("@std/path joins and splits paths", () => {
  assertEquals(posix.join("/a", "../b", "c"), "/b/c");
  assertEquals(path.parse("/a/b.c").name, "b");
});

Deno.test("@std/testing/mock records calls and restores the original", () => {
  const add = spy((a: number, b: number) => a + b);
  assertEquals(add(1, 2), 3);
  assertSpyCall(add, 0, { args: [1, 2], returned: 3 });
  const clock = { now: () => 1 };
  {
    using now = stub(clock, "now", returnsNext([7, new Error("late")]));
    assertEquals(clock.now(), 7);
    assertThrows(() => clock.now(), Error, "late");
    assertSpyCalls(now, 2);
    assertSpyCall(now, 1, { self: clock, error: { Class: Error, msgIncludes: "late" } });
  }
  assertEquals(clock.now(), 1);
});

Deno.test("@std/testing/time controls the time of timers and dates", async () => {
  const before = Date.now();
  {
    using time = new FakeTime("2020-01-01T00:00:00Z");
    let fired = 0;
    const timer = setInterval(() => fired++, 1000);
    time.tick(2500);
    assertEquals([fired, new Date().toISOString()], [2, "2020-01-01T00:00:02.500Z"]);
    assertEquals([time.next(), fired, time.now - time.start], [true, 3, 3000]);
    clearInterval(timer);
    assertEquals(await time.nextAsync(), false);
  }
  assert.assertGreaterOrEqual(Date.now(), before);
});

Deno.test("@std/yaml and @std/toml read documents", () => {
  assertEquals(parseYAML("a: [1, two]\n"), { a: [1, "two"] });
  assertEquals(stringify({ a: [1] }), "a:\n  - 1\n");
  assertEquals(parseTOML('[a]\nb = "c"'), { a: { b: "c" } });
});

Deno.test("@std/msgpack decodes its own output", () => {
  assertEquals(decode(encode({ a: [1, "two", null] })), { a: [1, "two", null] });
});

Deno.test("@std/semver compares versions with ranges", () => {
  const range = parseRange(">=1.0.0 <2.0.0");
  assertEquals(satisfies(parseVersion("1.2.3"), range), true);
  assertEquals(satisfies(parseVersion("2.0.0"), range), false);
});
