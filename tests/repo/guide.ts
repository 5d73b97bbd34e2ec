/**
 * Generates the lists at the end of the guide from the documentation in the code. `deno task guide` updates the file,
 * and a test checks that it is up to date.
 *
 * @module
 */

import { fromFileUrl, join } from "@std/path";
import { ErrorCodes } from "../../src/errors/errors.ts";

const root = fromFileUrl(new URL("../../", import.meta.url));

/** The path of the guide. */
export const guideFile: string = join(root, "examples/README.md");

const mark = "## Reference\n";

interface Documented {
  readonly name: string;
  readonly jsDoc?: { readonly doc?: string };
}

interface Symbol extends Documented {
  readonly declarations: readonly (Documented & { readonly def?: { readonly methods?: readonly Documented[] } })[];
}

/** Generates the lists at the end of the guide. */
export async function referenceLists(): Promise<string> {
  const symbols = await readSymbols("mod.ts");
  const configurators = symbols.filter(({ name }) => name.startsWith("With"))
    .map((symbol) => [symbol.name, firstSentence(symbol.declarations[0]?.jsDoc?.doc)] as const)
    .sort(([a], [b]) => a.toLowerCase() < b.toLowerCase() ? -1 : 1);
  const context = symbols.find(({ name }) => name === "Context")?.declarations[0]?.def?.methods ?? [];
  const methods = context.filter(({ name }) => /^[A-Z]/.test(name))
    .map(({ name, jsDoc }) => [name, firstSentence(jsDoc?.doc)] as const);
  const unique = [...new Map(methods)].sort(([a], [b]) => a < b ? -1 : 1);
  return `${mark}
Every symbol is documented on JSR. \`deno task guide\` writes these lists from the code.

### Configurators

${table("Configurator", configurators)}

### Methods of Context

${table("Method", unique)}

### Errors by code

Errors that fw itself creates carry a \`Code\`:

${table("Code", Object.entries(ErrorCodes))}
`;
}

/** Returns the guide with up-to-date lists. */
export async function currentGuide(): Promise<string> {
  const text = await Deno.readTextFile(guideFile);
  return text.slice(0, text.indexOf(mark)) + await referenceLists();
}

/** Formats a table like `deno fmt`. */
function table(head: string, rows: readonly (readonly [name: string, words: string])[]): string {
  const cells = rows.map(([name, words]) => [`\`${name}\``, words.replaceAll("|", "\\|")] as const);
  const widths = [0, 1].map((column) =>
    Math.max(...[[head, "Meaning"], ...cells].map((row) => row[column]?.length ?? 0))
  );
  const line = (row: readonly string[]) => `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |`;
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return [line([head, "Meaning"]), rule, ...cells.map(line)].join("\n");
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

if (import.meta.main) await Deno.writeTextFile(guideFile, await currentGuide());
