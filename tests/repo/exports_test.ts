import { assertEquals } from "@std/assert";
import { dirname, fromFileUrl, join, relative } from "@std/path";
import { walk } from "@std/fs";
import { unlisted } from "./bundle_code.ts";
import { entries } from "./entries.ts";

const root = fromFileUrl(new URL("../../", import.meta.url));
const exported = /^export (?:declare )?(?:async )?(?:abstract )?(function\*?|const|let|class|interface|type) (\w+)/gm;
const imported = /\b(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s+from\s+"/g;
const importedWhole = /\bimport\s+(?:type\s+)?\* as \w+ from "([^"]*)"|\bimport\("([^"]*)"\)/g;

/** Returns the sources in some folders by path. */
async function sources(folders: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const folder of folders) {
    for await (const entry of walk(join(root, folder), { exts: [".ts"], skip: [/\/node_modules\//, /\/\.git\//] })) {
      found.set(relative(root, entry.path), await Deno.readTextFile(entry.path));
    }
  }
  return found;
}

/** Returns the names between the braces of an import, as exported by the other file. */
function namesIn(list: string): string[] {
  const bare = list.replaceAll(/\/\*\*[^]*?\*\//g, "");
  return bare.split(",").map((item) => item.trim().replace(/^type /, "").split(" ")[0] ?? "");
}

Deno.test("every export of src/ and mvc/ is imported by another file", async () => {
  const used = new Set<string>();
  const whole = new Set([...entries.map(([, file]) => file), unlisted.source].map((file) => join(file)));
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
      // A type is also used if it appears in another signature in its own file.
      const isNamed = (kind === "type" || kind === "interface") && text.split(new RegExp(`\\b${name}\\b`)).length > 2;
      if (!used.has(name) && !isNamed) idle.push(`${path}: ${name}`);
    }
  }
  assertEquals(idle, []);
});

/** Returns the symbols that a module exports, with the file and name of their declaration. */
function originsOf(file: string, texts: ReadonlyMap<string, string>): Map<string, string> {
  const text = texts.get(file)?.replaceAll(/\/\*\*[^]*?\*\//g, "") ?? "";
  const origins = new Map<string, string>();
  for (const [, , name = ""] of text.matchAll(exported)) origins.set(name, `${file}: ${name}`);
  for (const [, list = "", from = ""] of text.matchAll(/\bexport\s+(?:type\s+)?\{([^}]*)\}\s+from\s+"([^"]*)"/g)) {
    const target = join(dirname(file), from);
    const inner = originsOf(target, texts);
    for (const item of list.split(",").map((each) => each.trim().replace(/^type /, "")).filter((each) => each !== "")) {
      const [name = "", alias = name] = item.split(" as ");
      origins.set(alias, inner.get(name) ?? `${target}: ${name}`);
    }
  }
  return origins;
}

// A type that an entry point only uses in its signatures is exported by the entry point that it belongs to.
Deno.test("no symbol is exported by two entry points", async () => {
  const texts = await sources(["src", "mvc"]);
  texts.set("mod.ts", await Deno.readTextFile(join(root, "mod.ts")));
  const homes = new Map<string, string[]>();
  for (const [entry, file] of entries) {
    for (const origin of new Set(originsOf(file, texts).values())) {
      homes.set(origin, [...homes.get(origin) ?? [], entry]);
    }
  }
  const repeated = [...homes].filter(([, all]) => all.length > 1);
  assertEquals(repeated.map(([origin, all]) => `${origin} in ${all.join(", ")}`), []);
});
