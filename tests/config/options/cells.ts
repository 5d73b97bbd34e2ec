/**
 * The cells of the table of options: every wrong value for every option of every published function.
 *
 * @module
 */

import * as fw from "../../../mod.ts";
import type { DocumentedOption, Door, Kind } from "./documented.ts";
import type { Recipe } from "./recipe.ts";

/** A call with one wrong value. */
export interface Cell {
  /** The function, the option and the value, such as `middleware/cors New MaxAge=-1`. */
  readonly id: string;
  readonly options: unknown;
  /** The text that the message must contain. */
  readonly expected: string;
}

function nothing(): void {}

/** A value of each kind, and the kinds of options that accept it. */
const samples: readonly (readonly [value: unknown, ...Kind[]])[] = [
  [null],
  [Symbol("x")],
  [true, "boolean"],
  [5, "number"],
  [5n, "bigint"],
  ["x", "string"],
  [[], "array"],
  [{}, "object"],
  [nothing, "function"],
];

/** The values at the edges of a kind. */
const edges: Partial<Record<Kind, readonly unknown[]>> = {
  number: [-1, 0, NaN, Infinity, -Infinity, 0.5],
  string: [""],
  word: [""],
  array: [[]],
};

/** The arguments that are not options at all. */
const wholes: readonly unknown[] = [null, 5, "x", [], true, nothing, new Map([["a", 1]]), Promise.resolve({})];

/** Returns the cells of a door. */
export function cellsOf(door: Door, recipe: Recipe): Cell[] {
  const [, least = {}] = typeof recipe === "function" ? [recipe] : recipe;
  const { options } = door.type;
  const wrong = door.isOptional ? wholes : [undefined, ...wholes];
  return [
    ...wrong.map((value) => ({ id: `${door.key} ${shown(value)}`, options: value, expected: "" })),
    ...cellsOfMembers(options, (changes) => ({ ...least, ...changes }), `${door.key} `),
  ];
}

/** Returns the cells of the options in an object, which `wrap` completes. */
function cellsOfMembers(
  options: readonly DocumentedOption[],
  wrap: (changes: Record<string, unknown>) => unknown,
  prefix: string,
): Cell[] {
  return options.flatMap((option) => {
    const { name, members } = option;
    const typo = misspelled(name, options);
    return [
      { id: `${prefix}${typo}`, options: wrap({ [typo]: 1 }), expected: `did you mean "${name}"?` },
      ...wrongValues(option).map((value) => ({
        id: `${prefix}${name}=${shown(value)}`,
        options: wrap({ [name]: value }),
        expected: `"${name}"`,
      })),
      ...cellsOfMembers(members, (changes) => wrap({ [name]: changes }), `${prefix}${name}.`),
    ];
  });
}

/** Returns the values to try. */
function wrongValues({ kinds, items, members }: DocumentedOption): unknown[] {
  if (kinds.has("any")) return [];
  const other = samples.filter(([, ...accepting]) => !accepting.some((kind) => kinds.has(kind))).map(([value]) =>
    value
  );
  const atEdges = [...kinds].flatMap((kind) => edges[kind] ?? []);
  const hasItems = kinds.has("array") && items.size > 0 && !items.has("any");
  return [
    ...other,
    ...atEdges,
    ...hasItems ? [[Symbol("x")], [null]] : [],
    ...members.length > 0 ? [{ Nonsense: 1 }] : [],
  ];
}

/** Swaps two letters of a name, or adds one if that gives the name of another option. */
function misspelled(name: string, options: readonly DocumentedOption[]): string {
  const swapped = name.length < 4 ? `${name}x` : name.slice(0, -2) + name.slice(-1) + name.slice(-2, -1);
  return swapped === name || options.some((each) => each.name === swapped) ? `${name}x` : swapped;
}

/** Describes a value in the name of a cell. */
export function shown(value: unknown): string {
  if (typeof value === "function") return "function";
  if (typeof value === "symbol") return "symbol";
  if (typeof value === "bigint") return "bigint";
  if (Array.isArray(value)) return `[${value.map(shown).join()}]`;
  if (value instanceof Map) return "Map";
  if (value instanceof Promise) return "Promise";
  return typeof value === "number" ? String(value) : JSON.stringify(value) ?? "undefined";
}

/** Tries a cell. Returns `undefined` if the value is refused as it should be, or what happens instead. */
export async function fault(recipe: Recipe, { options, expected }: Cell): Promise<string | undefined> {
  const [call] = typeof recipe === "function" ? [recipe] : recipe;
  try {
    await dispose(await call(options));
  } catch (error) {
    if (!(error instanceof fw.FrameworkError) || error.Code !== "FW_CONFIG") return String(error).split("\n")[0];
    return error.message.includes(expected) ? undefined : error.message;
  }
  return "accepted";
}

/** Closes what a call has created. */
export async function dispose(created: unknown): Promise<void> {
  const close = Object(created)[Symbol.asyncDispose] ?? Object(created)[Symbol.dispose] ?? Object(created).Close;
  if (typeof close === "function") await close.call(created);
}
