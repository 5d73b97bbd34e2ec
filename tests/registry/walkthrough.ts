// deno-lint-ignore-file no-console -- this is a command-line program
/**
 * `deno task walkthrough`: follows the README and the book word for word. It extracts their commands and runs them
 * like a new user: in empty folders, with an empty cache, and with a registry on loopback that serves the package. Each
 * command is run, or listed with the reason why it is not. Then it runs the scenarios in `scenes.ts`.
 *
 * `FW_TEST_STD` is the path of a checkout of the standard library. Without it, the stand-ins in `tests/std` are
 * published. The only other difference to the documentation is the port: a free one is used instead of 8080.
 *
 * @module
 */

import { contentsFile, pageFiles, placeOf } from "../book/pages.ts";
import { copy } from "./copy.ts";
import { join } from "@std/path";
import { callsAmong, type Command, commandsOf } from "./commands.ts";
import { freePort } from "../free_port.ts";
import { run, serve, type Serving } from "./processes.ts";
import { publishAll, type Published } from "./publish_all.ts";
import { scenes } from "./scenes.ts";
import { type Place, type Step, stepFor } from "./steps.ts";

const documents = ["README.md", "mod.ts", "src/tools/init/mod.ts", "src/tools/routes/mod.ts"];
const root = new URL("../../", import.meta.url);

/** Reads a file of the repository. */
async function readText(path: string): Promise<string> {
  return await Deno.readTextFile(new URL(path, root));
}

/**
 * Returns the commands in all documents. Those of the tutorial build on each other, and `tests/book` and a scene run
 * them. `programs.ts` runs those that call the programs of how-to guides.
 */
export async function allCommands(): Promise<Command[]> {
  const pages = (await pageFiles()).filter((file) => placeOf(file).kind !== "tutorial");
  const files = [...documents, "examples/README.md", contentsFile, ...pages];
  const all = await Promise.all(files.map(async (file) => {
    const commands = commandsOf(await readText(file), file);
    const called = new Set(placeOf(file).kind === "howto" ? callsAmong(commands) : []);
    return commands.filter((command) => !called.has(command));
  }));
  return all.flat();
}

/** A user who follows the documentation. */
class Stranger {
  readonly #published: Published;
  readonly #port = freePort();
  readonly #done = new Set<string>();
  /** The times when `deno add` and `init` were last run. */
  readonly #started = { add: 0, init: 0 };
  readonly times: string[] = [];
  #folders = 0;
  #folder = "";
  #fence: number | undefined;
  #server: Serving | undefined;
  /** The folder in which every code block starts, for the README of an application. */
  readonly #home: string | undefined;

  constructor(published: Published, home?: string) {
    this.#published = published;
    this.#home = home;
  }

  /** Runs a command. Returns the reason if it is skipped. */
  async follow(command: Command): Promise<string | undefined> {
    const step = stepFor(command.text);
    const isFirst = command.fence === undefined || command.fence !== this.#fence;
    if (isFirst) await this.leave();
    this.#fence = command.fence;
    if (step.how === "leave out") return step.reason;
    if (command.fence === undefined && this.#done.has(command.text)) return "has run already";
    this.#done.add(command.text);
    if (isFirst) this.#folder = this.#home ?? await this.#enter(step.place, command.text);
    await this.#do(step, command);
    return undefined;
  }

  /** Stops the running server. */
  async leave(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    await server?.[Symbol.asyncDispose]();
  }

  async #do(step: Step, { text, outcome }: Command): Promise<void> {
    const surroundings = { cwd: this.#folder, env: { ...this.#published.env, PORT: String(this.#port) } };
    if (text.startsWith("deno add")) this.#started.add = performance.now();
    if (text.includes("/init ")) this.#started.init = performance.now();
    switch (step.how) {
      case "enter":
        this.#folder = join(this.#folder, text.slice("cd ".length));
        break;
      case "serve":
        await this.leave();
        this.#server = await serve(text.replace("deno serve", `deno serve --port=${this.#port}`), surroundings);
        await this.#expectPage(this.#server.url);
        this.#tell("add", "from an empty folder to the first response");
        break;
      case "ask": {
        this.#server ??= await serve("deno task start", surroundings);
        const said = await run(text.replace("curl ", "curl -sS ").replace(":8080", `:${this.#port}`), surroundings);
        if (said.trim() !== outcome && !said.includes("<html")) {
          throw new Error(`"${text}" shows "${said.trim()}", not "${outcome}"`);
        }
        break;
      }
      default:
        await run(text, surroundings);
        if (text === "deno task test") this.#tell("init", "from init to green tests");
    }
  }

  async #expectPage(url: string): Promise<void> {
    const response = await fetch(url);
    await response.body?.cancel();
    // An application created by `init` with only a JSON API has no page at its root.
    if (response.status >= 500) throw new Error(`${url} responds with ${response.status}`);
  }

  #tell(since: "add" | "init", what: string): void {
    if (this.#started[since] === 0) return;
    this.times.push(`${what}: ${((performance.now() - this.#started[since]) / 1000).toFixed(1)} s`);
    this.#started[since] = 0;
  }

  /** Prepares the place where a command runs, with only what the documentation mentions. */
  async #enter(place: Place, text: string): Promise<string> {
    const folder = join(this.#published.folder, `stranger${++this.#folders}`);
    const surroundings = { cwd: folder, env: this.#published.env };
    if (place === "checkout") {
      await copy(root, folder);
      const main = join(folder, "examples/hello/main.ts");
      await Deno.writeTextFile(main, (await Deno.readTextFile(main)).replace(":8080", `:${this.#port}`));
      return folder;
    }
    await Deno.mkdir(folder);
    if (place === "application") {
      await run("deno run -A jsr:@fw/web/init my-app --api --mvc", surroundings);
      return join(folder, "my-app");
    }
    if (place === "program") {
      const program = text.startsWith("deno serve") || text.includes(" -A ")
        ? await servedProgram()
        : await firstProgram();
      await Deno.writeTextFile(join(folder, "main.ts"), program.replace(":8080", `:${this.#port}`));
      if (!text.startsWith("deno add")) await run("deno add jsr:@fw/web", surroundings);
    }
    return folder;
  }
}

/** Returns the first program in the README. */
async function firstProgram(): Promise<string> {
  const [, program] = /```ts[^\n]*\n([^]*?)```/.exec(await readText("README.md")) ?? [];
  if (program === undefined) throw new Error("README.md has no program");
  return program;
}

/** Returns the same program with the ending for `deno serve` and for commands that load an application. */
async function servedProgram(): Promise<string> {
  return (await firstProgram()).replace(/^await app\.Run.*$/m, "export default app;");
}

/** Runs commands, prints the results and counts them. */
async function followAll(stranger: Stranger, commands: readonly Command[], counts: Counts): Promise<void> {
  for (const command of commands) {
    const started = performance.now();
    const said = `${command.where} ${command.text}`;
    try {
      const reason = await stranger.follow(command);
      counts[reason === undefined ? "passed" : "left"]++;
      const time = `${((performance.now() - started) / 1000).toFixed(1)} s`;
      console.log(reason === undefined ? `ran       ${said} (${time})` : `left out  ${said}: ${reason}`);
    } catch (error) {
      counts.failed++;
      console.log(`FAILED    ${said}\n${error instanceof Error ? error.message : error}`);
    }
  }
  await stranger.leave();
  for (const time of stranger.times) console.log(time);
}

/** Runs the scenarios, prints the results and counts them. */
async function playAll(published: Published, counts: Counts): Promise<void> {
  let folders = 0;
  const folder = async () => {
    const cwd = join(published.folder, `scene${++folders}`);
    await Deno.mkdir(cwd);
    return { cwd, env: published.env };
  };
  const stage = { folder, firstProgram: await firstProgram() };
  for (const scene of scenes) {
    try {
      await scene.play(stage);
      counts.passed++;
      console.log(`ran       ${scene.name}`);
    } catch (error) {
      counts.failed++;
      console.log(`FAILED    ${scene.name}\n${error instanceof Error ? error.message : error}`);
    }
  }
}

interface Counts {
  passed: number;
  failed: number;
  left: number;
}

/**
 * Follows the documentation and then the README of an application created by `init`. Reports whether everything
 * succeeded.
 */
export async function walk(published: Published): Promise<boolean> {
  const counts = { passed: 0, failed: 0, left: 0 };
  await followAll(new Stranger(published), await allCommands(), counts);
  const surroundings = { cwd: published.folder, env: published.env };
  await run("deno run -A jsr:@fw/web/init my-app --api --site --mvc --sessions", surroundings);
  const home = join(published.folder, "my-app");
  const readme = commandsOf(await Deno.readTextFile(join(home, "README.md")), "my-app/README.md");
  await followAll(new Stranger(published, home), readme, counts);
  await playAll(published, counts);
  const { passed, failed, left } = counts;
  console.log(`${failed === 0 ? "ok" : "FAILED"} | ${passed} passed | ${failed} failed | ${left} left out`);
  return failed === 0;
}

if (import.meta.main) {
  await using published = await publishAll({ std: Deno.env.get("FW_TEST_STD") || undefined });
  console.log(`published to ${published.host}: ${published.packages.join(", ")}`);
  Deno.exitCode = await walk(published) ? 0 : 1;
}
