// deno-lint-ignore-file no-console -- this is a command-line program
/**
 * The command-line program `deno run -A jsr:@fw/web/permissions`.
 *
 * @module
 */

import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { type Given, runProgram } from "../../base/command/command.ts";
import { isRunnable, type Job, runAudited } from "./audited_run.ts";
import { generalize } from "./generalize.ts";
import { parseJSONC } from "./jsonc.ts";
import { missingFrom, permissionTable } from "./missing.ts";
import { entriesOf, type Entry, type PermissionSet } from "./permission_set.ts";
import { type Place, resourcesOf } from "./resources.ts";
import type { Task } from "./task_command.ts";
import { writeSet } from "./write_set.ts";

const usage = `usage: permissions [--check] [--add] [--set NAME] [--config FILE] -- COMMAND [ARGUMENT...]

Runs COMMAND, which is a task or one of run, test, serve and bench, with all permissions. When it ends or is stopped with
Ctrl+C, writes the permissions that it requested into the configuration file, for use with deno run -P=NAME.

  --check        run with the permissions in the file only, and fail if others are requested
  --add          keep the permissions in the file, and add those of this run
  --set NAME     the name of the permission set (default: the name of the task or "default")
  --config FILE  the configuration file (default: deno.json or deno.jsonc)
  --help, -h     show this help
  --version      show the version of fw`;

const options = {
  check: { type: "boolean" },
  add: { type: "boolean" },
  set: { type: "string" },
  config: { type: "string" },
} as const;

/** Runs the program. */
export function main(args: string[]): Promise<number> {
  return runProgram({ usage, options, run: audit }, args);
}

interface Config {
  readonly tasks?: Readonly<Record<string, Task>>;
  readonly permissions?: Readonly<Record<string, PermissionSet>>;
}

async function audit({ flags, names: command }: Given): Promise<number | undefined> {
  const [first] = command;
  if (first === undefined) return undefined;
  const file = typeof flags["config"] === "string" ? resolve(flags["config"]) : configFile(Deno.cwd());
  const config = parseJSONC(await Deno.readTextFile(file)) as Config;
  const tasks = config.tasks ?? {};
  if (!isRunnable(tasks, first)) throw new Error(`Cannot run "${first}": "${file}" contains no such task`);
  const isTask = Object.hasOwn(tasks, first);
  const name = String(flags["set"] ?? (isTask || first === "test" || first === "bench" ? first : "default"));
  const cwd = isTask ? dirname(file) : Deno.cwd();
  const job: Job = { command, tasks, config: file, cwd };
  const set = config.permissions?.[name];
  if (flags["check"] !== true) return await write(job, name, { before: set ?? {}, isAdding: flags["add"] === true });
  if (set === undefined) throw new Error(`Cannot check "${first}": "${file}" contains no permission set "${name}"`);
  return await check(job, name, set);
}

async function write(
  job: Job,
  name: string,
  { before, isAdding }: { before: PermissionSet; isAdding: boolean },
): Promise<number> {
  const { code, wasStopped, log } = await runAudited(job);
  const place = placeOf(job);
  const entries = generalize(resourcesOf(log.needed, place), place);
  console.error(`\n${permissionTable(entries)}`);
  const optional = resourcesOf(log.optional, place);
  if (optional.length > 0) console.error(`\nOptional, and not written:\n${permissionTable(optional)}`);
  if (code !== 0 && !wasStopped) {
    console.error(`Cannot write the permissions: "${job.command.join(" ")}" failed with exit code ${code}`);
    return code;
  }
  const all = isAdding ? merged(entries, entriesOf(before)) : entries;
  const comments = job.config.endsWith(".jsonc");
  // The task may have changed the file, so it is read again.
  const text = await Deno.readTextFile(job.config);
  await Deno.writeTextFile(job.config, writeSet(text, name, all, { before, comments }));
  console.error(`\nWrote the permission set "${name}" to "${job.config}". Use it with the flag -P=${name}`);
  return 0;
}

function merged(entries: readonly Entry[], before: readonly Entry[]): Entry[] {
  const isNew = (old: Entry) => entries.every(({ kind, value }) => kind !== old.kind || value !== old.value);
  return [...entries, ...before.filter(isNew)];
}

async function check(job: Job, name: string, set: PermissionSet): Promise<number> {
  const { code, wasStopped, log } = await runAudited({ ...job, limit: { name, set } });
  // A request that follows a query is checked, too: with a restricted set, it would not be made.
  const resources = resourcesOf([...log.needed, ...log.optional], placeOf(job));
  const missing = await missingFrom(name, resources, job);
  if (missing.length === 0) return wasStopped ? 0 : code;
  console.error(`\n${permissionTable(missing)}\n`);
  console.error(`Cannot run "${job.command.join(" ")}" with the permission set "${name}": ${missing.length} missing`);
  return 1;
}

/** Finds the configuration file in a folder or its parents, as Deno does. */
function configFile(folder: string): string {
  const found = ["deno.json", "deno.jsonc"].map((name) => join(folder, name)).find((path) => existsSync(path));
  if (found !== undefined) return found;
  if (dirname(folder) === folder) throw new Error("Cannot find a deno.json: create one, or specify it with --config");
  return configFile(dirname(folder));
}

function placeOf({ config, cwd }: Job): Place {
  return {
    root: dirname(config),
    cwd,
    temp: tmpdir(),
    isWindows: Deno.build.os === "windows",
    exists: existsSync,
    programs: (Deno.env.get("PATH") ?? "").split(delimiter).filter((folder) => folder !== ""),
  };
}
