import { assert, assertEquals, assertRejects } from "@std/assert";
import { allExamples, assertOutcomes, examples, examplesOf, runProgram } from "./outcomes.ts";

Deno.test("assertOutcomes() turns the results of an example into assertions", async () => {
  const text = "```ts\nconst sum = 1 + 1;\nsum; // → 2\n[sum]; // → [3]\n```\n";
  const [example] = examplesOf(text, "a.md");
  const program = assertOutcomes(example?.code ?? "") ?? "";
  assertEquals(program.split("\n").slice(1, -1), [
    "const sum = 1 + 1;",
    "expectOutcome(sum, 2);",
    "expectOutcome([sum], [3]);",
  ]);
  await assertRejects(() => runProgram(program), Error, "not equal");
  assertEquals(assertOutcomes("const sum = 1;\n"), undefined);
});

Deno.test("no documentation example requires @std/assert", async () => {
  const all = await examples();
  assertEquals(all.filter(({ code }) => code.includes("@std/assert")).map(({ where }) => where), []);
});

Deno.test("every documentation example shows a result or checks one", async () => {
  const all = await examples();
  const silent = all.filter(({ code }) => assertOutcomes(code) === undefined && !code.includes(".Expect()"));
  assertEquals(silent.map(({ where }) => where), []);
});

Deno.test("allExamples() finds all published examples, and those next to programs", async () => {
  const all = (await allExamples()).map(({ where }) => where);
  assertEquals((await examples()).map(({ where }) => where).filter((where) => !all.includes(where)), []);
  assert(all.some((where) => /^examples\/public\/README\.md:/.test(where)));
});

// After an example with policies, httptest watches the writes of all others.
const inOrder = (await allExamples()).toSorted((a, b) => usesPolicies(a) - usesPolicies(b));

function usesPolicies({ code }: { readonly code: string }): number {
  return code.includes("@fw/web/policy") ? 1 : 0;
}

// Separate tests, because an example must not leave open resources to the next one.
for (const { where, code } of inOrder) {
  Deno.test(`the example at ${where} runs, and the results that it shows are correct`, () =>
    runProgram(assertOutcomes(code) ?? code));
}
