import { assert, assertEquals, assertFalse, assertNotEquals, assertStringIncludes, equal } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { LEAST_DENO } from "../../src/core/app/deno_version.ts";
import { Child } from "../http/server/support.ts";
import { entries } from "./entries.ts";
import { allTests, fastTests, flags, gather, long } from "./gathered.ts";

const root = fromFileUrl(new URL("../../", import.meta.url));

interface Ended {
  code: number;
  out: string;
  err: string;
}

/** Runs the current deno executable in the repository and waits until it exits. */
async function deno(args: string[], options: { input?: string; env?: Record<string, string> } = {}): Promise<Ended> {
  const env = { NO_COLOR: "1", ...options.env };
  const command = new Deno.Command(Deno.execPath(), {
    args,
    cwd: root,
    env,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  });
  await using child = command.spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(options.input ?? ""));
  await writer.close();
  const { code, stdout, stderr } = await child.output();
  return { code, out: new TextDecoder().decode(stdout), err: new TextDecoder().decode(stderr) };
}

/** Imports entry points in one process, and returns its end and the permissions that it requested. */
async function importAll(names: readonly string[]): Promise<Ended & { asked: string[] }> {
  const folder = await Deno.makeTempDir();
  try {
    const audit = join(folder, "audit.jsonl");
    await Deno.writeTextFile(audit, "");
    // The audit log also contains permissions that were requested but denied.
    const ended = await deno(["run", "--no-prompt", "--cached-only", "-"], {
      input: names.map((name) => `console.log(typeof await import("jsr:${name}"));\n`).join(""),
      env: { DENO_AUDIT_PERMISSIONS: audit },
    });
    // Importing modules from a registry requires a permission, which Deno grants to its own registry by default.
    const asked = (await Deno.readTextFile(audit)).split("\n").filter((line) => line !== "" && !isImport(line));
    return { ...ended, asked };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function imported(count: number): Ended & { asked: string[] } {
  return { code: 0, out: "object\n".repeat(count), err: "", asked: [] };
}

let cached: Promise<boolean> | undefined;

/** Caches all entry points and imports them in one process, and returns whether none of them requires a permission. */
async function areSilent(): Promise<boolean> {
  assertEquals((await deno(["cache", "--quiet", ...entries.map(([, file]) => file)])).code, 0);
  return equal(await importAll(entries.map(([name]) => name)), imported(entries.length));
}

for (const [name] of entries) {
  Deno.test(`importing jsr:${name} requires no permission`, async () => {
    // Only if one of them does, each is imported by itself, which takes a process for each.
    if (!await (cached ??= areSilent())) assertEquals(await importAll([name]), imported(1));
  });
}

Deno.test("deno task example lists every folder below examples/ that has a main.ts", async () => {
  const child = await deno(["task", "--quiet", "example"]);
  assertEquals(child.code, 0, child.err);
  assertEquals(
    child.out.split("\n").filter((line) => line !== "").map((line) => line.split(" ", 1)[0]),
    (await foldersWithMain(join(root, "examples"))).sort(),
  );
});

Deno.test("deno task example rejects an unknown name and lists the examples", async () => {
  const child = await deno(["task", "--quiet", "example", "../tests"]);
  assertNotEquals(child.code, 0);
  assertStringIncludes(child.err, `There is no example "../tests"`);
  assertStringIncludes(child.out, "hello");
});

Deno.test("deno task start does not use the lock file, so that Deno does not download the packages of tests and benchmarks", async () => {
  const { lock, tasks } = JSON.parse(await Deno.readTextFile(join(root, "deno.json")));
  assertEquals(lock, false);
  for (const name of ["start", "dev", "example"]) assertFalse(tasks[name].command.includes("--lock"), name);
  assertStringIncludes(tasks.check.command, "--lock=deno.lock");
  assert(flags.includes("--lock=deno.lock"));
});

Deno.test("deno task check also checks the code in the documentation, so deno task test does not check any types", async () => {
  const { tasks } = JSON.parse(await Deno.readTextFile(join(root, "deno.json")));
  assertStringIncludes(tasks.check.command, "--doc . **/*.md");
  assert(flags.includes("--no-check"));
});

Deno.test("deno lint uses fw's own rules", async () => {
  const file = await Deno.makeTempFile({ suffix: ".ts" });
  try {
    await Deno.writeTextFile(file, "export class A {\n  private b = 1;\n}\n");
    const child = await deno(["lint", "--config", "deno.json", file]);
    assertNotEquals(child.code, 0);
    assertStringIncludes(child.err, "fw/no-private-keyword");
  } finally {
    await Deno.remove(file);
  }
});

Deno.test("the stand-ins for the standard library have versions that the imports accept", async () => {
  const { imports, links } = JSON.parse(await Deno.readTextFile(join(root, "deno.json")));
  for (const link of links) {
    const { name, version } = JSON.parse(await Deno.readTextFile(join(root, link, "deno.json")));
    assertEquals(imports[name], `jsr:${name}@^${version.split(".")[0]}`);
  }
  // If a JSR registry is available, the links can be removed and everything else must still work.
  if (links.length > 0) assertEquals(Object.keys(imports).length, links.length);
});

Deno.test("README.md and mod.ts state the minimum Deno version, which is checked at start-up", async () => {
  for (const path of ["README.md", "mod.ts"]) {
    assertStringIncludes(await Deno.readTextFile(join(root, path)), `Deno ${LEAST_DENO} or later`);
  }
});

Deno.test("README.md begins with a complete program", async () => {
  const readme = await Deno.readTextFile(join(root, "README.md"));
  const folder = await Deno.makeTempDir();
  try {
    const main = join(folder, "main.ts");
    await Deno.writeTextFile(main, /^```ts.*\n([\s\S]*?)^```$/m.exec(readme)?.[1] ?? "");
    const args = ["run", "--no-prompt", "--allow-net", "--config", join(root, "deno.json"), main];
    await using child = new Child(args, { DENO_SERVE_ADDRESS: "tcp:127.0.0.1:0" });
    const url = (await child.line())?.split("Now listening on: ")[1];
    assertEquals(await (await fetch(`${url}/users/42`)).text(), '{"id":42}');
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test(".ci/windows runs the Deno version of .ci/run", async () => {
  const read = (path: string) => Deno.readTextFile(join(root, path));
  const version = /^version=(.+)$/m.exec(await read(".ci/windows"))?.[1];
  assertStringIncludes(await read(".ci/run"), `deno@${version})`);
});

Deno.test("README.md states the Deno version that .ci/run uses", async () => {
  const [readme, run] = await Promise.all(["README.md", ".ci/run"].map((path) => Deno.readTextFile(join(root, path))));
  const version = /deno@[\d.]+/;
  assertEquals(readme?.match(version)?.[0], run?.match(version)?.[0] ?? "a version");
});

Deno.test("deno task ok and .ci/run run every check once", async () => {
  const { tasks } = JSON.parse(await Deno.readTextFile(join(root, "deno.json")));
  const run = await Deno.readTextFile(join(root, ".ci/run"));
  assertEquals(tasks.ok.command, "deno task static && deno task test");
  assertEquals(Array.from(run.matchAll(/^step (\w+)$/gm), ([, name]) => name), ["test", "walkthrough", "static"]);
});

Deno.test("deno task test:fast skips only the tests that start a program", async () => {
  const fast = await fastTests();
  for (const path of ["tests/http/router/router_test.ts", "tests/lint/plugin_test.ts"]) {
    assert(fast.includes(path), path);
  }
  for (const path of ["tests/repo/repo_test.ts", "tests/http/server/signals_test.ts", "tests/examples/form_test.ts"]) {
    assertFalse(fast.includes(path), path);
  }
});

Deno.test("gather() writes modules that import every test file once, and those with policies separately", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const files = await allTests();
    const imported = await gather(files, folder);
    assertEquals(long.filter((file) => !files.includes(file)), []);
    for await (const { name } of Deno.readDir(folder)) {
      if (!name.endsWith("_test.ts")) continue;
      const paths = Array.from(
        (await Deno.readTextFile(join(folder, name))).matchAll(/tests\/.+_test\.ts/g),
        ([path]) => path,
      );
      if (paths.includes("tests/middleware/policy/policy_test.ts")) assert(name.includes("policies"));
      imported.push(...paths);
    }
    assertEquals(imported.sort(), files);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

function isImport(line: string): boolean {
  return JSON.parse(line).permission === "import";
}

async function foldersWithMain(folder: string, name = ""): Promise<string[]> {
  const found: string[] = [];
  for await (const entry of Deno.readDir(folder)) {
    if (entry.isFile && entry.name === "main.ts") found.push(name);
    if (!entry.isDirectory) continue;
    found.push(...await foldersWithMain(join(folder, entry.name), name === "" ? entry.name : `${name}/${entry.name}`));
  }
  return found;
}
