import { assertEquals } from "@std/assert";
import { showAll } from "./pictures.ts";

Deno.test("every page that fw or an example serves fits a phone and a desk, light and dark", async () => {
  assertEquals(await showAll(() => Promise.resolve()), []);
});
