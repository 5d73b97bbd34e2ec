/**
 * The source maps of the bundle.
 *
 * @module
 */

import { basename } from "@std/path";
import { walk } from "@std/fs";
import { decode, encode, type SourceMapSegment } from "npm:@jridgewell/sourcemap-codec@^1.5.5";

/** The parts of a source map that are used here. */
interface SourceMap {
  readonly sources: readonly string[];
  readonly mappings: string;
}

/** Matches code that can throw or call. Other code, such as a list of parameters, never appears in a stack trace. */
const canFail =
  /(?<=[\w$)\]])(?<!\b(?:if|for|while|switch|catch|function|return))\(|\.(?=[\w#([])|\[|=\{|\}=|\b(?:throw|await|yield|new|in|of|extends|instanceof)\b/;

/**
 * Reduces the source maps in a folder to the information that stack traces need, and adds references to them. Deno
 * opens, reads and hashes the maps of all modules at every start, including those that are loaded on first use.
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
    // Deno only looks for a source map if its name begins with the module's name.
    await Deno.writeTextFile(path, `${code}//# sourceMappingURL=./${basename(path)}.map\n`);
  }
}

/**
 * Reduces a map to the lines of fw's own sources at which code can fail. Columns, names, third-party code and code that
 * cannot fail make up nine tenths of a map.
 *
 * @param map The map.
 * @param code The code of the map.
 * @returns The reduced map. It has no sources if none are fw's.
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
      // A segment without a source ends the previous one.
      if (!isOwn) return [[column]];
      if (!own.includes(name)) own.push(name);
      return [[column, own.indexOf(name), line, 0]];
    });
  });
  return { sources: own, mappings: own.length === 0 ? "" : encode(thin) };
}
