/**
 * Generates the reference pages that list configurators, entry points, path templates and template tags.
 *
 * @module
 */

import { BUILTIN_FUNCTIONS } from "../../src/http/parameter_types/functions.ts";
import { BUILTIN_TYPES, type BuiltinType } from "../../src/http/parameter_types/types.ts";
import { type Entry, firstSentence, inOneLine, namespaceOf, readEntries, table } from "./documentation.ts";

/** Generates the pages, by name. */
export async function listPages(): Promise<Map<string, string>> {
  const all = await readEntries();
  return new Map([
    ["configurators", configurators(entry(all, "@fw/web"))],
    ["entry-points", entryPoints(all)],
    ["path-templates", pathTemplates()],
    ["template-tags", templateTags(entry(all, "@fw/web/view"))],
  ]);
}

function entry(all: readonly Entry[], name: string): Entry {
  const found = all.find((each) => each.name === name);
  if (found === undefined) throw new Error(`Cannot find the entry point "${name}"`);
  return found;
}

function configurators({ symbols }: Entry): string {
  const rows = symbols.filter(({ name }) => name.startsWith("With"))
    .map((symbol) => [`\`${symbol.name}\``, firstSentence(symbol.declarations[0]?.jsDoc?.doc)])
    .sort(([a = ""], [b = ""]) => a.toLowerCase() < b.toLowerCase() ? -1 : 1);
  return `# Configurators

Configurators are functions for \`app.Configure\` and \`app.Run\`, such as
\`app.Configure(fw.WithProxy({ Trust: ["127.0.0.1"] }))\`. For the defaults, see
[\`fw.Configuration\`](./application-options.md#fwconfiguration). \`deno task guide\` generates this list from the code.

${table(["Configurator", "Meaning"], rows)}

Words: configuration, settings, options, app.set
`;
}

/** Returns the first sentence of a module's documentation. */
function summaryOf(doc: string): string {
  const line = inOneLine(doc.trim().split(/\n\s*\n/, 1)[0] ?? "");
  return /^.*?\.(?= |$)/.exec(line)?.[0] ?? line.replace(/:$/, ".");
}

function entryPoints(all: readonly Entry[]): string {
  const sections = all.map(({ name, file, doc, symbols }) => {
    const names = [...new Set(symbols.map((symbol) => symbol.name))].filter((each) => each !== "default").sort();
    const list = names.length === 0
      ? "It exports no symbols."
      : `Symbols: ${names.map((each) => `\`${each}\``).join(", ")}.`;
    return `## ${name}\n\n[\`${namespaceOf(name)}\`](../../../${file}): ${summaryOf(doc)}\n\n${list}`;
  });
  return `# Entry points

The package has ${all.length} entry points. A program loads only those that it imports. Each symbol is documented
on JSR and in \`deno doc\`. \`deno task guide\` generates this list from the code.

${sections.join("\n\n")}

Words: import, module, package, exports, jsr, API
`;
}

/** The accepted values of the types that are not integers. */
const accepted: Readonly<Record<string, string>> = {
  uuid: "a UUID in the standard format, in uppercase or lowercase",
  date: "a calendar date such as `2026-11-15`",
  weekday: "an English day name, such as `monday` or `Monday`, or a number from 0 to 6",
  bool: "`true`, `True`, `TRUE`, `t`, `T` or `1`, and the same for `false`",
  alphabetical: "letters from A to Z and spaces",
  mail: "an email address",
  file: "a file name consisting of letters, digits, `_`, `-` and `.`",
  string: "any segment; the type of `{name}`",
  path: "the rest of the path, including slashes; must be the last parameter",
};

function pathTemplates(): string {
  const types = BUILTIN_TYPES.map((type) => {
    const names = [type.Name, ...type.Aliases ?? []].map((name) => `\`${name}\``).join(", ");
    return [names, acceptedBy(type), convertedBy(type)];
  });
  const functions = BUILTIN_FUNCTIONS.map(({ name, kinds, takes }) => [
    `\`${name}\``,
    kinds.includes("text") ? "strings" : "integers",
    takes.replace("one text", "one string"),
  ]);
  return `# Path templates

A path parameter is written as \`{name}\`, \`{name:type}\` or \`{name:type function(arguments) else STATUS}\`. If a
segment is not accepted, the route does not match. With \`else\`, the response has the given status instead.
[Routing](./routing.md) describes how templates are matched. \`deno task guide\` generates these lists from the code.

## Parameter types

If several types accept a segment, the narrowest one is used. \`ctx.Params().Value(name)\` returns the converted value.

${table(["Type", "Accepts", "Value"], types)}

## Functions

Functions follow the type, as in \`{age:int range(0,150)}\`. \`min\` and \`max\` limit the value of an integer or the
length of a string. \`regexp\` must match the entire value.

${table(["Function", "For", "Arguments"], functions)}

\`app.Macros()\` registers custom types and functions.

Words: route parameter, :id, wildcard, regular expression, path-to-regexp, parameter type, constraint, {id:int}
`;
}

function acceptedBy({ Name, Test }: BuiltinType): string {
  const fits = (value: bigint) => Test(String(value), 0, String(value).length);
  if (!fits(1n) || accepted[Name] !== undefined) {
    const words = accepted[Name];
    if (words === undefined) throw new Error(`Cannot describe the parameter type "${Name}": add it to list_pages.ts`);
    return words;
  }
  const bounds = [7n, 8n, 15n, 16n, 31n, 32n, 53n, 63n, 64n].map((bits) => 2n ** bits - 1n);
  const high = bounds.findLast(fits);
  const low = [0n, ...bounds.flatMap((bound) => [-bound, -bound - 1n])].findLast(fits);
  return `integers from ${low} to ${high}`;
}

function convertedBy({ Name, kind, Convert }: BuiltinType): string {
  if (kind === "number" || kind === "bigint") return `\`${kind}\``;
  if (Convert === undefined) return "`string`";
  return { date: "`Date`", weekday: "`number`, 0 for Sunday", bool: "`boolean`" }[Name] ?? "`unknown`";
}

function templateTags({ doc }: Entry): string {
  // A row can continue in the next line of the comment.
  const rows = Array.from(
    doc.matchAll(/^\| (`<[^]*?) \|$/gm),
    ([, row = ""]) => /^(.*?`(?:, `.*?`)*) \| ([^]*)$/.exec(row)?.slice(1).map(inOneLine) ?? [row, ""],
  );
  const notes = doc.slice(doc.lastIndexOf("|\n") + 2).trim();
  return `# Template tags

Templates for \`fw.HTML\` are HTML files with tags that contain JavaScript. A template accesses its data as \`it\`.
[Views](./views.md) describes how to register and render templates. \`deno task guide\` generates this page from
the code.

${table(["Tag", "Effect"], rows)}

${notes}

Words: EJS, Eta, template syntax, escape, raw HTML, include, partial, layout, block, loop, if
`;
}
