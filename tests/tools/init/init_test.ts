import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import config from "../../../deno.json" with { type: "json" };
import { quoted } from "../../../src/tools/init/main.ts";

const root = fromFileUrl(new URL("../../../", import.meta.url));

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
  return answer(cwd, "", ...args);
}

function answer(cwd: string, input: string, ...args: string[]): Promise<Ended> {
  return deno(
    ["run", "-A", "--config", join(root, "deno.json"), join(root, "src/tools/init/mod.ts"), ...args],
    cwd,
    input,
  );
}

/** Makes the new application import this checkout instead of the published package. */
async function link(folder: string): Promise<void> {
  const file = join(folder, "deno.json");
  const written = JSON.parse(await Deno.readTextFile(file));
  const links = [root, ...config.links.map((path) => join(root, path))];
  await Deno.writeTextFile(file, JSON.stringify({ ...written, links }));
}

/** Fails if a task repeats a flag, which Deno refuses. */
async function assertFlags(app: string): Promise<void> {
  const { tasks } = JSON.parse(await Deno.readTextFile(join(app, "deno.json"))) as { tasks: Record<string, string> };
  for (const task of Object.values(tasks)) {
    const flags = task.match(/--allow-[a-z]+/g) ?? [];
    assertEquals(flags.length, new Set(flags).size, task);
  }
}

const variants: readonly string[][] = [
  ["--yes"],
  ["--api"],
  ["--site"],
  ["--mvc"],
  ["--sessions"],
  ["--accounts"],
  ["--api", "--site", "--mvc", "--sessions", "--accounts"],
];

for (const flags of variants) {
  Deno.test(`init ${flags.join(" ")} writes an application whose tests pass`, async () => {
    await inFolder(async (folder) => {
      const made = await init(folder, "my-app", ...flags);
      assertEquals(made.code, 0, made.text);
      assertStringIncludes(made.text, "cd my-app");
      const app = join(folder, "my-app");
      const formatted = await deno(["fmt", "--check"], app);
      assertEquals(formatted.code, 0, formatted.text);
      await link(app);
      await assertFlags(app);
      const linted = await deno(["lint", "--quiet"], app);
      assertEquals(linted.code, 0, linted.text);
      const tested = await deno(["task", "test", "--no-check"], app);
      assertEquals(tested.code, 0, tested.text);
      assert(/ok \| [1-9]\d* passed/.test(tested.text), tested.text);
      assert(!/\[(INFO|WARN)\]/.test(tested.text), `the tests log requests:\n${tested.text}`);
    });
  });
}

Deno.test("init writes formatted files and a valid Docker image name for any folder name", async () => {
  await inFolder(async (folder) => {
    const images = {
      a: "a",
      "My App": "my-app",
      "Bücher_2": "b-cher-2",
      "茶": "app",
      [`long-${"name-".repeat(30)}`]: "",
    };
    for (const [name, image] of Object.entries(images)) {
      const made = await init(folder, name, "--api", "--site", "--mvc", "--sessions");
      assertEquals(made.code, 0, made.text);
      const formatted = await deno(["fmt", "--check"], join(folder, name));
      assertEquals(formatted.code, 0, formatted.text);
      const readme = await Deno.readTextFile(join(folder, name, "README.md"));
      assertStringIncludes(readme, image === "" ? "docker build -t long-name-" : `docker build -t ${image} .\n`);
    }
  });
});

Deno.test("deno fmt and deno lint leave the templates and public files of a new application alone", async () => {
  await inFolder(async (folder) => {
    await init(folder, "my-app", "--site");
    const app = join(folder, "my-app");
    await link(app);
    const templates = ["views/index.html", "views/partials/link.html"];
    await Deno.mkdir(join(app, "views/partials"));
    const tag = `<a class="<%= it.name ?? "none" %>" href="<%= urlpath("static") %>/style.css">style</a>\n`;
    for (const path of templates) await Deno.writeTextFile(join(app, path), tag);
    await Deno.writeTextFile(join(app, "views/index.html"), `${tag}<%~ include("partials/link") %>`);
    await Deno.writeTextFile(join(app, "public/vendor.js"), "var a=1;if(a==1){debugger}");
    const before = await Promise.all(templates.map((path) => Deno.readTextFile(join(app, path))));
    assertEquals((await deno(["fmt"], app)).code, 0);
    assertEquals(await Promise.all(templates.map((path) => Deno.readTextFile(join(app, path)))), before);
    for (const args of [["fmt", "--check"], ["lint", "--quiet"]]) {
      const ended = await deno(args, app);
      assertEquals(ended.code, 0, ended.text);
    }
    const command = new Deno.Command(Deno.execPath(), {
      args: ["task", "start"],
      cwd: app,
      env: { NO_COLOR: "1", PORT: "0" },
      stdout: "piped",
      stderr: "null",
      detached: true,
    });
    await using child = command.spawn();
    try {
      const { port } = new URL(await listeningURL(child.stdout));
      const response = await fetch(`http://127.0.0.1:${port}/`);
      const text = await response.text();
      assertEquals([response.status, text.match(/href="\/static\/style.css"/g)?.length], [200, 3], text);
    } finally {
      Deno.kill(-child.pid, "SIGKILL");
      await child.stdout.cancel();
    }
  });
});

Deno.test("init prints a folder as the shells of the operating system expect it", () => {
  const rows = [
    ["my-app", "my-app", "my-app"],
    [".\\x", ".\\x", "'.\\x'"],
    ["C:\\code\\x", "C:\\code\\x", "'C:\\code\\x'"],
    ["a folder\\x", '"a folder\\x"', "'a folder\\x'"],
    ["it's $HOME", '"it\'s $HOME"', "'it'\\''s $HOME'"],
  ] as const;
  for (const [folder, windows, others] of rows) {
    assertEquals(quoted(folder, "windows"), windows);
    for (const system of ["linux", "darwin"] as const) assertEquals(quoted(folder, system), others);
  }
});

Deno.test("init rejects a folder that is not empty and does not change it", async () => {
  await inFolder(async (folder) => {
    await Deno.mkdir(join(folder, "my-app"));
    await Deno.writeTextFile(join(folder, "my-app", "main.ts"), "mine");
    const made = await init(folder, "my-app", "--yes");
    assertEquals(made.code, 1);
    assertStringIncludes(made.text, 'the folder is not empty (it contains "main.ts")');
    assertEquals(await Deno.readTextFile(join(folder, "my-app", "main.ts")), "mine");
  });
});

Deno.test("init prompts for the folder and the features, and accepts any spelling of yes and no", async () => {
  await inFolder(async (folder) => {
    const made = await answer(folder, "shop\nYes\nwhat?\nNO\n\ny\n");
    assertEquals(made.code, 0, made.text);
    assertStringIncludes(made.text, "Please enter yes or no.");
    const main = await Deno.readTextFile(join(folder, "shop", "main.ts"));
    assertEquals(["/api/sum", "RegisterView", "mvc.Configure", "sessions.New"].map((part) => main.includes(part)), [
      true,
      false,
      false,
      true,
    ]);
    assertEquals((await answer(folder, "\nn\nn\nYES\nn\n")).code, 0);
    assert((await Deno.stat(join(folder, "my-app", "notes"))).isDirectory);
  });
});

Deno.test("init supports --help and --version, and explains a missing folder and an unknown flag", async () => {
  await inFolder(async (folder) => {
    const help = await init(folder, "--help");
    assertEquals(help.code, 0);
    assertStringIncludes(help.text, "usage: init [FOLDER]");
    assertEquals(await init(folder, "--version"), { code: 0, text: `${config.version}\n` });
    // There is no input.
    assertEquals((await init(folder)).code, 2);
    const unknown = await init(folder, "a", "--nonsense");
    assertEquals(unknown.code, 2);
    assertStringIncludes(unknown.text, "Unknown option '--nonsense'\n\nusage: init");
    assertStringIncludes(unknown.text, "usage: init");
    assertEquals(Array.from(Deno.readDirSync(folder)), []);
  });
});

Deno.test("init writes a .gitignore for binaries and secrets, but not for source folders", async () => {
  await inFolder(async (folder) => {
    await init(folder, "my-app", "--yes");
    const app = join(folder, "my-app");
    const git = async (...args: string[]) => {
      const { stdout } = await new Deno.Command("git", { args, cwd: app, stderr: "null" }).output();
      return new TextDecoder().decode(stdout);
    };
    await git("init", "--quiet");
    const sources = ["app/main.ts", "cookies/jar.ts", "env/a.ts", "src/dist.ts", "lib/app/a.ts"];
    const others = ["dist/app", ".env", ".env.local", "cookies.txt"];
    const ignored = await git("check-ignore", ...sources, ...others);
    assertEquals(ignored.trim().split("\n"), others);
    const docker = (await Deno.readTextFile(join(app, ".dockerignore"))).trim().split("\n");
    assertEquals(docker, [".git", "dist/", ".env", ".env.*", "cookies.txt"]);
  });
});

Deno.test("init --accounts keeps the databases out of the repository and the image, and says how to deploy", async () => {
  await inFolder(async (folder) => {
    await init(folder, "my-app", "--accounts");
    const text = (name: string) => Deno.readTextFile(join(folder, "my-app", name));
    assertStringIncludes(await text(".gitignore"), "\n/data/\n");
    assertStringIncludes(await text(".dockerignore"), "\ndata/\n");
    assertStringIncludes(await text("Dockerfile"), "mkdir -p data/ && chown -R deno:deno /app\n");
    for (const part of ["DATA=data", "SECRET", "PUBLIC_URL", "SMTP", "fw.WithProxy"]) {
      assertStringIncludes(await text("README.md"), part);
    }
  });
});

Deno.test("deno task dev serves only this machine, reloads templates and recovers from template errors", async () => {
  await inFolder(async (folder) => {
    await init(folder, "my-app", "--site");
    const app = join(folder, "my-app");
    await link(app);
    const page = join(app, "views", "index.html");
    // The template is invalid from the beginning. The start-up must not fail.
    await Deno.writeTextFile(page, "<h1><%= it.name( %></h1>");
    const command = new Deno.Command(Deno.execPath(), {
      args: ["task", "dev"],
      cwd: app,
      env: { NO_COLOR: "1", PORT: "0" },
      stdout: "piped",
      stderr: "null",
      detached: true,
    });
    await using child = command.spawn();
    try {
      const url = await listeningURL(child.stdout);
      assertEquals(new URL(url).hostname, "127.0.0.1");
      const show = async () => {
        const response = await fetch(url, { headers: { accept: "text/html" } });
        return [response.status, await response.text()] as const;
      };
      const [status, broken] = await show();
      assertEquals(status, 500);
      assertStringIncludes(broken, "index.html");
      for (const title of ["one", "two"]) {
        await Deno.writeTextFile(page, `<h1>${title}</h1>`);
        assertStringIncludes((await show())[1], `<h1>${title}</h1>`);
      }
      await Deno.writeTextFile(page, "<% if (%>");
      assertEquals((await show())[0], 500);
      await Deno.writeTextFile(page, "<h1>mended</h1>");
      assertStringIncludes((await show())[1], "<h1>mended</h1>");
    } finally {
      Deno.kill(-child.pid, "SIGKILL");
      await child.stdout.cancel();
    }
  });
});

async function listeningURL(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of stream.values({ preventCancel: true })) {
    text += new TextDecoder().decode(chunk);
    const [, url] = /listening on:? (http:\S+)/i.exec(text) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error(`Nothing listens:\n${text}`);
}
