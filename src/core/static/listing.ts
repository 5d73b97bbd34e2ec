/**
 * The directory listing page.
 *
 * @module
 */

import { isAbsent, isForbidden } from "../../http/response/file/open_file.ts";
import { pathIn } from "../../base/text/file_name.ts";
import { escapeHTML } from "../../base/text/escape_html.ts";
import { documentOf, tableOf } from "../../http/page/document.ts";

/** A directory entry. */
interface Entry {
  readonly name: string;
  readonly isFolder: boolean;
  readonly size: number;
  readonly changed: Date | null;
}

/** The folder to list. */
export interface Listed {
  /** The folder's path on disk. */
  readonly folder: string;
  /** The decoded request path. */
  readonly path: string;
  /** Whether the parent folder is served too. */
  readonly hasParent: boolean;
  /** Reports whether an entry is listed. */
  readonly isShown: (name: string) => Promise<boolean>;
}

/** The maximum number of entries per page. */
const most = 2000;

/** Renders the listing page. */
export async function listingPage(listed: Listed): Promise<string> {
  const { entries, isCut } = await readEntries(listed);
  const title = `Index of ${listed.path}`;
  const parent = listed.hasParent ? [['<a href="../">../</a>', "", ""]] : [];
  const note = isCut ? `<p>Only the first ${most} entries are shown.</p>` : "";
  const rows = tableOf(["Name", "Size", "Changed"], [...parent, ...entries.map(cells)]);
  return documentOf(title, `<main><h1>${escapeHTML(title)}</h1>\n${rows}${note}</main>`);
}

async function readEntries({ folder, isShown }: Listed): Promise<{ entries: Entry[]; isCut: boolean }> {
  const entries: Entry[] = [];
  let isCut = false;
  for await (const { name } of Deno.readDir(folder)) {
    if (!await isShown(name)) continue;
    if (entries.length === most) {
      isCut = true;
      break;
    }
    const info = await infoOf(pathIn(folder, name));
    if (info !== undefined) entries.push({ name, isFolder: info.isDirectory, size: info.size, changed: info.mtime });
  }
  entries.sort((a, b) => Number(b.isFolder) - Number(a.isFolder) || a.name.localeCompare(b.name, "en"));
  return { entries, isCut };
}

/** Returns an entry's file information, or `undefined` if the entry no longer exists or cannot be accessed. */
async function infoOf(path: string): Promise<Deno.FileInfo | undefined> {
  try {
    return await Deno.stat(path);
  } catch (error) {
    if (isAbsent(error) || isForbidden(error)) return undefined;
    throw error;
  }
}

function cells({ name, isFolder, size, changed }: Entry): string[] {
  const slash = isFolder ? "/" : "";
  // Without the leading dot, a browser would read a name such as "javascript:x" as a URL with a scheme.
  const link = `./${encodeURIComponent(name)}${slash}`;
  const date = changed?.toISOString().slice(0, 16).replace("T", " ") ?? "";
  return [
    `<a href="${escapeHTML(link)}">${escapeHTML(name)}${slash}</a>`,
    isFolder ? "" : readableSize(size),
    date,
  ];
}

function readableSize(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const at = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1);
  const value = bytes / 1024 ** at;
  return `${at === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[at]}`;
}
