// deno-lint-ignore-file no-console -- a program of the command line speaks on the terminal
/**
 * `deno task registry`: publishes the standard library and fw to a registry on loopback, then uses fw as a stranger
 * would: from an empty folder, with the README's first program and with the scaffold.
 *
 * `FW_TEST_STD` names a checkout of the standard library's repository; without it there is nothing to publish, and the
 * task says that it was skipped.
 *
 * @module
 */

import { join } from "@std/path";
import { fromFileUrl } from "@std/path";
import { publishAll, type Published, runDeno } from "./publish_all.ts";

const root = fromFileUrl(new URL("../../", import.meta.url));

/** The first program of the README, as it stands there. */
export async function firstProgram(): Promise<string> {
  const readme = await Deno.readTextFile(join(root, "README.md"));
  const [, code] = /```ts[^\n]*\n([^]*?)```/.exec(readme) ?? [];
  if (code === undefined) throw new Error("README.md has no program");
  return code;
}

/** From an empty folder to the first response: `deno add`, the README's program, one request. */
async function useAsStranger(folder: string, running: Published): Promise<number> {
  const started = performance.now();
  await runDeno(["add", "jsr:@fw/web"], folder, running.env);
  // The README's program serves on its own port; a free one lets the task run beside anything else.
  await Deno.writeTextFile(join(folder, "main.ts"), (await firstProgram()).replace(":8080", ":0"));
  const command = new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-net", "--no-prompt", "main.ts"],
    cwd: folder,
    env: { ...running.env, NO_COLOR: "1" },
    stdout: "piped",
    stderr: "piped",
  });
  await using child = command.spawn();
  let text = "";
  for await (const part of mergeText(child)) {
    text += part;
    const [, address] = /Now listening on: (http:\/\/\S+)/.exec(text) ?? [];
    if (address === undefined) continue;
    const response = await fetch(address.replace("0.0.0.0", "127.0.0.1"));
    await response.body?.cancel();
    const time = performance.now() - started;
    child.kill("SIGTERM");
    if (!response.ok) throw new Error(`The README's program responded with ${response.status}`);
    return time;
  }
  throw new Error(`The README's program ended before it served:\n${text}`);
}

async function* mergeText(child: Deno.ChildProcess): AsyncGenerator<string> {
  const output = new ReadableStream<Uint8Array>({
    async start(controller) {
      const pump = async (stream: ReadableStream<Uint8Array>) => {
        for await (const chunk of stream) controller.enqueue(chunk);
      };
      await Promise.all([pump(child.stdout), pump(child.stderr)]);
      controller.close();
    },
  });
  yield* output.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>);
}

/** From `init` to green tests. */
async function scaffold(folder: string, running: Published): Promise<number> {
  const started = performance.now();
  await runDeno(["run", "-A", "jsr:@fw/web/init", "my-app", "--api", "--mvc", "--sessions"], folder, running.env);
  await runDeno(["task", "test"], join(folder, "my-app"), running.env);
  return performance.now() - started;
}

async function main(std: string): Promise<void> {
  await using running = await publishAll(std);
  console.log(`published ${running.packages.length} packages, ${running.packages.at(-1)} among them`);
  for (const name of ["first", "second"]) await Deno.mkdir(join(running.folder, name));
  const first = await useAsStranger(join(running.folder, "first"), running);
  console.log(`from an empty folder to the first response: ${(first / 1000).toFixed(1)} s`);
  const tests = await scaffold(join(running.folder, "second"), running);
  console.log(`from init to green tests: ${(tests / 1000).toFixed(1)} s`);
}

if (import.meta.main) {
  const std = Deno.env.get("FW_TEST_STD");
  if (std === undefined || std === "") console.log('skipped: "FW_TEST_STD" names no checkout of the standard library');
  else await main(std);
}
