// deno-lint-ignore-file no-console -- this is a command-line program
/**
 * Runs one of the examples with the permissions that it needs: `deno task example NAME`.
 *
 * The example runs in a temporary folder, which is removed afterwards, so that its files do not end up in the
 * repository.
 *
 * @module
 */

import { dirname, fromFileUrl, join, relative } from "@std/path";
import { walk } from "@std/fs/walk";

const folder = fromFileUrl(new URL("../../examples/", import.meta.url));

/** Lists the examples, which are the folders in `examples/` that contain a `main.ts`. */
export async function exampleNames(): Promise<string[]> {
  const mains = await Array.fromAsync(walk(folder, { includeDirs: false, match: [/[/\\]main\.ts$/] }));
  return mains.map(({ path }) => relative(folder, dirname(path)).replaceAll("\\", "/")).sort();
}

/** The header of an example: a sentence that describes it, and the minimum permissions that it needs. */
export interface Header {
  readonly summary: string;
  readonly permissions: readonly string[];
}

/** Reads the header of an example. */
export async function headerOf(name: string): Promise<Header> {
  const text = (await Deno.readTextFile(join(folder, name, "main.ts"))).replace(/^ \* ?/gm, "");
  const [, summary = ""] = /^\/\*\*\n([^]*?)\n\n/.exec(text) ?? [];
  const [, permissions = ""] = /^Permissions: `([^`]+)`\.$/m.exec(text) ?? [];
  return { summary: summary.replaceAll("\n", " "), permissions: permissions.split(" ") };
}

/** Returns the Deno flags for running an example. Paths in the repository are made absolute. */
export async function permissionsOf(name: string): Promise<string[]> {
  const { permissions } = await headerOf(name);
  return [
    "--no-prompt",
    ...permissions.map((flag) =>
      flag.replace("examples/", `${folder}`).replace(",README.md", `,${folder}../README.md`)
    ),
  ];
}

async function runExample(name: string, given: string[]): Promise<number> {
  const cwd = await Deno.makeTempDir({ prefix: "fw_example_" });
  try {
    const args = ["run", ...await permissionsOf(name), join(folder, name, "main.ts"), ...given];
    let child: Deno.ChildProcess | undefined = undefined;
    // The listeners are added first. Otherwise, an early signal would end this process without its child.
    Deno.addSignalListener("SIGTERM", () => child?.kill("SIGTERM"));
    // A terminal also sends Ctrl+C to the child process. Forwarding the signal would make it the second one, which
    // stops a server immediately.
    Deno.addSignalListener("SIGINT", () => Deno.stdin.isTerminal() || child?.kill("SIGINT"));
    child = new Deno.Command(Deno.execPath(), { args, cwd }).spawn();
    return (await child.status).code;
  } finally {
    await Deno.remove(cwd, { recursive: true });
  }
}

if (import.meta.main) {
  const [name, ...args] = Deno.args;
  const names = await exampleNames();
  if (name !== undefined && names.includes(name)) Deno.exit(await runExample(name, args));
  if (name !== undefined) console.error(`There is no example "${name}"; there are:`);
  for (const each of names) console.log(`${each.padEnd(16)} ${(await headerOf(each)).summary}`);
  Deno.exit(name === undefined ? 0 : 1);
}
