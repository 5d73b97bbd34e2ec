import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { writeModule } from "./bundle_packages.ts";

Deno.test("writeModule() writes the same file in every folder", async () => {
  const root = await Deno.makeTempDir({ prefix: "fw_package_" });
  const home = Deno.cwd();
  try {
    const texts: string[] = [];
    for (const folder of [join(root, "a"), join(root, "with spaces", "deeper", "b")]) {
      await Deno.mkdir(join(folder, "npm"), { recursive: true });
      // The bundler writes paths that begin in the working directory.
      Deno.chdir(folder);
      const url = await writeModule(folder, "npm:/@rgrove/parse-xml@4.2.3");
      texts.push(await Deno.readTextFile(new URL(url)));
    }
    assertEquals(texts[0], texts[1]);
    // This file of the package was bundled, but not the folder that it is in.
    assert(texts[0]?.includes("// @rgrove/parse-xml/4.2.3/dist/"));
    assert(texts.every((text) => !/\.\.\/\.\.\//.test(text)));
  } finally {
    Deno.chdir(home);
    await Deno.remove(root, { recursive: true });
  }
});
