import { assertEquals, assertRejects } from "@std/assert";
import { assertOutcomes, examples, examplesOf, howTos, runProgram } from "./outcomes.ts";

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

Deno.test("the results shown in the documentation are correct", async (t) => {
  for (const { where, code } of [...await examples(), ...await howTos()]) {
    const program = assertOutcomes(code);
    if (program !== undefined) await t.step(where, () => runProgram(program));
  }
});
