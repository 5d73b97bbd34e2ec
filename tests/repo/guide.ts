/**
 * Generates the list of examples and the reference pages of the book that are lists, from the documentation in the
 * code. `deno task guide` updates the files, and a test checks that they are up to date.
 *
 * @module
 */

import { fromFileUrl, join } from "@std/path";
import { errorPages } from "../book/error_pages.ts";
import { exampleNames, headerOf } from "./example.ts";

const root = fromFileUrl(new URL("../../", import.meta.url));
const folder = "examples/book/reference";

interface Documented {
  readonly name: string;
  readonly jsDoc?: { readonly doc?: string };
}

interface Symbol extends Documented {
  readonly declarations: readonly (Documented & { readonly def?: { readonly methods?: readonly Documented[] } })[];
}

/** Generates the files, by their paths in the repository. */
export async function generatedFiles(): Promise<Map<string, string>> {
  const symbols = await readSymbols("mod.ts");
  return new Map([
    ["examples/README.md", await examplesList()],
    [`${folder}/configurators.md`, configurators(symbols)],
    [`${folder}/context.md`, contextMethods(symbols)],
    ...errorPages().entries().map(([name, text]) => [`${folder}/${name}.md`, text] as const),
  ]);
}

async function examplesList(): Promise<string> {
  const lines = (await exampleNames()).map(async (name) =>
    `- [\`${name}\`](./${name}/main.ts): ${(await headerOf(name)).summary}`
  );
  return `# Examples

Complete programs, each with its tests in \`tests/examples\`. \`deno task example\` lists them, and
\`deno task example NAME\` runs one with the permissions that it needs. The [book](./book/README.md) explains everything
that they use.

${(await Promise.all(lines)).join("\n")}
`;
}

function configurators(symbols: readonly Symbol[]): string {
  const rows = symbols.filter(({ name }) => name.startsWith("With"))
    .map((symbol) => [symbol.name, firstSentence(symbol.declarations[0]?.jsDoc?.doc)] as const)
    .sort(([a], [b]) => a.toLowerCase() < b.toLowerCase() ? -1 : 1);
  return `# Configurators

Configurators are functions for \`app.Configure\` and \`app.Run\`, as in
\`app.Configure(fw.WithBasePath("/shop"))\`. Every symbol is documented on JSR. \`deno task guide\` writes this list from
the code.

${table("Configurator", rows)}

Words: configuration, settings, options, app.set
`;
}

function contextMethods(symbols: readonly Symbol[]): string {
  const context = symbols.find(({ name }) => name === "Context")?.declarations[0]?.def?.methods ?? [];
  const methods = context.filter(({ name }) => /^[A-Z]/.test(name))
    .map(({ name, jsDoc }) => [name, firstSentence(jsDoc?.doc)] as const);
  const rows = [...new Map(methods)].sort(([a], [b]) => a < b ? -1 : 1);
  return `# Methods of Context

Every handler receives a \`Context\`, usually named \`ctx\`. \`deno task guide\` writes this list from the code.

${table("Method", rows)}

Words: request, response, req, res, c, ctx
`;
}

/** Returns a table. */
function table(head: string, rows: readonly (readonly [name: string, words: string])[]): string {
  const lines = rows.map(([name, words]) => `| \`${name}\` | ${words.replaceAll("|", "\\|")} |`);
  return [`| ${head} | Meaning |`, "| --- | --- |", ...lines].join("\n");
}

function firstSentence(doc = ""): string {
  const [paragraph = ""] = doc.trim().split(/\n\s*\n/, 1);
  const line = paragraph.replace(/\s+/g, " ").replace(/\{@linkcode (\w+(?:\.\w+)?)\}/g, "`$1`");
  return /^(.*?[.:])(?: |$)/.exec(line)?.[1]?.replace(/[.:]$/, "") ?? line;
}

async function readSymbols(file: string): Promise<readonly Symbol[]> {
  const command = new Deno.Command(Deno.execPath(), {
    args: ["doc", "--json", file],
    cwd: root,
    stdout: "piped",
    stderr: "null",
  });
  const { nodes } = JSON.parse(new TextDecoder().decode((await command.output()).stdout));
  return Object.values<{ symbols: readonly Symbol[] }>(nodes)[0]?.symbols ?? [];
}

if (import.meta.main) {
  for (const [file, text] of await generatedFiles()) await Deno.writeTextFile(join(root, file), text);
}
