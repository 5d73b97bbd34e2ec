import { assertEquals } from "@std/assert";
import { builds } from "./case.ts";
import { all } from "./cases/all.ts";
import { faultOf, runBuilds } from "./matrix.ts";

Deno.test("Controllers behave the same in source, bundled, minified and mangled builds", async (t) => {
  const outcomes = await runBuilds();
  for (const each of all) {
    await t.step(each.name, () => {
      for (const build of builds) assertEquals(faultOf(each, build, outcomes[build].get(each.name)), undefined, build);
    });
  }
});
