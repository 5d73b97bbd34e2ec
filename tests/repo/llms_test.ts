import { assert, assertEquals, assertGreater, assertLess } from "@std/assert";
import config from "../../deno.json" with { type: "json" };
import { ErrorCodes } from "../../src/base/errors/errors.ts";
import { headingsOf } from "../book/markdown.ts";
import { bookFolder, readBook, readText } from "../book/pages.ts";
import { buildLlms } from "./llms.ts";

interface Link {
  readonly title: string;
  readonly file: string;
  readonly anchor: string;
  readonly about: string;
}

function linksOf(index: string): Link[] {
  return Array.from(
    index.matchAll(/^ *- \[([^\]]+)\]\(\.\/([^#)]+)(?:#([^)]+))?\): (.+)$/gm),
    ([, title = "", file = "", anchor = "", about = ""]) => ({ title, file, anchor, about }),
  );
}

Deno.test("llms.txt has a title, a summary, and a described link to every page, entry point and error code", async () => {
  const index = buildLlms();
  assert(/^# .+\n\n> .+\n\n## /.test(index));
  const lines = index.split("\n").filter((line) => /^ *- /.test(line));
  const links = linksOf(index);
  assertEquals(lines.length, links.length, "a line is not a link with a description");
  const titles = new Set(links.map(({ title }) => title));
  const expected = [
    ...(await readBook()).map(({ title }) => title),
    ...Object.keys(config.exports).map((path) => config.name + path.slice(1)),
    ...Object.keys(ErrorCodes),
  ];
  assertEquals(expected.filter((title) => !titles.has(title)), []);
  assertLess(index.length, 60_000);
});

Deno.test("every link of llms.txt leads to a single page, to the heading with its title", async () => {
  const links = linksOf(buildLlms());
  assertGreater(links.length, 100);
  for (const { title, file, anchor } of links) {
    const headings = headingsOf(await readText(`${bookFolder}/${file}`));
    const found = anchor === "" ? headings[0] : headings.find((heading) => heading.anchor === anchor);
    assertEquals(found?.title, title, file);
  }
});

/** Questions, each with the pages that contain the solution. */
const questions: readonly (readonly [question: string, ...titles: string[]])[] = [
  ["How do I write a first program?", "First program"],
  ["How do I group routes under a path prefix?", "Group routes under a path prefix, in several files", "Routing"],
  ["How do I read query parameters and headers?", "Input", "Read arrays and numbers from a query string"],
  ["How do I accept uploads from forms?", "Forms and uploads", "Accept an upload: a poster for each show"],
  [
    "How do I show a form again with its errors?",
    "Forms on pages",
    "Handle an HTML form with errors next to the fields",
  ],
  ["How do I write a controller class?", "Controllers", "@fw/web/mvc"],
  ["How do I inject a dependency into a constructor?", "Dependencies"],
  [
    "How do I offer controller methods as tools to agents?",
    "Tools for agents",
    "@fw/web/mcp",
    "Offer your routes to an AI agent (MCP)",
  ],
  [
    "How do I resume the answer of a model after a reload?",
    "Answers of a model",
    "Stream a language model's answer",
  ],
  ["How do I generate an OpenAPI document?", "@fw/web/openapi", "Document an API with OpenAPI (Swagger)"],
  ["How do I render templates as views?", "Views", "@fw/web/view"],
  ["How do I store sessions in Redis?", "@fw/web/sessions/redis", "Keep sessions in Redis, SQLite or Deno KV"],
  ["How do I limit the request rate per client?", "Limit requests per user or address (rate limiting)"],
  ["How do I protect forms against cross-site request forgery?", "@fw/web/middleware/csrf", "Protect forms from CSRF"],
  [
    "How do I authenticate requests with a JSON Web Token?",
    "@fw/web/middleware/jwt",
    "Authenticate requests with JWT, and log out",
  ],
  ["How do I compress responses with brotli?", "@fw/web/middleware/compress", "Compress and cache responses"],
  ["How do I drain requests in flight when stopping?", "Stop without losing requests"],
  [
    "How do I run behind a proxy?",
    "Behind a proxy",
    "Run behind nginx",
    "Run behind a proxy: client address, host and https",
  ],
  ["How do I use PostgreSQL with drizzle and a transaction?", "Use PostgreSQL with drizzle"],
  [
    "How do I test an application without opening a port?",
    "@fw/web/httptest",
    "Testing",
    "Test a route without a port",
  ],
  ["What does FW_DEPENDENCY mean?", "FW_DEPENDENCY"],
  ["Why is the request body too large?", "FW_LIMIT", "Input errors", "Why do I get 413 or 415?"],
  ["How do I verify the signature of Stripe webhooks?", "Receive Stripe webhooks"],
];

const ignored = new Set("a an and do does how i in is it of on or the to what when why with my mean write".split(" "));

function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  return words.filter((word) => !ignored.has(word)).map((word) => word.replace(/(?:ing|es|s)$/, ""));
}

/** Looks up a question in the index by its words. Rare words and words in titles have a higher weight. */
function lookUp(question: string, links: readonly Link[]): Link | undefined {
  const rows = links.map((link) => ({ link, title: wordsOf(link.title), all: wordsOf(`${link.title} ${link.about}`) }));
  const weight = (word: string) => Math.log(rows.length / (1 + rows.filter(({ all }) => all.includes(word)).length));
  const scoreOf = ({ title, all }: (typeof rows)[number]) =>
    new Set(wordsOf(question)).values().reduce(
      (sum, word) => sum + (all.includes(word) ? weight(word) * (title.includes(word) ? 2 : 1) : 0),
      0,
    );
  return rows.map((row) => ({ link: row.link, score: scoreOf(row) })).sort((a, b) => b.score - a.score)[0]?.link;
}

Deno.test("a program that only follows llms.txt finds the pages for more than 20 questions", async () => {
  const links = linksOf(buildLlms());
  const missed: string[] = [];
  for (const [question, ...titles] of questions) {
    const found = lookUp(question, links);
    const page = found === undefined ? "" : await readText(`${bookFolder}/${found.file}`);
    const isFound = titles.includes(found?.title ?? "") && page.length > 100;
    if (!isFound) missed.push(`${question} → ${found?.title}`);
  }
  assertEquals(missed, []);
  assertGreater(questions.length, 19);
});
