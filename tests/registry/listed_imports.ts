/**
 * The list of imports that the public registry adds to the metadata of a version. Deno reads it at every start.
 *
 * @module
 */

import { dirname, join, toFileUrl } from "@std/path";

/** The files of a package and its entry points. */
export interface Listed {
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly exports: Readonly<Record<string, string>>;
}

interface Position {
  readonly line: number;
  readonly character: number;
}

interface Reference {
  readonly specifier?: string;
  readonly span?: { readonly start: Position; readonly end: Position };
}

/** A module in the output of `deno info --json`. */
interface Module {
  readonly specifier: string;
  readonly dependencies?: readonly {
    readonly specifier: string;
    readonly isDynamic?: boolean;
    readonly code?: Reference;
    readonly type?: Reference;
  }[];
  readonly typesDependency?: { readonly specifier: string; readonly dependency: Reference };
}

/**
 * Lists the imports of all modules that the entry points of a package and their types lead to.
 *
 * @param pack The package.
 * @returns The imports by the path of the module.
 */
export async function listImports({ files, exports }: Listed): Promise<Record<string, unknown>> {
  const folder = await Deno.makeTempDir({ prefix: "fw_imports_" });
  try {
    for (const [path, bytes] of files) {
      await Deno.mkdir(dirname(join(folder, path)), { recursive: true });
      await Deno.writeFile(join(folder, path), bytes);
    }
    const all = join(folder, "all_entries.js");
    await Deno.writeTextFile(all, Object.values(exports).map((file) => `import ${JSON.stringify(file)};\n`).join(""));
    const args = ["info", "--json", "--no-lock", all];
    const command = new Deno.Command(Deno.execPath(), { args, cwd: folder, stderr: "inherit" });
    const { code, stdout } = await command.output();
    if (code !== 0) throw new Error(`Cannot list the imports of a package: deno info exited with code ${code}`);
    const { modules }: { readonly modules: readonly Module[] } = JSON.parse(new TextDecoder().decode(stdout));
    const root = toFileUrl(folder).href;
    const own = modules.filter(({ specifier }) => specifier.startsWith(`${root}/`));
    return Object.fromEntries(own.map((module) => [module.specifier.slice(root.length), describe(module)]));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Describes a module as Deno expects it. */
function describe({ dependencies = [], typesDependency }: Module): Record<string, unknown> {
  return {
    dependencies: dependencies.map(({ specifier, isDynamic = false, code, type }) => {
      const range = rangeOf(code ?? type);
      return isDynamic
        ? { type: "dynamic", argument: specifier, argumentRange: range }
        : { type: "static", kind: code === undefined ? "importType" : "import", specifier, specifierRange: range };
    }),
    ...typesDependency !== undefined && {
      selfTypesSpecifier: { text: typesDependency.specifier, range: rangeOf(typesDependency.dependency) },
    },
  };
}

function rangeOf({ span }: Reference = {}): [number, number][] {
  return [span?.start, span?.end].map((at) => [at?.line ?? 0, at?.character ?? 0]);
}
