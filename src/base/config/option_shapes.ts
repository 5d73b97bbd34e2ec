/**
 * The kinds of options that only some parts have. Programs load them together with such a part.
 *
 * @module
 */

import { either, kind, type Members, methods, type Option, text, where } from "./option_kinds.ts";

/** A party or an application that a feature is installed on. */
export const installable: Option<{ Install(): unknown }, undefined> = {
  ...methods<{ Install(): unknown }>("Install"),
  noun: "a party or an application",
};

/** Declares that an array must not be empty. */
export function nonEmpty<T extends readonly unknown[], D>(option: Option<T, D>): Option<T, D> {
  const noun = option.noun.replace("an array", "a non-empty array");
  return { ...option, noun, fits: (value) => option.fits(value) && (value as T).length > 0 };
}

/** Declares an option with an object whose values are all of a kind. The noun is that of several values. */
export function mapOf<T, D extends Readonly<Record<string, NoInfer<T>>> | undefined = undefined>(
  item: Option<T>,
  nouns: string,
  fallback?: D,
): Option<Readonly<Record<string, T>>, D> {
  // Promises and maps have no members.
  const fits = (value: unknown) =>
    Object.prototype.toString.call(value) === "[object Object]" && Object.values(Object(value)).every(item.fits);
  return kind(`an object with ${nouns}`, fits, fallback);
}

/** Declares an option that can be turned off with `false`. */
export function orFalse<T, D>(option: Option<T, D>): Option<T | false, D> {
  const fits = (value: unknown) => value === false || option.fits(value);
  return { ...option as unknown as Option<T | false, D>, noun: `${option.noun} or false`, fits };
}

/** Declares an option with any value except for `null`. */
export function anything<T>(): Option<T, undefined> {
  return kind("any value but null", (value) => value !== null, undefined);
}

/** Declares an option with an instance of a class, such as `RegExp`. */
export function instance<T extends object>(
  type: abstract new (...args: never[]) => T,
  noun: string,
): Option<T, undefined> {
  return kind(noun, (value) => value instanceof type, undefined);
}

/** Declares an option with an absolute URL as a string. Messages do not contain its password. */
export function url<D extends string | undefined = undefined>(fallback?: D, ...schemes: string[]): Option<string, D> {
  const noun = `a URL that begins with ${schemes.map((each) => `"${each}://"`).join(" or ")}`;
  const test = (value: string) => schemes.includes(URL.parse(value)?.protocol.slice(0, -1) ?? "");
  return where(text(fallback), noun, test);
}

/** Declares an option with a path that begins with a slash. */
export function path<D extends string | undefined = undefined>(fallback?: D): Option<string, D> {
  return where(text(fallback), 'a path that begins with "/"', (value) => /^\/[^;\p{Cc}]*$/u.test(value));
}

/** Declares an option with an object or a list of them, in which each member is of a kind. */
export function oneOrMore<T>(item: Option<T>, nouns: string): Option<T | readonly T[], undefined> {
  const fits = (value: unknown) => Array.isArray(value) && value.every((each) => item.fits(each));
  const many: Members[string] = { ...kind(`an array of ${nouns}`, fits, undefined), item };
  return either<T | readonly T[], undefined>(undefined, item, many);
}
