/**
 * Shows schemas as trees.
 *
 * @module
 */

import { make } from "./elements.ts";
import { markdown } from "./markdown.ts";
import { resolve, type Schema } from "./spec.ts";

/** A labeled part of a schema: its name, its schema and whether it is required. */
type Part = readonly [name: string, schema: Schema, isRequired: boolean];

/** Returns a schema with its allOf parts merged. */
export function flat(schema: Schema | boolean | undefined, depth = 0): Schema {
  const { allOf, ...one } = resolve(schema);
  if (!allOf || depth > 8) return one;
  return [one, ...allOf.map((part) => flat(part, depth + 1))].reduce((all: Schema, part: Schema) => ({
    ...all,
    ...part,
    ...(all.properties || part.properties ? { properties: { ...all.properties, ...part.properties } } : {}),
    ...(all.required || part.required
      ? { required: [...new Set([...(all.required ?? []), ...(part.required ?? [])])] }
      : {}),
  }));
}

/** Returns the name of a schema that is a reference. */
export function nameOf(schema: Schema | boolean | undefined): string | undefined {
  const reference = typeof schema === "object" ? schema.$ref : undefined;
  return reference === undefined ? undefined : decodeURIComponent(reference.split("/").at(-1) ?? "");
}

/** Returns the types of a schema's values. */
export function typesOf(one: Schema): string[] {
  const types = [one.type ?? []].flat();
  return types.length > 0 ? types : one.properties ? ["object"] : one.items || one.prefixItems ? ["array"] : [];
}

/** Returns the options of a union. */
export function optionsOf(one: Schema): Schema[] | undefined {
  return one.anyOf ?? one.oneOf;
}

function typeText(schema: Schema | boolean, depth = 0): string {
  const name = nameOf(schema);
  if (schema === false) return "never";
  const one = flat(schema);
  if (one.const !== undefined) return JSON.stringify(one.const);
  if (one.enum) return one.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (name && (one.properties || optionsOf(one))) return name;
  if (depth > 4) return "…";
  const options = optionsOf(one);
  if (options) return [...new Set(options.map((part) => typeText(part, depth + 1)))].join(" | ");
  return typesOf(one).map((type) => {
    if (type === "array") {
      if (one.prefixItems) {
        return "[" + one.prefixItems.map((item) => typeText(item, depth + 1)).join(", ") + (one.items ? ", …" : "") +
          "]";
      }
      const item = typeText(one.items ?? {}, depth + 1);
      return item.includes(" | ") ? "(" + item + ")[]" : item + "[]";
    }
    if (type === "object" && !one.properties && one.additionalProperties && one.additionalProperties !== true) {
      return "map of " + typeText(one.additionalProperties, depth + 1);
    }
    if (type === "string" && one.format === "binary") return "file";
    return one.format ? type + " (" + one.format + ")" : type;
  }).join(" | ") || "any";
}

const rules: readonly [keyof Schema, string][] = [
  ["minimum", "≥ "],
  ["exclusiveMinimum", "> "],
  ["maximum", "≤ "],
  ["exclusiveMaximum", "< "],
  ["multipleOf", "multiple of "],
  ["minLength", "min length "],
  ["maxLength", "max length "],
  ["minItems", "min items "],
  ["maxItems", "max items "],
  ["pattern", "matches "],
];

/** Reports whether a bound is the minimum or maximum of an integer type. Such bounds are not shown. */
function isOfType(value: number): boolean {
  return Math.abs(value) >= 2 ** 31 - 1;
}

function rulesOf(schema: Schema): string {
  const one = flat(schema);
  const said = rules.filter(([key]) =>
    one[key] !== undefined && !(isOfType(Number(one[key]))) &&
    !(one.prefixItems && /Items$/.test(key)) && !(key === "pattern" && one.format)
  ).map(([key, sign]) => sign + one[key]);
  if (one.uniqueItems) said.push("unique");
  if (one.default !== undefined) said.push("default " + JSON.stringify(one.default));
  if (one.readOnly) said.push("read only");
  if (one.writeOnly) said.push("write only");
  return said.join(", ");
}

/** Lists the labeled parts of a schema: its properties, items or options. */
function partsOf(schema: Schema): Part[] {
  const one = flat(schema);
  const options = optionsOf(one)?.filter((part) => resolve(part).type !== "null");
  if (options) {
    const deep = options.filter((part) => partsOf(part).length > 0);
    return options.length === 1
      ? partsOf(options[0] ?? {})
      : deep.map((part, at) => ["option " + (at + 1), part, true]);
  }
  if (one.prefixItems) return one.prefixItems.map((item, at) => ["[" + at + "]", item, true]);
  if (typesOf(one).includes("array")) return partsOf(one.items ?? {});
  const members = Object.entries(one.properties ?? {})
    .map(([name, member]): Part => [name, member, (one.required ?? []).includes(name)]);
  const more = one.additionalProperties;
  return typeof more === "object" && partsOf(more).length > 0 ? [...members, ["(any name)", more, true]] : members;
}

/** Shows a part of a schema. Its own parts are shown when it is opened. */
export function leaf([name, schema, isRequired]: Part): HTMLLIElement {
  const one = flat(schema);
  const line = make(
    "span.member",
    make("code.name", name + (isRequired ? "" : "?")),
    make("span.type", typeText(schema)),
    make("span.soft", rulesOf(schema)),
  );
  const words = one.description ? markdown(one.description) : "";
  if (one.deprecated) line.append(make("span.bad", "deprecated"));
  if (partsOf(schema).length === 0) return make("li", line, words);
  const details = make("details", make("summary", line));
  // The tree is created when it is opened, because a schema may contain itself.
  details.addEventListener("toggle", () => {
    if (details.open && !details.querySelector("ul")) details.append(branches(schema));
  });
  return make("li", details, words);
}

function branches(schema: Schema): HTMLElement {
  return make("ul.tree", ...partsOf(schema).map(leaf));
}

/** Shows a schema and its parts. */
export function tree(schema: Schema): HTMLElement {
  const parts = partsOf(schema);
  const head = make(
    "p.member",
    make(
      "span.type",
      [nameOf(schema), typeText(schema)].filter((text, at, all) => text && all.indexOf(text) === at).join(" · "),
    ),
    make("span.soft", rulesOf(schema)),
  );
  const words = flat(schema).description;
  return make("div.schema", head, words ? markdown(words) : "", parts.length > 0 ? branches(schema) : "");
}
