/**
 * Resolves paths to files inside a folder. Paths that lead outside the folder are rejected.
 *
 * @module
 */

import { RecentMap } from "../../../base/data/recent_map.ts";
import { isInside, isPlainName, pathIn } from "../../../base/text/file_name.ts";
import { type Bounds, isAbsent, isForbidden } from "./open_file.ts";
import { hasName } from "./true_names.ts";

/** The rules for serving a folder. */
interface FolderRules {
  /** Whether to serve names that start with a dot. */
  readonly showHidden: boolean;
  /** Whether to follow symbolic links that lead out of the folder. */
  readonly followLinks: boolean;
}

/** The result of resolving a path. */
type Found =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "folder"; readonly path: string }
  | { readonly kind: "nothing" };

const nothing: Found = { kind: "nothing" };

/**
 * The maximum time to cache the result for a path, in milliseconds. During a burst of requests, the disk is accessed
 * only once.
 */
const memory = 1000;
const mostRemembered = 4096;
/**
 * The maximum length of a cached path. Without it, an attacker could fill the memory with invented paths of 60 KB each.
 */
const longestRemembered = 512;

/** The limits of the caches. */
const limits = { most: mostRemembered, lifetime: memory };

/** The cached information about a path on disk. */
interface Known {
  readonly kind: "file" | "folder" | "other" | undefined;
}

/** A folder on disk or inside a compiled binary. */
export class Folder implements Bounds {
  readonly #root: string;
  /** The length of the part of a path that precedes the first name in the folder. */
  readonly #start: number;
  readonly #rules: FolderRules;
  readonly #known = new RecentMap<Known>(limits);
  readonly #found = new RecentMap<Found>(limits);
  #realRoot: string | undefined = undefined;

  /** Creates a folder. `root` is a path as returned by `folderPath`. */
  constructor(root: string, rules: FolderRules) {
    this.#root = root;
    this.#start = pathIn(root, "").length;
    this.#rules = rules;
  }

  /** Resolves a decoded path relative to the folder. */
  find(path: string): Found | Promise<Found> {
    return this.#found.get(path) ?? this.#look(path);
  }

  async #look(path: string): Promise<Found> {
    const parts = path.split("/");
    // A trailing slash denotes a folder.
    if (parts.at(-1) === "") parts.pop();
    if (!parts.every((part) => this.#isServed(part))) return nothing;
    const full = parts.length === 0 ? this.#root : pathIn(this.#root, parts.join("/"));
    const kind = await this.kindOf(full);
    if (kind !== "file" && kind !== "folder") return nothing;
    const found: Found = { kind, path: full };
    // The result must not be cached for longer than the information it is based on.
    const expiry = this.#known.expiryOf(full);
    if (expiry !== undefined) this.#found.set(path, found, expiry);
    return found;
  }

  /**
   * Returns the type of a path in this folder. Devices, sockets and links that lead out of the folder are neither a
   * file nor a folder. A path does not exist if it contains a name that its folder does not contain.
   */
  async kindOf(full: string): Promise<Known["kind"]> {
    const known = this.#known.get(full);
    if (known !== undefined) return known.kind;
    // The path is checked from the top, so that only folders that may be served are listed.
    for (let end = full.indexOf("/", this.#start); end !== -1; end = full.indexOf("/", end + 1)) {
      if (await this.#remember(full.slice(0, end)) !== "folder") return undefined;
    }
    return await this.#remember(full);
  }

  async #remember(full: string): Promise<Known["kind"]> {
    const known = this.#known.get(full);
    if (known !== undefined) return known.kind;
    const expiry = performance.now() + memory;
    const kind = await this.#ask(full);
    if (full.length <= longestRemembered) this.#known.set(full, { kind }, expiry);
    return kind;
  }

  #isServed(name: string): boolean {
    return isPlainName(name, Deno.build.os) && (this.#rules.showHidden || !name.startsWith("."));
  }

  async #ask(full: string): Promise<Known["kind"]> {
    try {
      const real = await this.realPath(full);
      if (real === undefined) return "other";
      const info = await Deno.stat(real);
      if (!await this.#hasTrueName(full)) return undefined;
      return info.isFile ? "file" : info.isDirectory ? "folder" : "other";
    } catch (error) {
      if (isAbsent(error)) return undefined;
      // The path is in a folder that the program may not access.
      if (isForbidden(error)) return "other";
      throw error;
    }
  }

  async #hasTrueName(full: string): Promise<boolean> {
    if (full === this.#root) return true;
    const cut = Math.max(full.lastIndexOf("/") + 1, this.#start);
    const parent = cut === this.#start ? this.#root : full.slice(0, cut - 1);
    return await hasName(parent, full.slice(cut)) === true;
  }

  // Resolves symbolic links at every level of the path, not only the last one.
  async realPath(path: string): Promise<string | undefined> {
    this.#realRoot ??= await Deno.realPath(this.#root);
    return this.#inside(await Deno.realPath(path), this.#realRoot);
  }

  realPathSync(path: string): string | undefined {
    this.#realRoot ??= Deno.realPathSync(this.#root);
    return this.#inside(Deno.realPathSync(path), this.#realRoot);
  }

  #inside(real: string, root: string): string | undefined {
    return this.#rules.followLinks || isInside(root, real) ? real : undefined;
  }
}
