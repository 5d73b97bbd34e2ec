/**
 * The source maps of the bundle.
 *
 * @module
 */

import { basename } from "@std/path";
import { walk } from "@std/fs";
import { decode, encode, type SourceMapSegment } from "npm:@jridgewell/sourcemap-codec@^1.5.5";

/** A source map, as far as it is used here. */
interface SourceMap {
  readonly sources: readonly string[];
  readonly mappings: string;
}

/** Code that can throw or call: all other code is in no stack trace. */
const canFail = /[(.[`<>+*/?%&|!-]|=\{|\}=|\b(?:throw|await|yield|new|in|of|extends|instanceof)\b/;

/**
 * Thins the maps in a folder out to what a stack trace is read for, and makes the files of the bundle name them. Deno
 * opens, reads and hashes the maps of all modules at every start, those too that are loaded on first use.
 *
 * @param folder The folder.
 */
export async function thinMaps(folder: string): Promise<void> {
  for await (const { path } of walk(folder, { exts: ["js"], includeDirs: false })) {
    const code = await Deno.readTextFile(path);
    const { sources, mappings } = thinMap(JSON.parse(await Deno.readTextFile(`${path}.map`)), code);
    if (sources.length === 0) {
      await Deno.remove(`${path}.map`);
      continue;
    }
    await Deno.writeTextFile(`${path}.map`, JSON.stringify({ version: 3, sources, names: [], mappings }));
    // Deno does not look for a map whose name does not begin like that of a module.
    await Deno.writeTextFile(path, `${code}//# sourceMappingURL=./${basename(path)}.map\n`);
  }
}

/**
 * Keeps of a map the lines of fw's own sources, at the places where code can fail. Columns, names, the code of others and
 * code that cannot fail are nine tenths of it.
 *
 * @param map The map.
 * @param code The code that it is the map of.
 * @returns The thin map, without sources if none are fw's.
 */
export function thinMap({ sources, mappings }: SourceMap, code: string): SourceMap {
  const lines = code.split("\n");
  const own: string[] = [];
  const thin = decode(mappings).map((segments, at) => {
    let before = "";
    return segments.flatMap((segment, index): SourceMapSegment[] => {
      const [column, source = -1, line = 0] = segment;
      const text = lines[at]?.slice(column, segments[index + 1]?.[0]) ?? "";
      if (!canFail.test(text)) return [];
      const name = sources[source] ?? "";
      const isOwn = /^(?:\.\.\/)+(?:src|mvc|mod\.ts)\b/.test(name);
      const place = isOwn ? `${name}:${line}` : "";
      if (place === before) return [];
      before = place;
      // A segment without a source ends the one before it.
      if (!isOwn) return [[column]];
      if (!own.includes(name)) own.push(name);
      return [[column, own.indexOf(name), line, 0]];
    });
  });
  return { sources: own, mappings: own.length === 0 ? "" : encode(thin) };
}
