import { assertEquals } from "@std/assert";
import { decode, encode } from "npm:@jridgewell/sourcemap-codec@^1.5.5";
import { thinMap } from "./bundle_maps.ts";

Deno.test("thinMap() keeps the lines of fw's sources at which code can fail", () => {
  const code = "const a=1;b();c()\nd(e)}f()\n";
  const mappings = encode([
    [[0, 0, 4, 2], [10, 0, 5, 2, 0], [14, 0, 5, 8]],
    [[0, 1, 7, 0], [4, 1, 8, 0], [5, 2, 3, 3]],
  ]);
  const sources = ["../src/a.ts", "https://registry.example/@std/fmt/1.0.0/x.ts", "../mvc/b.ts"];
  const thin = thinMap({ sources, mappings }, code);
  assertEquals(thin.sources, ["../src/a.ts", "../mvc/b.ts"]);
  assertEquals(decode(thin.mappings), [[[10, 0, 5, 0]], [[5, 1, 3, 0]]]);
});

Deno.test("thinMap() ends a mapping of fw's sources where third-party code begins", () => {
  const mappings = encode([[[0, 1, 9, 0], [4, 0, 1, 0]]]);
  const sources = ["https://registry.example/x.ts", "../../src/a.ts"];
  assertEquals(decode(thinMap({ sources, mappings }, "a();b()").mappings), [[[0, 0, 9, 0], [4]]]);
});

Deno.test("thinMap() removes files without fw's code", () => {
  const mappings = encode([[[0, 0, 9, 0]]]);
  assertEquals(thinMap({ sources: ["../deno-std/yaml.js"], mappings }, "a();").sources, []);
});
