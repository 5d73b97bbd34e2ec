/**
 * What is done with each command of the documentation: where it runs and how, or why it does not run.
 *
 * @module
 */

/** Where a command runs: a new folder, one with the README's first program, one that `init` filled, or the repository. */
export type Place = "empty" | "program" | "application" | "checkout";

/** What is done with a command. */
export interface Step {
  /** Commands that it is about. */
  readonly command: RegExp;
  /** Where it runs; inside of a fence the first command decides. */
  readonly place: Place;
  /** How it runs: to its end, as a server that is asked and stopped, or as a question to that server. */
  readonly how: "run" | "serve" | "ask" | "enter" | "leave out";
  /** Why it is left out. */
  readonly reason?: string;
}

/** The steps; the first that knows a command is taken. */
export const steps: readonly Step[] = [
  { command: /^cd \S+$/, place: "empty", how: "enter" },
  { command: /^curl /, place: "program", how: "ask" },
  { command: /^deno add jsr:@fw\/web$/, place: "program", how: "run" },
  { command: /^deno run -A jsr:@fw\/web\/init /, place: "empty", how: "run" },
  { command: /^deno run -A jsr:@fw\/web\/(routes|openapi) /, place: "program", how: "run" },
  { command: /^deno (run --allow-net|serve --parallel) main\.ts$/, place: "program", how: "serve" },
  { command: /^deno task (dev|start)$/, place: "checkout", how: "serve" },
  { command: /^npx -y deno@[\d.]+ task start$/, place: "checkout", how: "serve" },
  { command: /^deno task (example|guide)$/, place: "checkout", how: "run" },
  // In the repository it is the whole suite; in an application it is what `init` promises.
  { command: /^deno task test$/, place: "application", how: "run" },
  ...leaveOut({
    "is the step before this one": /^npx -y deno@[\d.]+ task test$/,
    "stands for any example; tests/examples run each with its permissions": /^deno task example NAME$/,
    "measures for minutes; the tests hold its parts": /^deno task (bench|attacks)\b/,
    "needs a download beside Deno; tests/examples/compile_test.ts builds a binary": /^deno (task )?compile\b/,
    "names a program of Deno's, not a command": /^deno serve( --parallel)?$/,
    "needs a container engine": /^(docker|FROM) /,
    "needs systemd": /^ExecStart=/,
  }),
];

function leaveOut(reasons: Readonly<Record<string, RegExp>>): Step[] {
  return Object.entries(reasons).map(([reason, command]) => ({ command, place: "empty", how: "leave out", reason }));
}

/**
 * Finds what is done with a command.
 *
 * @param command What the documentation says.
 * @returns The step; an error for a command that has none.
 */
export function stepFor(command: string): Step {
  const step = steps.find((each) => each.command.test(command));
  if (step === undefined) throw new Error(`No step in "tests/registry/steps.ts" knows the command "${command}"`);
  return step;
}
