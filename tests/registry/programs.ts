// deno-lint-ignore-file no-console -- this is a command-line program
/**
 * `deno task programs [NAME...]`: runs the program of every how-to guide like a reader. Each one gets an empty folder
 * with `deno add` and the files of its page, is started, and is called with the `curl` commands of the page, whose
 * comments are parts of the output. Then its tests run. All of it uses the package as published to a registry on
 * loopback.
 *
 * The only difference to the pages is the port: a free one is used instead of theirs.
 *
 * @module
 */

import { dirname, join } from "@std/path";
import { bookFolder, pageFiles, placeOf, readText } from "../book/pages.ts";
import { filesOf, type ProgramFile } from "../book/programs.ts";
import { shortPrograms, withoutProgram } from "../book/without_program.ts";
import { assertOutcomes, examplesOf } from "../repo/outcomes.ts";
import { freePort } from "../free_port.ts";
import { callsAmong, type Command, commandsOf } from "./commands.ts";
import { run, serve, type Surroundings } from "./processes.ts";
import { publishAll, type Published } from "./publish_all.ts";

/** A how-to guide with a program. */
export interface Guide {
  readonly name: string;
  readonly files: readonly ProgramFile[];
  /** The commands that call the program, in order. */
  readonly calls: readonly Command[];
  /** The command that starts the program, or `undefined` if it is a library. */
  readonly start: string | undefined;
  /** The commands that add further packages. */
  readonly adds: readonly string[];
}

/** Matches the commands that start a program. Those of fw's own tools and of watch mode are not among them. */
const starts = /^(?:\w+=\S+ )*deno (?:run|serve)(?! .*(?:jsr:|--watch|--inspect))(?: --?\S+)* main\.ts$/;

/** Reads the how-to guides that have a program. */
export async function readGuides(): Promise<Guide[]> {
  const places = (await pageFiles()).map(placeOf).filter(({ kind }) => kind === "howto");
  const guides = await Promise.all(places.map(async ({ file, name }) => {
    const text = await readText(file);
    const commands = commandsOf(text, file).filter(({ fence }) => fence !== undefined);
    const calls = callsAmong(commands);
    const start = commands.find(({ text }) => starts.test(text))?.text;
    const adds = commands.map(({ text }) => text).filter((text) => text.startsWith("deno add "));
    const files = filesOf({ text, file });
    const isServer = files.some(({ path, code }) =>
      path === "main.ts" && /import\.meta\.main|^export default/m.test(code)
    );
    return { name, files, calls, start: isServer ? start ?? "deno run -A main.ts" : undefined, adds };
  }));
  return guides.filter(({ files }) => files.some(({ path }) => path === "main.ts"));
}

/** Runs a program that ends by itself, with its results as assertions. */
async function runShort(name: string, here: Surroundings): Promise<void> {
  const file = `${bookFolder}/howto/${name}.md`;
  const [example] = examplesOf(await readText(file), file);
  if (example === undefined) throw new Error(`${file} has no program`);
  await Deno.writeTextFile(join(here.cwd, "main.ts"), assertOutcomes(example.code) ?? example.code);
  await run("deno add --quiet jsr:@fw/web jsr:@std/assert && deno run -A --no-prompt main.ts", here);
}

/** Runs the program of a guide and its tests. Throws an error if something differs from the page. */
async function follow(guide: Guide, here: Surroundings): Promise<void> {
  const port = String(freePort());
  const moved = (text: string) => text.replaceAll(/(?<=:)(?:8080|3000|8000)\b/g, port);
  for (const { path, code } of guide.files) {
    await Deno.mkdir(dirname(join(here.cwd, path)), { recursive: true });
    await Deno.writeTextFile(join(here.cwd, path), path === "main.ts" ? moved(code) : code);
  }
  await run(["deno add --quiet jsr:@fw/web jsr:@std/assert", ...guide.adds].join(" && "), here);
  const env = { ...here.env, PORT: port };
  if (guide.start !== undefined) {
    await using _server = await serve(asStarted(guide.start, port), { ...here, env });
    for (const call of guide.calls) await expect(call, moved(call.text), here, port);
  }
  await run("deno test --quiet --no-check -A --unstable-kv", here);
}

/** Adds the port to `deno serve`. Permissions that the page does not grant are refused. */
function asStarted(command: string, port: string): string {
  return command.replace(/\bdeno serve\b/, `deno serve --port=${port}`).replace(" main.ts", " --no-prompt main.ts");
}

async function expect(call: Command, moved: string, here: Surroundings, port: string): Promise<void> {
  const output = await run(moved.replaceAll("curl ", "curl -sS --max-time 20 "), here);
  const said = output.replaceAll(port, "8080").replaceAll(/\s+/g, " ").trim();
  if (!said.includes(call.outcome)) {
    throw new Error(`${call.where}: "${call.text}" shows "${said}", not "${call.outcome}"`);
  }
}

/** Runs guides one after the other, prints the results, and reports whether all of them succeeded. */
export async function followGuides(published: Published, names: readonly string[]): Promise<boolean> {
  const isChosen = (name: string) => names.length === 0 || names.includes(name);
  const long = (await readGuides()).filter(({ name }) => isChosen(name)).map((guide) => ({
    name: guide.name,
    what: `${guide.calls.length} calls and its tests`,
    work: (here: Surroundings) => follow(guide, here),
  }));
  const short = shortPrograms.filter(isChosen).map((name) => ({
    name,
    what: "to its end",
    work: (here: Surroundings) => runShort(name, here),
  }));
  let failed = 0;
  for (const { name, what, work } of [...long, ...short]) {
    const cwd = await Deno.makeTempDir({ dir: published.folder });
    try {
      await work({ cwd, env: published.env });
      console.log(`ran       ${name}: ${what}`);
    } catch (error) {
      failed++;
      console.log(`FAILED    ${name}\n${error instanceof Error ? error.message : error}`);
    }
    await Deno.remove(cwd, { recursive: true });
  }
  const left = Object.entries(withoutProgram).filter(([name]) => isChosen(name));
  for (const [name, reason] of left) console.log(`left out  ${name}: ${reason}`);
  const all = long.length + short.length;
  console.log(`${failed === 0 ? "ok" : "FAILED"} | ${all - failed} of ${all} programs ran | ${left.length} left out`);
  return failed === 0;
}

if (import.meta.main) {
  await using published = await publishAll({ std: Deno.env.get("FW_TEST_STD") || undefined });
  Deno.exitCode = await followGuides(published, Deno.args) ? 0 : 1;
}
