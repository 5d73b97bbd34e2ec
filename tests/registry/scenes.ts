/**
 * Scenarios beyond the documented commands: programs that are inspected by tools, a start that fails, an application
 * that grows, and a stack trace. Each one uses only the published package.
 *
 * @module
 */

import { join } from "@std/path";
import { applyStep, readSteps } from "../book/tutorial.ts";
import { carry, hello } from "./luggage.ts";
import { run, serve, type Surroundings } from "./processes.ts";

/** The environment of scenarios. */
export interface Stage {
  /** Creates an empty folder. */
  folder(): Promise<Surroundings>;
  /** The first program in the README. */
  readonly firstProgram: string;
}

/** A scenario. It throws if something is wrong. */
export interface Scene {
  readonly name: string;
  play(stage: Stage): Promise<void>;
}

/** A program that imports the entry points whose commands inspect it. */
const curious = `import * as fw from "@fw/web";
import * as openapi from "@fw/web/openapi";
import * as routes from "@fw/web/routes";

const app = fw.Default();
app.Get("/users/{id:int}", (ctx) => ctx.JSON({ id: ctx.Params().GetIntDefault("id", 0) }));
app.Get("/routes", (ctx) => ctx.JSON(routes.List(app)));
openapi.New({ Title: "Curious", Version: "1.0.0" }).Serve(app);
setInterval(() => {}, 1000);
await app.Run(fw.Addr(":8080"));
`;

const faulty = `import * as fw from "@fw/web";

function brew(): never {
  throw new Error("The kettle is cold");
}

const app = fw.New();
app.Get("/thrown", () => brew());
const circle: Record<string, unknown> = {};
circle.self = circle;
app.Get("/inside", (ctx) => ctx.JSON(circle));
for (const path of ["/thrown", "/inside"]) await app.fetch(new Request("http://localhost" + path));
`;

const taken = `import * as fw from "@fw/web";

const other = Deno.listen({ hostname: "127.0.0.1", port: 0 });
setInterval(() => {}, 1000);
const app = fw.Default();
app.RegisterOnShutdown(() => console.log("the pool is closed"));
await app.Run(fw.Addr("127.0.0.1:" + other.addr.port));
console.log("lives on without a server");
`;

/** The npm packages that `deno add` downloads. None of them has dependencies, or is a driver or a template engine. */
const carried = ["hash-wasm", "jose", "oauth4webapi"];

/** All scenarios. */
export const scenes: readonly Scene[] = [
  {
    name: "the ticket shop of the tutorial can be checked and tested",
    async play(stage) {
      const here = await stage.folder();
      const steps = await readSteps();
      await run(steps[0]?.first[0]?.line ?? "", here);
      const shop = { ...here, cwd: join(here.cwd, "tickets") };
      for (const step of steps) await applyStep(step, shop.cwd);
      expect(await run("deno task check && deno task test", shop), /ok \| \d+ passed \| 0 failed/);
    },
  },
  {
    name: "deno doc jsr:@fw/book/forms-and-uploads prints a page of the book",
    async play(stage) {
      const said = await run("deno doc jsr:@fw/book/forms-and-uploads", await stage.folder());
      for (const words of ["# Forms and uploads", "await ctx.PostValueInt("]) {
        if (!said.includes(words)) throw new Error(`The page does not contain "${words}": ${said.slice(0, 200)}`);
      }
    },
  },
  {
    name: `deno add jsr:@fw/web and a first program download ${carried.length} npm packages, no driver and no engine`,
    async play(stage) {
      const { packages } = await carry("jsr:@fw/web", hello, await stage.folder());
      const names = packages.map((each) => each.replace(/(?<=.)@.*$/, ""));
      // The stand-ins for the standard library use this package.
      const others = names.filter((name) => name !== "deno-std" && !carried.includes(name));
      if (others.length > 0) throw new Error(`The package brings ${others.join(", ")}`);
    },
  },
  {
    name: "jsr:@fw/web/routes and jsr:@fw/web/openapi describe a program that imports them, and the README's first",
    async play(stage) {
      for (const program of [curious, stage.firstProgram]) {
        const here = await withPackage(stage, { "main.ts": program });
        expect(await run("deno run -A jsr:@fw/web/routes main.ts", here), /GET +\/users\/\{id:int\} +.*main\.ts:\d/);
        expect(await run("deno run -A jsr:@fw/web/routes main.ts GET /users/42", here), /id = "42"/);
        expect(await run("deno run -A jsr:@fw/web/openapi main.ts", here), /"\/users\/\{id\}"/);
      }
    },
  },
  {
    name: "jsr:@fw/web/routes, openapi, init, permissions and explain have --help and --version",
    async play(stage) {
      const here = await stage.folder();
      for (const name of ["routes", "openapi", "init", "permissions", "explain"]) {
        expect(await run(`deno run -A jsr:@fw/web/${name} --help`, here), new RegExp(`^usage: ${name} `, "m"));
        expect(await run(`deno run -A jsr:@fw/web/${name} --version`, here), /^\d+\.\d+\.\d+$/m);
      }
    },
  },
  {
    name: "a start that fails ends with exit code 1, though an interval is alive",
    async play(stage) {
      const here = await withPackage(stage, { "main.ts": taken });
      await run("deno cache main.ts", here);
      const said = await run("timeout 5 deno run -A main.ts; echo exit $?", here);
      expect(said, /^the pool is closed$/m);
      expect(said, /the port is already in use/);
      expect(said, /^exit 1$/m);
      if (said.includes("lives on")) throw new Error(said);
    },
  },
  {
    name: "an application of init keeps a source folder named app, reloads templates and recovers from broken ones",
    async play(stage) {
      const parent = await stage.folder();
      await run("deno run -A jsr:@fw/web/init my-app --api --site --mvc --sessions", parent);
      const here = { cwd: join(parent.cwd, "my-app"), env: { ...parent.env, PORT: "0" } };
      await Deno.mkdir(join(here.cwd, "app"));
      await Deno.writeTextFile(join(here.cwd, "app", "tea.ts"), "export const tea = 1;\n");
      expect(await run("git init --quiet && git add --all && git ls-files", here), /^app\/tea\.ts$/m);
      expect(await run("deno fmt --check && deno lint && deno check && deno task test", here), /ok \| \d+ passed/);
      // This is what the Docker image does: cache only the dependencies, then everything else without the network.
      const image = { ...here, env: { ...here.env, DENO_DIR: join(parent.cwd, "image") } };
      await run("deno install && deno test --cached-only -A", image);
      const page = join(here.cwd, "views", "index.html");
      await using server = await serve("deno task dev", here);
      for (const [text, shown] of [["<% if ( %>", "Cannot compile template"], ["<h1>mended</h1>", "<h1>mended</h1>"]]) {
        await Deno.writeTextFile(page, `${text}`);
        const response = await fetch(server.url, { headers: { accept: "text/html" } });
        expect(await response.text(), new RegExp(`${shown}`));
      }
    },
  },
  {
    name: "stack traces of the published form name the lines of the sources, in the program and in fw",
    async play(stage) {
      const here = await withPackage(stage, { "main.ts": faulty });
      const said = await run("deno run -A main.ts", here);
      expect(said, /at brew \(.*main\.ts:4:/);
      expect(said, /at walk \(http.*\/src\/[\w/]+\/chain\.ts:\d+/);
      expect(said, /at toJSON \(http.*\/src\/[\w/]+\/json\.ts:\d+/);
      if (/\/js\/\w+\.js/.test(said)) throw new Error(`The trace names the bundle:\n${said}`);
    },
  },
];

async function withPackage(stage: Stage, files: Readonly<Record<string, string>>): Promise<Surroundings> {
  const here = await stage.folder();
  for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(join(here.cwd, name), text);
  await run("deno add jsr:@fw/web", here);
  return here;
}

function expect(text: string, pattern: RegExp): void {
  if (!pattern.test(text)) throw new Error(`Nothing matches ${pattern} in:\n${text}`);
}
