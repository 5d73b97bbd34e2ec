/**
 * Parsing and matching of language tags (BCP 47).
 *
 * @module
 */

import { FrameworkError } from "../../base/errors/errors.ts";

/** The maximum number of languages to read from an `Accept-Language` header. Browsers send fewer than ten. */
const maxRanges = 32;
/** The maximum length of a tag to parse. BCP 47 requires support for 35 characters. */
const maxTag = 64;
const shape = /^[a-z]{2,8}(?:[-_][a-z0-9]{1,8})*$/i;

/** A supported language with its likely script and region. */
interface Supported {
  readonly tag: string;
  readonly language: string;
  readonly script: string | undefined;
  readonly region: string | undefined;
  /** The group of regions with similar varieties of the language. */
  readonly group: string;
}

/** Returns the canonical form of a tag, such as `en-US` for `en_us`, or `undefined` if it is not a language tag. */
export function canonicalTag(text: string): string | undefined {
  if (text.length > maxTag || !shape.test(text)) return undefined;
  try {
    return Intl.getCanonicalLocales(text.replaceAll("_", "-"))[0];
  } catch {
    return undefined;
  }
}

/**
 * Returns the canonical form of a tag.
 *
 * @throws {FrameworkError} If the string is not a language tag.
 */
export function checkTag(text: string): string {
  const tag = canonicalTag(text);
  if (tag !== undefined) return tag;
  throw new FrameworkError("FW_LANGUAGE", `Cannot use the language "${text}": it is not a BCP 47 language tag`);
}

/** Finds the supported language that is closest to the requested one. */
export class LanguageMatcher {
  readonly #supported: readonly Supported[];
  /** Tags come from clients, so the size of the cache is limited. After that, results are computed each time. */
  readonly #known = new Map<string, number>();

  /** Creates a matcher from canonical tags, the first of which is the default language. */
  constructor(tags: readonly string[]) {
    this.#supported = tags.map(maximized);
  }

  /** Returns the index of the closest supported language, or -1 if there is none. */
  match(text: string): number {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const index = this.#find(text);
    if (text.length <= maxTag && this.#known.size < 1000) this.#known.set(text, index);
    return index;
  }

  /** Returns the index of the first supported language in an `Accept-Language` header, or -1 if there is none. */
  matchHeader(header: string): number {
    const ranges = readRanges(header);
    for (const { tag } of preferred(ranges)) {
      const index = tag === "*" ? this.#firstUnrefused(ranges) : this.match(tag);
      if (index !== -1) return index;
    }
    return -1;
  }

  /** Returns the first language that is not rejected with a weight of 0, or -1 if there is none. */
  #firstUnrefused(ranges: readonly Range[]): number {
    const refused = new Set(ranges.filter(({ weight }) => weight === 0).map(({ tag }) => this.match(tag)));
    return this.#supported.findIndex((_, index) => !refused.has(index));
  }

  /**
   * Finds a language with the same script. If there are several, one with the same region is preferred, followed by one
   * with a region of the same group, and then by the first one registered.
   */
  #find(text: string): number {
    const tag = canonicalTag(text);
    if (tag === undefined) return -1;
    const wanted = maximized(tag);
    let best = -1;
    let bestScore = 0;
    for (const [index, supported] of this.#supported.entries()) {
      if (supported.language !== wanted.language || supported.script !== wanted.script) continue;
      const score = supported.tag === tag
        ? 4
        : supported.region === wanted.region
        ? 3
        : isNear(supported, wanted)
        ? 2
        : 1;
      if (score > bestScore) [best, bestScore] = [index, score];
    }
    return best;
  }
}

/**
 * Returns the languages in an `Accept-Language` header in order of preference. Languages with weight 0 are excluded.
 */
export function preferredLanguages(header: string): string[] {
  return preferred(readRanges(header)).map(({ tag }) => tag);
}

/** A language in an `Accept-Language` header. */
interface Range {
  readonly tag: string;
  readonly weight: number;
}

function readRanges(header: string): Range[] {
  const ranges = header.split(",", maxRanges).map((item) => {
    const [tag = "", ...parameters] = item.split(";", 4);
    const q = parameters.map((each) => /^\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*$/i.exec(each)?.[1]).find((each) => each);
    return { tag: tag.trim(), weight: q === undefined ? 1 : Math.min(Number(q), 1) };
  });
  return ranges.filter(({ tag }) => tag !== "");
}

function preferred(ranges: readonly Range[]): Range[] {
  return ranges.filter(({ weight }) => weight > 0).sort((a, b) => b.weight - a.weight);
}

/** Bokmål is what "Norwegian" usually means. `Intl` does not treat them as one language. */
const sameLanguages: Readonly<Record<string, string>> = { no: "nb" };

/**
 * The groups of similar regions of each language, according to the parent locales of CLDR. For example, Australian
 * English is closer to British than to American English.
 */
const groups: Readonly<Record<string, readonly string[]>> = {
  en: ["US", "AS", "GU", "MH", "MP", "PH", "PR", "UM", "VI"],
  es: ["ES", "EA", "GQ", "IC", "PH"],
  pt: ["BR"],
  zh: ["HK", "MO"],
};

function maximized(tag: string): Supported {
  const { language: own, script, region } = new Intl.Locale(tag).maximize();
  const language = sameLanguages[own] ?? own;
  const group = groups[language]?.includes(region ?? "") === true ? "own" : "others";
  return { tag, language, script, region, group };
}

function isNear(one: Supported, other: Supported): boolean {
  return Object.hasOwn(groups, one.language) && one.group === other.group;
}
