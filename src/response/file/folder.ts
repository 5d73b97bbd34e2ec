/**
 * Resolves paths to files inside a folder. Paths that lead outside the folder are rejected.
 *
 * @module
 */

import { RecentMap } from "../../data/recent_map.ts";
import { type Bounds, isAbsent, isForbidden } from "./open_file.ts";

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
  readonly #rules: FolderRules;
  readonly #known = new RecentMap<Known>(limits);
  readonly #found = new RecentMap<Found>(limits);
  #realRoot: string | undefined = undefined;

  /** Creates a folder. `root` is an absolute path without a trailing slash. */
  constructor(root: string, rules: FolderRules) {
    this.#root = root;
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
    if (!parts.every((part) => this.#isSafeName(part))) return nothing;
    const full = [this.#root, ...parts].join("/");
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
   * file nor a folder.
   */
  async kindOf(full: string): Promise<Known["kind"]> {
    const known = this.#known.get(full);
    if (known !== undefined) return known.kind;
    const expiry = performance.now() + memory;
    const kind = await this.#ask(full);
    if (full.length <= longestRemembered) this.#known.set(full, { kind }, expiry);
    return kind;
  }

  /**
   * Reports whether a path segment is a plain file name. A dot segment would leave the folder, and so would a backslash
   * or a colon on Windows. The operating system would cut off the name at a NUL byte.
   */
  #isSafeName(part: string): boolean {
    if (part === "" || part === "." || part === "..") return false;
    if (!this.#rules.showHidden && part.startsWith(".")) return false;
    // deno-lint-ignore no-control-regex -- the expression has to match control characters
    return !/[\u0000-\u001f\u007f\\]/.test(part) && !(Deno.build.os === "windows" && /[:<>"|?*]|[. ]$/.test(part));
  }

  async #ask(full: string): Promise<Known["kind"]> {
    try {
      const real = await this.realPath(full);
      if (real === undefined) return "other";
      const info = await Deno.stat(real);
      return info.isFile ? "file" : info.isDirectory ? "folder" : "other";
    } catch (error) {
      if (isAbsent(error)) return undefined;
      // The path is in a folder that the program may not access.
      if (isForbidden(error)) return "other";
      throw error;
    }
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
    const isInside = real === root || (real.startsWith(root) && /[/\\]/.test(real.charAt(root.length)));
    return isInside || this.#rules.followLinks ? real : undefined;
  }
}
