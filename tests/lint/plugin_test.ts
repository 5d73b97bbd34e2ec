import { fromFileUrl } from "@std/path";
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import plugin from "./plugin.ts";

const root = fromFileUrl(new URL("../../", import.meta.url));

/** Returns the IDs and messages of the plugin's findings for a file. */
function lint(path: string, source: string): { id: string; message: string }[] {
  return Deno.lint.runPlugin(plugin, root + path, source).map(({ id, message }) => ({ id, message }));
}

/** Asserts that there is exactly one finding, by the given rule, and returns its message. */
function refused(rule: string, path: string, source: string): string {
  const found = lint(path, source);
  assertEquals(found.map(({ id }) => id), [`fw/${rule}`], `${path}: ${source}`);
  return found.map(({ message }) => message).join();
}

/** Asserts that there are no findings. */
function passed(path: string, source: string): void {
  assertEquals(lint(path, source), [], `${path}: ${source}`);
}

Deno.test("fw/layers rejects an import from above", () => {
  const message = refused("layers", "src/core/context/x.ts", `import { a } from "../app/party.ts"; a();`);
  assertEquals(message, `"src/core/context" imports "src/core/app", which is above it`);
  refused("layers", "src/base/errors/errors.ts", `import { a } from "../log/logger.ts"; a();`);
  refused("layers", "src/core/app/x.ts", `import { a } from "../../../mvc/mod.ts"; a();`);
  refused("layers", "mvc/x.ts", `import { a } from "../mod.ts"; a();`);
});

Deno.test("fw/layers orders the folders of mvc: reflect, inject, result, serve, route, and mvc itself on top", () => {
  const message = refused("layers", "mvc/inject/x.ts", `import { a } from "../route/x.ts"; a();`);
  assertEquals(message, `"mvc/inject" imports "mvc/route", which is above it`);
  const folders = ["mvc/reflect", "mvc/inject", "mvc/result", "mvc/serve", "mvc/route"];
  for (const [at, folder] of folders.entries()) {
    refused("layers", `${folder}/x.ts`, `import { a } from "../application.ts"; a();`);
    for (const upper of folders.slice(at + 1)) {
      refused("layers", `${folder}/x.ts`, `import { a } from "../../${upper}/x.ts"; a();`);
    }
    for (const lower of folders.slice(0, at)) passed(`${folder}/x.ts`, `import { a } from "../../${lower}/x.ts"; a();`);
    passed("mvc/x.ts", `import { a } from "../${folder}/x.ts"; a();`);
    passed(`${folder}/x.ts`, `import { a } from "../../src/core/app/party.ts"; a();`);
  }
  assertEquals(
    refused("layers", "mvc/attic/x.ts", `import { a } from "../inject/x.ts"; a();`),
    `"mvc/attic" is in no room`,
  );
});

Deno.test("fw/layers orders a folder and its subfolders", () => {
  const message = refused("layers", "src/core/app/serve/x.ts", `import { a } from "../party.ts"; a();`);
  assertEquals(message, `"src/core/app/serve" imports "src/core/app", which is above it`);
  passed("src/core/app/x.ts", `import { a } from "./serve/dispatch.ts"; a();`);
  refused("layers", "src/core/app/build/x.ts", `import { a } from "../serve/dispatch.ts"; a();`);
  refused("layers", "src/core/app/record/x.ts", `import { a } from "../inspect/explain.ts"; a();`);
  refused("layers", "src/http/body/upload/x.ts", `import { a } from "../form_body.ts"; a();`);
  refused("layers", "src/http/response/x.ts", `import { a } from "./file/respond.ts"; a();`);
  passed("src/http/response/file/x.ts", `import { a } from "../draft.ts"; a();`);
});

Deno.test("fw/layers allows an entry point to import all of its subfolders", () => {
  passed("src/api/openapi/mod.ts", `export { a } from "./sources/main.ts";`);
  refused("layers", "src/api/openapi/x.ts", `export { a } from "./sources/main.ts";`);
});

Deno.test("fw/layers orders the rooms", () => {
  const message = refused("layers", "src/state/sessions/x.ts", `import { a } from "../../middleware/x.ts"; a();`);
  assertEquals(message, `"src/state/sessions" imports "src/middleware", which is above it`);
  passed("src/middleware/x.ts", `import { a } from "../state/sessions/mod.ts"; a();`);
  refused("layers", "src/http/parameter_types/x.ts", `import { a } from "../../pages/view/x.ts"; a();`);
  refused("layers", "mod.ts", `export { a } from "./src/tools/httptest/mod.ts";`);
});

Deno.test("fw/layers checks every kind of import and export", () => {
  for (
    const source of [
      `import type { A } from "../app/x.ts"; export type B = A;`,
      `import { type A } from "../app/x.ts"; export type B = A;`,
      `import "../app/x.ts";`,
      `export { a } from "../app/x.ts";`,
      `export type { A } from "../app/x.ts";`,
      `export * from "../app/x.ts";`,
      `export * as app from "../app/x.ts";`,
      `await loadModule(() => import("../app/x.ts"));`,
      `export type A = import("../app/x.ts").A;`,
    ]
  ) refused("layers", "src/http/router/x.ts", source.replace("../app", "../../core/app"));
});

Deno.test("fw/layers rejects the package itself, tests, examples and folders without a place", () => {
  refused("layers", "src/core/app/x.ts", `import * as fw from "@fw/web"; fw;`);
  refused("layers", "mvc/x.ts", `import * as s from "jsr:@fw/web@^1/sessions"; s;`);
  refused("layers", "src/core/app/x.ts", `import { a } from "../../../tests/x.ts"; a();`);
  refused("layers", "mod.ts", `import { a } from "./examples/x.ts"; a();`);
  const message = refused("layers", "src/attic/x.ts", `import { a } from "../log/x.ts"; a();`);
  assertEquals(message, `"src/attic" is in no room`);
});

Deno.test("fw/layers allows folders below, the same folder, other packages, tests and examples", () => {
  passed("src/core/app/application.ts", `import { a } from "../context/context.ts"; a();`);
  passed("src/core/app/application.ts", `import type { A } from "./party.ts"; export type B = A;`);
  passed("src/http/body/form/x.ts", `import { a } from "../source/x.ts"; a();`);
  passed("mvc/result/x.ts", `import { a } from "../../src/state/sessions/mod.ts"; a();`);
  passed("mod.ts", `export { a } from "./src/base/log/logger.ts"; export * as m from "./mvc/mod.ts";`);
  passed("src/tools/httptest/mod.ts", `import { a } from "../../../mvc/mod.ts"; a();`);
  passed(
    "src/base/log/x.ts",
    `import { a } from "@std/fmt/colors"; import b from "node:fs"; import c from "npm:eta@^4"; a(b, c);`,
  );
  passed("src/base/log/x.ts", `const name = "./x.ts"; await loadModule(() => import(name));`);
  passed("tests/core/app/x_test.ts", `import { a } from "../../src/core/app/x.ts"; a();`);
  passed("examples/x/main.ts", `import * as fw from "jsr:@fw/web"; fw;`);
});

Deno.test("fw/circular-imports rejects every kind of import that leads back to the file", () => {
  // In the repository, router.ts imports trie.ts.
  const message = refused("circular-imports", "src/http/router/trie.ts", `import { a } from "./router.ts"; a();`);
  assertEquals(
    message,
    'Circular import: "src/http/router/trie.ts" → "src/http/router/router.ts" → "src/http/router/trie.ts"',
  );
  assertStringIncludes(
    refused("circular-imports", "src/http/parameter_types/template.ts", `import { a } from "./template.ts"; a();`),
    '"src/http/parameter_types/template.ts" → "src/http/parameter_types/template.ts"',
  );
  for (
    const source of [
      `import type { A } from "./router.ts"; export type B = A;`,
      `export * from "./router.ts";`,
      `export type A = import("./router.ts").A;`,
      `await loadModule(() => import("./router.ts"));`,
    ]
  ) refused("circular-imports", "src/http/router/trie.ts", source);
});

Deno.test("fw/circular-imports follows type imports across files", () => {
  const source = `import { a } from "./template.ts"; a();`;
  assertStringIncludes(
    refused("circular-imports", "src/http/parameter_types/types.ts", source),
    '"src/http/parameter_types/types.ts" → "src/http/parameter_types/template.ts" → "src/http/parameter_types/types.ts"',
  );
});

Deno.test("fw/circular-imports allows imports that are not circular, missing files and tests", () => {
  passed("src/http/router/router.ts", `import { b } from "./trie.ts"; b();`);
  passed(
    "src/http/router/trie.ts",
    `import { a } from "../parameter_types/template.ts"; import { b } from "./none.ts"; a(b);`,
  );
  passed("tests/http/router/linear.ts", `import { a } from "./linear.ts"; a();`);
});

Deno.test("fw/thin-context rejects a method of Context that is not a single plain statement", () => {
  for (
    const method of [
      `A(): void { const x = f(this); g(x); }`,
      `A(): void {}`,
      `get A(): number { let n = 0; return n++; }`,
      `static A(): void { f(); g(); }`,
      `#a(): void { f(); g(); }`,
      `async A(): Promise<void> { await f(); await g(); }`,
      `A(): void { if (f()) { g(); h(); } }`,
      `A(): void { try { f(); g(); } finally { h(); } }`,
      `A(): void { for (const x of f()) { g(x); h(x); } }`,
    ]
  ) refused("thin-context", "src/core/context/context.ts", `export class Context { ${method} }`);
});

Deno.test("fw/thin-context allows single statements, constructors, static blocks, overloads, other classes and files", () => {
  passed(
    "src/core/context/context.ts",
    `export class Context {
      #a = 1;
      static { f(); g(); }
      constructor() { f(); g(); }
      A(): number { return f(this.#a); }
      B(): void { f(this); }
      async C(): Promise<void> { await f(this); }
      get D(): number { return this.#a; }
      E(): never { throw f(); }
      F(a: string): void;
      F(a: number): void;
      F(a: unknown): void { f(a); }
    }`,
  );
  passed("src/core/context/context.ts", `class Other { A(): void { f(); g(); } }`);
  passed("src/core/app/x.ts", `class Context { A(): void { f(); g(); } }`);
});

Deno.test("fw/no-arrow-field rejects an arrow function in a class field", () => {
  refused("no-arrow-field", "src/core/app/x.ts", `class A { b = () => 1; }`);
  refused("no-arrow-field", "src/core/app/x.ts", `class A { static b = () => 1; }`);
  refused("no-arrow-field", "mvc/x.ts", `class A { #b = async () => {}; }`);
  refused("no-arrow-field", "examples/x/main.ts", `class A { b = (): void => {}; }`);
});

Deno.test("fw/no-arrow-field allows methods, other fields and tests", () => {
  passed("src/core/app/x.ts", `class A { b = 1; c(): number { return [2].map((x) => x)[0] ?? 0; } d = f(() => 1); }`);
  passed("tests/x_test.ts", `class A { b = () => 1; }`);
});

Deno.test("fw/no-private-keyword rejects private and protected members", () => {
  refused("no-private-keyword", "src/core/app/x.ts", `class A { private b = 1; }`);
  refused("no-private-keyword", "src/core/app/x.ts", `class A { protected b(): void {} }`);
  refused("no-private-keyword", "tests/x_test.ts", `class A { private b(): void {} }`);
});

Deno.test("fw/no-private-keyword allows #private and public members", () => {
  passed("src/core/app/x.ts", `class A { #b = 1; c = 2; public d = 3; #e(): void {} readonly f = 4; }`);
});

Deno.test("fw/no-then-export rejects an export named then, because import() would treat the module as a promise", () => {
  refused("no-then-export", "src/core/app/x.ts", `export function then(): void {}`);
  refused("no-then-export", "src/core/app/x.ts", `export const then = 1;`);
  refused("no-then-export", "src/core/app/x.ts", `function f(): void {} export { f as then };`);
  refused("no-then-export", "mvc/x.ts", `export { then } from "./y.ts";`);
});

Deno.test("fw/no-then-export allows other exports, and a local variable named then", () => {
  passed("src/core/app/x.ts", `function then(): void {} export { then as go };`);
});

Deno.test("fw/no-top-level-arrow reports a top-level constant with an arrow function", () => {
  refused("no-top-level-arrow", "src/core/app/x.ts", `const f = () => 1; f();`);
  refused("no-top-level-arrow", "src/core/app/x.ts", `export const f = (a: number): number => a;`);
  refused("no-top-level-arrow", "src/core/app/x.ts", `const f = async () => {}; f();`);
  refused("no-top-level-arrow", "tests/x_test.ts", `const f: F = (a) => a; f();`);
});

Deno.test("fw/no-top-level-arrow allows declarations, nested arrow functions, calls and variables that are reassigned", () => {
  passed("src/core/app/x.ts", `let f = () => 1; export function use(g: F): void { f = g; }`);
  passed("src/core/app/x.ts", `export function f(): number { const g = () => 1; return g(); }`);
  passed("src/core/app/x.ts", `const f = make(() => 1); const table = { a: () => 1 };`);
  passed("src/core/app/x.ts", `{ const f = () => 1; f(); }`);
});

Deno.test("fw/max-code-lines rejects more than 300 lines of code and reports their number", () => {
  const message = refused("max-code-lines", "src/core/app/x.ts", "f();\n".repeat(301));
  assertEquals(message, "The file has 301 lines of code, more than 300");
});

Deno.test("fw/max-code-lines ignores blank lines, comments and tests", () => {
  passed("src/core/app/x.ts", "f();\n".repeat(300));
  passed("src/core/app/x.ts", "f(); // why – größer 🙂\n\n// why\n/**\n * f();\n */\n".repeat(300));
  passed("tests/core/app/x_test.ts", "f();\n".repeat(2000));
});

Deno.test("fw/max-code-lines ignores the file of Context, whose methods are single statements", () => {
  passed("src/core/context/context.ts", "f();\n".repeat(400));
});

Deno.test("fw/max-code-lines counts the lines of a template that look like comments", () => {
  refused("max-code-lines", "src/core/app/x.ts", "f(`\n" + "// text\n".repeat(300) + "`);\n");
});

Deno.test("fw/comment-width rejects comments beyond 120 columns anywhere in a file", () => {
  const words = "why – größer 🙂 ".repeat(7);
  for (const source of [`// ${words}${"x".repeat(20)}`, `f();\n/**\n * short\n * ${words}${"x".repeat(20)}\n */`]) {
    assertMatch(refused("comment-width", "src/core/app/x.ts", source), /^A comment has 1\d\d columns, more than 120$/);
  }
});

Deno.test("fw/comment-width allows shorter comments, table rows, long code and tests", () => {
  passed("src/core/app/x.ts", `// ${"x".repeat(117)}`);
  passed("src/core/app/x.ts", `/**\n * | a | ${"x".repeat(150)} |\n */`);
  passed("src/core/app/x.ts", `f("${"x".repeat(150)}");`);
  passed("tests/core/app/x_test.ts", `// ${"x".repeat(150)}`);
});

Deno.test("fw/error-message rejects a message that does not begin with a capital letter", () => {
  for (
    const expression of [
      `new FrameworkError("FW_STATE", "cannot start")`,
      `new HTTPError(400, "bad")`,
      `new fw.HTTPError(400, "bad")`,
      `new Error("bad")`,
      `new TypeError(\`bad "\${x}"\`)`,
      `new RangeError("bad" + x)`,
      `new Error(\`\${x} is bad\`)`,
      `new Error(x + " is bad")`,
      `new Error("1 is bad")`,
    ]
  ) assertStringIncludes(refused("error-message", "src/core/app/x.ts", `throw ${expression};`), "capital letter");
});

Deno.test("fw/error-message rejects a final period, contractions and misplaced quotes", () => {
  assertStringIncludes(refused("error-message", "mvc/x.ts", `throw new Error("Cannot start.");`), "period");
  assertStringIncludes(refused("error-message", "mvc/x.ts", "throw new Error(`Cannot start ${x}.`);"), "period");
  for (
    const words of ["Can't start", "It's late", "You're late", "We'll see", "Does not run: isn't there", "I’m late"]
  ) {
    assertStringIncludes(refused("error-message", "src/core/app/x.ts", `throw new Error("${words}");`), "contraction");
  }
  assertStringIncludes(
    refused("error-message", "src/core/app/x.ts", "throw new Error(`Cannot read '${x}'`);"),
    "other than double quotes",
  );
  assertStringIncludes(
    refused("error-message", "src/core/app/x.ts", 'throw new Error(`Cannot read "${x}: absent`);'),
    "without its partner",
  );
});

Deno.test("fw/error-message allows valid messages, computed messages and tests", () => {
  for (
    const expression of [
      'new FrameworkError("FW_FIELD", `Cannot read form field "${name}" as an integer: current value is "${value}"`)',
      'new FrameworkError("FW_FILE", `Cannot serve "${folder}/${name}": it is outside`, { cause: e })',
      'new FrameworkError("FW_STATUS", "Cannot set status " + status + ": it is out of range")',
      `new Error("The package's own name is taken")`,
      "new HTTPError(413)",
      `new HTTPError(404, "")`,
      "new HTTPError(status, text)",
      "new Error(message(x))",
      "new Other('whatever.')",
      "new Error()",
    ]
  ) passed("src/core/app/x.ts", `throw ${expression};`);
  passed("tests/x_test.ts", `throw new Error("boom.");`);
  passed("examples/x/main.ts", `throw new Error("boom.");`);
});

Deno.test("fw/lazy-imports rejects a dynamic import that runs in the context of its caller", () => {
  const message = refused("lazy-imports", "src/core/app/x.ts", `await import("./y.ts");`);
  assertEquals(message, "A dynamic import runs in the asynchronous context of its caller");
  for (
    const source of [
      `export function f() { return import("./y.ts"); }`,
      `export function f() { const load = () => import("./y.ts"); return load(); }`,
      `[1].map(() => import("./y.ts"));`,
      `later(() => import("./y.ts"));`,
      `loadModule(async () => { await import("./y.ts"); });`,
      `other.loadModule(() => import("./y.ts"));`,
      `loadModule(name, () => import("./y.ts"));`,
    ]
  ) {
    refused("lazy-imports", "src/core/app/x.ts", source);
    refused("lazy-imports", "mvc/route/x.ts", source);
  }
});

Deno.test("fw/lazy-imports allows lazy modules, types and tests", () => {
  passed("src/core/app/x.ts", `new LazyModule(() => import("./y.ts"));`);
  passed("src/core/app/x.ts", `const { y } = await loadModule(() => import("./y.ts")); y();`);
  passed("src/core/app/x.ts", `export type Y = typeof import("./y.ts");`);
  passed("tests/core/app/x_test.ts", `await import("./y.ts");`);
});

Deno.test("fw/file-urls rejects the pathname of a file URL, which is no path on Windows or if it has a space", () => {
  const sources = [
    `export const path: string = new URL("x.ts", import.meta.url).pathname;`,
    `export const path: string = new URL(import.meta.url).pathname;`,
    `export const path: string = new URL(import.meta.resolve("./x.ts")).pathname;`,
    `const url = new URL("x.ts", import.meta.url);\nexport const path: string = url.pathname;`,
  ];
  for (const source of sources) {
    for (const file of ["tests/x_test.ts", "examples/x/main.ts", "src/http/headers/x.ts"]) {
      refused("file-urls", file, source);
    }
  }
  passed("tests/x_test.ts", `export const path: string = new URL("http://localhost/a").pathname;`);
  passed("tests/x_test.ts", `export const path: string = fromFileUrl(new URL("x.ts", import.meta.url));`);
});

Deno.test("fw/file-urls rejects a URL made of a path without escapes", () => {
  refused(
    "file-urls",
    "tests/x_test.ts",
    "export function make(path: string): URL {\n  return new URL(`file://${path}`);\n}",
  );
  passed("tests/x_test.ts", 'export const url: URL = new URL("file:///tmp/a");');
});
