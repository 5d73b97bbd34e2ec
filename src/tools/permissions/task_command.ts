/**
 * Replaces the permissions in the command of a task.
 *
 * @module
 */

/** A task in a configuration file. */
export type Task = string | { readonly command?: string; readonly dependencies?: readonly string[] };

/** The subcommands of Deno that run a program. */
export const runners = ["run", "test", "serve", "bench"] as const;

const FLAG =
  /^(?:-[ARWNESI]+|--allow-all|--(?:allow|deny|ignore)-(?:read|write|net|env|run|sys|ffi|import)|-P|--permission-set|--no-prompt)(?:=|$)/;

/** Reports whether an argument of Deno is about permissions. */
export function isPermissionFlag(arg: string): boolean {
  return FLAG.test(arg);
}

/**
 * Returns the command of a task with other flags instead of its permissions.
 *
 * @param tasks The tasks in the configuration file.
 * @param name The name of the task.
 * @param flagsFor Returns the flags and variables for a `deno` command, such as `run`.
 */
export function taskCommand(
  tasks: Readonly<Record<string, Task>>,
  name: string,
  flagsFor: (runner: string) => { readonly flags: readonly string[]; readonly env: readonly string[] },
): string {
  const task = tasks[name];
  const { command = "", dependencies = [] } = typeof task === "string" ? { command: task } : task ?? {};
  const first = dependencies.map((each) => `deno task ${quote(each)}`);
  const rewritten = command.replace(
    /(^|[;&|(]\s*)((?:\w+=\S*\s+)*)deno\s+(\w+)((?:"[^"]*"|'[^']*'|[^;&|()])*)/g,
    rewrite,
  );
  return [...first, rewritten].filter((part) => part !== "").join(" && ");

  function rewrite(all: string, start: string, variables: string, runner: string, rest: string): string {
    const words = rest.match(/\s+|(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
    const inner = rest.trim();
    const space = rest.slice(rest.trimEnd().length);
    if (runner === "task" && variables === "" && inner !== name && Object.hasOwn(tasks, inner)) {
      return `${start}(${taskCommand(tasks, inner, flagsFor)})${space}`;
    }
    if (!runners.some((each) => each === runner)) return all;
    const { flags, env } = flagsFor(runner);
    const kept = words.filter((word) => !isPermissionFlag(word)).join("").trimEnd() + space;
    return `${start}${variables}${[...env, "deno", runner, ...flags.map(quote)].join(" ")}${kept}`;
  }
}

/** Quotes a word for the shell of `deno task`. */
export function quote(word: string): string {
  return /^[\w./:=@,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`;
}
