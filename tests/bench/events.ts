/**
 * `deno task bench events`: measures a publication to 5,000 clients of `ctx.Events`, for fw and for a plain
 * `Deno.serve` that writes the same bytes to all streams: when the first and the last client have the event, and the
 * longest time for which the event loop is held. Options: `--clients=5000 --rounds=9`.
 *
 * @module
 */

import { fromFileUrl } from "@std/path";
import type { Publication } from "./events_server.ts";
import { Figures, option, printRow } from "./report.ts";

const clients = Number(option("clients", "5000"));
const rounds = Number(option("rounds", "9"));
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The event that is published, the number of clients that have it, and when the first and the last have received it. */
interface Round {
  readonly event: string;
  readonly all: PromiseWithResolvers<void>;
  count: number;
  first: number;
  last: number;
}

let current: Round | undefined;

/** Opens a stream and counts the events that it receives. */
async function open(port: number): Promise<Deno.TcpConn> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await connection.write(encoder.encode("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n"));
  const buffer = new Uint8Array(4_096);
  const read = async () => decoder.decode(buffer.subarray(0, await connection.read(buffer) ?? 0));
  await read();
  const follow = async () => {
    for (let text = await read(); text !== ""; text = await read()) {
      if (current === undefined || !text.includes(current.event)) continue;
      current.first ||= performance.timeOrigin + performance.now();
      current.last = performance.timeOrigin + performance.now();
      if (++current.count === clients) current.all.resolve();
    }
  };
  follow().catch(() => {});
  return connection;
}

async function measure(kind: string, launch: number): Promise<void> {
  const script = fromFileUrl(new URL("events_server.ts", import.meta.url));
  const args = ["-c", "0", Deno.execPath(), "run", "-A", script, kind];
  const server = new Deno.Command("taskset", { args, stdout: "piped" }).spawn();
  const reader = server.stdout.getReader();
  const port = Number(decoder.decode((await reader.read()).value));
  const connections: Deno.TcpConn[] = [];
  for (let i = 0; i < clients; i++) connections.push(await open(port));
  for (let round = 0; round < rounds; round++) {
    const id = `${launch}-${round}`;
    current = { event: `"${id}"`, all: Promise.withResolvers(), count: 0, first: 0, last: 0 };
    const response = await fetch(`http://127.0.0.1:${port}/publish?${id}`);
    const { at, held }: Publication = await response.json();
    await current.all.promise;
    // The first publications run code that is not optimized yet.
    if (round < rounds / 3) continue;
    figures.add(`${kind} first`, current.first - at);
    figures.add(`${kind} last`, current.last - at);
    figures.add(`${kind} held`, held);
  }
  server.kill("SIGKILL");
  for (const connection of connections) connection.close();
  await reader.cancel();
  await server.status;
}

const figures = new Figures();
for (let launch = 0; launch < 3; launch++) for (const kind of ["raw", "fw"]) await measure(kind, launch);
printRow(`${clients} clients, ms`, "first has it", "last has it", "longest hold");
for (const kind of ["raw", "fw"]) {
  printRow(kind, ...["first", "last", "held"].map((figure) => figures.spread(`${kind} ${figure}`, 1)));
}
