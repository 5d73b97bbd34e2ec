/**
 * `deno task bench slow_readers`: measures the memory that clients cost which read a file of 100 MiB slowly, for fw and
 * for a plain `Deno.serve` in the same run. The file is old, was modified just now, or is requested as a range. Options:
 * `--clients=200,600 --seconds=4 --rounds=1`.
 *
 * @module
 */

import { fromFileUrl } from "@std/path";
import { Figures, option, printRow } from "./report.ts";

const counts = option("clients", "200,600").split(",").map(Number);
const seconds = Number(option("seconds", "4"));
const rounds = Number(option("rounds", "1"));

/** A file and a request for it. */
interface Case {
  readonly name: string;
  readonly kind: "raw" | "fw";
  readonly age: number;
  readonly headers?: string;
}

const cases: readonly Case[] = [
  { name: "Deno.serve", kind: "raw", age: 86_400_000 },
  { name: "an old file", kind: "fw", age: 86_400_000 },
  { name: "a fresh file", kind: "fw", age: 0 },
  { name: "a range of an old file", kind: "fw", age: 86_400_000, headers: "range: bytes=0-99999999\r\n" },
];

const folder = await Deno.makeTempDir();
const path = `${folder}/big.bin`;
await Deno.writeFile(path, new Uint8Array(100 << 20));

async function start(kind: string): Promise<{ process: Deno.ChildProcess; port: number }> {
  const script = fromFileUrl(new URL("slow_readers_server.ts", import.meta.url));
  const process = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", script, kind, path],
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const reader = process.stdout.getReader();
  const { value } = await reader.read();
  reader.releaseLock();
  return { process, port: Number(new TextDecoder().decode(value)) };
}

/** Returns the memory of a process, in MiB. */
async function memoryOf({ pid }: Deno.ChildProcess): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

/** Opens a connection and reads the start of the response. */
async function open(port: number, headers: string): Promise<Deno.TcpConn> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await connection.write(new TextEncoder().encode(`GET / HTTP/1.1\r\nhost: localhost\r\n${headers}\r\n`));
  await connection.read(new Uint8Array(1_000));
  return connection;
}

/** Returns the memory that slow readers cost at most, in MiB. */
async function measure({ kind, age, headers = "" }: Case, count: number): Promise<number> {
  const changed = new Date(Date.now() - age);
  await Deno.utime(path, changed, changed);
  const { process, port } = await start(kind);
  (await open(port, headers)).close();
  // By then, fw has loaded the modules that later requests need.
  await pause(2_500);
  const before = await memoryOf(process);
  const readers = await Promise.all(Array.from({ length: count }, () => open(port, headers)));
  let most = 0;
  for (const end = Date.now() + seconds * 1_000; Date.now() < end; await pause(200)) {
    for (const reader of readers) reader.read(new Uint8Array(8_192)).catch(() => {});
    most = Math.max(most, await memoryOf(process));
  }
  process.kill("SIGKILL");
  await process.stdout.cancel();
  await process.status;
  for (const reader of readers) reader.close();
  return most - before;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

for (const count of counts) {
  const figures = new Figures();
  for (let round = 0; round < rounds; round++) {
    for (const each of cases) figures.add(each.name, await measure(each, count));
  }
  printRow(`${count} slow readers`, "memory, MiB", "ratio to Deno.serve");
  for (const { name } of cases) {
    const ratio = figures.median(name) / figures.median("Deno.serve");
    printRow(name, figures.median(name).toFixed(1), ratio.toFixed(2));
  }
}
await Deno.remove(folder, { recursive: true });
Deno.exit();
