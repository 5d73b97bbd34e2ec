import { assertEquals, assertGreater } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { proseFindings } from "./prose.ts";

const root = fromFileUrl(new URL("../../", import.meta.url));

/** Terms of art that users search for. The guide must use them. */
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

Deno.test("the guide uses the terms of art that users search for", async () => {
  const guide = (await Deno.readTextFile(`${root}examples/README.md`)).toLowerCase();
  const missing = glossary.filter((term) => !term.split("|").some((each) => guide.includes(each)));
  assertEquals(missing, []);
  assertGreater(guide.length, 10_000);
});
