/**
 * `deno task bench start`: from the launch of a process to its first response, in fresh processes with a warm cache,
 * interleaved, as medians; beside them how many modules each program loads, and how many of them are fw's.
 *
 * Oak is not among them: on npm it is only for Node.js.
 *
 * Options: `--rounds=15`, `--package=jsr:@fw/web` for the published package instead of this checkout, `--only=fw,raw`.
 *
 * @module
 */

import { join } from "@std/path";
import { processorTime } from "./load.ts";
import { Figures, option, printRow } from "./report.ts";
import { loadedModules } from "../repo/loaded_modules.ts";

const rounds = Number(option("rounds", "15"));
const pack = option("package", "@fw/web");
const only = option("only", "").split(",").filter((name) => name !== "");
const root = new URL("../../", import.meta.url).pathname;
const decoder = new TextDecoder();
const GET = new TextEncoder().encode("GET /ping HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");

const tell = `(address) => Deno.stdout.writeSync(new TextEncoder().encode(address.port + "\\n"))`;
const serve = `Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: ${tell} }, `;
const run = `await app.Run(fw.Addr("127.0.0.1:0"), fw.WithoutStartupLog, fw.WithOnListen(${tell}));`;

/** The programs; each responds to GET /ping. */
const programs: Readonly<Record<string, string>> = {
  "raw": `${serve} () => new Response("pong"));`,
  "fw": `
    import * as fw from "${pack}";
    const app = fw.New();
    app.Get("/ping", (ctx) => ctx.WriteString("pong"));
    ${run}`,
  "fw, Default and controller": `
    import * as fw from "${pack}";
    import * as mvc from "${pack}/mvc";
    class Pings {
      Get() { return "pong"; }
    }
    const app = fw.Default();
    app.Logger().SetLevel("error");
    mvc.New(app.Party("/ping")).Handle(Pings);
    ${run}`,
  "fw, views and sessions": `
    import * as fw from "${pack}";
    import * as sessions from "${pack}/sessions";
    const app = fw.Default();
    app.Logger().SetLevel("error");
    const manager = sessions.New({ Cookie: "sid" });
    app.RegisterView(fw.HTML(new URL("./views/", import.meta.url)));
    app.Get("/ping", async (ctx) => {
      const session = await manager.Start(ctx);
      await ctx.View("page", { Visits: session.Increment("visits") });
    });
    ${run}`,
  "hono": `
    import { Hono } from "npm:hono@4.13.17";
    const app = new Hono();
    app.get("/ping", (c) => c.text("pong"));
    ${serve} app.fetch);`,
  "elysia": `
    import { Elysia } from "npm:elysia@1.4.30";
    const app = new Elysia().get("/ping", () => "pong");
    ${serve} (request) => app.fetch(request));`,
};

/** Starts a program and returns the milliseconds until its first response, on the clock and on the processor. */
async function measure(file: string): Promise<{ took: number; busy: number }> {
  const begin = performance.now();
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", "--no-lock", "-A", ...configuration(), file],
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  const port = Number(decoder.decode(value));
  if (!(port > 0)) throw new Error(`Cannot measure "${file}": it did not listen`);
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await connection.write(GET);
  const chunk = new Uint8Array(1_000);
  const count = await connection.read(chunk) ?? 0;
  const took = performance.now() - begin;
  const busy = processorTime(child.pid) / 1e6;
  const head = decoder.decode(chunk.subarray(0, count));
  if (!head.startsWith("HTTP/1.1 200")) throw new Error(`Cannot measure "${file}": ${head}`);
  child.kill("SIGKILL");
  await reader.cancel();
  await child.status;
  return { took, busy };
}

function configuration(): string[] {
  return pack.startsWith("jsr:") ? ["--no-config"] : [`--config=${join(root, "deno.json")}`];
}

const folder = await Deno.makeTempDir({ prefix: "fw_start_" });
try {
  await Deno.mkdir(join(folder, "views"));
  await Deno.writeTextFile(join(folder, "views", "page.html"), "<p>visit {{ Visits }}</p>\n");
  const names = Object.keys(programs).filter((name) => only.length === 0 || only.includes(name));
  const files = new Map<string, string>();
  for (const name of names) {
    const file = join(folder, `${name.replaceAll(/\W+/g, "_")}.ts`);
    await Deno.writeTextFile(file, programs[name] ?? "");
    files.set(name, file);
    await measure(file);
    await measure(file);
  }
  const figures = new Figures();
  for (let round = 0; round < rounds; round++) {
    for (const [name, file] of files) {
      const { took, busy } = await measure(file);
      figures.add(name, took);
      figures.add(`${name} busy`, busy);
    }
  }
  printRow("launch to first response", "median, ms", "over raw, ms", "processor, ms", "modules (fw's)");
  for (const [name, file] of files) {
    const modules = await loadedModules(file, configuration());
    const ours = modules.filter((module) =>
      module.startsWith(`file://${root}`) ? !module.includes("/tests/") : module.includes("/@fw/web/")
    );
    printRow(
      name,
      figures.median(name).toFixed(1),
      (figures.median(name) - figures.median("raw")).toFixed(1),
      figures.median(`${name} busy`).toFixed(1),
      `${modules.length} (${ours.length})`,
    );
  }
} finally {
  await Deno.remove(folder, { recursive: true });
}
