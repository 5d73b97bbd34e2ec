// deno-lint-ignore-file no-console -- a program of the command line speaks on the terminal
/**
 * Runs one of the examples: `deno task example NAME`.
 *
 * @module
 */

import { dirname, fromFileUrl, join, relative } from "@std/path";
import { walk } from "@std/fs/walk";

const folder = fromFileUrl(new URL("../../examples/", import.meta.url));

/** Lists the examples: the folders below `examples/` that have a `main.ts`. */
export async function exampleNames(): Promise<string[]> {
  const mains = await Array.fromAsync(walk(folder, { includeDirs: false, match: [/[/\\]main\.ts$/] }));
  return mains.map(({ path }) => relative(folder, dirname(path)).replaceAll("\\", "/")).sort();
}

async function runExample(name: string, args: string[]): Promise<number> {
  const main = join(folder, name, "main.ts");
  const child = new Deno.Command(Deno.execPath(), { args: ["run", "-A", main, ...args] }).spawn();
  Deno.addSignalListener("SIGTERM", () => child.kill("SIGTERM"));
  // A terminal sends Ctrl+C to the child as well; sent on, it would count as the second, which ends a server at once.
  Deno.addSignalListener("SIGINT", () => Deno.stdin.isTerminal() || child.kill("SIGINT"));
  return (await child.status).code;
}

if (import.meta.main) {
  const [name, ...args] = Deno.args;
  const names = await exampleNames();
  if (name !== undefined && names.includes(name)) Deno.exit(await runExample(name, args));
  if (name !== undefined) console.error(`There is no example "${name}"; there are:`);
  console.log(names.join("\n"));
  Deno.exit(name === undefined ? 0 : 1);
}
