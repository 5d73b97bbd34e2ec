/**
 * Serves folders, including index files, listings, precompressed files and single-page applications.
 *
 * @module
 */

import { returnedString } from "../../base/config/returned.ts";
import { type Context, exchangeOf } from "../context/context.ts";
import { sendRestricted } from "../context/personal.ts";
import { FrameworkError, HTTPError } from "../../base/errors/errors.ts";
import { messageOf } from "../../base/errors/to_error.ts";
import { publicPath } from "../exchange/public_url.ts";
import { chooseType } from "../../http/headers/accept.ts";
import { chooseEncoding } from "../../http/headers/accept_encoding.ts";
import { encodedPath, searchOf } from "../../http/headers/request_url.ts";
import { setHeader, varyBy } from "../../http/response/draft.ts";
import type { FileSettings } from "../../http/response/file/file_options.ts";
import { fileType } from "../../http/response/file/describe_file.ts";
import { Folder } from "../../http/response/file/folder.ts";
import { folderPath } from "../../http/response/file/locate_file.ts";
import { isForbidden } from "../../http/response/file/open_file.ts";
import { respondWithFile } from "../../http/response/file/respond.ts";
import { escapeLocation } from "../../http/response/redirect.ts";
import { pathIn } from "../../base/text/file_name.ts";
import { policyOf } from "../../http/page/document.ts";
import { type Listed, listingPage } from "./listing.ts";
import { defaultCache, type DirSettings } from "./options.ts";

/** The content coding and file extension of precompressed files, in order of preference. */
const neighbors: readonly (readonly [coding: string, ending: string])[] = [["zstd", ".zst"], ["br", ".br"], [
  "gzip",
  ".gz",
]];

/** Serves requests below a path from a folder. */
export class DirHandler {
  readonly #root: string;
  readonly #settings: DirSettings;
  readonly #folder: Folder;
  readonly #isOwned: ((path: string) => boolean) | undefined;

  /**
   * Creates the handler of a folder.
   *
   * @param dir The folder.
   * @param settings The options with their defaults.
   * @param isOwned Reports whether a path belongs to other routes, so that the index must not be served for it.
   */
  constructor(dir: string | URL, settings: DirSettings, isOwned: ((path: string) => boolean) | undefined) {
    this.#isOwned = isOwned;
    const root = this.#root = folderPath(dir);
    this.#settings = settings;
    const { ShowHidden, FollowLinks } = settings;
    this.#folder = new Folder(root, { showHidden: ShowHidden, followLinks: FollowLinks });
  }

  /**
   * Throws if the folder cannot be served, so that the problem is reported at start-up rather than during a request.
   */
  async check(): Promise<void> {
    try {
      if ((await Deno.stat(this.#root)).isDirectory) return await this.#assertListed();
    } catch (cause) {
      throw new FrameworkError("FW_FILE", `Cannot serve the folder "${this.#root}": ${messageOf(cause)}`, { cause });
    }
    throw new FrameworkError("FW_FILE", `Cannot serve the folder "${this.#root}": it is not a folder`);
  }

  /** Files are served under the names that their folder lists, so the folder must be readable. */
  async #assertListed(): Promise<void> {
    for await (const _ of Deno.readDir(this.#root)) return;
  }

  /** Serves a decoded path relative to the folder. The path is empty for the folder itself. */
  async serve(ctx: Context, path: string): Promise<void> {
    const found = await this.#folder.find(path);
    if (found.kind === "file" && !path.endsWith("/")) return await this.#serveFile(ctx, found.path);
    if (found.kind === "folder") return await this.#serveFolder(ctx, found.path, path);
    await this.#serveMissing(ctx);
  }

  /** Serves the index of a single-page application, or responds with 404. */
  async #serveMissing(ctx: Context): Promise<void> {
    const index = this.#indexOf(this.#root);
    if (this.#isForSPA(ctx) && await this.#folder.kindOf(index) === "file") return await this.#serveFile(ctx, index);
    ctx.NotFound();
  }

  async #serveFolder(ctx: Context, folder: string, path: string): Promise<void> {
    const { target } = exchangeOf(ctx);
    const sent = encodedPath(target);
    const index = this.#indexOf(folder);
    const hasIndex = this.#settings.IndexName !== "" && await this.#folder.kindOf(index) === "file";
    if (!hasIndex && !this.#settings.ShowList) return await this.#serveMissing(ctx);
    // Relative links in the page are resolved against the folder, so its URL must end with a slash.
    if (!sent.endsWith("/")) return redirectToFolder(ctx, `${publicPath(target)}/${searchOf(target)}`);
    if (hasIndex) return await this.#serveFile(ctx, index);
    ctx.Header("cache-control", "no-cache");
    const below = path === "" || path.endsWith("/") ? path : `${path}/`;
    const page = await this.#list({
      folder,
      path: ctx.Path(),
      hasParent: path !== "",
      isShown: async (name) => (await this.#folder.find(below + name)).kind !== "nothing",
    });
    ctx.Header("content-security-policy", policyOf());
    ctx.HTML(page);
  }

  async #list(listed: Listed): Promise<string> {
    try {
      return await listingPage(listed);
    } catch (cause) {
      if (isForbidden(cause)) throw new HTTPError(403, "", { cause, Code: "FW_FILE" });
      throw cause;
    }
  }

  async #serveFile(ctx: Context, file: string): Promise<void> {
    const exchange = exchangeOf(ctx);
    const { draft, request } = exchange;
    const name = file.slice(pathIn(this.#root, "").length);
    const { Cache = defaultCache } = this.#settings;
    setHeader(
      draft,
      "cache-control",
      typeof Cache === "string" ? Cache : returnedString(Cache(name), "Cache of HandleDir"),
    );
    const options: FileSettings = {
      bounds: this.#folder,
      ...this.#settings.Attachments && { Attachment: name.slice(name.lastIndexOf("/") + 1) },
    };
    const [coding, neighbor] = this.#settings.Compressed ? await this.#neighbor(request.headers, file) : ["", file];
    if (coding === undefined) return await sendRestricted(exchange, respondWithFile(exchange, file, options));
    varyBy(draft, "accept-encoding");
    if (coding !== "") setHeader(draft, "content-encoding", coding);
    const sending = respondWithFile(exchange, neighbor, { ...options, ContentType: fileType(file) });
    await sendRestricted(exchange, sending);
  }

  /**
   * Finds the precompressed file that the client prefers. The coding is `undefined` if the file has no precompressed
   * version.
   */
  async #neighbor(headers: Headers, file: string): Promise<[coding: string | undefined, file: string]> {
    const present: string[] = [];
    for (const [coding, ending] of neighbors) {
      if (await this.#folder.kindOf(file + ending) === "file") present.push(coding);
    }
    if (present.length === 0) return [undefined, file];
    const coding = chooseEncoding(headers.get("accept-encoding"), present) ?? "";
    const ending = neighbors.find(([name]) => name === coding)?.[1] ?? "";
    return [coding, file + ending];
  }

  /** Reports whether to serve the single-page application's index for a path without a file. */
  #isForSPA(ctx: Context): boolean {
    if (!this.#settings.SPA || this.#isOwned?.(ctx.Path()) === true) return false;
    varyBy(exchangeOf(ctx).draft, "Accept");
    return isNavigation(ctx);
  }

  #indexOf(folder: string): string {
    return pathIn(folder, this.#settings.IndexName);
  }
}

/** Reports whether a browser is navigating to a page, rather than a script requesting a missing file. */
function isNavigation(ctx: Context): boolean {
  return chooseType(ctx.GetHeader("accept"), ["text/plain", "text/html"]) === "text/html";
}

function redirectToFolder(ctx: Context, location: string): void {
  ctx.Header("location", escapeLocation(location));
  ctx.StatusCode(301);
}
