// deno-lint-ignore-file no-console -- this is a command-line program
/**
 * `deno run -A tests/registry/luggage.ts`: lists what a small program downloads, in an empty folder with an empty cache
 * and a registry on loopback, compared to Hono.
 *
 * `FW_TEST_STD` is the path of a checkout of the standard library. Without it, the stand-ins in `tests/std` are
 * published.
 *
 * @module
 */

import { join } from "@std/path";
import { run, type Surroundings } from "./processes.ts";
import { publishAll } from "./publish_all.ts";

/** The files that Deno has downloaded. */
export interface Luggage {
  /** The npm packages with their versions. */
  readonly packages: readonly string[];
  /** The number of their files. */
  readonly packageFiles: number;
  /** The number of files from JSR. */
  readonly files: number;
  /** The size of all files, in bytes. */
  readonly bytes: number;
}

/** A program that responds once. */
export const hello = `import * as fw from "@fw/web";

const app = fw.New();
app.Get("/", (ctx) => ctx.Text("Hello"));
console.log(await (await app.fetch(new Request("http://localhost/"))).text());
`;

const honoHello = `import { Hono } from "hono";

const app = new Hono();
app.get("/", (c) => c.text("Hello"));
console.log(await (await app.fetch(new Request("http://localhost/"))).text());
`;

/**
 * Adds a package to an empty folder and runs a program that uses it.
 *
 * @param add The package, such as `jsr:@fw/web`.
 * @param program The program.
 * @param here An empty folder. The cache is created in it.
 * @returns The files that were downloaded.
 */
export async function carry(add: string, program: string, here: Surroundings): Promise<Luggage> {
  const cache = join(here.cwd, "cache");
  const surroundings = { ...here, env: { ...here.env, DENO_DIR: cache } };
  await Deno.writeTextFile(join(here.cwd, "main.ts"), program);
  await run(`deno add ${add}`, surroundings);
  const said = await run("deno run --quiet main.ts", surroundings);
  if (!said.includes("Hello")) throw new Error(`The program shows "${said}"`);
  const packages: string[] = [];
  const seen = { packageFiles: 0, files: 0, bytes: 0 };
  for await (const [path, size] of filesIn(cache)) {
    const [, name] = /\/npm\/[^/]+\/((?:@[^/]+\/)?[^/@]+\/\d[^/]*)\/package\.json$/.exec(path) ?? [];
    if (name !== undefined) packages.push(name.replace(/\/(?=\d)/, "@"));
    if (path.includes("/npm/")) seen.packageFiles++;
    else if (path.includes("/remote/")) seen.files++;
    else continue;
    seen.bytes += size;
  }
  return { packages: packages.sort(), ...seen };
}

async function* filesIn(folder: string): AsyncGenerator<[path: string, size: number]> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (isDirectory) yield* filesIn(path);
    else yield [path, (await Deno.stat(path)).size];
  }
}

if (import.meta.main) {
  await using published = await publishAll({ std: Deno.env.get("FW_TEST_STD") || undefined });
  for (const [add, program] of [["jsr:@fw/web", hello], ["npm:hono", honoHello]] as const) {
    const cwd = await Deno.makeTempDir({ dir: published.folder });
    const { packages, packageFiles, files, bytes } = await carry(add, program, { cwd, env: published.env });
    console.log(
      `${add}: ${packages.length} npm packages with ${packageFiles} files, ${files} JSR files, ${bytes} bytes`,
    );
    console.log(packages.join(" "));
  }
}
