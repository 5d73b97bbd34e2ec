import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { fromFileUrl, join, toFileUrl } from "@std/path";
import { cp } from "node:fs/promises";
import { parse } from "npm:yaml@^2";
import { LEAST_DENO } from "../../src/core/app/deno_version.ts";
import { entries } from "./entries.ts";
import { assertNewer, datedChangelog, webAddress } from "./release.ts";

const root = fromFileUrl(new URL("../../", import.meta.url));

Deno.test("datedChangelog() dates the section of unreleased changes", () => {
  const log = "# Changelog\n\n## Unreleased\n\n- added: tea\n\n## 0.1.0\n\n- added: cups\n";
  assertEquals(
    datedChangelog(log, "0.2.0", "2026-01-31"),
    "# Changelog\n\n## Unreleased\n\n## 0.2.0 (2026-01-31)\n\n- added: tea\n\n## 0.1.0\n\n- added: cups\n",
  );
  assertThrows(() => datedChangelog("# Changelog\n", "0.2.0", ""), Error, 'no section "Unreleased"');
  assertThrows(() => datedChangelog("## Unreleased\n\n## 0.1.0\n\n- x\n", "0.2.0", ""), Error, "has no line");
});

Deno.test("assertNewer() only accepts higher versions", () => {
  for (const version of ["0.1.1", "0.2.0", "1.0.0"]) assertNewer(version, "0.1.0");
  for (const version of ["0.1.0", "0.0.9", "1.0", "v1.0.0", "1.0.0-rc.1"]) {
    assertThrows(() => assertNewer(version, "0.1.0"), Error, "Cannot release");
  }
});

Deno.test("webAddress() derives the web URL from the Git URL", () => {
  const address = "https://github.example/fw/web";
  for (
    const remote of [
      "git@github.example:fw/web.git",
      "https://github.example/fw/web",
      "https://user:token@github.example/fw/web.git\n",
      "ssh://git@github.example/fw/web.git",
      "ssh://git@github.example:22/fw/web.git",
    ]
  ) {
    assertEquals(webAddress(remote), address, remote);
  }
  for (const remote of ["", "/srv/fw.git", "../fw", "file:///srv/fw.git"]) assertEquals(webAddress(remote), undefined);
});

Deno.test("deno task release commits and tags a version, with the repository URL if there is one, or reports why it cannot", async () => {
  const folder = await Deno.makeTempDir({ prefix: "fw_release_" });
  const command = async (program: string, ...args: string[]) => {
    const env = { NO_COLOR: "1", GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
    const { code, stdout, stderr } = await new Deno.Command(program, { args, cwd: folder, env }).output();
    return { code, text: new TextDecoder().decode(stdout), errors: new TextDecoder().decode(stderr) };
  };
  const git = async (...args: string[]) => {
    const { code, text, errors } = await command("git", "-c", "user.name=A", "-c", "user.email=a@b.example", ...args);
    assertEquals(code, 0, errors);
    return text.trim();
  };
  const release = (...args: string[]) => command(Deno.execPath(), "task", "--quiet", "release", ...args);
  const read = (file: string) => Deno.readTextFile(join(folder, file));
  try {
    const { workspace } = JSON.parse(await Deno.readTextFile(join(root, "deno.json")));
    const configs = workspace.map((member: string) => join(member, "deno.json"));
    for (const path of ["deno.json", ...configs, "tests/std", "tests/repo"]) {
      await Deno.mkdir(join(folder, path, ".."), { recursive: true });
      await cp(join(root, path), join(folder, path), { recursive: true });
    }
    await Deno.remove(join(folder, "tests/repo/publish.lock")).catch(() => {});
    const config = JSON.parse(await read("deno.json"));
    const tasks = {
      lock: "echo {} > tests/repo/publish.lock",
      ok: "test ! -e broken.log && cat deno.json > checked.log",
      release: config.tasks.release.command,
    };
    await Deno.writeTextFile(
      join(folder, "deno.json"),
      JSON.stringify({ ...config, version: "0.1.0", tasks }, null, 2),
    );
    await Deno.writeTextFile(join(folder, "CHANGELOG.md"), "# Changelog\n\n## Unreleased\n\n- Added tea.\n");
    await Deno.writeTextFile(join(folder, "README.md"), "Pin it: `jsr:@fw/web@0.1.0`, or not: `jsr:@fw/web@^0.1.0`\n");
    const model = await read("examples/extension/deno.json");
    await Deno.writeTextFile(join(folder, "examples/extension/deno.json"), model.replace(/@\^[\d.]+/, "@^0.1.0"));
    await Deno.writeTextFile(join(folder, "deno.lock"), '{ "version": "5" }\n');
    await Deno.writeTextFile(join(folder, ".gitignore"), "*.log\n");
    await git("init", "--quiet");
    await git("config", "user.name", "A");
    await git("config", "user.email", "a@b.example");
    await git("add", "--all");
    await git("commit", "--quiet", "--message", "First");

    const alone = await release("0.1.1");
    assertEquals(alone.code, 0, alone.errors);
    assertEquals(await git("tag", "--points-at", "HEAD"), "v0.1.1");
    assertEquals(await git("status", "--porcelain"), "");
    assertStringIncludes(await read("tests/repo/published_links.ts"), 'repositoryURL: string = ""');
    assertEquals(await read("README.md"), "Pin it: `jsr:@fw/web@0.1.1`, or not: `jsr:@fw/web@^0.1.1`\n");
    assertStringIncludes(await read("examples/extension/deno.json"), "jsr:@fw/web@^0.1.1");
    assertStringIncludes(await read("deno.lock"), "jsr:@fw/web@~0.1.1");
    assertStringIncludes(await read("checked.log"), '"version": "0.1.1"');
    await git("reset", "--quiet", "--hard", "HEAD~1");

    await git("remote", "add", "origin", "git@github.example:fw/web.git");
    assertEquals((await release("0.0.9")).errors, 'Cannot release "0.0.9": it must be higher than "0.1.0"\n');

    const rehearsed = await release("0.2.0", "--dry-run");
    assertEquals([rehearsed.code, rehearsed.errors], [0, ""]);
    assertEquals(await git("log", "--format=%s"), "First");

    await Deno.writeTextFile(join(folder, "broken.log"), "");
    assertEquals((await release("0.2.0")).code, 1);
    assertEquals(await git("status", "--porcelain"), "");
    assertEquals(await git("log", "--format=%s"), "First");
    await Deno.remove(join(folder, "broken.log"));

    const released = await release("0.2.0");
    assertEquals(released.code, 0, released.errors);
    assertStringIncludes(await read("checked.log"), '"version": "0.2.0"');
    assertEquals(await git("log", "-1", "--format=%s"), "Release 0.2.0");
    assertEquals(await git("tag", "--points-at", "HEAD"), "v0.2.0");
    assertEquals(await git("status", "--porcelain"), "");
    assertEquals(await git("show", "HEAD:tests/repo/publish.lock"), "{}");
    assertEquals(JSON.parse(await read("deno.json")).version, "0.2.0");
    assertStringIncludes(await read("CHANGELOG.md"), "## Unreleased\n\n## 0.2.0 (");
    assertStringIncludes(
      await read("tests/repo/published_links.ts"),
      'repositoryURL: string = "https://github.example/fw/web"',
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("the package has every point of the JSR score that depends on its files", async (t) => {
  const read = (path: string) => Deno.readTextFile(join(root, path));
  const doc = await documentation();

  await t.step("README or module documentation with an example: 3 points", async () => {
    assertStringIncludes(await read("README.md"), "```ts");
  });
  await t.step("module documentation for all entry points: 1 point", () => {
    for (const [name, file] of entries) {
      const url = new URL(file, toFileUrl(root)).href;
      assertEquals((doc[url]?.module_doc?.doc ?? "") !== "" || doc[url]?.module_doc?.tags !== undefined, true, name);
    }
  });
  await t.step("documentation of all symbols: 5 points (80% is enough)", () => {
    // If several entry points export a symbol, or if it has overloads, it is a reference, and JSR uses the comment in
    // the list of exports.
    const bare = Object.entries(doc).flatMap(([url, { symbols }]) =>
      symbols.filter(({ declarations }) => declarations.every(({ jsDoc }) => jsDoc === undefined))
        .map(({ name }) => `${url.slice(toFileUrl(root).href.length)}: ${name}`)
    );
    assertEquals(bare, []);
  });
  await t.step("no slow types: 5 points", async () => {
    const { compilerOptions } = JSON.parse(await read("deno.json"));
    assertEquals(compilerOptions.isolatedDeclarations, true);
  });
  await t.step("provenance: 1 point", async () => {
    assertStringIncludes(await read(".github/workflows/publish.yml"), "id-token: write");
  });
});

Deno.test("the workflows run all checks on three systems with the oldest and the newest supported Deno, and publish tags", async () => {
  const read = async (name: string) => parse(await Deno.readTextFile(join(root, ".github/workflows", name)));
  const { gate } = (await read("ci.yml")).jobs;
  assertEquals(gate.strategy.matrix, {
    os: ["ubuntu-latest", "macos-latest", "windows-latest"],
    deno: [`v${LEAST_DENO}`, "v2.x"],
  });
  const { tasks } = JSON.parse(await Deno.readTextFile(join(root, "deno.json")));
  const steps = gate.steps.flatMap(({ run }: { run?: string }) => /^deno task (\S+)$/.exec(run ?? "")?.[1] ?? []);
  assertEquals(steps, ["static", "check", "test", "walkthrough", "test:fast"]);
  for (const step of steps) assertEquals(step in tasks, true, step);
  const publish = await read("publish.yml");
  assertEquals(publish.on.push.tags, ["v*"]);
  assertEquals(publish.permissions["id-token"], "write");
});

interface Documentation {
  readonly "module_doc"?: { readonly doc?: string; readonly tags?: unknown };
  readonly symbols: readonly {
    readonly name: string;
    readonly declarations: readonly { readonly kind: string; readonly jsDoc?: unknown }[];
  }[];
}

async function documentation(): Promise<Record<string, Documentation>> {
  const command = new Deno.Command(Deno.execPath(), {
    args: ["doc", "--json", ...entries.map(([, file]) => file)],
    cwd: root,
    stdout: "piped",
    stderr: "null",
  });
  return JSON.parse(new TextDecoder().decode((await command.output()).stdout)).nodes;
}
