import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { TypeFiles } from "./bundle_types.ts";
import { Declarations } from "./bundle_declarations.ts";

/** Returns the files of declarations for sources. The entry points are modules whose names begin with a capital. */
function filesOf(sources: Readonly<Record<string, string>>): Record<string, string> {
  const declarations = new Declarations();
  for (const [path, text] of Object.entries(sources)) declarations.add(path, text);
  const entries = Object.keys(sources).filter((path) => /^[A-Z]/.test(path));
  const names = new Map(entries.map((path) => [path.slice(0, -".ts".length).toLowerCase(), path]));
  return Object.fromEntries(new TypeFiles(declarations, names).contents());
}

/** Returns the lines of a file without comments and empty lines. */
function linesOf(file = ""): string[] {
  return file.split("\n").filter((line) => line !== "" && !line.startsWith("//"));
}

Deno.test("TypeFiles.contents() puts the modules of one entry point together, without declarations that it does not lead to", () => {
  const files = filesOf({
    "A.ts": `/**\n * Tea.\n *\n * @module\n */\n\nimport { type Pot, wash } from "./src/pot.ts";\n` +
      `/** Brews. */\nexport function brew(pot: Pot): void { wash(pot); }`,
    "src/pot.ts": `import { parse } from "@std/semver";\nimport type { Lid } from "./lid.ts";\n` +
      `/** A pot. */\nexport interface Pot { lid: Lid }\nexport function wash(_: unknown): typeof parse { return parse; }`,
    "src/lid.ts": `export type Lid = "a" | "b";`,
  });
  assertEquals(Object.keys(files).sort(), ["a", "a_parts"]);
  assertStringIncludes(files["a"] ?? "", "/**\n * Tea.\n *\n * @module\n */\n");
  assertEquals(linesOf(files["a"]).slice(5), [
    'import type { Pot } from "./a_parts.d.ts";',
    "export {};",
    "/** Brews. */",
    "export declare function brew(pot: Pot): void;",
  ]);
  assertEquals(linesOf(files["a_parts"]), [
    "/** A pot. */",
    "export interface Pot {",
    "\tlid: Lid;",
    "}",
    'export type Lid = "a" | "b";',
  ]);
});

Deno.test("TypeFiles.contents() keeps names that mean different things in different files", () => {
  const files = filesOf({
    "A.ts":
      `export { type Options as First, type Table } from "./first.ts";\nexport type { Options } from "./second.ts";`,
    "first.ts": `export interface Options { a: number }\nexport type Table = Map<string, Options>;`,
    "second.ts": `import type { Options as Base } from "./first.ts";\nexport interface Options extends Base {}`,
    "B.ts": `export { type Third as default } from "./third.ts";`,
    "third.ts": `export type Third = Map<string, number>;\nexport interface Map<K, V> { k: K; v: V }`,
  });
  assertEquals(linesOf(files["a"]), [
    'export { type Options as First, type Table } from "./a_parts.d.ts";',
    'export { type Options } from "./a_parts2.d.ts";',
    "export {};",
  ]);
  assertStringIncludes(files["a_parts2"] ?? "", 'import type { Options as Base } from "./a_parts.d.ts";');
  assertEquals(linesOf(files["b"])[0], 'export { type Third as default } from "./b_parts.d.ts";');
  // Modules that use the global type and modules that declare their own one are never in the same file.
  const shared = filesOf({
    "A.ts": `export type { Table } from "./first.ts";\nexport type { Own } from "./third.ts";`,
    "first.ts": `export type Table = Map<string, number>;`,
    "third.ts": `export interface Map { own: true }\nexport type Own = Map;`,
  });
  assertEquals(Object.keys(shared).sort(), ["a", "a_parts", "a_parts2"]);
});

Deno.test("TypeFiles.contents() exports classes that only have types in public as types, and namespaces with their comments", () => {
  const files = filesOf({
    "A.ts": `/** All. */\nexport * as b from "./B.ts";\nexport type * from "./cup.ts";\nconst plug: number = 1;\n` +
      `export default plug;`,
    "B.ts": `import type * as a from "./A.ts";\nexport { Cup } from "./cup.ts";\nexport let first: a.Cup | undefined;`,
    "cup.ts":
      `/** A cup. */\nexport class Cup { #hot = 1; static { } [Symbol.dispose](): void { this.#hot++; } size!: 1 }`,
  });
  assertEquals(linesOf(files["a"]), [
    'export { type Cup } from "./features.d.ts";',
    "export { plug as default };",
    "export {};",
    "/** All. */",
    'export * as b from "./b.d.ts";',
    "declare const plug: number;",
  ]);
  assertStringIncludes(files["b"] ?? "", 'export { Cup } from "./features.d.ts";');
  assertEquals(linesOf(files["features"]), [
    "/** A cup. */",
    "export declare class Cup {",
    "\t#private;",
    "\t[Symbol.dispose](): void;",
    "\tsize: 1;",
    "}",
  ]);
});

Deno.test("Declarations.add() throws an error if a type has to be inferred", () => {
  assertThrows(
    () => new Declarations().add("a.ts", "export const a = Math.random();"),
    Error,
    'Cannot declare "a.ts": ',
  );
});
