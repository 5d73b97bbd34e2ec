/**
 * Finds the habits that make prose read like a translation: `deno run -A tests/repo/prose.ts [PATH...]`.
 *
 * A program can only find some of them. See the section "English" in CONTRIBUTING.md for the rest.
 *
 * @module
 */

import { walk } from "@std/fs/walk";
import { fromFileUrl, join, relative } from "@std/path";

const root = fromFileUrl(new URL("../../", import.meta.url));
const places = ["src", "mvc", "examples", "tests", ".github", "mod.ts", "README.md", "CHANGELOG.md"];
/** Files that contain the phrases as data. */
const skipped = /^tests\/(?:repo\/prose\.ts|testdata\/|std\/|spec\/|api\/openapi\/fixture\/)/;

/** Phrases to avoid, and their replacements. */
const phrases: readonly (readonly [found: RegExp, instead: string])[] = [
  [/\bunless given\b/i, "Defaults to …, or @default"],
  [/\b(?:when|if) left out\b|\bleft out, /i, "If omitted, …"],
  [/\bthat which\b/i, "name the thing"],
  [/\bin a circle\b/i, "circular dependency"],
  [/\btruth value\b/i, "boolean"],
  [/\bwhere there (?:is|are) (?:none|no)\b/i, "if there is none"],
  [/\bunder way\b/i, "in flight, in progress"],
  [/\bat hand\b/i, "available"],
  [/\bin vain\b/i, "name the consequence"],
  [/\bwithout a word\b/i, "silently, internally"],
  [/\b(?:is|are|was|were) told\b|\btells? (?:of|about)\b/i, "is reported, reports"],
  [
    /\b(?:it|that|which|still|only|then|always|never|also|alone|what|one|they|who) counts?\b(?! (?:the|its|how|as many)\b)/i,
    "is valid, applies",
  ],
  [/\bcounts? (?:once|too|for nothing|as none)\b/i, "is valid, applies"],
  [
    /\ba text\b(?! (?:line|content|file|frame|message|editor|body|node|area))|\btexts\b/i,
    "a string, strings, messages",
  ],
  [/\bone's own\b|\bof your own\b/i, "custom"],
  [/\bfor ever\b/i, "forever"],
  [/\bthe way of (?:a|the|one)\b/i, "the path of"],
  [/\bdoes not know of\b|\bknows? of\b/i, "know about"],
  [/\bin passing\b/i, "name what is avoided"],
  [/\bcompressed neighbors?\b/i, "precompressed files"],
  [/\bso to speak\b|\bas it were\b/i, "nothing"],
  [/\bso that it is there\b|\bis not there\b|\bif it is there\b/i, "exists, does not exist"],
  [/\basks? for itself\b/i, "depends on itself"],
  // The answers of a model are a term of art, and so is the noun.
  [/\banswer(?:ed|ing)\b|\banswers? with\b|\bin answer to\b/i, "response, responds with, returns"],
  [/\b(?:nobody|whoever|somebody|everybody)\b/i, "no caller, the caller, all clients"],
  [/(?<!\bthere) (?:is|are|was|were) no (?!longer\b|more\b)/i, "is not a"],
  [/\bonce a request\b|\bone a request\b| [µn]s a request\b/i, "per request"],
  [/\bthe processor\b/i, "the CPU"],
  [/\bto the last possible\b|\bby a hair\b/i, "plain words"],
  [/\bprocessor time\b/i, "CPU time"],
  [
    /\b(?:process|folder|file|server|connection|thread|clock|cache|cookie)(?:e?s)? of (?:its|their|our|his) own\b/i,
    "separate",
  ],
  [/\binside of\b/i, "inside"],
  [/\bbeside\b/i, "next to, in addition to, compared to"],
  [/\b(?:lies|lie) (?:in|at|below|there|behind|where)\b/i, "is located in"],
  [/\bwhatever (?!you)/i, "regardless of, any"],
  [/\bstands? (?:for|behind|above)\b/i, "means, represents, follows"],
  [/\bthe house\b(?! style)/i, "the sources, the repository"],
  [/\b(?:is|are|was|were) away\b/i, "is unavailable"],
  [/\bspeaks? (?:HTTP|JSON|TLS|problem|formats|languages|the)/i, "uses, supports"],
  [/\bsisters\b|\bits kin\b/i, "similar methods"],
  [/\b(?:hands?|handed) (?:it |them )?on\b/i, "passes on"],
  [
    /\b\w*(?:ehaviour|eighbour|colour|icence|ancelled|(?:serial|normal|recogn|optim|material|author|minim|summar)is(?:e[ds]?|ing))\b/,
    "American spelling",
  ],
];

/** Words that the summary of a symbol must not begin with. */
const badStart = /^(?:What|Where|How|That|Those|These|It|Which|Whatever|Whoever|Here|There)\b/;
const functionLine =
  /^\s*(?:export )?(?:default )?(?:async )?(?:function\*?|(?:static |override |async |get |set )*#?[A-Za-z]\w*(?:<[^>(]*>)?\()/;
const notFunction = /^\s*(?:if|for|while|switch|return|constructor|type|interface|class|const|let|readonly)\b/;
/**
 * Function summaries are sentences in the third person. These first words are accepted although they are not verbs that
 * end in "s".
 */
const verb = /^(?:[A-Z][a-z]*(?:s|es)\b|Deprecated\b|Internal\b|Created by\b|Called (?:by|with|when|for|if|once)\b)/;

/** A sentence that should be rewritten. */
export interface Finding {
  readonly file: string;
  readonly line: number;
  readonly text: string;
  readonly advice: string;
}

/** Lists the sentences in some files or folders that should be rewritten. */
export async function proseFindings(paths: readonly string[] = places): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const path of paths) {
    for (const file of await filesOf(join(root, path))) {
      const text = await Deno.readTextFile(file);
      const name = relative(root, file).replaceAll("\\", "/");
      if (skipped.test(name)) continue;
      findings.push(...(file.endsWith(".ts") || file.endsWith(".tsx") ? inSource(name, text) : inText(name, text)));
    }
  }
  return findings;
}

async function filesOf(path: string): Promise<string[]> {
  if ((await Deno.stat(path)).isFile) return [path];
  const files = await Array.fromAsync(walk(path, { exts: ["ts", "tsx", "md"], includeDirs: false }));
  return files.map((file) => file.path).sort();
}

function inText(file: string, text: string): Finding[] {
  let isCode = false;
  return text.split("\n").flatMap((line, at) => {
    if (line.trimStart().startsWith("```")) isCode = !isCode;
    return isCode ? [] : inLine(file, at + 1, line.replace(/`[^`]*`/g, "``"));
  });
}

function inSource(file: string, text: string): Finding[] {
  const lines = text.split("\n");
  const findings = lines.flatMap((line, at) => {
    const words = commentOf(line) ?? messagesOf(line);
    if (/^\s*\/\/ What\b/.test(line)) return [{ file, line: at + 1, text: line.trim(), advice: "name the thing" }];
    return words === undefined ? [] : inLine(file, at + 1, words.replace(/`[^`]*`/g, "``"));
  });
  for (const { summary, line, next } of docComments(lines)) {
    if (badStart.test(summary)) findings.push({ file, line, text: summary, advice: "name the thing" });
    const isFunction = functionLine.test(next) && !notFunction.test(next);
    if (isFunction && !verb.test(summary) && !badStart.test(summary)) {
      findings.push({ file, line, text: summary, advice: "begin with a verb in the third person" });
    }
  }
  return findings;
}

function inLine(file: string, line: number, text: string): Finding[] {
  return phrases.flatMap(([found, instead]) =>
    found.test(text) ? [{ file, line, text: text.trim(), advice: instead }] : []
  );
}

function commentOf(line: string): string | undefined {
  return /^\s*(?:\/\*\*|\*|\/\/)(.*)$/.exec(line)?.[1] ?? /\s\/\/ (.*)$/.exec(line)?.[1];
}

/** Returns the strings in a line that are sentences. They contain a space and begin with a capital letter. */
function messagesOf(line: string): string | undefined {
  const found = line.match(/(["`'])(?=[A-Z])(?:(?!\1).)* (?:(?!\1).)*\1/g);
  return found === null ? undefined : found.join(" ").replace(/\$\{[^}]*\}/g, "x");
}

function* docComments(lines: readonly string[]): Generator<{ summary: string; line: number; next: string }> {
  for (let at = 0; at < lines.length; at++) {
    if (!/^\s*\/\*\*/.test(lines[at] ?? "")) continue;
    let end = at;
    while (end < lines.length && !(lines[end] ?? "").includes("*/")) end++;
    const words = lines.slice(at, end + 1).map((line) =>
      line.replace(/^\s*(?:\/\*\*|\*\/|\*(?!\/))\s?|\*\/\s*$/g, "").trim()
    );
    const summary = words.join(" ").trim().split(/(?<=[.:;])\s|\s@/)[0] ?? "";
    let next = end + 1;
    while (/^\s*(?:\/\/|@)/.test(lines[next] ?? "")) next++;
    const isModule = words.some((word) => word.startsWith("@module"));
    yield { summary, line: at + 1, next: isModule ? "" : lines[next] ?? "" };
    at = end;
  }
}

if (import.meta.main) {
  const findings = await proseFindings(Deno.args.length === 0 ? places : Deno.args);
  // deno-lint-ignore no-console -- this is a command-line program
  for (const { file, line, text, advice } of findings) console.log(`${file}:${line}: ${advice}: ${text}`);
  // deno-lint-ignore no-console -- this is a command-line program
  console.log(`${findings.length} sentences to look at`);
}
