/**
 * `deno run -A tests/bench/form.ts`: measures requests per second with a form, compared to plain `request.formData()`,
 * Hono and Elysia.
 *
 * All candidates run in one server process. Each one is measured between two runs of the raw handler and compared to
 * their mean. The medians over several launches and their ranges are printed. The server runs on one core, and the load
 * generator on the other.
 *
 * Options: --launches=N (5), --seconds=N per measurement (1), --only=NAME of a form.
 */

import { fromFileUrl } from "@std/path";
import * as fw from "@fw/web";
import { Elysia } from "npm:elysia@1.4.30";
import { Hono } from "npm:hono@4.13.17";

type Serve = (request: Request, info: Deno.ServeHandlerInfo) => Response | Promise<Response>;

const names = Array.from({ length: 10 }, (_, i) => `field${i}`);
const values = [
  "hello",
  "world of forms",
  "42",
  "3.14",
  "on",
  "a@b.example",
  "some longer text value",
  "x",
  "ä",
  "last",
];
const fields = names.map((name, i) => [name, values[i] ?? ""] as [string, string]);

const forms: Record<string, { type: string; body: string }> = {
  "urlencoded, 10 fields": {
    type: "application/x-www-form-urlencoded",
    body: new URLSearchParams(fields).toString(),
  },
  "multipart, 10 fields": multipart(fields),
  "multipart, 10 fields and 16 KiB": multipart(fields, 16 << 10),
  "multipart, 10 fields and 60 KiB": multipart(fields, 60 << 10),
  "multipart, 10 fields and 256 KiB": multipart(fields, 256 << 10),
};

const candidates: Record<string, Serve> = { raw, fw: fwForm(), hono: honoForm(), elysia: elysiaForm() };

if (Deno.args[0] === "serve") await serve();
else await measureAll();

async function raw(request: Request): Promise<Response> {
  const form = await request.formData();
  return Response.json({ name: form.get("field1"), last: form.get("field9") });
}

function fwForm(): Serve {
  const app = fw.New();
  app.Post("/", async (ctx) => {
    ctx.JSON({ name: await ctx.PostValue("field1"), last: await ctx.PostValue("field9") });
  });
  return app.fetch;
}

function honoForm(): Serve {
  const app = new Hono();
  app.post("/", async (c) => {
    const form = await c.req.parseBody();
    return c.json({ name: form["field1"], last: form["field9"] });
  });
  return (request) => app.fetch(request);
}

function elysiaForm(): Serve {
  const app = new Elysia();
  app.post("/", ({ body }) => {
    const form = body as Record<string, unknown>;
    return { name: form["field1"], last: form["field9"] };
  });
  return (request) => app.fetch(request);
}

function multipart(list: readonly [string, string][], size = 0): { type: string; body: string } {
  const boundary = "----WebKitFormBoundary7MA4YWxkTrZu0gW";
  const part = (extra: string, value: string): string =>
    `--${boundary}\r\nContent-Disposition: form-data; name=${extra}\r\n\r\n${value}\r\n`;
  const file = size === 0 ? "" : part('"file"; filename="a.bin"', "x".repeat(size));
  const body = `${list.map(([name, value]) => part(`"${name}"`, value)).join("")}${file}--${boundary}--\r\n`;
  return { type: `multipart/form-data; boundary=${boundary}`, body };
}

async function serve(): Promise<void> {
  let current: Serve = raw;
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    (request, info) => current(request, info),
  );
  const control = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
    current = candidates[new URL(request.url).pathname.slice(1)] ?? raw;
    return new Response("ok");
  });
  await Deno.stdout.write(new TextEncoder().encode(`${server.addr.port} ${control.addr.port}\n`));
  await server.finished;
}

async function measureAll(): Promise<void> {
  const options = new Map(Deno.args.map((arg) => arg.replace(/^--/, "").split("=", 2) as [string, string]));
  const [launches, seconds] = [Number(options.get("launches") ?? 5), Number(options.get("seconds") ?? 1)];
  const chosen = Object.keys(forms).filter((name) => (options.get("only") ?? name) === name);
  const others = Object.keys(candidates).filter((name) => name !== "raw");
  const ratios = new Map<string, number[]>();
  for (let launch = 0; launch < launches; launch++) {
    const process = new Deno.Command("taskset", {
      args: ["-c", "0", Deno.execPath(), "run", "-A", fromFileUrl(import.meta.url), "serve"],
      stdout: "piped",
      // The load ends in the middle of requests, and some candidates report that.
      stderr: "null",
    }).spawn();
    const reader = process.stdout.getReader();
    const [port = 0, control = 0] = decode((await reader.read()).value).trim().split(" ").map(Number);
    for (const form of chosen) {
      const rate = async (name: string): Promise<number> => {
        await (await fetch(`http://127.0.0.1:${control}/${name}`)).text();
        return await load(port, form, seconds);
      };
      for (const name of ["raw", ...others]) await rate(name);
      let before = await rate("raw");
      for (let i = 0; i < others.length; i++) {
        const name = others[(i + launch) % others.length] ?? "";
        const own = await rate(name);
        const after = await rate("raw");
        const key = `${form}/${name}`;
        ratios.set(key, [...ratios.get(key) ?? [], own / ((before + after) / 2)]);
        before = after;
      }
      ratios.set(form, [...ratios.get(form) ?? [], before]);
    }
    process.kill();
    await reader.cancel();
    await process.status;
  }
  print(`${"".padEnd(34)}${"raw req/s".padStart(10)}${others.map((name) => name.padStart(20)).join("")}`);
  for (const form of chosen) {
    const cells = others.map((name) => cell(ratios.get(`${form}/${name}`) ?? []).padStart(20));
    print(`${form.padEnd(34)}${String(Math.round(median(ratios.get(form) ?? []))).padStart(10)}${cells.join("")}`);
  }
  print(`Share of raw formData() and a JSON response, median (lowest to highest) of ${launches} launches.`);
}

async function load(port: number, form: string, seconds: number): Promise<number> {
  const script = await Deno.makeTempFile({ suffix: ".lua" });
  const { type, body } = forms[form] ?? { type: "", body: "" };
  const lines = [
    'wrk.method = "POST"',
    `wrk.headers["Content-Type"] = "${type}"`,
    `wrk.body = ${JSON.stringify(body)}`,
  ];
  await Deno.writeTextFile(script, lines.join("\n"));
  const { stdout } = await new Deno.Command("taskset", {
    args: ["-c", "1", "wrk", "-t1", "-c64", `-d${seconds}s`, "-s", script, `http://127.0.0.1:${port}/`],
  }).output();
  await Deno.remove(script);
  const report = decode(stdout);
  if (/Non-2xx|Socket errors/.test(report)) throw new Error(`Cannot measure "${form}": not every response was 2xx`);
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(report)?.[1]);
}

function decode(bytes: Uint8Array | undefined): string {
  return new TextDecoder().decode(bytes);
}

function median(list: readonly number[]): number {
  return list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? NaN;
}

function cell(list: readonly number[]): string {
  return `${median(list).toFixed(2)} (${Math.min(...list).toFixed(2)}-${Math.max(...list).toFixed(2)})`;
}

function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}
