import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import config from "../../deno.json" with { type: "json" };

const root = fromFileUrl(new URL("../../", import.meta.url));

interface Ended {
  readonly code: number;
  readonly text: string;
}

async function deno(args: string[], cwd: string, input = ""): Promise<Ended> {
  const command = new Deno.Command(Deno.execPath(), {
    args,
    cwd,
    env: { NO_COLOR: "1" },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  });
  await using child = command.spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(input));
  await writer.close();
  const { code, stdout, stderr } = await child.output();
  return { code, text: new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr) };
}

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await work(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function init(cwd: string, ...args: string[]): Promise<Ended> {
  return deno(["run", "-A", "--config", join(root, "deno.json"), join(root, "src/init/mod.ts"), ...args], cwd);
}

/** Points the new application at this checkout, as a registry would at the published package. */
async function link(folder: string): Promise<void> {
  const file = join(folder, "deno.json");
  const written = JSON.parse(await Deno.readTextFile(file));
  const links = [root, ...config.links.map((path) => join(root, path))];
  await Deno.writeTextFile(file, JSON.stringify({ ...written, links }));
}

const variants: readonly string[][] = [
  ["--yes"],
  ["--api"],
  ["--site"],
  ["--mvc"],
  ["--sessions"],
  ["--api", "--site", "--mvc", "--sessions"],
];

for (const flags of variants) {
  Deno.test(`init ${flags.join(" ")} writes an application whose tests pass at once`, async () => {
    await inFolder(async (folder) => {
      const made = await init(folder, "my-app", ...flags);
      assertEquals(made.code, 0, made.text);
      assertStringIncludes(made.text, "cd my-app");
      const app = join(folder, "my-app");
      const formatted = await deno(["fmt", "--check"], app);
      assertEquals(formatted.code, 0, formatted.text);
      assertEquals((await deno(["lint", "--quiet"], app)).code, 0);
      await link(app);
      const tested = await deno(["task", "test"], app);
      assertEquals(tested.code, 0, tested.text);
      assert(/ok \| [1-9]\d* passed/.test(tested.text), tested.text);
    });
  });
}

Deno.test("init refuses a folder that is not empty, and leaves it as it was", async () => {
  await inFolder(async (folder) => {
    await Deno.mkdir(join(folder, "my-app"));
    await Deno.writeTextFile(join(folder, "my-app", "main.ts"), "mine");
    const made = await init(folder, "my-app", "--yes");
    assertEquals(made.code, 1);
    assertStringIncludes(made.text, 'it is not empty, it holds "main.ts"');
    assertEquals(await Deno.readTextFile(join(folder, "my-app", "main.ts")), "mine");
  });
});

Deno.test("init says how it is used when its arguments are wrong", async () => {
  await inFolder(async (folder) => {
    assertEquals((await init(folder)).code, 2);
    assertEquals((await init(folder, "a", "--nonsense")).code, 1);
  });
});
