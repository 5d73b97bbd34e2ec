/**
 * The source maps of the bundle.
 *
 * @module
 */

import { walk } from "@std/fs";
import { decode, encode, type SourceMapMappings } from "npm:@jridgewell/sourcemap-codec@^1.5.5";

/**
 * Thins the maps in a folder out to the lines of the sources, which is all that a stack trace is read for: Deno reads
 * every map at every start, and columns and names are five sixths of them.
 *
 * @param folder The folder.
 */
export async function thinMaps(folder: string): Promise<void> {
  for await (const { path } of walk(folder, { exts: ["map"], includeDirs: false })) {
    const { version, file, sources, mappings } = JSON.parse(await Deno.readTextFile(path));
    const thin = encode(byLine(decode(mappings)));
    await Deno.writeTextFile(path, JSON.stringify({ version, file, sources, names: [], mappings: thin }));
  }
}

/** Keeps of each line of code the places at which another line of the sources begins. */
function byLine(mappings: SourceMapMappings): SourceMapMappings {
  return mappings.map((segments) => {
    let before = "";
    return segments.flatMap(([column, source, line]) => {
      if (source === undefined || line === undefined) return [];
      const place = `${source}:${line}`;
      if (place === before) return [];
      before = place;
      return [[column, source, line, 0] as const];
    });
  }) as SourceMapMappings;
}
