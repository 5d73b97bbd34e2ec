import { assertEquals } from "@std/assert";
import { join, toFileUrl } from "@std/path";
import { bundle } from "./bundler.ts";

Deno.test("bundle() can be called several times at once on a machine that has never bundled anything", async () => {
  const folder = await Deno.makeTempDir({ prefix: "fw a folder with spaces " });
  try {
    await Deno.writeTextFile(join(folder, "a.ts"), "export const answer: number = 42;\n");
    const env = { DENO_DIR: join(folder, "cache") };
    const outputs = ["1.js", "2.js", "3.js"].map((name) => join(folder, name));
    await Promise.all(
      outputs.map((path) => bundle(["--no-config", "--no-lock", "--output", path, "a.ts"], { cwd: folder, env })),
    );
    for (const path of outputs) assertEquals((await import(toFileUrl(path).href)).answer, 42);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
