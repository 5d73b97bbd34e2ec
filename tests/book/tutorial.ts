/**
 * Builds the ticket shop of the tutorial from its pages, which are the only source. The state after page N is what `init`
 * writes, with the files of the pages 1 to N on top.
 *
 * A block whose first line is a comment with a path is a complete file: `// main.ts`, `<!-- views/index.html -->`,
 * `# locales/en.yml`, `/* public/style.css`. The first line is not part of the file. If the path of a JSON file is
 * followed by `(changed lines)`, the block is merged into the file. The line "Delete the file `PATH`." removes a file.
 * Blocks marked `sh` contain commands. The lines after a command that start with `# →` are its output, in which `…`
 * represents any text.
 *
 * `deno run -A tests/book/tutorial.ts 4 FOLDER` writes the state after page 4 into `FOLDER/tickets`.
 *
 * @module
 */

import { walk } from "@std/fs";
import { dirname, fromFileUrl, join, relative } from "@std/path";
import config from "../../deno.json" with { type: "json" };
import { run } from "../registry/processes.ts";
import { blocksOf } from "./markdown.ts";
import { type Page, readBook } from "./pages.ts";

const root = fromFileUrl(new URL("../../", import.meta.url));

/** A command on a page, and its output if the page shows it. */
export interface Command {
  readonly line: string;
  readonly output: string | undefined;
}

/** The files and commands of a page. */
export interface Step {
  readonly file: string;
  /** The complete files, by path. */
  readonly files: ReadonlyMap<string, string>;
  /** The changed parts of JSON files, by path. */
  readonly changes: ReadonlyMap<string, unknown>;
  readonly deleted: readonly string[];
  /** The commands before the first file, which run in the state of the page before. */
  readonly first: readonly Command[];
  /** The commands after the first file. */
  readonly commands: readonly Command[];
}

const path = String.raw`((?:[\w.-]+\/)*(?:[\w.-]+\.\w+|Dockerfile))`;
const pathLine = new RegExp(
  String.raw`^(?:\/\/ ${path}( \(changed lines\))?|# ${path}|<!-- ${path} -->|\/\* ${path} \*\/)\n`,
);
const deletion = new RegExp(String.raw`Delete the file \`${path}\`\.`, "g");

/** Reads all steps, in order. */
export async function readSteps(): Promise<Step[]> {
  return (await readBook()).filter(({ kind }) => kind === "tutorial").map(stepOf);
}

/** Finds the files and commands of a page. */
export function stepOf({ file, text }: Pick<Page, "file" | "text">): Step {
  const files = new Map<string, string>();
  const changes = new Map<string, unknown>();
  const first: Command[] = [];
  const commands: Command[] = [];
  for (const { info, code } of blocksOf(text)) {
    const isBefore = files.size + changes.size === 0;
    if (info === "sh") (isBefore ? first : commands).push(...commandsOf(code));
    const found = pathLine.exec(code);
    if (found === null) continue;
    const [line, script, changed, hash, markup, style] = found;
    const name = script ?? hash ?? markup ?? style ?? "";
    const rest = code.slice(line.length);
    if (changed === undefined) files.set(name, rest.replace(/^\n/, ""));
    else changes.set(name, JSON.parse(rest));
  }
  const deleted = Array.from(text.matchAll(deletion), ([, name = ""]) => name);
  return { file, files, changes, deleted, first, commands };
}

function commandsOf(content: string): Command[] {
  const commands: { line: string; output: string | undefined }[] = [];
  for (const line of content.replaceAll("\\\n", "").trimEnd().split("\n")) {
    const last = commands.at(-1);
    if (!line.startsWith("#")) commands.push({ line: line.replace(/\s+# .*$/, ""), output: undefined });
    else if (line.startsWith("# →") && last !== undefined) {
      last.output = `${last.output === undefined ? "" : `${last.output}\n`}${line.slice(3).trim()}`;
    }
  }
  return commands;
}

/** Reports whether the output of a command is the one that the page shows. */
export function isShown(shown: string, output: string): boolean {
  const pattern = shown.split("…").map((part) => RegExp.escape(part)).join("[^]*?");
  const lines = output.trim().split(/\r?\n/).map((line) => line.trim().replaceAll("\u00a0", " "));
  return new RegExp(`^${pattern}$`).test(lines.join("\n"));
}

let created: Promise<ReadonlyMap<string, Uint8Array>> | undefined;

/**
 * Writes what `init` writes if it is run as the first page says. The new application imports this checkout instead of
 * the published package.
 *
 * @param step The first step.
 * @param parent The folder for the new one.
 * @returns The folder of the application.
 */
export async function createState(step: Step, parent: string): Promise<string> {
  const state = join(parent, "tickets");
  for (const [name, bytes] of await (created ??= runInit(step))) await writeFile(join(state, name), bytes);
  await linkCheckout(state);
  return state;
}

/** Makes an application import this checkout instead of the published package. */
export async function linkCheckout(app: string): Promise<void> {
  await merge(join(app, "deno.json"), { links: [root, ...config.links.map((link) => join(root, link))] });
}

/** Runs `init` and returns the files that it wrote. */
async function runInit(step: Step): Promise<ReadonlyMap<string, Uint8Array>> {
  const published = step.first[0]?.line ?? "";
  const init = published.replace(
    `jsr:${config.name}/init`,
    `--config "${root}deno.json" "${root}src/tools/init/mod.ts"`,
  );
  const parent = await Deno.makeTempDir();
  try {
    await run(init, { cwd: parent, env: {} });
    const state = join(parent, "tickets");
    const files = await Array.fromAsync(walk(state, { includeDirs: false }));
    return new Map(files.map(({ path }) => [relative(state, path), Deno.readFileSync(path)]));
  } finally {
    await Deno.remove(parent, { recursive: true });
  }
}

/** Writes, changes and deletes the files of a page. */
export async function applyStep({ files, changes, deleted }: Step, state: string): Promise<void> {
  for (const [name, text] of files) await writeFile(join(state, name), text);
  for (const [name, value] of changes) await merge(join(state, name), value);
  for (const name of deleted) await Deno.remove(join(state, name));
}

/** Writes a file and the folders that it is in. */
export async function writeFile(file: string, content: string | Uint8Array): Promise<void> {
  await Deno.mkdir(dirname(file), { recursive: true });
  await Deno.writeFile(file, typeof content === "string" ? new TextEncoder().encode(content) : content);
}

async function merge(file: string, changes: unknown): Promise<void> {
  const merged = combine(JSON.parse(await Deno.readTextFile(file)), changes);
  await writeFile(file, `${JSON.stringify(merged, null, 2)}\n`);
}

function combine(value: unknown, changes: unknown): unknown {
  if (!isRecord(value) || !isRecord(changes)) return changes;
  const entries = Object.entries(changes).map(([key, change]) => [key, combine(value[key], change)]);
  return { ...value, ...Object.fromEntries(entries) };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

if (import.meta.main) {
  const [last = "10", parent = Deno.cwd()] = Deno.args;
  const [first, ...others] = (await readSteps()).slice(0, Number(last));
  if (first === undefined) throw new Error("Usage: tutorial.ts LAST_PAGE FOLDER");
  const state = await createState(first, parent);
  for (const step of [first, ...others]) await applyStep(step, state);
}
