/**
 * Full-text search: builds an index of pages and searches it. The server, the build and the browser use this module.
 *
 * @module
 */

import { relatedTo, weakWords, wordsOf } from "./words.ts";

/** A page to index. */
export interface Entry {
  /** The address, relative to the root of the site. */
  readonly path: string;
  readonly title: string;
  /** The name of its kind, such as `How-to`. */
  readonly kind: string;
  /** The sentence that describes the page. */
  readonly about: string;
  /** The text, in Markdown. */
  readonly text: string;
}

/** A page in the index, with its headings. */
export interface Listed extends Omit<Entry, "text"> {
  readonly headings: readonly string[];
  /** The search words of the page that consist of several words. */
  readonly phrases: readonly string[];
  /** The names that are listed below each heading, if the page lists names. */
  readonly names?: readonly string[];
}

/**
 * The index. For every word, `words` has pairs: how many pages after the previous one the page is, and the word's weight
 * there.
 */
export interface Index {
  readonly pages: readonly Listed[];
  readonly words: Readonly<Record<string, readonly number[]>>;
}

/** A page that was found, and the heading that answers best. */
export interface Hit {
  readonly page: Listed;
  readonly score: number;
  readonly heading: readonly [anchor: string, text: string] | undefined;
}

/** The weights of the parts of a page. */
const weights = { title: 10, words: 6, about: 4, heading: 4, text: 1, code: 0.4 };
/** The parameters of BM25: the saturation of repeated words and the penalty for long pages. */
const [saturation, lengthLoss] = [9, 0.6];
/**
 * The least weights of a word in the index: on any page, and if it occurs on many pages. A word that a page contains only
 * once, in code, says little about the page. Once in a sentence is enough for a rare word, such as the name of an option.
 */
const [least, leastCommon] = [0.8, 1.1];
/** The number of pages on which a rare word occurs at most. */
const rarest = 4;
/** The factor for how-to pages. */
const taskGain = 1.35;

/** Builds the index. */
export function buildIndex(entries: readonly Entry[]): Index {
  const counted = entries.map((entry) => countWords(entry));
  const lengths = counted.map(({ counts }) => counts.values().reduce((sum, count) => sum + count, 0));
  const usual = lengths.reduce((sum, length) => sum + length, 0) / (lengths.length || 1);
  const spread = new Map<string, number>();
  for (const { counts } of counted) for (const word of counts.keys()) spread.set(word, (spread.get(word) ?? 0) + 1);
  const words: Record<string, number[]> = Object.create(null);
  const previous = new Map<string, number>();
  for (const [at, { counts }] of counted.entries()) {
    const norm = saturation * (1 - lengthLoss + lengthLoss * (lengths[at] ?? 0) / usual);
    for (const [word, count] of counts) {
      if (count < ((spread.get(word) ?? 0) > rarest ? leastCommon : least)) continue;
      (words[word] ??= []).push(at - (previous.get(word) ?? 0), Math.max(1, Math.round(100 * count / (count + norm))));
      previous.set(word, at);
    }
  }
  return {
    pages: entries.map(({ path, title, kind, about }, at) => {
      const { headings = [], phrases = [], names } = counted[at] ?? {};
      return { path, title, kind, about, headings, phrases, ...names !== undefined && { names } };
    }),
    words,
  };
}

function countWords(
  { title, about, text }: Entry,
): Pick<Listed, "headings" | "phrases" | "names"> & { counts: Map<string, number> } {
  const counts = new Map<string, number>();
  const headings: string[] = [];
  const add = (words: string, weight: number) => {
    for (const word of wordsOf(words)) counts.set(word, (counts.get(word) ?? 0) + weight);
  };
  const [, body = text, words = ""] = /^([^]*?)^\s*Words: ([^]*?)(?:\n\s*\n|\s*$(?![^]))/m.exec(text) ?? [];
  add(title, weights.title);
  add(about, weights.about);
  add(words, weights.words);
  let isCode = false;
  const code: string[] = [];
  const prose: string[] = [];
  let section = "";
  let isMethod = false;
  const names: string[] = [];
  let isList = false;
  for (const line of body.split("\n")) {
    isList = line.startsWith("Symbols: ") || (isList && line !== "");
    const [, level = "", heading = ""] = isCode ? [] : /^\s*(#{1,6}) (.+)$/.exec(line) ?? [];
    if (/^\s*```/.test(line)) isCode = !isCode;
    else if (level.length > 1) {
      headings.push(plainText(heading));
      if (level.length === 2) section = heading;
      isMethod = /^[a-z]+\.[A-Z]\w*$|^app\.fetch$/.test(heading) && level.length === 3;
      // An option repeats the name of its type, `cors.Options.MaxAge` below `cors.Options`.
      if (heading.startsWith(`${section}.`)) prose.push(heading.slice(section.length));
      else add(heading, isMethod ? weights.text : weights.heading);
    } else if (isList) {
      const at = headings.length - 1;
      names[at] = `${names[at] ?? ""}${Array.from(line.matchAll(/`(\w+)`/g), ([, name]) => `${name} `).join("")}`;
    } else if (isMethod) continue; // A method is found by its name, and a topic on the page that explains it.
    else if (isCode) code.push(line);
    else if (level === "") prose.push(line.replace(/\]\([^)]*\)/g, "]"));
  }
  add(prose.join("\n"), weights.text);
  add(code.join("\n"), weights.code);
  const phrases = words.split(/,\s+/).filter((phrase) => /\s/.test(phrase));
  return { counts, headings, phrases, ...names.length > 0 && { names } };
}

/** Returns the anchor of a heading as GitHub does, and adds it to those of the page. */
export function anchorOf(heading: string, taken: Set<string>): string {
  const slug = plainText(heading).toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "").replaceAll(" ", "-");
  let anchor = slug;
  for (let at = 1; taken.has(anchor); at++) anchor = `${slug}-${at}`;
  taken.add(anchor);
  return anchor;
}

/** Removes the marks of links, code and emphasis. */
export function plainText(markdown: string): string {
  return markdown.replace(/\[((?:`[^`]*`|[^\]`])+)\]\([^)]*\)/g, "$1").replace(/[`*]|(?<!\w)_|_(?!\w)/g, "");
}

/**
 * Searches the index.
 *
 * @param index The index.
 * @param question Any words. The last one may be incomplete.
 * @param most The maximum number of hits.
 * @returns The best pages first.
 */
export function search(index: Index, question: string, most = 10): Hit[] {
  const named = byName(index, question);
  const asked = new Set(wordsOf(question));
  const scores = new Map<number, number>();
  const found = new Map<number, number>();
  const rarity = (word: string) =>
    (weakWords.has(word) ? 0.5 : 1) * Math.log(1 + index.pages.length / ((index.words[word]?.length ?? 0) / 2 || 0.5));
  const total = asked.values().reduce((sum, word) => sum + rarity(word), 0);
  for (const [at, word] of [...asked].entries()) {
    const gains = new Map<number, number>();
    for (const [like, worth] of alike(index, word, at === asked.size - 1 && /\w$/.test(question))) {
      const weight = worth * Math.min(rarity(like), rarity(word));
      const pairs = index.words[like] ?? [];
      for (let pair = 0, page = 0; pair < pairs.length; pair += 2) {
        const [distance = 0, gain = 0] = [pairs[pair], pairs[pair + 1]];
        page += distance;
        gains.set(page, Math.max(gains.get(page) ?? 0, weight * gain));
      }
    }
    for (const [page, gain] of gains) {
      scores.set(page, (scores.get(page) ?? 0) + gain);
      found.set(page, (found.get(page) ?? 0) + rarity(word) * Math.min(1, gain / (20 * rarity(word))));
    }
  }
  const rough = [...scores].map(([at, score]) => ({ at, score: score * (0.5 + 0.5 * (found.get(at) ?? 0) / total) }));
  const hits = rough.sort(byScore).slice(0, most + 20).flatMap(({ at, score }) => {
    const page = index.pages[at];
    return page === undefined ? [] : [refine(page, score, asked)];
  }).sort(byScore);
  const others = hits.filter(({ page }) => !named.some((hit) => hit.page === page));
  return [...named.map((hit) => ({ ...hit, score: hit.score + (hits[0]?.score ?? 0) })), ...others].slice(0, most);
}

/**
 * Finds the headings that are the name in a question: `ctx.JSON` for "ctx.JSON()", "ctx.json" or "JSON". A name without
 * its object must be written as in the code, because words such as "session" are also questions.
 */
function byName(index: Index, question: string): Hit[] {
  const name = question.trim().replace(/\(.*\)$/, "");
  if (!/^[\w.@/-]*[A-Z.@/][\w./-]*$/.test(name)) return [];
  const lower = name.toLowerCase();
  return index.pages.flatMap((page) => {
    const at = page.headings.findIndex((heading) =>
      name.includes(".") ? heading.toLowerCase() === lower : heading.endsWith(`.${name}`) || heading === name
    );
    const list = at < 0 ? page.names?.findIndex((names) => names?.split(" ").includes(name)) ?? -1 : at;
    return list < 0 ? [] : [{ page, score: 1, heading: headingAt(page, list) }];
  }).slice(0, 3);
}

function byScore(one: { readonly score: number }, other: { readonly score: number }): number {
  return other.score - one.score;
}

/** The words of a page's title, headings and phrases. */
interface Split {
  readonly title: ReadonlySet<string>;
  readonly headings: readonly ReadonlySet<string>[];
  readonly phrases: readonly ReadonlySet<string>[];
}

/** The pages that were split. Splitting 30 pages again takes longer than the rest of a search. */
const splits = new WeakMap<Listed, Split>();

function splitPage(page: Listed): Split {
  const known = splits.get(page);
  if (known !== undefined) return known;
  const words = (text: string) => new Set(wordsOf(text));
  const split = { title: words(page.title), headings: page.headings.map(words), phrases: page.phrases.map(words) };
  splits.set(page, split);
  return split;
}

/** Adds what the words of the title and the headings have in common with the question. */
function refine(page: Listed, score: number, asked: ReadonlySet<string>): Hit {
  const { title, headings, phrases } = splitPage(page);
  const common = title.intersection(asked).size;
  const matches = headings.map((words) => words.intersection(asked).size);
  const most = Math.max(...matches, 0);
  const known = Math.max(...phrases.filter((words) => words.isSubsetOf(asked)).map(({ size }) => size), 0);
  // Questions are tasks more often than they are about details.
  const kind = page.path.startsWith("howto/") ? taskGain : 1;
  const focus = 1 + 0.4 * common / (title.size || 1) + 0.4 * (most > 1 ? most : 0) / asked.size +
    0.6 * (known > 1 ? known : 0) / asked.size;
  return {
    page,
    score: score * kind * focus,
    heading: most > common ? headingAt(page, matches.indexOf(most)) : undefined,
  };
}

/** Returns a heading with its anchor, which depends on the headings before it. */
function headingAt({ headings }: Listed, at: number): Hit["heading"] {
  const anchors = new Set<string>();
  const [anchor = ""] = headings.slice(0, at + 1).map((text) => anchorOf(text, anchors)).slice(-1);
  return [anchor, headings[at] ?? ""];
}

/** Returns the words of the index that match a word of the question, and their weights. */
function alike({ words }: Index, word: string, isLast: boolean): Map<string, number> {
  const worth = new Map<string, number>([...relatedTo(word)].map((each) => [each, 0.45]));
  if (isLast || words[word] === undefined) {
    for (const each in words) if (each.startsWith(word) && word.length > 1) worth.set(each, 0.7);
  }
  if (words[word] === undefined && worth.size === 0 && word.length > 4) {
    for (const each in words) if (isTypo(each, word)) worth.set(each, 0.5);
  }
  return worth.set(word, 1);
}

/** Reports whether two words differ in one letter, or in the order of two. */
function isTypo(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1) return false;
  let from = 0;
  while (from < one.length && one[from] === other[from]) from++;
  let end = 0;
  while (end < Math.min(one.length, other.length) - from && one.at(-1 - end) === other.at(-1 - end)) end++;
  const [left, right] = [one.slice(from, one.length - end), other.slice(from, other.length - end)];
  return left.length + right.length < 3 || (left.length === 2 && left === [...right].reverse().join(""));
}
