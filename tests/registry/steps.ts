/**
 * Defines where and how each documented command runs, or why it does not run.
 *
 * @module
 */

/**
 * The place where a command runs: a new folder, a folder with the README's first program, a folder created by `init`,
 * or the repository.
 */
export type Place = "empty" | "program" | "application" | "checkout";

/** The instructions for a command. */
export interface Step {
  /** Matches the commands that the step applies to. */
  readonly command: RegExp;
  /** The place where the command runs. In a code block, the first command determines it. */
  readonly place: Place;
  /** The way the command runs: to completion, as a server that is called and stopped, or as a request to that server. */
  readonly how: "run" | "serve" | "ask" | "enter" | "leave out";
  /** The reason why the command is skipped. */
  readonly reason?: string;
}

/** The steps. The first one that matches is used. */
export const steps: readonly Step[] = [
  { command: /^cd \S+$/, place: "empty", how: "enter" },
  { command: /^curl /, place: "program", how: "ask" },
  { command: /^deno add jsr:@(fw\/web( jsr:@std\/assert)?|std\/testing)$/, place: "program", how: "run" },
  { command: /^deno run -A jsr:@fw\/web\/init /, place: "empty", how: "run" },
  { command: /^deno run -A jsr:@fw\/web\/(routes|openapi) /, place: "program", how: "run" },
  { command: /^deno run jsr:@fw\/web\/explain /, place: "program", how: "run" },
  { command: /^deno doc jsr:@fw\/book\/[\w-]+$/, place: "program", how: "run" },
  { command: /^deno (run (--allow-net|-A)|serve( -A)? --parallel) main\.ts$/, place: "program", how: "serve" },
  { command: /^deno task (dev|start)$/, place: "checkout", how: "serve" },
  { command: /^npx -y deno@[\d.]+ task start$/, place: "checkout", how: "serve" },
  { command: /^deno task (example|guide)$/, place: "checkout", how: "run" },
  // In the repository, this would run the whole test suite. In an application, it runs what `init` has created.
  { command: /^deno task (test|check)$/, place: "application", how: "run" },
  ...leaveOut({
    "runs the tests of a how-to guide; deno task programs runs all": /^deno test -A$/,
    "is the step before this one": /^npx -y deno@[\d.]+ task test$/,
    "names any example; tests/examples run each with its permissions": /^deno task example NAME$/,
    "measures for minutes; the tests hold its parts": /^deno task (bench|attacks)\b/,
    "needs a download beside Deno; tests/examples/compile_test.ts builds a binary": /^deno (task )?compile\b/,
    "names a program of Deno's, not a command":
      /^deno (serve( --parallel)?( main\.ts)?|check|doc|fmt|lint|test( --coverage)?)$/,
    "needs a container engine": /^(docker|FROM) /,
    "needs systemd": /^ExecStart=/,
    "restarts a server whenever a file changes, until it is stopped": /^deno (run --watch\b|task book$)/,
    "opens a page of another program": /^npx @modelcontextprotocol\/inspector$/,
    "needs a project of Vite; tests/recipes/vite_test.ts runs one": /^npx vite( build)?$/,
    "records a server until it is stopped; tests/tools/permissions run it":
      /^deno run (-A jsr:@fw\/web\/permissions .*|-P(=start main\.ts)?)$/,
    "opens a debugger, writes a profile, or replaces Deno":
      /^deno (run --(inspect( main\.ts)?|cpu-prof main\.ts|v8-flags=\S+)|test --inspect-brk main_test\.ts|repl|upgrade)$/,
    "is the command without a name": /^deno (run -A jsr:@fw\/web\/init|add)$/,
    "needs a second version, and the test registry has only one": /^deno (outdated|update( --latest @fw\/web)?)$/,
    "needs a program with an extension; tests/tools/explain run one":
      /^deno run -A jsr:@fw\/web\/explain \w+ main\.ts$/,
    "publishes the package of the reader; tests/registry/publication_test.ts rehearses it": /^deno publish --dry-run$/,
    "prints a random secret of an application; tests/state/keys creates them": /^deno eval 'import \{ Generate \} /,
    "needs a file of the reader; tests/core/accessors/env_test.ts reads one": /^deno run --env-file=/,
  }),
];

function leaveOut(reasons: Readonly<Record<string, RegExp>>): Step[] {
  return Object.entries(reasons).map(([reason, command]) => ({ command, place: "empty", how: "leave out", reason }));
}

/**
 * Returns the step for a command.
 *
 * @param command The documented command.
 * @returns The step. Throws if there is none.
 */
export function stepFor(command: string): Step {
  const step = steps.find((each) => each.command.test(command));
  if (step === undefined) throw new Error(`No step in "tests/registry/steps.ts" knows the command "${command}"`);
  return step;
}
