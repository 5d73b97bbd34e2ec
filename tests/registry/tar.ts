/**
 * Reads the archives that `deno publish` uploads: gzip-compressed ustar with plain files only.
 *
 * @module
 */

const block = 512;
const decoder = new TextDecoder();

/** Reads the files of an archive, by path. */
export async function readTarball(bytes: Uint8Array<ArrayBuffer>): Promise<Map<string, Uint8Array<ArrayBuffer>>> {
  const unzipped = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const archive = await new Response(unzipped).bytes();
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  let longName = "";
  for (let at = 0; at + block <= archive.length && archive[at] !== 0;) {
    const header = archive.subarray(at, at + block);
    const size = Number.parseInt(textOf(header, 124, 12), 8);
    const body = archive.slice(at + block, at + block + size);
    const kind = textOf(header, 156, 1);
    const prefix = textOf(header, 345, 155);
    const name = longName || (prefix === "" ? "" : `${prefix}/`) + textOf(header, 0, 100);
    longName = kind === "L" ? decoder.decode(body).replace(/\0.*$/s, "") : "";
    if (kind === "0" || kind === "") files.set(`/${name.replace(/^\.?\/+/, "")}`, body);
    at += block + Math.ceil(size / block) * block;
  }
  return files;
}

function textOf(header: Uint8Array, start: number, length: number): string {
  return decoder.decode(header.subarray(start, start + length)).replace(/\0.*$/s, "").trim();
}
