/**
 * Runs the programs on the how-to pages for other software exactly as documented.
 *
 * @module
 */

import { join, toFileUrl } from "@std/path";
import config from "../../deno.json" with { type: "json" };

const root = new URL("../../", import.meta.url);

/**
 * Runs the program on a page.
 *
 * @param page The name of the page.
 * @param names The variables to return.
 * @param changes Strings to replace in the program, such as the address of a server.
 * @returns The variables.
 */
export async function runRecipe<T>(
  page: string,
  names: readonly (keyof T & string)[],
  changes: Readonly<Record<string, string>> = {},
): Promise<T> {
  let program = await programOf(page);
  for (const [text, replacement] of Object.entries(changes)) {
    if (!program.includes(text)) {
      throw new Error(`Cannot change the recipe "${page}": it does not contain "${text}"`);
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
 * Returns the program on a page.
 *
 * @param page The name of the page.
 * @param changes Strings to replace in the program.
 * @param language The language of the code block.
 * @returns The program. It imports fw by URL, so it can run outside the workspace.
 */
export async function programOf(
  page: string,
  changes: Readonly<Record<string, string>> = {},
  language: "ts" | "js" = "ts",
): Promise<string> {
  const text = await Deno.readTextFile(new URL(`examples/book/howto/${page}.md`, root));
  let program = new RegExp(`^\`{3}${language}(?: ignore)?\n([^]*?)^\`{3}$`, "m").exec(text)?.[1];
  if (program === undefined) throw new Error(`Cannot find the recipe "${page}"`);
  for (const [text, replacement] of Object.entries(changes)) {
    if (!program.includes(text)) {
      throw new Error(`Cannot change the recipe "${page}": it does not contain "${text}"`);
    }
    program = program.replace(text, () => replacement);
  }
  return program.replaceAll(/"@fw\/web(\/[^"]*)?"/g, (_, entry = "") => {
    const file = (config.exports as Record<string, string>)[`.${entry}`];
    return JSON.stringify(new URL(file ?? "", root).href);
  });
}
