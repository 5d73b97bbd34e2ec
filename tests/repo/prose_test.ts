import { assertEquals, assertGreater } from "@std/assert";
import { readBook } from "../book/pages.ts";
import { proseFindings } from "./prose.ts";

/** Terms of art that users search for. The book must use them. */
const glossary: readonly string[] = [
  "singleton",
  "per request",
  "start-up",
  "in-flight",
  "drained",
  "back-pressure",
  "precompressed",
  "catch-all",
  "middleware",
  "guard",
  "schema",
  "status",
  "payload|request body|body",
  "dependency",
  "transitive",
  "stack trace",
  "permissions",
];

Deno.test("the documentation, comments and messages avoid the habits that tests/repo/prose.ts detects", async () => {
  const findings = await proseFindings();
  assertEquals(findings.map(({ file, line, text, advice }) => `${file}:${line}: ${advice}: ${text}`), []);
});

Deno.test("the book uses the terms of art that users search for", async () => {
  const book = (await readBook()).map(({ text }) => text.toLowerCase()).join("\n");
  const missing = glossary.filter((term) => !term.split("|").some((each) => book.includes(each)));
  assertEquals(missing, []);
  assertGreater(book.length, 10_000);
});
