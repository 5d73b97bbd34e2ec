/**
 * Programs for measuring the time from their launch to their first response.
 *
 * @module
 */

import { join, toFileUrl } from "@std/path";
import { fromFileUrl } from "@std/path";
import { publishAll } from "../registry/publish_all.ts";
import { processorTime } from "./load.ts";

/** The source from which the programs import fw. */
export interface Origin extends AsyncDisposable {
  /** The specifier of the package. */
  readonly pack: string;
  /** The Deno flags that are needed to resolve the package. */
  readonly flags: readonly string[];
  /** The environment variables that are needed to resolve the package. */
  readonly env: Readonly<Record<string, string>>;
  /** Reports whether a module belongs to fw. */
  readonly isOwn: (url: string) => boolean;
}

/** The path of this checkout. */
export const thisCheckout: string = fromFileUrl(new URL("../../", import.meta.url));

/**
 * Publishes a checkout of fw to a registry on loopback, together with the standard library. The standard library comes
 * from the checkout in `FW_TEST_STD`, or its stand-ins are used.
 *
 * @param root The checkout.
 * @returns The registry.
 */
export async function openOrigin(root: string): Promise<Origin> {
  const published = await publishAll({ std: Deno.env.get("FW_TEST_STD") || undefined, root });
  await published.listImports("@fw/web");
  return {
    pack: "jsr:@fw/web",
    flags: ["--no-config"],
    env: published.env,
    isOwn: (url) => url.includes("/@fw/web/"),
    [Symbol.asyncDispose]: () => published[Symbol.asyncDispose](),
  };
}

/**
 * Uses the source files from a checkout of fw instead of a bundle.
 *
 * @param root The checkout.
 * @returns The sources.
 */
export function openSources(root: string): Origin {
  const prefix = toFileUrl(root).href;
  return {
    pack: "@fw/web",
    flags: [`--config=${join(root, "deno.json")}`],
    env: {},
    isOwn: (url) => url.startsWith(prefix) && !url.includes("/tests/"),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

const decoder = new TextDecoder();
const GET = new TextEncoder().encode("GET /ping HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");

const tell = `(address) => Deno.stdout.writeSync(new TextEncoder().encode(address.port + "\\n"))`;
const serve = `Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: ${tell} }, `;
const run = `await app.Run(fw.Addr("127.0.0.1:0"), fw.WithoutStartupLog, fw.WithOnListen(${tell}));`;

/**
 * Returns the programs. Each of them responds to GET /ping.
 *
 * @param pack The specifier of fw.
 * @returns The sources by name.
 */
export function launchPrograms(pack: string): Readonly<Record<string, string>> {
  return {
    "raw": `${serve} () => new Response("pong"));`,
    "fw, imported only": `
    import * as fw from "${pack}";
    ${serve} () => new Response(fw.Default.name && "pong"));`,
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
}

/**
 * Starts a program and waits for its first response.
 *
 * @param file The program.
 * @param origin The source from which it imports fw.
 * @returns The elapsed time and the CPU time until then, in milliseconds.
 */
export async function measureLaunch(file: string, origin: Origin): Promise<{ took: number; busy: number }> {
  const begin = performance.now();
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", "--no-lock", "-A", ...origin.flags, file],
    env: origin.env,
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

/**
 * Writes the programs and a view to a folder, and launches each program twice to warm up all caches.
 *
 * @param folder The folder.
 * @param origin The source from which they import fw.
 * @returns The files by program name.
 */
export async function writePrograms(folder: string, origin: Origin): Promise<Map<string, string>> {
  await Deno.mkdir(join(folder, "views"), { recursive: true });
  await Deno.writeTextFile(join(folder, "views", "page.html"), "<p>visit <%= it.Visits %></p>\n");
  const files = new Map<string, string>();
  for (const [name, source] of Object.entries(launchPrograms(origin.pack))) {
    const file = join(folder, `${name.replaceAll(/\W+/g, "_")}.ts`);
    await Deno.writeTextFile(file, source);
    files.set(name, file);
    for (let time = 0; time < 2; time++) await measureLaunch(file, origin);
  }
  return files;
}
