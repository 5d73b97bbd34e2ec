/**
 * Which file of a folder a path leads to, and never one outside of it.
 *
 * @module
 */

import { type Bounds, isAbsent, isForbidden } from "./open_file.ts";

/** What of a folder is served. */
interface FolderRules {
  /** Whether names that begin with a dot are. */
  readonly showHidden: boolean;
  /** Whether links are followed that lead out of the folder. */
  readonly followLinks: boolean;
}

/** What a path leads to. */
type Found =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "folder"; readonly path: string }
  | { readonly kind: "nothing" };

const nothing: Found = { kind: "nothing" };

/** How long what was found out about a path counts, in milliseconds: a burst of requests asks the disk once. */
const memory = 1000;
const mostRemembered = 4096;
/** Longer paths are asked for anew each time: made-up ones of 60 KB would fill the memory. */
const longestRemembered = 512;

/** What is known of a path on disk. */
interface Known {
  readonly kind: "file" | "folder" | "other" | undefined;
  readonly until: number;
}

/** What a path was found to lead to. */
interface Remembered {
  readonly found: Found;
  readonly until: number;
}

/** A folder on disk, or inside of a compiled binary. */
export class Folder implements Bounds {
  readonly #root: string;
  readonly #rules: FolderRules;
  readonly #known = new Map<string, Known>();
  readonly #found = new Map<string, Remembered>();
  #realRoot: string | undefined = undefined;

  /** `root` is an absolute path without a final slash. */
  constructor(root: string, rules: FolderRules) {
    this.#root = root;
    this.#rules = rules;
  }

  /** Finds what a decoded path below the folder leads to. */
  find(path: string): Found | Promise<Found> {
    const known = this.#found.get(path);
    return known !== undefined && known.until > performance.now() ? known.found : this.#look(path);
  }

  async #look(path: string): Promise<Found> {
    const parts = path.split("/");
    // A final slash names a folder.
    if (parts.at(-1) === "") parts.pop();
    if (!parts.every((part) => this.#isSafeName(part))) return nothing;
    const full = [this.#root, ...parts].join("/");
    const kind = await this.kindOf(full);
    if (kind !== "file" && kind !== "folder") return nothing;
    const found: Found = { kind, path: full };
    const until = this.#known.get(full)?.until;
    if (until === undefined) return found;
    if (this.#found.size >= mostRemembered) this.#found.clear();
    this.#found.set(path, { found, until });
    return found;
  }

  /** What lies at a path of this folder: a device, a socket or a link that leads out is neither file nor folder. */
  async kindOf(full: string): Promise<Known["kind"]> {
    const known = this.#known.get(full);
    const now = performance.now();
    if (known !== undefined && known.until > now) return known.kind;
    const kind = await this.#ask(full);
    if (full.length > longestRemembered) return kind;
    if (this.#known.size >= mostRemembered) this.#known.clear();
    this.#known.set(full, { kind, until: now + memory });
    return kind;
  }

  /**
   * Reports whether a part of a path is the plain name of a file: a dot segment would lead out, a backslash or a colon
   * does so on Windows, and a NUL byte ends the name there and then for the operating system.
   */
  #isSafeName(part: string): boolean {
    if (part === "" || part === "." || part === "..") return false;
    if (!this.#rules.showHidden && part.startsWith(".")) return false;
    // deno-lint-ignore no-control-regex -- control characters are what is looked for
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
      // Something in a folder that the program may not enter.
      if (isForbidden(error)) return "other";
      throw error;
    }
  }

  // Resolving the path finds links at every level, not just the last one.
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
