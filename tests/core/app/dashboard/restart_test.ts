import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";

const program = `
import * as fw from "${import.meta.resolve("../../../../mod.ts")}";
const app = fw.Default().Configure(fw.WithDevelopment);
app.Get("/tea", async (ctx) => {
  ctx.Logger().Warn("The pot is cold");
  await new Promise((resolve) => setTimeout(resolve, 20));
  ctx.Logger().Info("The pot is warm");
  ctx.WriteString("tea");
});
app.Get("/crash", (ctx) => {
  setTimeout(() => {
    throw new Error("The pot has fallen");
  });
  ctx.WriteString("crash");
});
await app.Listen("127.0.0.1:0");
`;

/** Runs the program in a terminal that a command opens, or with `--watch` and pipes. */
async function watched(
  command: readonly string[],
  run: (file: string, output: () => string) => Promise<void>,
  env: Record<string, string> = {},
  mode: readonly string[] = ["run"],
) {
  const folder = await Deno.makeTempDir({ prefix: "fw_watch_" });
  const file = `${folder}/main.ts`;
  const isServed = mode[0] === "serve";
  await Deno.writeTextFile(file, isServed ? program.replace(/await app\.Listen.*/, "export default app;") : program);
  const config = fromFileUrl(new URL("../../../../deno.json", import.meta.url));
  // A program that is watched does not end with its terminal.
  const watch = command.length === 0 ? ["--watch", "--no-clear-screen"] : [];
  const deno = [Deno.execPath(), ...mode, "-A", "--no-check", ...watch, "--config", config, file];
  const line = deno.map((word) => `'${word}'`).join(" ");
  const [name = "", ...args] = command.length === 0 ? deno : [...command, line, "/dev/null"];
  const child = new Deno.Command(name, {
    args,
    stdin: "null",
    stdout: "piped",
    stderr: "null",
    env: {
      DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`,
      TERM: "xterm",
      NO_COLOR: "",
      ...env,
    },
  }).spawn();
  let output = "";
  const reading = (async () => {
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) output += text;
  })();
  try {
    await run(file, () => output);
  } finally {
    kill(child);
    await child.status;
    await reading;
    await Deno.remove(folder, { recursive: true });
  }
}

/** Ends a process, unless it has ended by itself. */
function kill(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}

/** Waits until the output has a number of matches, and returns the last one. */
async function seen(output: () => string, pattern: RegExp, times: number): Promise<RegExpExecArray> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const found = [...output().matchAll(pattern)];
    const last = found.at(times - 1);
    if (last !== undefined) return last;
    if (Date.now() > deadline) throw new Error(`${pattern} is not seen ${times} times:\n${output()}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Waits for the addresses of the servers, and returns the last one. */
async function addressOf(output: () => string, servers: number): Promise<string> {
  const [, address = ""] = await seen(output, /Development pages: (http:\S+?)\/_fw/g, servers);
  return address;
}

/** Waits until nothing listens at an address any longer. */
async function ended(address: string): Promise<void> {
  const { hostname, port } = new URL(address);
  const deadline = Date.now() + 60_000;
  while (Date.now() < deadline) {
    try {
      (await Deno.connect({ hostname, port: Number(port) })).close();
    } catch (error) {
      if (error instanceof Deno.errors.ConnectionRefused) return;
      throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`Something still listens at ${address}`);
}

Deno.test("the history survives a restart by --watch, also after a failure, and pipes get one plain line per request", async () => {
  await watched([], async (file, output) => {
    const first = await addressOf(output, 1);
    assertEquals(await (await fetch(`${first}/tea`)).text(), "tea");
    await seen(output, /\nGET {4}\/tea 200 [\d.]+ ms\n {2}\[WARN\] .*cold\n {2}\[INFO\] .*warm\n/g, 1);
    assertEquals(output().includes("\x1b["), false);
    await Deno.writeTextFile(file, "\n// changed\n", { append: true });
    const second = await addressOf(output, 2);
    await (await fetch(`${second}/tea`)).text();
    const entries = await (await fetch(`${second}/_fw/requests`, { headers: { accept: "application/json" } })).json();
    assertEquals(entries.map(({ ID, Path }: { ID: number; Path: string }) => [ID, Path]), [[2, "/tea"], [1, "/tea"]]);
    assertEquals(await (await fetch(`${second}/crash`)).text(), "crash");
    await ended(second);
    await Deno.writeTextFile(file, "\n// mended\n", { append: true });
    const third = await addressOf(output, 3);
    const kept = await (await fetch(`${third}/_fw/requests`, { headers: { accept: "application/json" } })).json();
    assertEquals(kept.map(({ Path }: { Path: string }) => Path), ["/crash", "/tea", "/tea"]);
  });
});

Deno.test("deno serve logs the address of the pages, whose history survives a restart by --watch", async () => {
  await watched(
    [],
    async (file, output) => {
      const first = await addressOf(output, 1);
      assertEquals(await (await fetch(`${first}/tea`)).text(), "tea");
      await seen(output, /\nGET {4}\/tea 200 [\d.]+ ms\n {2}\[WARN\] .*cold\n/g, 1);
      await Deno.writeTextFile(file, "\n// changed\n", { append: true });
      const second = await addressOf(output, 2);
      const entries = await (await fetch(`${second}/_fw/requests`, { headers: { accept: "application/json" } })).json();
      assertEquals(entries.map(({ Path }: { Path: string }) => Path), ["/tea"]);
    },
    {},
    ["serve", "--host", "127.0.0.1", "--port", "0"],
  );
});

Deno.test("a terminal shows one line per request in color, with the lines of the request below it", async () => {
  await watched(["script", "-qfc"], async (_file, output) => {
    const address = await addressOf(output, 1);
    await Promise.all([1, 2, 3].map(async () => await (await fetch(`${address}/tea`)).text()));
    // deno-lint-ignore no-control-regex -- colors are control sequences
    await seen(output, /GET {4}\/tea \x1b\[32m200\x1b\[39m .*\r?\n {2}.*cold.*\r?\n {2}.*warm/g, 3);
  });
});

Deno.test("a terminal with NO_COLOR shows plain text", async () => {
  await watched(["script", "-qfc"], async (_file, output) => {
    const address = await addressOf(output, 1);
    await (await fetch(`${address}/tea`)).text();
    await seen(output, /\nGET {4}\/tea 200 [\d.]+ ms\r?\n {2}\[WARN\] .*cold\r?\n {2}\[INFO\] .*warm/g, 1);
    assertEquals(output().includes("\x1b["), false);
  }, { NO_COLOR: "1" });
});
