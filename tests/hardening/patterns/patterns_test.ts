import { assertEquals } from "@std/assert";
import { isFastRun } from "../../runs.ts";
import { collectPatterns } from "./collect.ts";
import { beyondRequests, builtPatterns } from "./known.ts";
import { slowInput } from "./measure.ts";

const found = await collectPatterns();

Deno.test({
  name: "Patterns take time in proportion to hostile input, or are never given any",
  ignore: isFastRun(),
  fn() {
    const slow = new Map<string, string>();
    for (const { file, source, flags, isBuilt } of found) {
      if (isBuilt) continue;
      const input = slowInput(source, flags);
      if (input !== undefined) slow.set(`/${source}/${flags}`, `${file}: ${JSON.stringify(input)}`);
    }
    const unknown = [...slow].filter(([key]) => beyondRequests[key] === undefined);
    assertEquals(unknown, [], "These patterns are slow. Replace them, or list why no request reaches them");
    // A row that is no longer needed would hide a new pattern.
    assertEquals(Object.keys(beyondRequests).filter((key) => !slow.has(key)), []);
  },
});

Deno.test("Patterns that are built at run time are listed with their origin", () => {
  const built = found.filter(({ isBuilt }) => isBuilt).map(({ source }) => source);
  assertEquals(built.filter((key) => builtPatterns[key] === undefined), []);
  assertEquals(Object.keys(builtPatterns).filter((key) => !built.includes(key)), []);
});
