/**
 * Serves a folder: files, indexes, listings, compressed neighbours, and the index of an application for everything else.
 *
 * @module
 */

import { FrameworkError, messageOf } from "../base/errors.ts";
import { fromFileURL } from "../base/file_path.ts";
import { type Context, exchangeOf } from "../context/context.ts";
import { chooseEncoding } from "../http/accept_encoding.ts";
import { addHeader, setHeader } from "../response/draft.ts";
import type { FileOptions } from "../response/file/file_options.ts";
import { fileType } from "../response/file/open_file.ts";
import { Folder } from "../response/file/folder.ts";
import { respondWithFile } from "../response/file/respond.ts";
import { escapeLocation } from "../response/standard_response.ts";
import { type DirOptions, type DirSettings, settingsOf } from "./options.ts";
import { escapeHTML } from "../base/escape_html.ts";
import { chooseType } from "../http/accept.ts";
import { rawPath } from "../http/request_url.ts";

/** The compressed neighbours of a file: the coding and the ending of each, the best first. */
const neighbours: readonly (readonly [coding: string, ending: string])[] = [["zstd", ".zst"], ["br", ".br"], [
  "gzip",
  ".gz",
]];

/** The path of a folder, without a final slash. */
export function folderPath(dir: string | URL): string {
  const path = dir instanceof URL ? fromFileURL(dir) : dir;
  return path.length > 1 ? path.replace(/[/\\]$/, "") : path;
}

/** Serves requests below one path from one folder. */
export class DirHandler {
  readonly #root: string;
  readonly #settings: DirSettings;
  readonly #folder: Folder;

  constructor(root: string, options: DirOptions) {
    this.#root = root;
    this.#settings = settingsOf(options);
    this.#folder = new Folder(root, this.#settings);
  }

  /** Fails where the folder cannot be served at all, so that it shows at the start and not at a request. */
  async check(): Promise<void> {
    try {
      if ((await Deno.stat(this.#root)).isDirectory) return;
    } catch (cause) {
      throw new FrameworkError("FW_FILE", `Cannot serve the folder "${this.#root}": ${messageOf(cause)}`, { cause });
    }
    throw new FrameworkError("FW_FILE", `Cannot serve the folder "${this.#root}": it is not a folder`);
  }

  /** Serves a decoded path below the folder; it is empty for the folder itself. */
  async serve(ctx: Context, path: string): Promise<void> {
    const found = await this.#folder.find(path);
    if (found.kind === "file" && !path.endsWith("/")) return await this.#serveFile(ctx, found.path);
    if (found.kind === "folder") return await this.#serveFolder(ctx, found.path, path);
    if (this.#settings.isSPA && isNavigation(ctx)) return await this.#serveFile(ctx, this.#indexOf(this.#root));
    ctx.NotFound();
  }

  async #serveFolder(ctx: Context, folder: string, path: string): Promise<void> {
    const { place } = exchangeOf(ctx);
    const raw = rawPath(place);
    const index = this.#indexOf(folder);
    const hasIndex = this.#settings.indexName !== "" && await this.#folder.kindOf(index) === "file";
    if (!hasIndex && !this.#settings.showList) {
      if (this.#settings.isSPA && isNavigation(ctx)) return await this.#serveFile(ctx, this.#indexOf(this.#root));
      return ctx.NotFound();
    }
    // Relative links of the page count from the folder, so its URL must end with a slash.
    if (!raw.endsWith("/")) return redirectToFolder(ctx, raw, place.url.slice(place.end));
    if (hasIndex) return await this.#serveFile(ctx, index);
    ctx.Header("cache-control", "no-cache");
    const below = path === "" || path.endsWith("/") ? path : `${path}/`;
    ctx.HTML(
      await listingPage({
        folder,
        path: ctx.Path(),
        hasParent: path !== "",
        isShown: async (name) => (await this.#folder.find(below + name)).kind !== "nothing",
      }),
    );
  }

  async #serveFile(ctx: Context, file: string): Promise<void> {
    const exchange = exchangeOf(ctx);
    const { draft, request } = exchange;
    const name = file.slice(this.#root.length + 1);
    setHeader(draft, "cache-control", this.#settings.cacheOf(name));
    const options: FileOptions = this.#settings.isAttached ? { Attachment: name.slice(name.lastIndexOf("/") + 1) } : {};
    const [coding, neighbour] = this.#settings.isCompressed ? await this.#neighbour(request.headers, file) : ["", file];
    if (coding === undefined) return await respondWithFile(exchange, file, options);
    addHeader(draft, "vary", "accept-encoding");
    if (coding !== "") setHeader(draft, "content-encoding", coding);
    await respondWithFile(exchange, neighbour, { ...options, ContentType: fileType(file) });
  }

  /** The neighbour that the client likes best; the coding is `undefined` where a file has none at all. */
  async #neighbour(headers: Headers, file: string): Promise<[coding: string | undefined, file: string]> {
    const present: string[] = [];
    for (const [coding, ending] of neighbours) {
      if (await this.#folder.kindOf(file + ending) === "file") present.push(coding);
    }
    if (present.length === 0) return [undefined, file];
    const coding = chooseEncoding(headers.get("accept-encoding"), present) ?? "";
    const ending = neighbours.find(([name]) => name === coding)?.[1] ?? "";
    return [coding, file + ending];
  }

  #indexOf(folder: string): string {
    return `${folder}/${this.#settings.indexName}`;
  }
}

/** Reports whether a browser asks for a page, and not a script for a file that is missing. */
function isNavigation(ctx: Context): boolean {
  return chooseType(ctx.GetHeader("accept"), ["text/plain", "text/html"]) === "text/html";
}

function redirectToFolder(ctx: Context, raw: string, rest: string): void {
  // Several leading slashes would name another host.
  const path = raw.replace(/^\/{2,}/, "/");
  ctx.Header("location", escapeLocation(`${path}/${rest.startsWith("?") ? rest : ""}`));
  ctx.StatusCode(301);
}

/** One entry of a folder. */
interface Entry {
  readonly name: string;
  readonly isFolder: boolean;
  readonly size: number;
  readonly changed: Date | null;
}

/** What is listed. */
export interface Listed {
  /** The folder on disk. */
  readonly folder: string;
  /** The path of the request, decoded. */
  readonly path: string;
  /** Whether there is a folder above it that is served. */
  readonly hasParent: boolean;
  /** Chooses the entries that may be seen. */
  readonly isShown: (name: string) => Promise<boolean>;
}

/** The most entries of one page; a person does not read more. */
const most = 2000;

const style = `
:root { color-scheme: light dark; }
body { margin: 0; font: 16px/1.6 system-ui, sans-serif; background: light-dark(#fafaf9, #16181b);
  color: light-dark(#1f2328, #e6e6e3); }
main { max-width: 52rem; margin: 0 auto; padding: 2rem 1rem; }
h1 { font-size: 1.3rem; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; }
th { text-align: left; font-weight: 500; font-size: .88rem; color: light-dark(#5c636b, #a2a9b1); }
td { border-top: 1px solid light-dark(#e2e2df, #33373d); }
th, td { padding: .35rem .8rem .35rem 0; }
td:nth-child(n+2), th:nth-child(n+2) { text-align: right; white-space: nowrap; color: light-dark(#5c636b, #a2a9b1);
  font-variant-numeric: tabular-nums; }
a { color: light-dark(#0b6b5b, #5ccdb8); text-decoration: none; overflow-wrap: anywhere; }
a:hover, a:focus-visible { text-decoration: underline; }
@media (max-width: 30rem) { td:nth-child(3), th:nth-child(3) { display: none; } }
`;

/** Writes the page. */
export async function listingPage(listed: Listed): Promise<string> {
  const { entries, isCut } = await readEntries(listed);
  const title = `Index of ${listed.path}`;
  const parent = listed.hasParent ? '<tr><td><a href="../">../</a></td><td></td><td></td></tr>' : "";
  const note = isCut ? `<p>Only the first ${most} entries are shown.</p>` : "";
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHTML(title)}</title><style>${style}</style></head>
<body><main><h1>${escapeHTML(title)}</h1>
<table><thead><tr><th scope="col">Name</th><th scope="col">Size</th><th scope="col">Changed</th></tr></thead>
<tbody>${parent}${entries.map(row).join("\n")}</tbody></table>${note}</main></body></html>
`;
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
    const info = await Deno.stat(`${folder}/${name}`);
    entries.push({ name, isFolder: info.isDirectory, size: info.size, changed: info.mtime });
  }
  entries.sort((a, b) => Number(b.isFolder) - Number(a.isFolder) || a.name.localeCompare(b.name, "en"));
  return { entries, isCut };
}

function row({ name, isFolder, size, changed }: Entry): string {
  const slash = isFolder ? "/" : "";
  // A name such as "javascript:x" would be a scheme without the dot before it.
  const link = `./${encodeURIComponent(name)}${slash}`;
  const date = changed?.toISOString().slice(0, 16).replace("T", " ") ?? "";
  return `<tr><td><a href="${escapeHTML(link)}">${escapeHTML(name)}${slash}</a></td>` +
    `<td>${isFolder ? "" : readableSize(size)}</td><td>${date}</td></tr>`;
}

function readableSize(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const at = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1);
  const value = bytes / 1024 ** at;
  return `${at === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[at]}`;
}
