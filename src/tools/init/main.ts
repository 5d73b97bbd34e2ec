// deno-lint-ignore-file no-console -- this is a command-line program
/**
 * The command-line program `deno run -A jsr:@fw/web/init`.
 *
 * @module
 */

import { basename, dirname, join, resolve } from "node:path";
import type { System } from "../../base/text/file_name.ts";
import { type Given, runProgram } from "../../base/command/command.ts";
import { askFolder, askYesNo, type Choices, questions } from "./choices.ts";
import { composeFiles } from "./compose.ts";

const usage = `usage: init [FOLDER] [--api] [--site] [--mvc] [--sessions] [--accounts] [--yes]

Creates a new application in FOLDER, which must not exist or must be empty. Prompts for the folder if it is omitted,
and for the features if no flag is given. With --yes and no feature, --api is selected.

  --api       a JSON API
  --site      HTML templates and static files
  --mvc       a controller with a service
  --sessions  sessions
  --accounts  sign-up, login, second factors, passkeys and settings, in SQLite
  --yes, -y   do not prompt
  --help, -h  show this help
  --version   show the version of fw`;

const flag = { type: "boolean" } as const;
const options = { api: flag, site: flag, mvc: flag, sessions: flag, accounts: flag, yes: { ...flag, short: "y" } };

/** Runs the program. */
export function main(args: string[]): Promise<number> {
  return runProgram({ usage, options, run: create }, args);
}

async function create({ flags, names }: Given): Promise<number | undefined> {
  const isQuiet = flags["yes"] === true;
  const folder = names[0] ?? (isQuiet ? undefined : askFolder());
  if (folder === undefined || names.length > 1) return undefined;
  const target = resolve(folder);
  await assertEmpty(target);
  const parts = {
    API: flags["api"],
    Site: flags["site"],
    MVC: flags["mvc"],
    Sessions: flags["sessions"],
    Accounts: flags["accounts"],
  };
  const isSaid = isQuiet || Object.values(parts).includes(true);
  await write(target, composeFiles({ Name: basename(target), ...isSaid ? given(parts) : asked() }));
  const next = quoted(folder, Deno.build.os);
  console.log(`Created "${folder}". Next steps:\n\n  cd ${next}\n  deno task test\n  deno task dev`);
  return 0;
}

/**
 * Quotes an argument for the shells of an operating system. On Windows, a backslash is an ordinary character.
 *
 * @param text The argument.
 * @param system The operating system.
 */
export function quoted(text: string, system: System): string {
  if (system === "windows") return /^[\w./\\:-]+$/.test(text) ? text : `"${text}"`;
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

type Parts = Omit<Choices, "Name">;

function given(flags: Readonly<Record<keyof Parts, unknown>>): Parts {
  return {
    API: flags.API === true,
    Site: flags.Site === true,
    MVC: flags.MVC === true,
    Sessions: flags.Sessions === true,
    Accounts: flags.Accounts === true,
  };
}

function asked(): Parts {
  const parts: Parts = { API: false, Site: false, MVC: false, Sessions: false, Accounts: false };
  for (const { part, text } of questions) parts[part] = askYesNo(text);
  return parts;
}

/** Throws if the folder is not empty, so that no existing file is overwritten. */
async function assertEmpty(folder: string): Promise<void> {
  try {
    for await (const { name } of Deno.readDir(folder)) {
      throw new Error(`Cannot write the application to "${folder}": the folder is not empty (it contains "${name}")`);
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

async function write(folder: string, files: ReadonlyMap<string, string>): Promise<void> {
  for (const [path, text] of files) {
    const file = join(folder, path);
    await Deno.mkdir(dirname(file), { recursive: true });
    await Deno.writeTextFile(file, text);
  }
}
