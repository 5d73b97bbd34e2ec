// deno-lint-ignore-file no-console -- a program of the command line asks on the terminal
/**
 * The program behind `deno run -A jsr:@fw/web/init`.
 *
 * @module
 */

import { basename, dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import config from "../../deno.json" with { type: "json" };
import { messageOf } from "../base/to_error.ts";
import { askFolder, confirms } from "./ask.ts";
import { type Choices, questions } from "./choices.ts";
import { composeFiles } from "./compose.ts";

const usage = `usage: init [FOLDER] [--api] [--site] [--mvc] [--sessions] [--yes]

Writes a new application into FOLDER, which must be empty or not exist. Asks for the folder if it is omitted, and for
the features unless a flag names one; --yes asks nothing and selects --api.

  --api       routes that speak JSON
  --site      pages from templates, and static files
  --mvc       a controller with a service
  --sessions  a session for each visitor
  --yes, -y   ask nothing
  --help, -h  show this text
  --version   show the version of fw`;

/** Runs the program. */
export async function main(args: string[]): Promise<number> {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        api: { type: "boolean" },
        site: { type: "boolean" },
        mvc: { type: "boolean" },
        sessions: { type: "boolean" },
        yes: { type: "boolean", short: "y" },
        help: { type: "boolean", short: "h" },
        version: { type: "boolean" },
      },
    });
    if (values.help || values.version) {
      console.log(values.help ? usage : config.version);
      return 0;
    }
    const folder = positionals[0] ?? (values.yes ? undefined : askFolder());
    if (folder === undefined || positionals.length > 1) {
      console.error(usage);
      return 2;
    }
    const target = resolve(folder);
    await assertEmpty(target);
    const flags = { API: values.api, Site: values.site, MVC: values.mvc, Sessions: values.sessions };
    const isSaid = values.yes === true || Object.values(flags).some((flag) => flag === true);
    await write(target, composeFiles({ Name: basename(target), ...isSaid ? given(flags) : asked() }));
    const next = /^[\w./-]+$/.test(folder) ? folder : JSON.stringify(folder);
    console.log(`Wrote "${folder}". Next:\n\n  cd ${next}\n  deno task test\n  deno task dev`);
    return 0;
  } catch (error) {
    console.error(messageOf(error));
    // An unknown flag: parseArgs names it, and the usage names those that exist.
    if (error instanceof TypeError && "code" in error) console.error(`\n${usage}`);
    return 1;
  }
}

type Parts = Omit<Choices, "Name">;

function given(flags: Partial<Record<keyof Parts, boolean | undefined>>): Parts {
  return {
    API: flags.API === true,
    Site: flags.Site === true,
    MVC: flags.MVC === true,
    Sessions: flags.Sessions === true,
  };
}

function asked(): Parts {
  const parts: Parts = { API: false, Site: false, MVC: false, Sessions: false };
  for (const { part, text } of questions) parts[part] = confirms(text);
  return parts;
}

/** Refuses a folder that holds something: nothing of another program is ever overwritten. */
async function assertEmpty(folder: string): Promise<void> {
  try {
    for await (const { name } of Deno.readDir(folder)) {
      throw new Error(`Cannot write the application to "${folder}": it is not empty, it holds "${name}"`);
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
