/**
 * Parses version ranges. Comparators are joined by spaces or commas for "and", and by `||` for "or".
 *
 * The range syntax of `@std/semver` does not support `==` and `!` and excludes pre-releases, so that package is only
 * used to parse and compare versions.
 *
 * @module
 */

import { compare } from "@std/semver/compare";
import { parse } from "@std/semver/parse";
import type { SemVer } from "@std/semver/types";
import { FrameworkError } from "../../base/errors/errors.ts";

/** Reports whether a version is within a range. */
export type RangeTest = (version: SemVer) => boolean;

/** The maximum length of a version or a range. */
const longest = 256;

/**
 * Parses a version.
 *
 * @param text The version with all three numbers, such as `1.0.0`, and without a leading `v`.
 * @returns The version, or `undefined` if it is invalid.
 */
export function readVersion(text: string): SemVer | undefined {
  if (text.length > longest || !/^\d/.test(text) || text.trimEnd() !== text) return undefined;
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Throws if a version is invalid, because no group would ever serve it.
 *
 * @param text The version.
 * @param act The purpose of the version, for the error message.
 */
export function assertVersion(text: string, act: string): void {
  if (readVersion(String(text)) !== undefined) return;
  throw new FrameworkError("FW_CONFIG", `Cannot ${act}: "${text}" is not a version such as "1.0.0"`);
}

/**
 * Parses a range.
 *
 * @param range The range, such as `>=1.0.0 <2.0.0 || 3.0.0`.
 * @returns A function that tests versions.
 * @throws {FrameworkError} If the range is invalid.
 */
export function readRange(range: string): RangeTest {
  const text = String(range);
  if (text.length > longest) throw malformed(text.slice(0, 40) + "…", `it is longer than ${longest} characters`);
  const alternatives = text.split("||").map((part) => readComparators(text, part));
  return (version) => alternatives.some((tests) => tests.every((test) => test(version)));
}

/** Matches an operator and a version whose last numbers may be `x`. */
const comparator = /\s*,?\s*(<=|>=|!=|==|<|>|=|!)?\s*([^\s,<>=!|]+)/gy;

function readComparators(range: string, part: string): readonly RangeTest[] {
  const tests: RangeTest[] = [];
  const text = part.trim();
  if (text.startsWith(",")) throw malformed(range, "a comparator is missing");
  comparator.lastIndex = 0;
  let end = 0;
  for (let match = comparator.exec(text); match !== null; match = comparator.exec(text)) {
    const [, operator = "=", version = ""] = match;
    tests.push(testOf(range, operator, version));
    end = comparator.lastIndex;
  }
  if (tests.length === 0) throw malformed(range, "a comparator is missing");
  if (end < text.length) throw malformed(range, `"${text.slice(end)}" is not a comparator`);
  return tests;
}

/** The first version that a string matches, and the first version after the last match. */
interface Bounds {
  readonly from: SemVer;
  /** `undefined` if the string matches only one version. */
  readonly to: SemVer | undefined;
}

const operators: Readonly<Record<string, (bounds: Bounds) => RangeTest>> = {
  "=": ({ from, to }) => (version) => isWithin(version, from, to),
  "==": ({ from, to }) => (version) => isWithin(version, from, to),
  "!": ({ from, to }) => (version) => !isWithin(version, from, to),
  "!=": ({ from, to }) => (version) => !isWithin(version, from, to),
  "<": ({ from }) => (version) => compare(version, from) < 0,
  ">=": ({ from }) => (version) => compare(version, from) >= 0,
  "<=": ({ from, to }) => (version) => to === undefined ? compare(version, from) <= 0 : compare(version, to) < 0,
  ">": ({ from, to }) => (version) => to === undefined ? compare(version, from) > 0 : compare(version, to) >= 0,
};

function isWithin(version: SemVer, from: SemVer, to: SemVer | undefined): boolean {
  return to === undefined ? compare(version, from) === 0 : compare(version, from) >= 0 && compare(version, to) < 0;
}

function testOf(range: string, operator: string, text: string): RangeTest {
  const create = operators[operator];
  const bounds = wildcardBounds(text) ?? exactBounds(text);
  if (create === undefined || bounds === undefined) throw malformed(range, `"${text}" is not a version`);
  return create(bounds);
}

function exactBounds(text: string): Bounds | undefined {
  const from = readVersion(text);
  return from === undefined ? undefined : { from, to: undefined };
}

/** Returns the bounds of `1.x`, `1.2.x` and `1.x.x`. */
function wildcardBounds(text: string): Bounds | undefined {
  const match = /^(0|[1-9]\d*)\.(?:(?:x|X|\*)(?:\.(?:x|X|\*))?|(0|[1-9]\d*)\.(?:x|X|\*))$/.exec(text);
  if (match === null) return undefined;
  const [, major = "", minor] = match;
  const from = readVersion(`${major}.${minor ?? 0}.0`);
  const to = readVersion(minor === undefined ? `${Number(major) + 1}.0.0` : `${major}.${Number(minor) + 1}.0`);
  return from === undefined || to === undefined ? undefined : { from, to };
}

function malformed(range: string, why: string): FrameworkError {
  return new FrameworkError("FW_CONFIG", `Cannot read the version range "${range}": ${why}`);
}
