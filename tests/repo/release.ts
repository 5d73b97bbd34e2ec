// deno-lint-ignore-file no-console -- this is a command-line program
/**
 * Prepares a release. `deno task release VERSION` sets the version everywhere, dates the changelog, checks the result,
 * commits and tags. If a check fails, it changes nothing. With `--dry-run`, it only reports whether the version can be
 * released.
 *
 * Pushing the tag publishes the version; see `.github/workflows/publish.yml`.
 *
 * @module
 */

import { fromFileUrl, join } from "@std/path";
import { publishLock } from "./publish_lock.ts";

const root = fromFileUrl(new URL("../../", import.meta.url));

/** Dates the "Unreleased" section and adds a new one above it. */
export function datedChangelog(text: string, version: string, date: string): string {
  const heading = "## Unreleased";
  const at = text.indexOf(`${heading}\n`);
  if (at < 0) throw new Error(`Cannot release "${version}": CHANGELOG.md has no section "Unreleased"`);
  const next = text.indexOf("\n## ", at + 1);
  const section = text.slice(at + heading.length, next < 0 ? text.length : next);
  if (!/^- /m.test(section)) throw new Error(`Cannot release "${version}": the section "Unreleased" has no line`);
  return `${text.slice(0, at)}${heading}\n\n## ${version} (${date})${text.slice(at + heading.length)}`;
}

/** Throws if the new version is not higher than the current one. */
export function assertNewer(version: string, present: string): void {
  const parse = (text: string) => /^(\d+)\.(\d+)\.(\d+)$/.exec(text)?.slice(1).map(Number);
  const [next, before] = [parse(version), parse(present)];
  if (next === undefined) throw new Error(`Cannot release "${version}": it must look like 1.2.3`);
  const at = next.findIndex((part, index) => part !== before?.[index]);
  if (at < 0 || (next[at] ?? 0) < (before?.[at] ?? 0)) {
    throw new Error(`Cannot release "${version}": it must be higher than "${present}"`);
  }
}

/**
 * Derives the web URL of the repository.
 *
 * @param remote The URL that Git uses.
 * @returns The URL, or `undefined` if the repository is not on the web.
 */
export function webAddress(remote: string): string | undefined {
  const parts = /^(?:(?:https?|ssh|git):\/\/(?:[^@/]*@)?|[\w.-]+@)([\w.-]+)(?::\d+)?[:/](.+?)(?:\.git)?\/?$/.exec(
    remote.trim(),
  );
  return parts === null ? undefined : `https://${parts[1]}/${parts[2]}`;
}

async function run(...command: string[]): Promise<string> {
  const [program = "", ...args] = command;
  // The checks show what they find.
  const stdout = command.at(-1) === "ok" ? "inherit" : "piped";
  const child = new Deno.Command(program, { args, cwd: root, stdout, stderr: "inherit" });
  const output = await child.output();
  if (output.code !== 0) throw new Error(`Cannot release: "${command.join(" ")}" exited with code ${output.code}`);
  return stdout === "piped" ? new TextDecoder().decode(output.stdout) : "";
}

/**
 * Sets the repository URL that published documentation links to, unless it is already set. Without a remote on the web,
 * the documentation has no such links.
 */
async function withRepository(source: string): Promise<string> {
  const empty = 'repositoryURL: string = ""';
  if (!source.includes(empty)) return source;
  const [remote = ""] = (await run("git", "config", "--default", "", "--get", "remote.origin.url")).split("\n");
  return source.replace(empty, `repositoryURL: string = "${webAddress(remote) ?? ""}"`);
}

/** Returns the new contents of the files that a release changes. Throws if the version cannot be released. */
async function filesOf(version: string): Promise<Map<string, string>> {
  const read = (file: string) => Deno.readTextFile(join(root, file));
  const config = await read("deno.json");
  const present: string = JSON.parse(config).version;
  assertNewer(version, present);
  if (await run("git", "status", "--porcelain") !== "") {
    throw new Error("Cannot release: there are uncommitted changes");
  }
  if (await run("git", "tag", "--list", `v${version}`) !== "") {
    throw new Error(`Cannot release "${version}": the tag "v${version}" exists`);
  }
  const date = new Date().toISOString().slice(0, 10);
  return new Map([
    ["CHANGELOG.md", datedChangelog(await read("CHANGELOG.md"), version, date)],
    ["tests/repo/published_links.ts", await withRepository(await read("tests/repo/published_links.ts"))],
    ["deno.json", config.replace(/"version": "[^"]*"/, `"version": "${version}"`)],
    ...await mentions(present, version),
  ]);
}

/** Returns the documents that name the present version of the package, or the range from it, with the new one. */
async function mentions(present: string, version: string): Promise<[file: string, text: string][]> {
  const names = ["", "^"].map((range) => `jsr:@fw/web@${range}`);
  const sought = names.flatMap((name) => ["-e", `${name}${present}`]);
  const command = new Deno.Command("git", {
    args: ["grep", "--files-with-matches", "--fixed-strings", ...sought, "--", "README.md", "examples", "src"],
    cwd: root,
  });
  const files = new TextDecoder().decode((await command.output()).stdout).split("\n").filter((file) => file !== "");
  return await Promise.all(files.map(async (file): Promise<[string, string]> => {
    const text = await Deno.readTextFile(join(root, file));
    return [file, names.reduce((now, name) => now.replaceAll(`${name}${present}`, `${name}${version}`), text)];
  }));
}

async function release(version: string, isRehearsal: boolean): Promise<void> {
  const files = await filesOf(version);
  if (isRehearsal) {
    console.log(`Can release ${version}: it changes ${[...files.keys()].join(", ")} if "deno task ok" succeeds`);
    return;
  }
  const hasRemote = (await run("git", "remote")).trim() !== "";
  // The lock is committed with the version, so that the tag says what was published. Without a remote, nothing is
  // published by a push, and the registry may be out of reach.
  const isLocked = await Deno.stat(publishLock).then(() => true, () => false);
  try {
    for (const [file, text] of files) await Deno.writeTextFile(join(root, file), text);
    // The lock of the tests names the range that the model extension imports.
    await run(Deno.execPath(), "cache", "--quiet", "--lock=deno.lock", "tests/repo/release.ts");
    if (hasRemote && !isLocked) await run(Deno.execPath(), "task", "lock");
    await run(Deno.execPath(), "task", "ok");
  } catch (error) {
    await run("git", "checkout", "--quiet", "--", ".");
    if (!isLocked) await Deno.remove(publishLock).catch(() => {});
    throw error;
  }
  await run("git", "add", "--all");
  await run("git", "commit", "--message", `Release ${version}`);
  await run("git", "tag", "--annotate", `v${version}`, "--message", `fw ${version}`);
  const publishing = hasRemote ? "git push --follow-tags" : "deno task lock && deno run -A tests/repo/publish.ts";
  console.log(`Tagged v${version}. Publish it with: ${publishing}`);
}

if (import.meta.main) {
  const [version, ...flags] = Deno.args;
  if (version === undefined || flags.some((flag) => flag !== "--dry-run")) {
    console.error("usage: deno task release VERSION [--dry-run]");
    Deno.exit(2);
  }
  try {
    await release(version, flags.length > 0);
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    Deno.exit(1);
  }
}
