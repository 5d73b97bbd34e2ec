/**
 * Runs a task with Deno's audit log.
 *
 * @module
 */

import { join } from "node:path";
import { type AuditLog, parseAuditLog } from "./audit_log.ts";
import { PRELOAD, preloadSource, VARIABLES } from "./audited_code.ts";
import { allowedBy, type PermissionSet } from "./permission_set.ts";
import { isPermissionFlag, quote, runners, type Task, taskCommand } from "./task_command.ts";

/** A task to run. */
export interface Job {
  /** The name of a task or a subcommand of Deno, and its arguments. */
  readonly command: readonly string[];
  readonly tasks: Readonly<Record<string, Task>>;
  /** The configuration file. */
  readonly config: string;
  readonly cwd: string;
  /** The set that restricts the task. If omitted, all permissions are granted. */
  readonly limit?: { readonly name: string; readonly set: PermissionSet };
}

/** The result of a run. */
export interface Outcome {
  readonly code: number;
  /** Whether the task was ended by a signal. */
  readonly wasStopped: boolean;
  readonly log: AuditLog;
}

/** Runs a task until it ends. Signals are forwarded to it. */
export async function runAudited(job: Job): Promise<Outcome> {
  const folder = await Deno.makeTempDir({ prefix: "fw_permissions_" });
  try {
    await Deno.writeTextFile(join(folder, PRELOAD), preloadSource());
    const { args, env } = argumentsOf(job, folder);
    const ended = await spawned(args, job.cwd, env);
    return { ...ended, log: await logIn(folder) };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function argumentsOf(job: Job, folder: string): { args: string[]; env: Record<string, string> } {
  const [name = "", ...rest] = job.command;
  const flags = [...limitsOf(job, folder), "--no-prompt", `--preload=${join(folder, PRELOAD)}`];
  if (!Object.hasOwn(job.tasks, name)) {
    const kept = rest.filter((arg) => !isPermissionFlag(arg));
    const config = kept.some((arg) => /^(?:-c|--config|--no-config)(?:=|$)/.test(arg))
      ? []
      : [`--config=${job.config}`];
    return { args: [name, ...flags, ...config, ...kept], env: variables(join(folder, "0.jsonl")) };
  }
  let count = 0;
  // Each process gets its own log, because it truncates an existing one.
  const command = taskCommand(job.tasks, name, () => {
    const env = Object.entries(variables(join(folder, `${count++}.jsonl`)));
    return { flags, env: env.map(([key, value]) => `${key}=${quote(value)}`) };
  });
  if (count === 0) throw new Error(`Cannot audit "${name}": it does not run deno ${runners.join(", deno ")} itself`);
  const line = [command, ...rest.map(quote)].join(" ");
  return { args: ["task", "--quiet", `--config=${job.config}`, "--eval", line], env: {} };
}

function variables(log: string): Record<string, string> {
  return { [VARIABLES[0]]: log, [VARIABLES[1]]: "1" };
}

function limitsOf({ limit }: Job, folder: string): string[] {
  // Deno logs read and write requests separately only if a path is denied.
  const never = join(folder, "never").replaceAll(",", ",,");
  if (limit === undefined) return ["--allow-all", `--deny-read=${never}`, `--deny-write=${never}`];
  const env = allowedBy(limit.set, "env");
  // A flag replaces the names in the set.
  const names = Array.isArray(env) ? [...env, ...VARIABLES] : VARIABLES;
  return [`--permission-set=${limit.name}`, ...env === true ? [] : [`--allow-env=${names.join(",")}`]];
}

async function spawned(args: string[], cwd: string, env: Record<string, string>): Promise<Omit<Outcome, "log">> {
  let child: Deno.ChildProcess | undefined = undefined;
  let wasStopped = false;
  const stop = (signal: Deno.Signal) => () => {
    wasStopped = true;
    // A terminal also sends Ctrl+C to the child process. A second signal stops a server immediately.
    if (signal !== "SIGINT" || !Deno.stdin.isTerminal()) child?.kill(signal);
  };
  const names: Deno.Signal[] = Deno.build.os === "windows" ? ["SIGINT"] : ["SIGINT", "SIGTERM"];
  const listeners = names.map((name) => [name, stop(name)] as const);
  for (const [name, listener] of listeners) Deno.addSignalListener(name, listener);
  try {
    child = new Deno.Command(Deno.execPath(), { args, cwd, env }).spawn();
    return { code: (await child.status).code, wasStopped };
  } finally {
    for (const [name, listener] of listeners) Deno.removeSignalListener(name, listener);
  }
}

async function logIn(folder: string): Promise<AuditLog> {
  const logs = await Array.fromAsync(Deno.readDir(folder));
  const names = logs.map(({ name }) => name).filter((name) => name.endsWith(".jsonl")).sort();
  const texts = await Promise.all(names.map((name) => Deno.readTextFile(join(folder, name))));
  return parseAuditLog(texts.join(""));
}

/** Reports whether a command is a task or a subcommand that runs a program. */
export function isRunnable(tasks: Readonly<Record<string, Task>>, name: string): boolean {
  return Object.hasOwn(tasks, name) || runners.some((runner) => runner === name);
}
