// deno-lint-ignore-file no-console -- a program of the command line speaks on the terminal
/**
 * Runs one of the examples with the permissions that it needs: `deno task example NAME`.
 *
 * It runs in a temporary folder that is removed afterwards: what an example writes does not stay in the repository.
 *
 * @module
 */

import { dirname, fromFileUrl, join, relative } from "@std/path";
import { walk } from "@std/fs/walk";

const folder = fromFileUrl(new URL("../../examples/", import.meta.url));

/** What examples need beyond serving and reading their own files. */
const further: Readonly<Record<string, readonly string[]>> = {
  "auth/oidc": ["--allow-env=ISSUER,CLIENT_ID,CLIENT_SECRET"],
  "public": ["--allow-env=SECRET,ADMIN_PASSWORD,PROXIES"],
  "realworld": ["--allow-read=.", "--allow-write=.", "--allow-env=DATABASE,JWT_SECRET,PORT"],
  "sight": ["--allow-read=.", "--allow-write=."],
  "upload": ["--allow-read=.", "--allow-write=."],
  "sessions/redis": ["--allow-env=REDIS_URL,PORT", "--allow-run", "--unstable-net"],
};

/** Lists the examples: the folders below `examples/` that have a `main.ts`. */
export async function exampleNames(): Promise<string[]> {
  const mains = await Array.fromAsync(walk(folder, { includeDirs: false, match: [/[/\\]main\.ts$/] }));
  return mains.map(({ path }) => relative(folder, dirname(path)).replaceAll("\\", "/")).sort();
}

/** Lists the flags of Deno that an example is run with. */
export function permissionsOf(name: string): string[] {
  return ["--no-prompt", "--allow-net", `--allow-read=${join(folder, name)}`, ...further[name] ?? []];
}

async function runExample(name: string, given: string[]): Promise<number> {
  const cwd = await Deno.makeTempDir({ prefix: "fw_example_" });
  try {
    const args = ["run", ...permissionsOf(name), join(folder, name, "main.ts"), ...given];
    const child = new Deno.Command(Deno.execPath(), { args, cwd }).spawn();
    Deno.addSignalListener("SIGTERM", () => child.kill("SIGTERM"));
    // A terminal sends Ctrl+C to the child as well; sent on, it would count as the second, which ends a server at once.
    Deno.addSignalListener("SIGINT", () => Deno.stdin.isTerminal() || child.kill("SIGINT"));
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
  console.log(names.join("\n"));
  Deno.exit(name === undefined ? 0 : 1);
}
