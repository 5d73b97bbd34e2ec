import { assert, assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { exampleNames, headerOf } from "./example.ts";
import { currentGuide, guideFile } from "./guide.ts";

const root = fromFileUrl(new URL("../../", import.meta.url));

Deno.test("the guide lists every configurator, every method of Context and every error code", async () => {
  // Formatting may wrap and pad lines, but the words must be the same.
  const squeezed = (text: string) => text.replace(/[\s-]+/g, " ");
  assertEquals(squeezed(await Deno.readTextFile(guideFile)), squeezed(await currentGuide()));
});

Deno.test("the guide links to every example, and all links in the README and the guide work", async () => {
  const guide = await Deno.readTextFile(guideFile);
  for (const name of await exampleNames()) assert(guide.includes(`(./${name}/main.ts)`), name);
  for (const [page, folder] of [["README.md", root], ["examples/README.md", join(root, "examples")]] as const) {
    const text = await Deno.readTextFile(join(root, page));
    for (const [, target = ""] of text.matchAll(/\]\((\.[^)#]+)(?:#[^)]*)?\)/g)) {
      assert((await Deno.lstat(join(folder, target))) !== undefined, `${page}: ${target}`);
    }
  }
});

Deno.test("the header of every example describes it, how to run it and the permissions it needs", async () => {
  for (const name of await exampleNames()) {
    const { summary, permissions } = await headerOf(name);
    assert(summary.endsWith("."), name);
    assert(permissions.includes("--allow-net"), name);
    const text = await Deno.readTextFile(join(root, "examples", name, "main.ts"));
    assert(/deno task (example|start)/.test(text), name);
  }
});
