/**
 * Runs the recipes from `examples/recipes.md` exactly as documented.
 *
 * @module
 */

import { join, toFileUrl } from "@std/path";
import config from "../../deno.json" with { type: "json" };

const recipes = new URL("../../examples/recipes.md", import.meta.url);
const root = new URL("../../", import.meta.url);

/**
 * Runs the program below a heading.
 *
 * @param heading The heading.
 * @param names The variables to return.
 * @param changes Strings to replace in the program, such as the address of a server.
 * @returns The variables.
 */
export async function runRecipe<T>(
  heading: string,
  names: readonly (keyof T & string)[],
  changes: Readonly<Record<string, string>> = {},
): Promise<T> {
  let program = await programOf(heading);
  for (const [text, replacement] of Object.entries(changes)) {
    if (!program.includes(text)) {
      throw new Error(`Cannot change the recipe "${heading}": it does not contain "${text}"`);
    }
    program = program.replace(text, () => replacement);
  }
  const folder = await Deno.makeTempDir({ prefix: "fw_recipe_" });
  try {
    const file = join(folder, "main.ts");
    await Deno.writeTextFile(file, `${program}\nexport { ${names.join(", ")} };\n`);
    return await import(toFileUrl(file).href);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/**
 * Returns the program below a heading.
 *
 * @param heading The heading.
 * @param changes Strings to replace in the program.
 * @param language The language of the code block.
 * @returns The program. It imports fw by URL, so it can run outside the workspace.
 */
export async function programOf(
  heading: string,
  changes: Readonly<Record<string, string>> = {},
  language: "ts" | "js" = "ts",
): Promise<string> {
  const [, section] = (await Deno.readTextFile(recipes)).split(`\n## ${heading}\n`);
  let program = new RegExp(`^\`{3}${language}(?: ignore)?\n([^]*?)^\`{3}$`, "m").exec(section ?? "")?.[1];
  if (program === undefined) throw new Error(`Cannot find the recipe "${heading}"`);
  for (const [text, replacement] of Object.entries(changes)) {
    if (!program.includes(text)) {
      throw new Error(`Cannot change the recipe "${heading}": it does not contain "${text}"`);
    }
    program = program.replace(text, () => replacement);
  }
  return program.replaceAll(/"@fw\/web(\/[^"]*)?"/g, (_, entry = "") => {
    const file = (config.exports as Record<string, string>)[`.${entry}`];
    return JSON.stringify(new URL(file ?? "", root).href);
  });
}
