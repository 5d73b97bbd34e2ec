import { assert, assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import config from "../../deno.json" with { type: "json" };

const root = fromFileUrl(new URL("../../", import.meta.url));

/** Rooms that load on first use: a binary that lacked one would fail at that moment, far from where it was built. */
const lazyRooms = [/ static[/ ]/, / inspect[/ ]/, / view[/ ]/, / body[/ ]/, / eta\//, /examples\/realworld\/\*/];

Deno.test("deno task compile embeds everything that loads on first use", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const output = join(folder, "conduit");
    const args = config.tasks.compile.command.split(" ").slice(1).map((arg) => arg === "conduit" ? output : arg);
    const command = new Deno.Command(Deno.execPath(), {
      args,
      cwd: root,
      // The runtime of a binary is a download of its own; any program will do to see what is put behind it.
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

const denort = Deno.env.get("DENORT_BIN");

Deno.test({
  name: `examples/realworld serves from one binary${
    denort === undefined ? " (skipped: DENORT_BIN names no runtime)" : ""
  }`,
  ignore: denort === undefined,
  fn: async () => {
    const folder = await Deno.makeTempDir();
    try {
      const output = join(folder, "conduit");
      const args = config.tasks.compile.command.split(" ").slice(1).map((arg) => arg === "conduit" ? output : arg);
      const built = await new Deno.Command(Deno.execPath(), { args, cwd: root, stderr: "piped" }).output();
      assertEquals(built.code, 0, new TextDecoder().decode(built.stderr));
      const env = { PORT: "0", DATABASE: join(folder, "conduit.db"), JWT_SECRET: "test", NO_COLOR: "1" };
      await using child = new Deno.Command(output, { cwd: folder, env, stdout: "piped", stderr: "inherit" }).spawn();
      let text = "";
      for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
        text += chunk;
        const [, port] = /Now listening on: http:\/\/\S+:(\d+)/.exec(text) ?? [];
        if (port === undefined) continue;
        for (const path of ["/", "/static/style.css", "/api/tags", "/openapi"]) {
          const response = await fetch(`http://127.0.0.1:${port}${path}`);
          await response.body?.cancel();
          assertEquals(response.status, 200, path);
        }
        child.kill("SIGTERM");
      }
      assertEquals((await child.status).success, true);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});
