/**
 * `deno run -A tests/bench/garbage.ts`: sends 10,000 malformed requests and checks what they leave behind in the
 * server.
 *
 * Fails if a response is 5xx, if a valid request gets no response, or if the live memory or the number of open files
 * does not return to its level after the first tenth. The resident memory is printed too, but it depends on the
 * platform, because V8 and the allocator release memory at their own pace. For comparison, the same requests are sent
 * to a plain server that only reads the bytes.
 *
 * Options: --requests=N (10000).
 */

import { fromFileUrl } from "@std/path";
import { garbage, reader, send } from "../testdata/forms/garbage.ts";

const atOnce = 16;

if (Deno.args[0] === "serve") await serve(Deno.args[1] ?? "", Deno.args[2] ?? "");
else Deno.exit(await soakAll(Number(Deno.args[0]?.split("=")[1] ?? 10_000)));

async function serve(name: string, folder: string): Promise<void> {
  const handle = name === "fw" ? reader(folder).fetch : bare;
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request, info) => {
    return request.url.endsWith("/memory") ? memory() : handle(request, info);
  });
  await Deno.stdout.write(new TextEncoder().encode(`${server.addr.port}\n`));
  await server.finished;
}

async function bare(request: Request): Promise<Response> {
  try {
    return new Response(String((await request.bytes()).length));
  } catch {
    return new Response("", { status: 400 });
  }
}

function memory(): Response {
  for (let i = 0; i < 3; i++) (globalThis as unknown as { gc(): void }).gc();
  const { heapUsed, external, rss } = Deno.memoryUsage();
  const files = [...Deno.readDirSync("/proc/self/fd")].length;
  return Response.json({ live: (heapUsed + external) / 1e6, resident: rss / 1e6, files });
}

async function soakAll(requests: number): Promise<number> {
  const faults = await soak("fw", requests);
  await soak("bare", requests);
  for (const fault of faults.slice(0, 20)) print(`FAULT: ${fault}`);
  return faults.length === 0 ? 0 : 1;
}

async function soak(name: string, requests: number): Promise<string[]> {
  const folder = await Deno.makeTempDir({ prefix: "bench-" });
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--v8-flags=--expose-gc", fromFileUrl(import.meta.url), "serve", name, folder],
    stdout: "piped",
  }).spawn();
  const stdout = child.stdout.getReader();
  const port = Number(new TextDecoder().decode((await stdout.read()).value));
  const statuses = new Map<number, number>();
  const faults: string[] = [];

  await run(0, requests / 10);
  const before = await state(port);
  await run(requests / 10, requests);
  const after = await state(port);
  const left = [...Deno.readDirSync(folder)].filter((entry) => entry.name.endsWith(".part")).length;
  child.kill("SIGKILL");
  await stdout.cancel();
  await child.status;
  await Deno.remove(folder, { recursive: true });

  if (after.files > before.files) faults.push(`open files went from ${before.files} to ${after.files}`);
  if (after.live > before.live + 2) faults.push(`live memory went from ${before.live} to ${after.live} MB`);
  if (left > 0) faults.push(`${left} temporary files are left`);
  const counts = [...statuses].sort().map(([status, count]) => `${count} × ${status === 0 ? "no response" : status}`);
  print(`${name}: ${requests} requests: ${counts.join(", ")}`);
  for (const key of ["live", "resident", "files"] as const) {
    print(`  ${key.padEnd(9)}${before[key].toFixed(1).padStart(8)} to ${after[key].toFixed(1)}`);
  }
  return faults;

  async function run(from: number, to: number): Promise<void> {
    let next = from;
    await Promise.all(Array.from({ length: atOnce }, async () => {
      while (next < to) {
        const number = next++;
        const request = garbage(number);
        const status = await send(port, request);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        const isSound = request.framing === "declared" || request.framing === "chunked";
        if (status >= 500 || (isSound && status < 200)) faults.push(`request ${number} got ${status}`);
      }
    }));
  }
}

/** Returns the memory in MB and the number of open files of the server when it is idle. */
async function state(port: number): Promise<{ live: number; resident: number; files: number }> {
  await new Promise((resolve) => setTimeout(resolve, 1000));
  return await (await fetch(`http://127.0.0.1:${port}/memory`)).json();
}

function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}
