/**
 * The inputs of a form, for parameters and request bodies.
 *
 * @module
 */

import { chosenIndex, field, make } from "./elements.ts";
import { sample } from "./sample.ts";
import { flat, typesOf } from "./schema.ts";
import type { Media, Schema } from "./spec.ts";

/** An input, and a function that reads its values. */
export interface Editor {
  readonly input: HTMLElement;
  readonly hint?: string;
  read(): (string | File)[];
}

/** The body of a request: text, or the fields of a form. */
export type BodyValue = string | [name: string, value: string | File][] | undefined;

/** An input for a request body. */
export interface BodyEditor {
  readonly element: HTMLElement;
  read(): BodyValue;
}

/**
 * Creates an input for a value and a function that reads it as an array of strings or files. The array is empty if
 * nothing was entered.
 */
export function editorOf(name: string, schema: Schema, isRequired = false): Editor {
  const one = flat(schema);
  const types = typesOf(one);
  const list = types.includes("array");
  const item = list && !one.prefixItems ? flat(one.items ?? {}) : one;
  if (item.format === "binary") {
    const input = make("input", { type: "file", name, multiple: list, required: isRequired });
    return { input, read: () => [...input.files ?? []] };
  }
  const first = isRequired || one.default !== undefined ? sample(schema) : undefined;
  const choices = item.enum ?? (types[0] === "boolean" ? [true, false] : undefined);
  if (choices && !list) {
    const input = make(
      "select",
      { name, required: isRequired },
      ...(isRequired ? [] : [make("option", { value: "" }, "—")]),
      ...choices.map((value) =>
        make("option", { value: String(value), selected: isRequired && value === first }, String(value))
      ),
    );
    return { input, read: () => input.value === "" ? [] : [input.value] };
  }
  if (list) {
    const input = make("textarea", { name, class: "short", spellcheck: "false", required: isRequired, rows: "2" });
    input.value = (Array.isArray(first) ? first : []).map(textOf).join("\n");
    const hint = one.prefixItems ? one.prefixItems.length + " lines, one per item" : "One item per line";
    return { input, hint, read: () => input.value.split("\n").map((line) => line.trim()).filter(Boolean) };
  }
  const input = make("input", {
    name,
    autocomplete: "off",
    required: isRequired,
    value: first === undefined ? "" : textOf(first),
    type: one.format === "password" ? "password" : "text",
    inputmode: types[0] === "integer" ? "numeric" : undefined,
    placeholder: isRequired ? undefined : "optional",
  });
  return { input, read: () => input.value === "" ? [] : [input.value] };
}

/** Returns a value as text. */
export function textOf(value: unknown): string {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
}

/** Creates an editor for a request body of one content type and a function that reads it. */
export function bodyEditor(type: string, media: Media, isRequired = false): BodyEditor {
  if (/json$/.test(type) || !/form/.test(type)) {
    const input = make("textarea", { spellcheck: "false", "aria-label": "Body" });
    const given = Object.entries(media.examples ?? {});
    const first = media.example ?? given[0]?.[1].value ?? sample(media.schema);
    const write = (value: unknown) =>
      input.value = typeof value === "string" && !/json$/.test(type) ? value : JSON.stringify(value, null, 2);
    write(first);
    input.rows = Math.min(input.value.split("\n").length + 1, 24);
    const chooser = given.length > 1
      ? make("select", {
        "aria-label": "Example",
        onchange: (event) => write(given[chosenIndex(event)]?.[1].value),
      }, ...given.map(([name]) => make("option", name)))
      : "";
    return {
      element: make("div", chooser, field(type, input)),
      read: () => input.value === "" && !isRequired ? undefined : input.value,
    };
  }
  const one = flat(media.schema);
  const required = one.required ?? [];
  const editors = Object.entries(one.properties ?? {})
    .map(([name, schema]) => [name, editorOf(name, schema, required.includes(name))] as const);
  const element = make("div.fields", ...editors.map(([name, { input, hint }]) => field(name, input, hint)));
  const read = () =>
    editors.flatMap(([name, editor]) => editor.read().map((value): [string, string | File] => [name, value]));
  return { element, read };
}
