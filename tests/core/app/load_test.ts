import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import config from "../../../deno.json" with { type: "json" };
import { type Ended, root, runProgram } from "../../running.ts";

const commands = { routes: "src/tools/routes/mod.ts", openapi: "src/api/openapi/mod.ts" };

const head = `import * as fw from "jsr:@fw/web";
import * as openapi from "jsr:@fw/web/openapi";
import * as routes from "jsr:@fw/web/routes";
if (routes.List === undefined || openapi.New === undefined) throw new Error("not loaded");
const create = () => {
  const app = fw.New();
  app.Get("/teas/{id:int}", (ctx) => ctx.WriteString("tea"));
  return app;
};
`;

/** Creates a folder whose programs import this checkout instead of the published package. */
async function newFolder(prefix = ""): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix });
  const links = [root, ...config.links.map((path) => join(root, path))];
  const imports = Object.fromEntries(Object.entries(config.imports));
  await Deno.writeTextFile(join(folder, "deno.json"), JSON.stringify({ imports, links }));
  return folder;
}

/** Runs a command on a program. */
async function runWith(entry: string, folder: string, program: string): Promise<Ended> {
  await Deno.writeTextFile(join(folder, "main.ts"), head + program);
  return await runProgram(entry, ["main.ts"], folder);
}

/** Programs whose application is found. They all import the entry points of the commands. */
const found: Readonly<Record<string, string>> = {
  "a default export": "export default create();",
  "newApp()": "export function newApp() { return create(); }",
  "an asynchronous newApp":
    "export async function newApp() { await new Promise((done) => setTimeout(done)); return create(); }",
  "newApp(settings) that works without": "export function newApp(settings?: { x: 1 }) { return create(settings); }",
  "newApp that returns { app, db }": "export const newApp = () => ({ db: { fetch() {} }, app: create() });",
  "newApp that returns an application under another name": "export const newApp = () => ({ site: create(), db: 1 });",
  "a default export beside newApp(settings)": `export function newApp(port: { n: number }) { port.n; return create(); }
    export default newApp({ n: 1 });`,
  "a default function": "export default () => create();",
  "an export named app": "export const app = create();",
  "Run at the top level": 'await create().Run(fw.Addr(":1"));\nthrow new Error("Run must not return");',
  "Listen, not awaited": 'create().Listen(1).then(() => { throw new Error("Run must not return"); });',
  "Run in a main function after other work": `async function main() {
    await new Promise((done) => setTimeout(done, 50));
    setInterval(() => {}, 1000);
    await create().Run(":1");
    throw new Error("Run must not return");
  }
  main();`,
  "an interval that stays alive": "setInterval(() => {}, 1000);\nexport default create();",
  "Run under import.meta.main in addition to a default export":
    'const app = create();\nif (import.meta.main) await app.Run(":1");\nexport default app;',
};

/** Programs whose application is not found, and the expected messages. */
const lost: Readonly<Record<string, readonly [program: string, message: string]>> = {
  "no export and no Run": [
    "export const name = 1;",
    'it exports neither an application as its default nor "newApp", and calls no "Run"',
  ],
  "newApp(settings) that needs them": [
    "export function newApp(settings: { port: number }) { settings.port; return create(); }",
    'Cannot create the application of "main.ts": "newApp" needs an argument, which this command cannot pass; give it',
  ],
  "newApp that fails": [
    'export function newApp() { throw new Error("no database"); }',
    'Cannot create the application of "main.ts": no database (file:',
  ],
  "newApp that returns something else": [
    "export function newApp() { return { db: 1 }; }",
    '"newApp" returns an object of class "Object", not an application',
  ],
  "newApp that returns nothing": ["export function newApp() { create(); }", '"newApp" returns no application'],
  "a default export of fetch": [
    "export default { fetch: create().fetch };",
    'its default export is an object with "fetch", not the application itself',
  ],
  "a default export of a number": ["export default 42;", "its default export is a number, not an application"],
  "an application of another version": [
    "export default { fetch() {}, Build() {}, Party() {}, Run() {} };",
    "it was created by another version of @fw/web",
  ],
  "a module that throws": ['throw new Error("no settings");', 'Cannot load "main.ts": no settings (file:'],
  "a module that never finishes loading": [
    "await new Promise(() => {});",
    'it hands out none and calls no "Run" within 10 seconds',
  ],
  "a syntax error": ["export default create(", 'Cannot load "main.ts": '],
  "a route that cannot be built": [
    'const app = create(); app.Get("/x/{", () => {}); export default app;',
    "Cannot",
  ],
};

/** One form of each kind. Both commands load programs with the same code, but `openapi` reads their types too. */
const some: readonly string[] = ["a default export", "newApp that returns { app, db }", "Listen, not awaited"];

for (const [name, entry] of Object.entries(commands)) {
  Deno.test(`${name} finds the application in every supported form, even if the program imports the command itself`, async (t) => {
    const folder = await newFolder("fw load 100% é ");
    try {
      for (const [shape, program] of Object.entries(found)) {
        if (name === "openapi" && !some.includes(shape)) continue;
        await t.step(shape, async () => {
          const { code, out, err } = await runWith(entry, folder, program);
          assertEquals(code, 0, err);
          assertStringIncludes(out, "/teas/{id");
        });
      }
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });

  Deno.test(`${name} reports in one line why it cannot find an application`, async (t) => {
    const folder = await newFolder();
    try {
      for (const [shape, [program, message]] of Object.entries(lost)) {
        // This case waits for the time limit.
        const ignore = name === "openapi" && message.includes("seconds");
        await t.step({
          name: shape,
          ignore,
          fn: async () => {
            const { code, out, err } = await runWith(entry, folder, program);
            assertEquals([code, out], [1, ""], err);
            assertStringIncludes(err, message);
            assertEquals(err.includes("Cannot Cannot"), false);
            assertEquals(/ at .*\/src\//.test(err), false, err);
          },
        });
      }
      await t.step("a module that does not exist", async () => {
        const { code, err } = await runProgram(entry, ["none.ts"], folder);
        assertEquals(code, 1);
        assertStringIncludes(err, 'Cannot load "none.ts": Module not found');
      });
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });

  Deno.test(`${name} has --help and --version, and explains wrong arguments`, async () => {
    const help = await runProgram(entry, ["--help"]);
    assertEquals([help.code, help.err], [0, ""]);
    assertStringIncludes(help.out, `usage: ${name} MAIN`);
    assertEquals(await runProgram(entry, ["--version"]), { code: 0, out: `${config.version}\n`, err: "" });
    for (const args of [[], ["main.ts", "--nonsense"], ["main.ts", "a", "b", "c"]]) {
      const { code, out, err } = await runProgram(entry, args);
      assertEquals([code, out], [2, ""], err);
      assertStringIncludes(err, `usage: ${name} MAIN`);
      assertEquals(/ at .*\/src\//.test(err), false, err);
    }
  });
}
