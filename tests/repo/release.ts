// deno-lint-ignore-file no-console -- a program of the command line speaks on the terminal
/**
 * Prepares a release: `deno task release VERSION` checks, dates the changelog, sets the version, commits and tags.
 *
 * Pushing the tag publishes it: see `.github/workflows/publish.yml`.
 *
 * @module
 */

import { fromFileUrl, join } from "@std/path";

const root = fromFileUrl(new URL("../../", import.meta.url));

/** Dates the section of what is not released yet, and opens a new one above it. */
export function datedChangelog(text: string, version: string, date: string): string {
  const heading = "## Unreleased";
  const at = text.indexOf(`${heading}\n`);
  if (at < 0) throw new Error(`Cannot release "${version}": CHANGELOG.md has no section "Unreleased"`);
  const next = text.indexOf("\n## ", at + 1);
  const section = text.slice(at + heading.length, next < 0 ? text.length : next);
  if (!/^- /m.test(section)) throw new Error(`Cannot release "${version}": the section "Unreleased" has no line`);
  return `${text.slice(0, at)}${heading}\n\n## ${version} (${date})${text.slice(at + heading.length)}`;
}

/** Refuses what is not a version above the present one. */
export function assertNewer(version: string, present: string): void {
  const parse = (text: string) => /^(\d+)\.(\d+)\.(\d+)$/.exec(text)?.slice(1).map(Number);
  const [next, before] = [parse(version), parse(present)];
  if (next === undefined) throw new Error(`Cannot release "${version}": it is not of the form 1.2.3`);
  const at = next.findIndex((part, index) => part !== before?.[index]);
  if (at < 0 || (next[at] ?? 0) < (before?.[at] ?? 0)) {
    throw new Error(`Cannot release "${version}": it is not above "${present}"`);
  }
}

async function run(...command: string[]): Promise<string> {
  const [program = "", ...args] = command;
  const child = new Deno.Command(program, { args, cwd: root, stdout: "piped", stderr: "inherit" });
  const { code, stdout } = await child.output();
  if (code !== 0) throw new Error(`Cannot release: "${command.join(" ")}" ended with ${code}`);
  return new TextDecoder().decode(stdout);
}

async function release(version: string): Promise<void> {
  const file = join(root, "deno.json");
  const config = await Deno.readTextFile(file);
  assertNewer(version, JSON.parse(config).version);
  if (await run("git", "status", "--porcelain") !== "") {
    throw new Error("Cannot release: there are uncommitted changes");
  }
  const log = join(root, "CHANGELOG.md");
  const dated = datedChangelog(await Deno.readTextFile(log), version, new Date().toISOString().slice(0, 10));
  await run(Deno.execPath(), "task", "ok");
  await Deno.writeTextFile(log, dated);
  await Deno.writeTextFile(file, config.replace(/"version": "[^"]*"/, `"version": "${version}"`));
  await run("git", "commit", "--all", "--message", `Release ${version}`);
  await run("git", "tag", "--annotate", `v${version}`, "--message", `fw ${version}`);
  console.log(`Tagged v${version}. Publish it with: git push --follow-tags`);
}

if (import.meta.main) {
  const [version] = Deno.args;
  if (version === undefined) {
    console.error("usage: deno task release VERSION");
    Deno.exit(2);
  }
  try {
    await release(version);
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    Deno.exit(1);
  }
}
