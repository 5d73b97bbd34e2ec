/**
 * The cells of the table of options: every wrong value for every option of every published function.
 *
 * @module
 */

import * as fw from "../../../../mod.ts";
import type { DocumentedOption, Door, Kind } from "./documented.ts";
import type { Recipe } from "./recipe.ts";

/** A call with one wrong value. */
export interface Cell {
  /** The function, the option and the value, such as `middleware/cors New MaxAge=-1`. */
  readonly id: string;
  /** The type, the option and the value, such as `middleware/cors.Options.MaxAge=-1`. */
  readonly row: string;
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

/** An object with an unknown option. */
const nonsense = '{"Nonsense":1}';

/** The arguments that are not options at all. */
const wholes: readonly unknown[] = [null, 5, "x", [], true, nothing, new Map([["a", 1]]), Promise.resolve({})];

/** Returns the cells of a door. */
export function cellsOf(door: Door, recipe: Recipe): Cell[] {
  const [, least = {}, nested = {}] = typeof recipe === "function" ? [recipe] : recipe;
  const { options } = door.type;
  const wrong = door.isOptional ? wholes : [undefined, ...wholes];
  return [
    ...wrong.map((value) => {
      const id = `${door.key} ${shown(value)}`;
      return { id, row: id, options: value, expected: "" };
    }),
    ...cellsOfMembers(
      options,
      (changes) => ({ ...least, ...changes }),
      ["", `${door.key} `, `${door.type.key}.`],
      nested,
    ),
  ];
}

/** Returns the cells of the options in an object, which `wrap` completes. */
function cellsOfMembers(
  options: readonly DocumentedOption[],
  wrap: (changes: Record<string, unknown>) => unknown,
  [path, door, type]: readonly [path: string, door: string, type: string],
  nested: Readonly<Record<string, object>> = {},
): Cell[] {
  const cell = (place: string, changes: Record<string, unknown>, expected: string) => ({
    id: door + path + place,
    row: type + path + place,
    options: wrap(changes),
    expected,
  });
  return options.flatMap((option) => {
    const { name, members } = option;
    const typo = misspelled(name, options);
    const inner = (changes: Record<string, unknown>) => wrap({ [name]: { ...nested[name], ...changes } });
    return [
      cell(typo, { [typo]: 1 }, 'did you mean "'),
      ...wrongValues(option).map((value) =>
        cell(`${name}=${shown(value)}`, { [name]: value }, shown(value) === nonsense ? '"Nonsense"' : name)
      ),
      ...cellsOfMembers(members, inner, [`${path}${name}.`, door, type]),
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
    ...members.length > 0 ? [JSON.parse(nonsense)] : [],
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

/**
 * The codes of errors about options. Apart from the general code, a few parts have their own, which is documented: the
 * attributes of cookies, environment variables, jobs, mails and status codes.
 */
const codes: ReadonlySet<string> = new Set(["FW_CONFIG", "FW_COOKIE", "FW_ENV", "FW_JOB", "FW_MAIL", "FW_STATUS"]);

/** Tries a cell. Returns `undefined` if the value is refused as it should be, or what happens instead. */
export async function fault(recipe: Recipe, { options, expected }: Cell): Promise<string | undefined> {
  const [call] = typeof recipe === "function" ? [recipe] : recipe;
  try {
    await dispose(await call(options));
  } catch (error) {
    if (!(error instanceof fw.FrameworkError) || !codes.has(error.Code)) return String(error).split("\n")[0];
    return error.message.toLowerCase().includes(expected.toLowerCase()) ? undefined : error.message;
  }
  return "accepted";
}

/** Closes what a call has created. */
export async function dispose(created: unknown): Promise<void> {
  const close = Object(created)[Symbol.asyncDispose] ?? Object(created)[Symbol.dispose] ?? Object(created).Close;
  if (typeof close === "function") await close.call(created);
}
