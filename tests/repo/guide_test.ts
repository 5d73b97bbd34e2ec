import { assert, assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { readBook } from "../book/pages.ts";
import { exampleNames, headerOf } from "./example.ts";
import { generatedFiles } from "./guide.ts";

const root = fromFileUrl(new URL("../../", import.meta.url));

Deno.test("the generated lists and pages are up to date (deno task guide updates them)", async () => {
  // Formatting may wrap and pad lines, but the words must be the same.
  const squeezed = (text: string) => text.replace(/[\s-]+/g, " ");
  for (const [file, text] of await generatedFiles()) {
    assert(squeezed(await Deno.readTextFile(join(root, file))) === squeezed(text), `${file} is out of date`);
  }
});

Deno.test("the option pages list the options of every type that another one extends", async () => {
  const text = (await readBook()).map((page) => page.text).join("\n");
  const bases = Array.from(
    text.matchAll(/It\s+also\s+accepts\s+the\s+options\s+in\s+\[`([\w.]+)`\]/g),
    ([, name]) => name,
  );
  assert(bases.includes("fw.UploadLimits"));
  assertEquals(bases.filter((name) => !text.includes(`\n## ${name}\n`)), []);
  // Those of types that are not listed are options of the type itself.
  for (const name of ["accesslog.Options.MaxFiles", "ratelimit.Options.Burst", "fw.CookieOptions.Sign"]) {
    assert(text.includes(`\n### ${name}\n`), name);
  }
});

Deno.test("the book links to every example", async () => {
  const text = (await readBook()).map((page) => page.text).join("\n");
  assertEquals((await exampleNames()).filter((name) => !text.includes(`/${name}/main.ts)`)), []);
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
