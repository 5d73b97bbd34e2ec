/**
 * Prepares the stand-ins for the standard library so that a rehearsal can bundle them.
 *
 * @module
 */

import { basename, join, relative, SEPARATOR } from "@std/path";
import { walk } from "@std/fs";
import { cp } from "node:fs/promises";
import { ModuleGraph } from "./module_graph.ts";

/**
 * Copies the stand-ins together with the npm package that they wrap, so that the functions become part of the bundle
 * like those of the real packages. Otherwise, imports from npm would remain, and the tests would not include their size
 * and modules.
 *
 * @param links The folders of the stand-ins.
 * @param folder The folder to copy to.
 * @returns The folders of the copies.
 */
export async function copyStandIns(links: readonly string[], folder: string): Promise<string[]> {
  const library = join(folder, "deno-std");
  const wrapped = join(links[0] ?? "", "mod.ts");
  const graph = await ModuleGraph.of(wrapped);
  const installed = graph.packagesOf(graph.all).find(({ name }) => name === "deno-std");
  if (installed === undefined) throw new Error(`Cannot rehearse: "${wrapped}" does not import npm:deno-std`);
  await cp(installed.folder, library, { recursive: true });
  return await Promise.all(links.map(async (link) => {
    const copy = join(folder, "std", basename(link));
    await cp(link, copy, { recursive: true });
    for await (const { path } of walk(copy, { exts: ["ts"], includeDirs: false })) {
      const toLibrary = relative(join(path, ".."), library).replaceAll(SEPARATOR, "/");
      const text = await Deno.readTextFile(path);
      await Deno.writeTextFile(path, text.replaceAll(/npm:deno-std@[\d.]+\//g, `${toLibrary}/`));
    }
    return copy;
  }));
}
