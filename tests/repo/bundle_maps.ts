/**
 * The source maps of the bundle.
 *
 * @module
 */

import { join } from "@std/path";
import type { OutputChunk, SourceMap as OutputSourceMap } from "npm:rolldown@1.0.3";
import { decode, encode, type SourceMapSegment } from "npm:@jridgewell/sourcemap-codec@^1.5.5";

/** The parts of a source map that are used here. */
type SourceMap = Pick<OutputSourceMap, "sources" | "mappings">;

/**
 * Writes a file and its source map, reduced to the information that stack traces need. Deno opens, reads and hashes the
 * maps of all modules at every start, including those that are loaded on first use.
 *
 * @param folder The folder.
 * @param file The file.
 */
export async function writeMapped(folder: string, { fileName, code, map }: OutputChunk): Promise<void> {
  const { sources, mappings } = thinMap(map ?? { sources: [], mappings: "" }, code);
  const text = code.trimEnd() + "\n";
  if (sources.length === 0) return await Deno.writeTextFile(join(folder, fileName), text);
  const reduced = { version: 3, sources, names: [], mappings };
  await Deno.writeTextFile(join(folder, `${fileName}.map`), JSON.stringify(reduced));
  // Deno only looks for a source map if its name begins with the module's name.
  await Deno.writeTextFile(join(folder, fileName), `${text}//# sourceMappingURL=./${fileName}.map\n`);
}

/** Matches code that can throw or call. Other code, such as a list of parameters, never appears in a stack trace. */
const canFail =
  /[\w$)\]]\((?![^()]*\)\{)|\.[\w#([]|\w\[|[{}]=|=\{|\b(?:throw|await|yield|new|in|of|extends|instanceof)\b/;

/**
 * Reduces a map to the lines of fw's own sources at which code can fail. Columns, names and third-party code make up
 * most of a map.
 *
 * @param map The map.
 * @param code The code of the map.
 * @returns The reduced map. It has no sources if none are fw's.
 */
export function thinMap({ sources, mappings }: SourceMap, code: string): SourceMap {
  const lines = code.split("\n");
  const own = sources.filter((name) => /^(?:\.\.\/)+(?:src|mvc|mod\.ts)\b/.test(name));
  const thin = decode(mappings).map((segments, at) => {
    const places = segments.map(([column, source = -1, line = 0]): SourceMapSegment => {
      const index = own.indexOf(sources[source] ?? "");
      // A segment without a source ends the previous one.
      return index < 0 ? [column] : [column, index, line, 0];
    });
    const changes = withoutRepetitions(places);
    return withoutRepetitions(
      changes.filter(([column], next) => canFail.test(lines[at]?.slice(column, changes[next + 1]?.[0]) ?? "")),
    );
  });
  return { sources: own, mappings: own.length === 0 ? "" : encode(thin) };
}

function withoutRepetitions(segments: readonly SourceMapSegment[]): SourceMapSegment[] {
  return segments.filter(([, source, line], at) => source !== segments[at - 1]?.[1] || line !== segments[at - 1]?.[2]);
}
