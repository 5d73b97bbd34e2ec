import { assertEquals } from "@std/assert";
import { readEntries } from "../book/documentation.ts";

/** A part of the `deno doc --json` output, without types. */
type Doc = ReturnType<typeof JSON.parse>;

/** Lists the declarations of symbols, including those in namespaces. */
function* declarationsOf(symbols: Doc): Generator<{ name: string; declaration: Doc }> {
  for (const { name, declarations } of symbols) {
    for (const declaration of declarations) {
      if (declaration.kind === "namespace") yield* declarationsOf(declaration.def.elements);
      else yield { name, declaration };
    }
  }
}

/** Lists the package's own types in a signature, excluding type parameters. */
function* typesIn(part: Doc): Generator<string> {
  if (typeof part !== "object" || part === null) return;
  if (part.kind === "typeRef") {
    const { typeName, resolution } = part.value ?? part.typeRef;
    if (["local", "import"].includes(resolution?.kind)) {
      yield String(resolution.name ?? typeName).split(".").at(-1) ?? "";
    }
  }
  for (const [key, value] of Object.entries(part)) if (key !== "jsDoc") yield* typesIn(value);
}

Deno.test("no signature of a published class, interface or function uses a type that is not published", async () => {
  const modules: readonly Doc[] = await readEntries();
  const all = modules.flatMap((module) => [...declarationsOf(module.symbols)]);
  const published = new Set(all.map(({ name }) => name));
  const hidden = new Set<string>();
  for (const { name, declaration } of all) {
    // The helper types of a conditional type do not need to be published.
    if (declaration.kind === "typeAlias") continue;
    for (const type of typesIn(declaration.def)) if (!published.has(type)) hidden.add(`${name}: ${type}`);
  }
  assertEquals([...hidden], []);
  assertEquals(published.has("Context") && published.has("Inject"), true);
});

const mostUsed: Readonly<Record<string, readonly string[]>> = {
  Context: [
    ...[
      "FormFile",
      "FormValue",
      "GetCookie",
      "GetHeader",
      "HTML",
      "Header",
      "JSON",
      "Logger",
      "Next",
      "Params",
      "Path",
    ],
    ...["PostValue", "PostValueInt", "ReadJSON", "Redirect", "ServeFile", "SetCookie", "StatusCode", "StopWithError"],
    ...["StopWithStatus", "URLParam", "UploadFormFiles", "Values", "View", "WriteString"],
  ],
  Party: [
    ...["Done", "Get", "Handle", "HandleDir", "OnAnyErrorCode", "OnErrorCode", "Party", "Post", "RegisterView", "Use"],
    "UseRouter",
  ],
};

Deno.test("the most used members of Context and Party have an example each", async () => {
  const modules: readonly Doc[] = await readEntries();
  const all = modules.flatMap((module) => [...declarationsOf(module.symbols)]);
  const bare: string[] = [];
  for (const [name, members] of Object.entries(mostUsed)) {
    const { declaration } = all.find((each) => each.name === name && each.declaration.kind === "class") ?? {};
    for (const member of members) {
      const { jsDoc } = declaration.def.methods.find((method: Doc) => method.name === member);
      if (!jsDoc.tags?.some((tag: Doc) => tag.kind === "example")) bare.push(`${name}.${member}`);
    }
  }
  assertEquals(bare, []);
});

Deno.test("the documentation of every entry point has an example", async () => {
  const bare = (await readEntries()).filter(({ doc, examples }) => ![doc, ...examples].join("\n").includes("```ts"));
  assertEquals(bare.map(({ file }) => file), []);
});
