import { assertEquals } from "@std/assert";
import { showAll } from "./pictures.ts";

Deno.test("every page that fw or an example serves fits a phone and a desktop, in light and dark mode", async () => {
  assertEquals(await showAll(() => Promise.resolve()), []);
});
