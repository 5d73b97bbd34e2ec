/**
 * Writes the files of `tests/tools/init/accounts/` into a module, because `init` runs from the registry and cannot read
 * a folder. Run it after a change of these files: `deno run -A tests/tools/init/account_files.ts`.
 *
 * @module
 */

import { fromFileUrl, join } from "@std/path";

const folder = fromFileUrl(new URL("./accounts/", import.meta.url));
const target = fromFileUrl(new URL("../../../src/tools/init/parts/account_files.ts", import.meta.url));

/** The packages that the new application names in its `deno.json`. */
const specifier = /"npm:((?:@[\w-]+\/)?[\w-]+)@\^\d+"/g;

/** Returns the module. */
export async function accountFiles(): Promise<string> {
  const entries: string[] = [];
  for (const path of (await pathsIn("")).sort()) {
    const text = (await Deno.readTextFile(join(folder, path))).replaceAll(specifier, '"$1"');
    entries.push(`  ${JSON.stringify(`accounts/${path}`)}: ${JSON.stringify(text)},\n`);
  }
  return `/**
 * The files of accounts. Generated from \`tests/tools/init/accounts/\` by \`tests/tools/init/account_files.ts\`.
 *
 * @module
 */

/** The contents of the files, by path. */
// deno-fmt-ignore
export const accountFiles: Readonly<Record<string, string>> = {
${entries.join("")}};
`;
}

async function pathsIn(path: string): Promise<string[]> {
  const paths: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(join(folder, path))) {
    const inner = path === "" ? name : `${path}/${name}`;
    paths.push(...isDirectory ? await pathsIn(inner) : [inner]);
  }
  return paths;
}

if (import.meta.main) await Deno.writeTextFile(target, await accountFiles());
