import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { Child } from "../../http/server/support.ts";
import { root } from "../../running.ts";
import { fw, Project } from "./project.ts";

const tasks = `{
  "tasks": { "start": "deno run -A main.ts" }
}
`;

Deno.test("permissions -- TASK writes what each part of a task requested, with its reasons as comments in deno.jsonc", async () => {
  await using project = await Project.create({
    "deno.jsonc": `{
  // The tasks.
  "tasks": {
    "setup": "deno run -RW setup.ts", /* first */
    "all": { "command": "deno task setup && NAME=tea deno run --allow-env -N=localhost main.ts", "dependencies": ["hi"] },
    "hi": "echo hi",
  },
}
`,
    "setup.ts": `Deno.mkdirSync("data", { recursive: true });\nDeno.writeTextFileSync("data/a.txt", "a");\n`,
    "main.ts": `Deno.env.get("NAME");\nDeno.readTextFileSync("data/a.txt");\n\nDeno.listen({ port: 0 }).close();\n`,
  });
  const { code, out, err } = await project.command("--", "all");
  assertEquals([code, out], [0, "hi\n"], err);
  assertStringIncludes(err, "read        ./data/a.txt  main.ts:2\n");
  assertEquals(
    await project.read("deno.jsonc"),
    `{
  // The tasks.
  "tasks": {
    "setup": "deno run -RW setup.ts", /* first */
    "all": { "command": "deno task setup && NAME=tea deno run --allow-env -N=localhost main.ts", "dependencies": ["hi"] },
    "hi": "echo hi",
  },
  "permissions": {
    "all": {
      "net": [
        "0.0.0.0" // main.ts:4
      ],
      "read": [
        "./data/a.txt" // main.ts:2
      ],
      "write": [
        "./data" // setup.ts:1
      ],
      "env": [
        "NAME" // main.ts:1
      ]
    }
  }
}
`,
  );
  assertEquals((await project.command("--check", "--", "all")).code, 0);
});

Deno.test("permissions -- test runs deno test if there is no such task, and logs only the tests themselves", async () => {
  await using project = await Project.create({
    "deno.json": "{}\n",
    "a_test.ts": `Deno.test("a", async () => {
  Deno.env.get("FIRST");
  await new Deno.Command(Deno.execPath(), { args: ["run", "-A", "other.ts"] }).output();
  Deno.env.get("LAST");
});\n`,
    "other.ts": `Deno.env.get("OTHER");\n`,
  });
  const { code, err } = await project.command("--", "test", "--quiet");
  assertEquals(code, 0, err);
  assertStringIncludes(JSON.stringify(await project.set("test")), `{"env":["FIRST","LAST"],"run":["`);
  assertEquals((await project.deno("test", "--no-prompt", "-P=test")).code, 0);
});

/** A server that runs with a task or with a subcommand. */
const server = {
  "deno.json": JSON.stringify({ ...fw, tasks: { start: "deno run -A main.ts" } }),
  "main.ts": `import * as fw from "@fw/web";
const app = fw.New();
app.Get("/", (ctx) => ctx.WriteString(Deno.env.get("GREETING") ?? "hello"));
await app.Run(fw.Addr("127.0.0.1:0"));\n`,
};

/** Runs the command with a server, sends a request, and stops the command. */
async function visit(
  project: Project,
  signal: Deno.Signal,
  ...args: string[]
): Promise<{ code: number; errors: string }> {
  const program = ["run", "-A", "--no-lock", join(root, "src/tools/permissions/mod.ts"), ...args];
  await using child = new Child(program, {}, Deno.execPath(), project.folder);
  let line: string | undefined;
  do line = await child.line(); while (line !== undefined && !line.includes("Now listening on: "));
  const response = await fetch(line?.split("Now listening on: ")[1] ?? "");
  await response.text();
  child.kill(signal);
  return await child.end();
}

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  for (const command of [["start"], ["run", "main.ts"]]) {
    Deno.test(`permissions -- ${command.join(" ")} writes and checks the set of a server that ${signal} stops`, async () => {
      await using project = await Project.create(server);
      const written = await visit(project, signal, "--set", "server", "--", ...command);
      assertEquals(written.code, 0, written.errors);
      assertEquals(await project.set("server"), { net: ["127.0.0.1"], env: ["GREETING"] });
      const checked = await visit(project, signal, "--check", "--set", "server", "--", ...command);
      assertEquals(checked.code, 0, checked.errors);
    });
  }
}

/** The ways in which an application passes requests to another one, which has views and files. */
const nestings: Readonly<Record<string, string>> = {
  "a mount": `const app = fw.New(); app.Mount("/m", inner);`,
  "a mount of a fetch function": `const app = fw.New(); app.Mount("/m", inner.fetch);`,
  "a switch in a mount":
    `const app = fw.New(); app.Mount("/m", apps.Switch([{ Pattern: "tea.example", Target: inner }]));`,
};

for (const [nesting, code] of Object.entries(nestings)) {
  Deno.test(`permissions finds the views and what the checks of the application in ${nesting} need`, async () => {
    await using project = await Project.create({
      "deno.json": JSON.stringify({ ...fw, imports: { ...fw.imports, "@fw/web/apps": "jsr:@fw/web@*/apps" } }),
      "views/home.html": "<p>tea</p>",
      "main.ts": `import * as fw from "@fw/web";
import * as apps from "@fw/web/apps";
const inner = fw.New();
inner.RegisterView(fw.HTML("./views", ".html"));
inner.Install({
  Name: "key",
  Install: (host) => host.Check("key", () => Deno.env.get("TEA_KEY") !== "", "start"),
});
${code}
apps.Switch;
await app.Run(fw.Addr("127.0.0.1:0"));\n`,
    });
    const written = await visit(project, "SIGTERM", "--", "run", "main.ts");
    assertEquals(written.code, 0, written.errors);
    assertEquals(await project.set("default"), { net: ["127.0.0.1"], read: ["./views"], env: ["TEA_KEY"] });
    const checked = await visit(project, "SIGTERM", "--check", "--", "run", "main.ts");
    assertEquals(checked.code, 0, checked.errors);
  });
}

Deno.test("permissions --check names a denied request that a server survives", async () => {
  await using project = await Project.create(server);
  await project.write("deno.json", JSON.stringify({ ...fw, permissions: { default: { net: ["127.0.0.1"] } } }));
  const { code, errors } = await visit(project, "SIGTERM", "--check", "--", "run", "main.ts");
  assertEquals(code, 1);
  assertMatch(errors, /^env +GREETING +main\.ts:3$/m);
});

Deno.test("permissions does not write the set of a task that fails", async () => {
  await using project = await Project.create({ "deno.json": tasks, "main.ts": `Deno.env.get("A");\nDeno.exit(3);\n` });
  const { code, err } = await project.command("--", "start");
  assertEquals([code, await project.read("deno.json")], [3, tasks]);
  assertStringIncludes(err, `Cannot write the permissions: "start" failed with exit code 3`);
});

Deno.test("permissions replaces the set, keeps what it denies, and keeps all of it with --add", async () => {
  const config = `{
  "tasks": { "start": "deno run -A main.ts" },
  "permissions": {
    "start": { "env": { "allow": ["OLD"], "deny": ["SECRET"] }, "sys": ["hostname"] },
    "other": { "net": true }
  }
}
`;
  await using project = await Project.create({ "deno.json": config, "main.ts": `Deno.env.get("NEW");\n` });
  await project.command("--add", "--", "start");
  const added = { env: { allow: ["NEW", "OLD"], deny: ["SECRET"] }, sys: ["hostname"] };
  assertEquals(await project.set("start"), added);
  await project.command("--", "start");
  assertEquals(await project.set("start"), { env: { allow: ["NEW"], deny: ["SECRET"] } });
  assertEquals(await project.set("other"), { net: true });
  assertEquals((await project.deno("fmt", "--check", "deno.json")).code, 0);
});

Deno.test("permissions explains a permission that is requested as a whole", async () => {
  await using project = await Project.create({ "deno.json": tasks, "main.ts": `\nDeno.env.toObject();\n` });
  const { err } = await project.command("--", "start");
  assertStringIncludes(err, `note: "env" is not restricted, because main.ts:2 does not name a resource`);
  assertEquals(await project.set("start"), { env: true });
});

Deno.test("permissions reports a command that does not exist and a set that was never written", async () => {
  await using project = await Project.create({ "deno.json": tasks, "main.ts": "" });
  const unknown = await project.command("--", "stop");
  assertMatch(unknown.err, /^Cannot run "stop": ".*deno\.json" contains no such task\n$/);
  const unwritten = await project.command("--check", "--", "start");
  assertMatch(unwritten.err, /^Cannot check "start": ".*deno\.json" contains no permission set "start"\n$/);
  assertEquals([unknown.code, unwritten.code, (await project.command()).code], [1, 1, 2]);
  await project.write("deno.json", `{ "tasks": { "start": "echo hi" } }`);
  assertMatch((await project.command("--", "start")).err, /^Cannot audit "start": it does not run deno run, /);
});
