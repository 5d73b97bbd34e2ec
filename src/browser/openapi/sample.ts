/**
 * Generates sample values. In most cases, they match their schemas.
 *
 * @module
 */

import { flat, nameOf, optionsOf, typesOf } from "./schema.ts";
import { resolve, type Schema } from "./spec.ts";

const samples: Readonly<Record<string, string>> = {
  email: "ann@example.com",
  uuid: "7b1f4b0e-4c5e-4d5f-9a37-2f6f6e0c1a55",
  date: "2026-01-31",
  "date-time": "2026-01-31T12:00:00Z",
  time: "12:00:00Z",
  duration: "PT1H",
  uri: "https://example.com",
  url: "https://example.com",
  "uri-reference": "/path",
  hostname: "example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  byte: "dGVh",
  base64: "dGVh",
  password: "secret",
  binary: "",
};

/** Returns a sample value for a schema. */
export function sample(schema: Schema | undefined, depth = 0, seen: readonly string[] = []): unknown {
  const one = flat(schema);
  const name = nameOf(schema);
  for (const key of ["example", "default", "const"] as const) if (one[key] !== undefined) return one[key];
  if (one.examples?.length) return one.examples[0];
  if (one.enum) return one.enum[0];
  if (depth > 8) return null;
  const path = name ? [...seen, name] : seen;
  const options = optionsOf(one);
  if (options) {
    const some = options.filter((part) => resolve(part).type !== "null");
    const none = options.find((part) => resolve(part).type === "null");
    const fresh = some.find((part) => !path.includes(nameOf(part) ?? "")) ?? none ?? some[0];
    const chosen = nameOf(fresh);
    return sample(
      { ...one, anyOf: undefined, oneOf: undefined, ...flat(fresh) },
      depth + 1,
      chosen ? [...path, chosen] : path,
    );
  }
  const [type] = typesOf(one);
  if (type === "object") {
    const members = Object.entries(one.properties ?? {}).filter(([key, member]) =>
      !resolve(member).readOnly &&
      ((one.required ?? []).includes(key) || !holds(member, path))
    );
    return Object.fromEntries(members.map(([key, member]) => [key, sample(member, depth + 1, path)]));
  }
  if (type === "array") {
    if (one.prefixItems) return one.prefixItems.map((item) => sample(item, depth + 1, path));
    const count = Math.min(Math.max(one.minItems ?? 0, holds(one.items, path) || one.maxItems === 0 ? 0 : 1), 20);
    return Array.from({ length: count }, () => sample(one.items ?? {}, depth + 1, path));
  }
  if (type === "integer" || type === "number") return sampleNumber(one, type);
  if (type === "boolean") return true;
  return type === "null" ? null : type === "string" || type === undefined ? sampleText(one) : null;
}

/** Reports whether a schema refers directly to a schema that is already being sampled. */
function holds(schema: Schema | undefined, path: readonly string[]): boolean {
  const one = resolve(schema);
  return [schema, one.items, ...optionsOf(one) ?? []].some((part) => path.includes(nameOf(part) ?? ""));
}

function sampleNumber(one: Schema, type: string): number {
  const step = one.multipleOf ?? (type === "integer" ? 1 : undefined);
  const low = one.minimum ??
    (one.exclusiveMinimum === undefined
      ? -Infinity
      : one.exclusiveMinimum + (step ?? Math.abs(one.exclusiveMinimum) / 10 + 0.5));
  const high = one.maximum ??
    (one.exclusiveMaximum === undefined
      ? Infinity
      : one.exclusiveMaximum - (step ?? Math.abs(one.exclusiveMaximum) / 10 + 0.5));
  const wanted = Math.min(Math.max(1, low), high);
  if (step === undefined) return low <= wanted ? wanted : (low + high) / 2;
  const up = Math.ceil(wanted / step) * step;
  return up > high ? Math.floor(wanted / step) * step : up;
}

function sampleText(one: Schema): string {
  const known = samples[one.format ?? ""];
  if (known !== undefined && (one.pattern === undefined || matches(one.pattern, known))) return known;
  if (one.pattern !== undefined) {
    const text = sampleOf(one.pattern, one.minLength ?? 0);
    if (text !== undefined) return text;
  }
  if (known !== undefined) return known;
  const least = Math.min(one.minLength ?? 0, 1000);
  return "text".padEnd(least, "x").slice(0, Math.max(one.maxLength ?? Infinity, 0));
}

function matches(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern).test(text);
  } catch {
    return false;
  }
}

/**
 * Returns a string that matches a regular expression without lookarounds and backreferences, or undefined if none is
 * found.
 */
function sampleOf(source: string, least: number): string | undefined {
  for (const count of [1, 2, 4, 8, 16, Math.min(least, 100)]) {
    let at = 0;
    const escapes: Readonly<Record<string, string>> = {
      d: "1",
      w: "a",
      s: " ",
      D: "a",
      W: "-",
      S: "a",
      n: "\n",
      t: "\t",
      b: "",
      B: "",
    };
    const readClass = (): string => {
      const start = at;
      at++;
      if (source[at] === "^") at++;
      if (source[at] === "]") at++;
      while (at < source.length && source[at] !== "]") at += source[at] === "\\" ? 2 : 1;
      const set = new RegExp(source.slice(start, ++at));
      return [..."aA1abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_ .@/+:"].find((each) =>
        set.test(each)
      ) ?? "";
    };
    const readOne = (): string => {
      const each = source[at] ?? "";
      if (each === "[") return readClass();
      if (each === "(") {
        at += source.startsWith("(?:", at) ? 3 : source.startsWith("(?<", at) ? source.indexOf(">", at) - at + 1 : 1;
        if (source[at] === "?") throw new Error("Cannot invert a look-around assertion");
        const text = readAny();
        at++;
        return text;
      }
      at++;
      if (each === "\\") {
        const next = source[at++] ?? "";
        if (next === "u" || next === "x" || next === "p" || /[1-9]/.test(next)) {
          throw new Error("Cannot invert this escape sequence");
        }
        return escapes[next] ?? next;
      }
      return each === "." ? "a" : each === "^" || each === "$" ? "" : each;
    };
    const readAll = (): string => {
      let text = "";
      while (at < source.length && source[at] !== "|" && source[at] !== ")") {
        const one = readOne();
        const times = /^(?:([*+?])|\{(\d+)(,(\d*))?\})\??/.exec(source.slice(at));
        if (times) at += times[0].length;
        const [low = 1, high = 1] = !times
          ? [1, 1]
          : times[1]
          ? [times[1] === "+" ? 1 : 0, times[1] === "?" ? 1 : 1e3]
          : [Number(times[2]), times[3] === undefined ? Number(times[2]) : times[4] === "" ? 1e3 : Number(times[4])];
        text += one.repeat(Math.min(Math.max(low, Math.min(count, high)), 1e3));
      }
      return text;
    };
    const readAny = (): string => {
      const text = readAll();
      while (source[at] === "|") {
        at++;
        readAll();
      }
      return text;
    };
    try {
      const text = readAny();
      if (text.length >= least && new RegExp(source).test(text)) return text;
    } catch {
      return undefined;
    }
  }
  return undefined;
}
