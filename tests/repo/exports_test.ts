import { assertEquals } from "@std/assert";
import { fromFileUrl, join, relative } from "@std/path";
import { walk } from "@std/fs";
import { entries } from "./entries.ts";

const root = fromFileUrl(new URL("../../", import.meta.url));
const exported = /^export (?:declare )?(?:async )?(?:abstract )?(function\*?|const|let|class|interface|type) (\w+)/gm;
const imported = /\b(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s+from\s+"/g;
const importedWhole = /\bimport\s+(?:type\s+)?\* as \w+ from "([^"]*)"|\bimport\("([^"]*)"\)/g;

/** The sources of some folders by path. */
async function sources(folders: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const folder of folders) {
    for await (const entry of walk(join(root, folder), { exts: [".ts"], skip: [/\/node_modules\//, /\/\.git\//] })) {
      found.set(relative(root, entry.path), await Deno.readTextFile(entry.path));
    }
  }
  return found;
}

/** The names between the braces of an import, as the other file has them. */
function namesIn(list: string): string[] {
  const bare = list.replaceAll(/\/\*\*[^]*?\*\//g, "");
  return bare.split(",").map((item) => item.trim().replace(/^type /, "").split(" ")[0] ?? "");
}

Deno.test("every export of src/ and mvc/ is imported by another file", async () => {
  const used = new Set<string>();
  const whole = new Set(entries.map(([, file]) => relative(root, join(root, file))));
  for (const [path, text] of await sources(["."])) {
    for (const [, list = ""] of text.matchAll(imported)) for (const name of namesIn(list)) used.add(name);
    for (const [, star, dynamic] of text.matchAll(importedWhole)) {
      whole.add(relative(root, join(root, path, "..", star ?? dynamic ?? "")));
    }
  }
  const idle: string[] = [];
  for (const [path, text] of await sources(["src", "mvc"])) {
    if (whole.has(path)) continue;
    for (const [, kind, name = ""] of text.matchAll(exported)) {
      // A type is also of use where it stands in another signature of its own file.
      const isNamed = (kind === "type" || kind === "interface") && text.split(new RegExp(`\\b${name}\\b`)).length > 2;
      if (!used.has(name) && !isNamed) idle.push(`${path}: ${name}`);
    }
  }
  assertEquals(idle, []);
});
