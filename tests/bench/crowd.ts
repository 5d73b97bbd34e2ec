/**
 * `deno task bench crowd`: measures how long normal requests take while 5,000 connections are idle and 500 are slow,
 * relative to the same requests without them, for fw and for a plain `Deno.serve`. Options: `--idle=5000 --slow=500
 * --seconds=3 --rounds=3`.
 *
 * @module
 */

import { fromFileUrl } from "@std/path";
import { Figures, option, printRow } from "./report.ts";

const counts = { idle: Number(option("idle", "5000")), slow: Number(option("slow", "500")) };
const seconds = Number(option("seconds", "3"));
const rounds = Number(option("rounds", "3"));
/** The maximum ratio of the 99th percentile with the crowd to the one without it. */
const bound = 5;

const decoder = new TextDecoder();
const encoder = new TextEncoder();
const GET = encoder.encode("GET /ping HTTP/1.1\r\nhost: localhost\r\n\r\n");
const POST = encoder.encode("POST /form HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000000\r\n\r\n");
const STREAM = encoder.encode("GET /stream HTTP/1.1\r\nhost: localhost\r\n\r\n");

/** Starts crowd_server.ts on the first core and returns its port. */
async function start(kind: string): Promise<{ process: Deno.ChildProcess; port: number }> {
  const script = fromFileUrl(new URL("crowd_server.ts", import.meta.url));
  const process = new Deno.Command("taskset", {
    args: ["-c", "0", Deno.execPath(), "run", "-A", script, kind],
    stdout: "piped",
    // Plain Deno logs every client that disconnects while sending its body.
    stderr: "null",
  }).spawn();
  const reader = process.stdout.getReader();
  const { value } = await reader.read();
  reader.releaseLock();
  return { process, port: Number(decoder.decode(value)) };
}

/** Puts a light load on the server and returns the 99th percentile of the latency, in milliseconds. */
async function p99(port: number): Promise<number> {
  const { stdout } = await new Deno.Command("taskset", {
    args: ["-c", "1", "wrk", "-t1", "-c8", `-d${seconds}s`, "--latency", `http://127.0.0.1:${port}/ping`],
  }).output();
  const report = decoder.decode(stdout);
  const [, value = "", unit = ""] = /99%\s+([\d.]+)(us|ms|s)/.exec(report) ?? [];
  if (/Non-2xx|Socket errors/.test(report)) {
    throw new Error(`Cannot measure: not every request had a response\n${report}`);
  }
  return Number(value) * ({ us: 0.001, ms: 1, s: 1_000 }[unit] ?? NaN);
}

/** Connections that are idle after one request, and connections that send or read slowly. */
class Crowd {
  readonly #idle: Deno.TcpConn[] = [];
  readonly #senders: Deno.TcpConn[] = [];
  readonly #readers: Deno.TcpConn[] = [];
  #timer: ReturnType<typeof setInterval> | undefined = undefined;

  async gather(port: number): Promise<void> {
    const open = () => Deno.connect({ hostname: "127.0.0.1", port });
    for (let i = 0; i < counts.idle; i++) {
      const connection = await open();
      await connection.write(GET);
      await connection.read(new Uint8Array(1_000));
      this.#idle.push(connection);
    }
    for (let i = 0; i < counts.slow; i++) {
      const connection = await open();
      await connection.write(i % 2 === 0 ? POST : STREAM);
      (i % 2 === 0 ? this.#senders : this.#readers).push(connection);
    }
    this.#timer = setInterval(() => this.#crawl(), 1_000);
  }

  leave(): void {
    clearInterval(this.#timer);
    for (const connection of [...this.#idle, ...this.#senders, ...this.#readers]) connection.close();
  }

  #crawl(): void {
    const one = new Uint8Array(1);
    for (const connection of this.#senders) connection.write(one).catch(() => {});
    for (const connection of this.#readers) connection.read(one).catch(() => {});
  }
}

let isWithin = true;
printRow(`${counts.idle} idle, ${counts.slow} slow`, "p99 alone, ms", "p99 in the crowd", "ratio");
for (const kind of ["raw", "fw"]) {
  const figures = new Figures();
  const { process, port } = await start(kind);
  await p99(port);
  for (let round = 0; round < rounds; round++) {
    figures.add("alone", await p99(port));
    const crowd = new Crowd();
    await crowd.gather(port);
    figures.add("crowd", await p99(port));
    crowd.leave();
  }
  const ratio = figures.median("crowd") / figures.median("alone");
  printRow(kind, figures.spread("alone"), figures.spread("crowd"), ratio.toFixed(2));
  if (kind === "fw" && !(ratio < bound)) isWithin = false;
  process.kill("SIGKILL");
  await process.stdout.cancel();
  await process.status;
}
if (!isWithin) {
  printRow(`fw is over ${bound} times its calm value`);
  Deno.exit(1);
}
