import { assertEquals } from "@std/assert";
import { restoreSlashes } from "../../../src/base/text/path_value.ts";
import { decodePath } from "../../../src/http/headers/path.ts";

Deno.test("restoreSlashes() does not change characters whose second code unit looks like an escaped slash", () => {
  for (const letter of ["🐯", "\u{1082f}", "\u{10fc2f}"]) {
    assertEquals(
      restoreSlashes(decodePath(`/${encodeURIComponent(letter)}%2F${letter}`) ?? ""),
      `/${letter}/${letter}`,
    );
  }
});
