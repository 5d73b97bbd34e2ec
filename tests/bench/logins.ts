/**
 * `deno task bench logins`: measures the longest stall of the event loop and the latency of a plain route while users
 * log in, with fw, with argon2 in the event loop, and with the asynchronous scrypt of `node:crypto`. Options:
 * `--rate=20 --seconds=10`, where the rate is the number of logins per second.
 *
 * @module
 */

import { fromFileUrl } from "@std/path";
import { option, printRow } from "./report.ts";

const rate = Number(option("rate", "20"));
const seconds = Number(option("seconds", "10"));

async function start(kind: string): Promise<{ process: Deno.ChildProcess; url: string }> {
  const script = fromFileUrl(new URL("logins_server.ts", import.meta.url));
  const process = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", script, kind],
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const reader = process.stdout.getReader();
  const { value } = await reader.read();
  reader.releaseLock();
  return { process, url: `http://127.0.0.1:${Number(new TextDecoder().decode(value))}` };
}

async function get(url: string): Promise<[status: number, text: string]> {
  const response = await fetch(url);
  return [response.status, await response.text()];
}

/** Calls a function at a fixed rate and waits for all calls. */
async function repeatedly(perSecond: number, call: () => Promise<void>): Promise<void> {
  const calls: Promise<void>[] = [];
  const from = performance.now();
  for (let i = 0; i < perSecond * seconds; i++) {
    const wait = from + i * 1000 / perSecond - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    calls.push(call());
  }
  await Promise.all(calls);
}

printRow(`${rate} logins per second`, "longest stall, ms", "p99 of /ping, ms", "logins, refused");
for (
  const [name, kind, logins] of [["no logins", "fw", 0], ["fw", "fw", rate], [
    "argon2 in the event loop",
    "event loop",
    rate,
  ], ["scrypt", "scrypt", rate]] as const
) {
  const { process, url } = await start(kind);
  await get(`${url}/login`);
  await get(`${url}/ping`);
  await get(`${url}/stall`);
  const times: number[] = [];
  const statuses: number[] = [];
  await Promise.all([
    repeatedly(100, async () => {
      const from = performance.now();
      await get(`${url}/ping`);
      times.push(performance.now() - from);
    }),
    repeatedly(logins, async () => void statuses.push((await get(`${url}/login`))[0])),
  ]);
  const stall = Number((await get(`${url}/stall`))[1]);
  const p99 = times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? NaN;
  const refused = statuses.filter((status) => status !== 200).length;
  printRow(name, stall.toFixed(0), p99.toFixed(1), `${statuses.length}, ${refused}`);
  process.kill("SIGKILL");
  await process.stdout.cancel();
  await process.status;
}
