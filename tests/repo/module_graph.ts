/**
 * The modules of a program and their imports, as resolved by Deno.
 *
 * @module
 */

import { isAbsolute, toFileUrl } from "@std/path";

/** An import of a module. */
interface Dependency {
  readonly specifier: string;
  readonly isDynamic?: boolean;
  readonly code?: { readonly specifier?: string };
}

interface Module {
  readonly specifier: string;
  readonly local?: string;
  readonly size?: number;
  readonly dependencies?: readonly Dependency[];
}

/** An npm package. */
interface NpmPackage {
  readonly name: string;
  readonly version: string;
  readonly dependencies: readonly string[];
  readonly localPath?: string;
}

/** The output of `deno info --json`. */
interface Info {
  readonly roots: readonly string[];
  readonly redirects?: Readonly<Record<string, string>>;
  readonly modules: readonly Module[];
  readonly npmPackages?: Readonly<Record<string, NpmPackage>>;
}

/** The modules of a program. */
export class ModuleGraph {
  readonly #modules: ReadonlyMap<string, Module>;
  readonly #redirects: Readonly<Record<string, string>>;
  readonly #roots: readonly string[];
  readonly #packages: NonNullable<Info["npmPackages"]>;

  constructor(info: Info) {
    this.#modules = new Map(info.modules.map((module) => [module.specifier, module]));
    this.#redirects = info.redirects ?? {};
    this.#roots = info.roots.map((root) => this.#final(root));
    this.#packages = info.npmPackages ?? {};
  }

  /**
   * Returns the modules of a program.
   *
   * @param entry The main module, as a file or a specifier.
   * @param options Flags for `deno info`, additional environment variables, the working directory, and whether to use
   * the lock file from the configuration.
   * @returns The modules, including those that are imported with `import()`.
   */
  static async of(
    entry: string,
    options: { flags?: readonly string[]; env?: Readonly<Record<string, string>>; cwd?: string; isLocked?: boolean } =
      {},
  ): Promise<ModuleGraph> {
    const { code, stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["info", "--json", ...options.isLocked === true ? [] : ["--no-lock"], ...options.flags ?? [], urlOf(entry)],
      stderr: "inherit",
      env: { ...options.env },
      ...options.cwd === undefined ? {} : { cwd: options.cwd },
    }).output();
    if (code !== 0) throw new Error(`Cannot list the modules of "${entry}": deno info exited with code ${code}`);
    return new ModuleGraph(JSON.parse(new TextDecoder().decode(stdout)));
  }

  /** Returns the URLs of all modules. */
  get all(): readonly string[] {
    return [...this.#modules.keys()];
  }

  /** Returns the number of imports in all modules, including those of types only. */
  get importCount(): number {
    return this.#modules.values().reduce((sum, { dependencies = [] }) => sum + dependencies.length, 0);
  }

  /** Returns the URL of a module's source on this machine, or `undefined` if it is not a file, such as `node:path`. */
  local(url: string): string | undefined {
    return this.#modules.get(url)?.local;
  }

  /** Returns the size of a module's source in bytes, or 0 if it has no source, such as `node:path`. */
  size(url: string): number {
    return this.#modules.get(url)?.size ?? 0;
  }

  /** Returns the npm packages that modules such as `npm:/eta@4.6.0/core` belong to, and their dependencies. */
  packagesOf(urls: Iterable<string>): readonly { name: string; version: string; folder: string }[] {
    const isOf = (id: string, url: string) => url === `npm:/${id}` || url.startsWith(`npm:/${id}/`);
    const wanted = [...urls];
    const ids = new Set(Object.keys(this.#packages).filter((id) => wanted.some((url) => isOf(id, url))));
    for (const id of ids) this.#packages[id]?.dependencies.forEach((each) => ids.add(each));
    return [...ids].flatMap((id) => {
      const { name, version, localPath } = this.#packages[id] ?? {};
      return name === undefined || version === undefined || localPath === undefined
        ? []
        : [{ name, version, folder: localPath }];
    });
  }

  /** Resolves an import in a module. Returns `undefined` if only a type is imported. */
  resolve(specifier: string, importer: string): string | undefined {
    const found = this.#modules.get(importer)?.dependencies?.find((each) => each.specifier === specifier);
    return found?.code?.specifier === undefined ? undefined : this.#final(found.code.specifier);
  }

  /** Returns the modules that a module imports, either statically or with `import()`. */
  imports(url: string, how: "at once" | "later"): readonly string[] {
    const dependencies = this.#modules.get(url)?.dependencies ?? [];
    return dependencies.flatMap(({ isDynamic = false, code }) =>
      code?.specifier !== undefined && isDynamic === (how === "later") ? [this.#final(code.specifier)] : []
    );
  }

  /**
   * Returns the modules that are loaded before the first line of the given modules runs, including the given modules.
   */
  loadedBy(urls: readonly string[] = this.#roots): Set<string> {
    const seen = new Set(urls);
    for (const url of seen) this.imports(url, "at once").forEach((next) => seen.add(next));
    return seen;
  }

  /** Returns the modules that a program can load, at start-up or with `import()`. */
  get loadable(): Set<string> {
    return this.loadableBy(this.#roots);
  }

  /**
   * Returns the modules that modules can load, including the given modules.
   *
   * @param urls The modules.
   * @param except Modules to omit, together with all modules that only they load.
   * @returns The modules.
   */
  loadableBy(urls: Iterable<string>, except: ReadonlySet<string> = new Set()): Set<string> {
    const seen = new Set(urls);
    for (const url of seen) {
      for (const next of [...this.imports(url, "at once"), ...this.imports(url, "later")]) {
        if (!except.has(next)) seen.add(next);
      }
    }
    return seen;
  }

  #final(specifier: string): string {
    return this.#redirects[specifier] ?? specifier;
  }
}

/** Returns the URL of a file. Deno takes the drive of an absolute Windows path for the scheme of a URL. */
export function urlOf(entry: string): string {
  return isAbsolute(entry) ? toFileUrl(entry).href : entry;
}
