/**
 * Tells which modules a program loads before its first line runs.
 *
 * @module
 */

interface Graph {
  readonly roots: readonly string[];
  readonly redirects?: Readonly<Record<string, string>>;
  readonly modules: readonly {
    readonly specifier: string;
    readonly dependencies?: readonly {
      readonly isDynamic?: boolean;
      readonly code?: { readonly specifier?: string };
    }[];
  }[];
}

/**
 * Lists the modules that a module loads when it is imported: what only its types name, and what it imports by a call of
 * `import()`, is not among them.
 *
 * @param entry The module: a file or a specifier.
 * @param flags Flags of `deno info`.
 * @param env Variables beside those of this process.
 * @returns Their URLs.
 */
export async function loadedModules(
  entry: string,
  flags: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<string[]> {
  const graph = await graphOf(entry, flags, env);
  const modules = new Map(graph.modules.map((module) => [module.specifier, module]));
  const resolve = (specifier: string) => graph.redirects?.[specifier] ?? specifier;
  const seen = new Set(graph.roots.map(resolve));
  for (const specifier of seen) {
    for (const { isDynamic, code } of modules.get(specifier)?.dependencies ?? []) {
      if (isDynamic !== true && code?.specifier !== undefined) seen.add(resolve(code.specifier));
    }
  }
  return [...seen];
}

/**
 * Lists the modules that `deno compile` takes along: also those that are loaded by a call of `import()`.
 *
 * @param entry The module.
 * @returns Their URLs.
 */
export async function knownModules(entry: string): Promise<string[]> {
  return (await graphOf(entry, [], {})).modules.map(({ specifier }) => specifier);
}

async function graphOf(
  entry: string,
  flags: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Graph> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", "--no-lock", ...flags, entry],
    env,
    stderr: "inherit",
  }).output();
  return JSON.parse(new TextDecoder().decode(stdout));
}
