import { assertEquals, assertGreater } from "@std/assert";
import { readGuides } from "./programs.ts";

Deno.test("readGuides() lists how-to guides with the commands that call their programs", async () => {
  const guides = await readGuides();
  assertGreater(guides.length, 100);
  const form = guides.find(({ name }) => name === "empty-form");
  assertEquals(form?.start, "deno run -A main.ts");
  assertEquals(form?.calls[0]?.outcome, "Hello Ada");
  assertEquals(guides.find(({ name }) => name === "all-cores")?.start, "deno serve -A --parallel main.ts");
});

Deno.test("every server of a how-to guide is called on its page, with a part of the response as a comment", async () => {
  const silent = (await readGuides()).filter(({ calls, start }) =>
    start !== undefined && !calls.some(({ outcome }) => outcome !== "")
  );
  assertEquals(silent.map(({ name }) => name), []);
});
