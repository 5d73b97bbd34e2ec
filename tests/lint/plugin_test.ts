import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import plugin from "./plugin.ts";

const root = new URL("../../", import.meta.url).pathname;

/** Returns the ids and messages of what the plugin has against a file of the repository. */
function lint(path: string, source: string): { id: string; message: string }[] {
  return Deno.lint.runPlugin(plugin, root + path, source).map(({ id, message }) => ({ id, message }));
}

/** Asserts that one rule speaks exactly once, and returns its words. */
function refused(rule: string, path: string, source: string): string {
  const found = lint(path, source);
  assertEquals(found.map(({ id }) => id), [`fw/${rule}`], `${path}: ${source}`);
  return found.map(({ message }) => message).join();
}

/** Asserts that no rule speaks. */
function passed(path: string, source: string): void {
  assertEquals(lint(path, source), [], `${path}: ${source}`);
}

Deno.test("fw/floors refuses an import from a higher floor", () => {
  const message = refused("floors", "src/context/x.ts", `import { a } from "../app/party.ts"; a();`);
  assertEquals(message, `"src/context" on floor 4 imports "src/app" on floor 6.3, which is above it`);
  refused("floors", "src/log/logger.ts", `import { a } from "../errors/errors.ts"; a();`);
  refused("floors", "src/app/x.ts", `import { a } from "../../mvc/mod.ts"; a();`);
  refused("floors", "mvc/x.ts", `import { a } from "../mod.ts"; a();`);
});

Deno.test("fw/floors knows the rooms of mvc: reflect, inject, result, serve, route, and mvc itself on top", () => {
  const message = refused("floors", "mvc/inject/x.ts", `import { a } from "../route/x.ts"; a();`);
  assertEquals(message, `"mvc/inject" on floor 7.2 imports "mvc/route" on floor 7.5, which is above it`);
  const rooms = ["mvc/reflect", "mvc/inject", "mvc/result", "mvc/serve", "mvc/route"];
  for (const [at, room] of rooms.entries()) {
    refused("floors", `${room}/x.ts`, `import { a } from "../application.ts"; a();`);
    for (const upper of rooms.slice(at + 1)) {
      refused("floors", `${room}/x.ts`, `import { a } from "../../${upper}/x.ts"; a();`);
    }
    for (const lower of rooms.slice(0, at)) passed(`${room}/x.ts`, `import { a } from "../../${lower}/x.ts"; a();`);
    passed("mvc/x.ts", `import { a } from "../${room}/x.ts"; a();`);
    passed(`${room}/x.ts`, `import { a } from "../../src/app/party.ts"; a();`);
  }
  assertEquals(
    refused("floors", "mvc/attic/x.ts", `import { a } from "../inject/x.ts"; a();`),
    `"mvc/attic" has no floor`,
  );
});

Deno.test("fw/floors orders a folder and its subfolders", () => {
  const message = refused("floors", "src/app/serve/x.ts", `import { a } from "../party.ts"; a();`);
  assertEquals(message, `"src/app/serve" on floor 6.2 imports "src/app" on floor 6.3, which is above it`);
  passed("src/app/x.ts", `import { a } from "./serve/dispatch.ts"; a();`);
  refused("floors", "src/app/build/x.ts", `import { a } from "../serve/dispatch.ts"; a();`);
  refused("floors", "src/app/record/x.ts", `import { a } from "../inspect/explain.ts"; a();`);
  refused("floors", "src/body/upload/x.ts", `import { a } from "../form_body.ts"; a();`);
  refused("floors", "src/response/x.ts", `import { a } from "./file/respond.ts"; a();`);
  passed("src/response/file/x.ts", `import { a } from "../draft.ts"; a();`);
});

Deno.test("fw/floors lets an entry import every folder of its room", () => {
  passed("src/openapi/mod.ts", `export { a } from "./sources/main.ts";`);
  refused("floors", "src/openapi/x.ts", `export { a } from "./sources/main.ts";`);
});

Deno.test("fw/floors refuses an import from another folder of the same floor", () => {
  const message = refused("floors", "src/middleware/x.ts", `import { a } from "../sessions/mod.ts"; a();`);
  assertEquals(message, `"src/middleware" imports "src/sessions", which is on the same floor`);
  refused("floors", "src/sessions/x.ts", `import { a } from "../middleware/x.ts"; a();`);
  refused("floors", "src/parameter_types/x.ts", `import { a } from "../view/x.ts"; a();`);
  refused("floors", "src/view/x.ts", `import { a } from "../server/x.ts"; a();`);
  refused("floors", "mod.ts", `export { a } from "./src/httptest/mod.ts";`);
});

Deno.test("fw/floors counts every way to name a module", () => {
  for (
    const source of [
      `import type { A } from "../app/x.ts"; export type B = A;`,
      `import { type A } from "../app/x.ts"; export type B = A;`,
      `import "../app/x.ts";`,
      `export { a } from "../app/x.ts";`,
      `export type { A } from "../app/x.ts";`,
      `export * from "../app/x.ts";`,
      `export * as app from "../app/x.ts";`,
      `await import("../app/x.ts");`,
      `export type A = import("../app/x.ts").A;`,
    ]
  ) refused("floors", "src/router/x.ts", source);
});

Deno.test("fw/floors refuses the package itself, tests, examples and folders without a floor", () => {
  refused("floors", "src/app/x.ts", `import * as fw from "@fw/web"; fw;`);
  refused("floors", "mvc/x.ts", `import * as s from "jsr:@fw/web@^1/sessions"; s;`);
  refused("floors", "src/app/x.ts", `import { a } from "../../tests/x.ts"; a();`);
  refused("floors", "mod.ts", `import { a } from "./examples/x.ts"; a();`);
  const message = refused("floors", "src/attic/x.ts", `import { a } from "../log/x.ts"; a();`);
  assertEquals(message, `"src/attic" has no floor`);
});

Deno.test("fw/floors lets pass lower floors, the own folder, other packages, tests and examples", () => {
  passed("src/app/application.ts", `import { a } from "../context/context.ts"; a();`);
  passed("src/app/application.ts", `import type { A } from "./party.ts"; export type B = A;`);
  passed("src/body/form/x.ts", `import { a } from "../source/x.ts"; a();`);
  passed("mvc/result/x.ts", `import { a } from "../../src/sessions/mod.ts"; a();`);
  passed("mod.ts", `export { a } from "./src/log/logger.ts"; export * as m from "./mvc/mod.ts";`);
  passed("src/httptest/mod.ts", `import { a } from "../../mvc/mod.ts"; a();`);
  passed(
    "src/log/x.ts",
    `import { a } from "@std/fmt/colors"; import b from "node:fs"; import c from "npm:eta@^4"; a(b, c);`,
  );
  passed("src/log/x.ts", `const name = "./x.ts"; await import(name);`);
  passed("tests/app/x_test.ts", `import { a } from "../../src/app/x.ts"; a();`);
  passed("examples/x/main.ts", `import * as fw from "jsr:@fw/web"; fw;`);
});

Deno.test("fw/circles refuses an import that leads back to the file, whatever its kind", () => {
  // On disk, router.ts imports trie.ts.
  const message = refused("circles", "src/router/trie.ts", `import { a } from "./router.ts"; a();`);
  assertEquals(
    message,
    'The import closes a circle: "src/router/trie.ts" imports "src/router/router.ts" imports "src/router/trie.ts"',
  );
  assertStringIncludes(
    refused("circles", "src/parameter_types/template.ts", `import { a } from "./template.ts"; a();`),
    '"src/parameter_types/template.ts" imports "src/parameter_types/template.ts"',
  );
  for (
    const source of [
      `import type { A } from "./router.ts"; export type B = A;`,
      `export * from "./router.ts";`,
      `export type A = import("./router.ts").A;`,
      `await import("./router.ts");`,
    ]
  ) refused("circles", "src/router/trie.ts", source);
});

Deno.test("fw/circles follows imports of types and over several files", () => {
  const source = `import { a } from "./template.ts"; a();`;
  assertStringIncludes(
    refused("circles", "src/parameter_types/types.ts", source),
    '"src/parameter_types/types.ts" imports "src/parameter_types/template.ts" imports "src/parameter_types/functions.ts" imports "src/parameter_types/types.ts"',
  );
});

Deno.test("fw/circles lets pass imports that lead nowhere back, missing files, and tests", () => {
  passed("src/router/router.ts", `import { b } from "./trie.ts"; b();`);
  passed(
    "src/router/trie.ts",
    `import { a } from "../parameter_types/template.ts"; import { b } from "./none.ts"; a(b);`,
  );
  passed("tests/router/linear.ts", `import { a } from "./linear.ts"; a();`);
});

Deno.test("fw/thin-context refuses a method of Context that is not one plain statement", () => {
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
  ) refused("thin-context", "src/context/context.ts", `export class Context { ${method} }`);
});

Deno.test("fw/thin-context lets pass one statement, constructors, static blocks, overloads, other classes and files", () => {
  passed(
    "src/context/context.ts",
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
  passed("src/context/context.ts", `class Other { A(): void { f(); g(); } }`);
  passed("src/app/x.ts", `class Context { A(): void { f(); g(); } }`);
});

Deno.test("fw/no-arrow-field refuses an arrow function in a class field", () => {
  refused("no-arrow-field", "src/app/x.ts", `class A { b = () => 1; }`);
  refused("no-arrow-field", "src/app/x.ts", `class A { static b = () => 1; }`);
  refused("no-arrow-field", "mvc/x.ts", `class A { #b = async () => {}; }`);
  refused("no-arrow-field", "examples/x/main.ts", `class A { b = (): void => {}; }`);
});

Deno.test("fw/no-arrow-field lets pass methods, other fields and tests", () => {
  passed("src/app/x.ts", `class A { b = 1; c(): number { return [2].map((x) => x)[0] ?? 0; } d = f(() => 1); }`);
  passed("tests/x_test.ts", `class A { b = () => 1; }`);
});

Deno.test("fw/no-private-keyword refuses private and protected members", () => {
  refused("no-private-keyword", "src/app/x.ts", `class A { private b = 1; }`);
  refused("no-private-keyword", "src/app/x.ts", `class A { protected b(): void {} }`);
  refused("no-private-keyword", "tests/x_test.ts", `class A { private b(): void {} }`);
});

Deno.test("fw/no-private-keyword lets pass #private and public members", () => {
  passed("src/app/x.ts", `class A { #b = 1; c = 2; public d = 3; #e(): void {} readonly f = 4; }`);
});

Deno.test("fw/no-then-export refuses an export named then, by which import() would take the module for a promise", () => {
  refused("no-then-export", "src/app/x.ts", `export function then(): void {}`);
  refused("no-then-export", "src/app/x.ts", `export const then = 1;`);
  refused("no-then-export", "src/app/x.ts", `function f(): void {} export { f as then };`);
  refused("no-then-export", "mvc/x.ts", `export { then } from "./y.ts";`);
});

Deno.test("fw/no-then-export lets pass other exports, and then inside of a module", () => {
  passed("src/app/x.ts", `function then(): void {} export { then as go };`);
});

Deno.test("fw/no-top-level-arrow refuses a constant of the module that holds an arrow function", () => {
  refused("no-top-level-arrow", "src/app/x.ts", `const f = () => 1; f();`);
  refused("no-top-level-arrow", "src/app/x.ts", `export const f = (a: number): number => a;`);
  refused("no-top-level-arrow", "src/app/x.ts", `const f = async () => {}; f();`);
  refused("no-top-level-arrow", "tests/x_test.ts", `const f: F = (a) => a; f();`);
});

Deno.test("fw/no-top-level-arrow lets pass declarations, inner arrows, calls and what is replaced later", () => {
  passed("src/app/x.ts", `let f = () => 1; export function use(g: F): void { f = g; }`);
  passed("src/app/x.ts", `export function f(): number { const g = () => 1; return g(); }`);
  passed("src/app/x.ts", `const f = make(() => 1); const table = { a: () => 1 };`);
  passed("src/app/x.ts", `{ const f = () => 1; f(); }`);
});

Deno.test("fw/max-code-lines refuses more than 300 lines of code and says how many there are", () => {
  const message = refused("max-code-lines", "src/app/x.ts", "f();\n".repeat(301));
  assertEquals(message, "The file has 301 lines of code, more than 300");
});

Deno.test("fw/max-code-lines counts neither blank lines nor comments, and no tests", () => {
  passed("src/app/x.ts", "f();\n".repeat(300));
  passed("src/app/x.ts", "f(); // why – größer 🙂\n\n// why\n/**\n * f();\n */\n".repeat(300));
  passed("tests/app/x_test.ts", "f();\n".repeat(2000));
});

Deno.test("fw/max-code-lines lets the file of Context grow, whose methods are one statement each", () => {
  passed("src/context/context.ts", "f();\n".repeat(400));
});

Deno.test("fw/max-code-lines counts the lines of a template that look like comments", () => {
  refused("max-code-lines", "src/app/x.ts", "f(`\n" + "// text\n".repeat(300) + "`);\n");
});

Deno.test("fw/comment-width refuses a comment beyond 120 columns, wherever it stands", () => {
  const words = "why – größer 🙂 ".repeat(7);
  for (const source of [`// ${words}${"x".repeat(20)}`, `f();\n/**\n * short\n * ${words}${"x".repeat(20)}\n */`]) {
    assertMatch(refused("comment-width", "src/app/x.ts", source), /^A comment has 1\d\d columns, more than 120$/);
  }
});

Deno.test("fw/comment-width lets pass what fits, rows of tables, long code and tests", () => {
  passed("src/app/x.ts", `// ${"x".repeat(117)}`);
  passed("src/app/x.ts", `/**\n * | a | ${"x".repeat(150)} |\n */`);
  passed("src/app/x.ts", `f("${"x".repeat(150)}");`);
  passed("tests/app/x_test.ts", `// ${"x".repeat(150)}`);
});

Deno.test("fw/error-message refuses a message that does not begin with a capital letter", () => {
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
  ) assertStringIncludes(refused("error-message", "src/app/x.ts", `throw ${expression};`), "capital letter");
});

Deno.test("fw/error-message refuses a final period, contractions and unfit quotes", () => {
  assertStringIncludes(refused("error-message", "mvc/x.ts", `throw new Error("Cannot start.");`), "period");
  assertStringIncludes(refused("error-message", "mvc/x.ts", "throw new Error(`Cannot start ${x}.`);"), "period");
  for (
    const words of ["Can't start", "It's late", "You're late", "We'll see", "Does not run: isn't there", "I’m late"]
  ) {
    assertStringIncludes(refused("error-message", "src/app/x.ts", `throw new Error("${words}");`), "contraction");
  }
  assertStringIncludes(
    refused("error-message", "src/app/x.ts", "throw new Error(`Cannot read '${x}'`);"),
    "other than double quotes",
  );
  assertStringIncludes(
    refused("error-message", "src/app/x.ts", 'throw new Error(`Cannot read "${x}: absent`);'),
    "without its partner",
  );
});

Deno.test("fw/error-message lets pass messages of the house style, messages that it cannot read, and tests", () => {
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
  ) passed("src/app/x.ts", `throw ${expression};`);
  passed("tests/x_test.ts", `throw new Error("boom.");`);
  passed("examples/x/main.ts", `throw new Error("boom.");`);
});
