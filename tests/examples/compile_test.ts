import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import config from "../../deno.json" with { type: "json" };

const root = fromFileUrl(new URL("../../", import.meta.url));

/** Modules that are loaded on first use. If a binary did not include one of them, it would fail only at that time. */
const lazyRooms = [/ static[/ ]/, / inspect[/ ]/, / view[/ ]/, / body[/ ]/, / eta\//, /examples\/realworld\/\*/];

Deno.test("deno task compile embeds everything that loads on first use", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const output = join(folder, "conduit");
    const [, name = "", ...flags] = config.tasks.compile.command.split(" ");
    const args = [name, "--no-check", ...flags.map((arg) => arg === "conduit" ? output : arg)];
    const command = new Deno.Command(Deno.execPath(), {
      args,
      cwd: root,
      // The runtime of a binary would have to be downloaded. Any program works for checking what is appended to it.
      env: { NO_COLOR: "1", DENORT_BIN: Deno.execPath() },
      stdout: "piped",
      stderr: "piped",
    });
    const { code, stdout, stderr } = await command.output();
    const text = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
    assertEquals(code, 0, text);
    assertEquals(lazyRooms.filter((room) => !room.test(text)), []);
    assert((await Deno.stat(output)).size > 1_000_000);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

/**
 * The runtime for binaries must be downloaded separately. `DENORT_BIN` is its path, `DENORT_DENO` is the Deno of the
 * same version if it differs from this one, and `DENORT_EMULATOR` is a program that runs binaries for another machine.
 */
const denort = Deno.env.get("DENORT_BIN");
const builder = Deno.env.get("DENORT_DENO")?.split(" ") ?? [Deno.execPath()];
const emulator = Deno.env.get("DENORT_EMULATOR")?.split(" ") ?? [];
const paths = ["/", "/static/style.css", "/api/tags", "/openapi"];

/**
 * Builds a binary with the flags from the task, either of the application itself or of a program that calls it in
 * process.
 */
async function build(output: string, main = "examples/realworld/main.ts"): Promise<void> {
  const flags = config.tasks.compile.command.split(" ").slice(2, -3);
  const [program = "", ...first] = builder;
  const args = [...first, "compile", "--no-check", ...flags, "--output", output, main];
  const { code, stderr } = await new Deno.Command(program, { args, cwd: root, stderr: "piped" }).output();
  assertEquals(code, 0, new TextDecoder().decode(stderr));
}

/** Runs a binary in a separate folder. */
function start(output: string, folder: string, args: readonly string[] = []): Deno.ChildProcess {
  const [program = "", ...first] = [...emulator, output];
  const env = {
    PORT: "0",
    DATABASE: join(folder, "conduit.db"),
    JWT_SECRET: "a secret for tests only, 32 bytes",
    NO_COLOR: "1",
  };
  const options = { cwd: folder, env, stdout: "piped", stderr: "piped" } as const;
  return new Deno.Command(program, { ...options, args: [...first, ...args] }).spawn();
}

async function textOf(child: Deno.ChildProcess): Promise<string> {
  const { stdout, stderr } = await child.output();
  return new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
}

Deno.test({
  name: `examples/realworld serves from one binary${
    denort === undefined ? " (skipped: DENORT_BIN names no runtime)" : ""
  }`,
  ignore: denort === undefined,
  fn: async (t) => {
    const folder = await Deno.makeTempDir();
    try {
      const output = join(folder, "conduit");
      await build(output);
      await using child = start(output, folder);
      let text = "";
      for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
        text += chunk;
        const [, port] = /Now listening on: http:\/\/\S+:(\d+)/.exec(text) ?? [];
        if (port === undefined) continue;
        for (const path of paths) {
          const response = await fetch(`http://127.0.0.1:${port}${path}`);
          await response.body?.cancel();
          assertEquals(response.status, 200, path);
        }
        child.kill("SIGTERM");
      }
      const errors = await new Response(child.stderr).text();
      const [, version] = /^Cannot run on Deno "([\d.]+)": /.exec(errors) ?? [];
      if (version === undefined) {
        assertEquals((await child.status).success, true, errors);
        return;
      }
      // With an older runtime, the binary reports that in one line, and its contents are checked without a server.
      assertEquals((await child.status).code, 1);
      await t.step({ name: `serving (skipped: the runtime is Deno ${version})`, ignore: true, fn() {} });
      await t.step(`requests in process, on Deno ${version}`, async () => {
        const asking = join(folder, "ask");
        await build(asking, "tests/examples/compiled/ask.ts");
        const said = await textOf(start(asking, folder, paths));
        for (const path of paths) assertStringIncludes(said, `${path} 200\n`);
      });
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});
