/**
 * `deno task bench live`: compares fw's WebSocket connections to a plain loop over Deno's own, interleaved.
 *
 * @module
 */

import { fromFileUrl } from "@std/path";
import { isPeer, removePeers, startPeer } from "./live_peers.ts";

const encoder = new TextEncoder();
const key = "dGhlIHNhbXBsZSBub25jZQ==";

/** A server in a separate process. */
class Subject {
  readonly kind: string;
  readonly #process: Deno.ChildProcess;
  port = 0;

  constructor(kind: string, flags: readonly string[] = []) {
    this.kind = kind;
    this.#process = isPeer(kind) ? startPeer(kind) : startServer(kind, flags);
  }

  async start(): Promise<this> {
    const reader = this.#process.stdout.pipeThrough(new TextDecoderStream()).getReader();
    this.port = Number((await reader.read()).value);
    reader.releaseLock();
    return this;
  }

  /** Returns the resident memory in KiB. */
  rss(): number {
    const status = Deno.readTextFileSync(`/proc/${this.#process.pid}/status`);
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]);
  }

  /** Returns the CPU time in milliseconds. */
  cpu(): number {
    const fields = Deno.readTextFileSync(`/proc/${this.#process.pid}/stat`).split(") ")[1]?.split(" ") ?? [];
    return (Number(fields[11]) + Number(fields[12])) * 10;
  }

  async get<T = unknown>(path: string): Promise<T> {
    return await (await fetch(`http://127.0.0.1:${this.port}${path}`)).json();
  }

  /** Collects garbage. */
  async collect(): Promise<void> {
    await this.get("/memory");
    await sleep(200);
  }

  /** Collects garbage until V8 has returned unused pages, which it does after several idle seconds. */
  async settle(): Promise<void> {
    for (let at = 0; at < 12; at++) {
      await sleep(800);
      await this.collect();
    }
  }

  async stop(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.#process.status;
    await this.#process.stdout.cancel().catch(() => {});
  }
}

/** Sends plain requests from a separate process, because the delays of this one would distort the results. */
class Pinger {
  readonly #process: Deno.ChildProcess;

  constructor(port: number) {
    const source = `const waits = [];
      Deno.addSignalListener("SIGTERM", () => { console.log(JSON.stringify(waits)); Deno.exit(); });
      for (;;) {
        const start = performance.now();
        await (await fetch("http://127.0.0.1:${port}/ping")).text();
        waits.push(performance.now() - start);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }`;
    const args = ["run", "-A", "--no-check", `data:text/javascript,${encodeURIComponent(source)}`];
    this.#process = new Deno.Command(Deno.execPath(), { args, stdout: "piped" }).spawn();
  }

  async stop(): Promise<Record<string, number>> {
    this.#process.kill("SIGTERM");
    const waits: number[] = await new Response(this.#process.stdout).json();
    waits.sort((a, b) => a - b);
    return { "ms p50": waits[waits.length >> 1] ?? 0, "ms p99": waits[Math.floor(waits.length * 0.99)] ?? 0 };
  }
}

function startServer(kind: string, flags: readonly string[]): Deno.ChildProcess {
  const file = fromFileUrl(new URL("live_server.ts", import.meta.url));
  const args = ["run", "-A", "--no-check", `--v8-flags=${["--expose-gc", ...flags].join()}`, file, kind];
  return new Deno.Command(Deno.execPath(), { args, stdout: "piped" }).spawn();
}

const fill = "x".charCodeAt(0);

/** A client that counts the payload bytes it receives. Packets may be joined, so frames are not comparable. */
class Reader {
  readonly #connection: Deno.TcpConn;
  received = 0;
  #wanted = Infinity;
  #wake: (() => void) | undefined = undefined;

  constructor(connection: Deno.TcpConn) {
    this.#connection = connection;
  }

  async run(): Promise<void> {
    const buffer = new Uint8Array(64 << 10);
    for (;;) {
      const count = await this.#connection.read(buffer).catch(() => null);
      if (count === null) return;
      for (let at = 0; at < count; at++) if (buffer[at] === fill) this.received++;
      if (this.received >= this.#wanted) this.#wake?.();
    }
  }

  async until(bytes: number): Promise<void> {
    this.#wanted = bytes;
    if (this.received < bytes) await new Promise<void>((resolve) => this.#wake = resolve);
    this.#wanted = Infinity;
  }

  async send(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    for (let at = 0; at < bytes.length;) at += await this.#connection.write(bytes.subarray(at));
  }

  close(): void {
    this.#connection.close();
  }
}

/** The connection options of a client. */
interface Terms {
  readonly protocol?: string;
  readonly path?: string;
  /** Whether the client never reads. */
  readonly isStalled?: boolean;
}

async function connect(subject: Subject, terms: Terms): Promise<Reader> {
  const { protocol = "fw.live.1", path = "/ws", isStalled = false } = terms;
  const connection = await connectTCP(subject.port);
  const lines = [
    `GET ${subject.kind === "socketio" ? "/socket.io/?EIO=4&transport=websocket" : path} HTTP/1.1`,
    `Host: 127.0.0.1:${subject.port}`,
    "Upgrade: websocket",
    "Connection: Upgrade",
  ];
  const rest = [`Sec-WebSocket-Key: ${key}`, "Sec-WebSocket-Version: 13"];
  const offered = protocol === "" ? [] : [`Sec-WebSocket-Protocol: ${protocol}`];
  await connection.write(encoder.encode([...lines, ...rest, ...offered, "", ""].join("\r\n")));
  await connection.read(new Uint8Array(4096));
  const reader = new Reader(connection);
  if (!isStalled) void reader.run();
  if (protocol !== "" && subject.kind === "fw") await reader.send(frame('[5,1,"",{}]'));
  if (subject.kind === "socketio") await reader.send(frame("40"));
  return reader;
}

/** Connects to a port. After many connections have ended, the machine may temporarily run out of ports. */
async function connectTCP(port: number): Promise<Deno.TcpConn> {
  for (let tries = 0;; tries++) {
    try {
      return await Deno.connect({ hostname: "127.0.0.1", port });
    } catch (error) {
      if (tries === 50) throw error;
      await sleep(200);
    }
  }
}

/** Creates a masked text frame. */
function frame(text: string): Uint8Array<ArrayBuffer> {
  const bytes = encoder.encode(text);
  const head = bytes.length < 126 ? [bytes.length | 0x80] : [126 | 0x80, bytes.length >> 8, bytes.length & 255];
  return new Uint8Array([0x81, ...head, 0, 0, 0, 0, ...bytes]);
}

/** The clients of the current subject. They are closed with it, because the number of open files is limited. */
const opened: Reader[] = [];

async function connectMany(subject: Subject, count: number, terms: Terms = {}): Promise<Reader[]> {
  const readers: Reader[] = [];
  while (readers.length < count) {
    const some = Math.min(100, count - readers.length);
    readers.push(...await Promise.all(Array.from({ length: some }, () => connect(subject, terms))));
  }
  opened.push(...readers);
  await sleep(300);
  return readers;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function print(text: string): void {
  Deno.stdout.writeSync(encoder.encode(`${text}\n`));
}

type Measure = (subject: Subject) => Promise<Record<string, number>>;

const measures: Readonly<Record<string, Measure>> = {
  /** KiB per idle connection. */
  memory: idleMemory,

  /**
   * Measures the memory per idle connection in KiB, with a young generation of at most 4 MiB. V8 enlarges it if many
   * clients connect at the same time, regardless of the number of connections.
   */
  held: idleMemory,

  /** Measures the resident memory after sending one large message to many clients. */
  async large(subject) {
    const readers = await connectMany(subject, 1_000);
    await subject.get("/broadcast?size=100");
    await sleep(500);
    await subject.settle();
    const before = subject.rss();
    await subject.get(`/broadcast?size=${1 << 20}`);
    await Promise.all(readers.map((reader) => reader.until(1 << 20)));
    await subject.settle();
    return { "MiB before": before / 1024, "MiB after": subject.rss() / 1024 };
  },

  /**
   * Measures the CPU time for sending one small message to many clients, and the latency of plain requests during that
   * time.
   */
  async broadcast(subject) {
    const count = 40;
    const readers = await connectMany(subject, 5_000);
    await subject.get("/broadcast?size=100");
    await sleep(500);
    const pinger = new Pinger(subject.port);
    await sleep(300);
    const before = subject.cpu();
    const start = performance.now();
    for (let at = 0; at < count; at++) {
      const wanted = readers.map((reader) => reader.received + 100);
      await subject.get("/broadcast?size=100");
      await Promise.all(readers.map((reader, n) => reader.until(wanted[n] ?? 0)));
    }
    const wall = performance.now() - start;
    const cpu = subject.cpu() - before;
    return { "ms per broadcast": wall / count, "cpu ms": cpu / count, ...await pinger.stop() };
  },

  /** Measures how soon clients that stop reading are dropped, and the cost for the other clients. */
  async stalled(subject) {
    const readers = await connectMany(subject, 50, { path: "/feed" });
    await connectMany(subject, 1_000, { path: "/feed", isStalled: true });
    await subject.collect();
    const before = subject.rss();
    const pinger = new Pinger(subject.port);
    await sleep(300);
    const start = performance.now();
    let [sent, peak, first] = [0, 0, 0];
    for (let count = Infinity; count > readers.length && performance.now() - start < 60_000; sent++) {
      await subject.get(`/broadcast?size=${32 << 10}`);
      await Promise.all(readers.map((reader) => reader.until((sent + 1) * (32 << 10))));
      count = Math.max(...await subject.get<number[]>("/state"));
      if (count < 1_000 && first === 0) first = performance.now();
      peak = Math.max(peak, subject.rss());
    }
    const took = performance.now();
    for (let at = 0; at < 3; at++) await subject.collect();
    return {
      "messages of 32 KiB": sent,
      "s until all were forgotten": (took - start) / 1000,
      "s after the first of them": (took - first) / 1000,
      "MiB per stalled client at the peak": (peak - before) / 1_000 / 1024,
      "MiB per stalled client afterwards": (subject.rss() - before) / 1_000 / 1024,
      ...await pinger.stop(),
    };
  },

  /** Measures many small messages to many clients at the same time. */
  async burst(subject) {
    const readers = await connectMany(subject, 300);
    await subject.get("/broadcast?size=20");
    await sleep(300);
    const start = performance.now();
    for (let at = 0; at < 5; at++) {
      const wanted = readers.map((reader) => reader.received + 640 * 20);
      await subject.get("/burst?size=20&count=640");
      await Promise.all(readers.map((reader, n) => reader.until(wanted[n] ?? 0)));
    }
    return { "messages per second": 5 * 640 * 300 / (performance.now() - start) * 1000 };
  },

  /** Measures echoed messages per second, as text outside the event protocol. */
  echo: (subject) => echo(subject, "", "x".repeat(64)),

  /** Measures echoed messages per second, as an event with a reply, compared to a plain echo of the same text. */
  ask: (subject) => echo(subject, "fw.live.1", asked[subject.kind] ?? asked.fw),
};

const text = "x".repeat(44);

/** The message of an event with a reply, per server. */
const asked: Readonly<Record<string, string>> & { readonly fw: string } = {
  fw: `[1,7,"","echo","${text}"]`,
  socketio: `420["echo","${text}"]`,
};

/** The servers that take turns in a row. */
const kinds: Readonly<Record<string, string>> = {
  echo: "bare,fw,bun,fw,bare",
  ask: "bare,fw,socketio,fw,bare",
  stalled: "fw",
};

/** The options of V8 for a row. */
const flags: Readonly<Record<string, string[]>> = { held: ["--max-semi-space-size=4"] };

async function idleMemory(subject: Subject): Promise<Record<string, number>> {
  const terms = { path: "/controller" };
  // V8 allocates memory for compiled code during the first few hundred connections.
  await connectMany(subject, 1_000, terms);
  for (let at = 0; at < 3; at++) await subject.collect();
  const before = subject.rss();
  await connectMany(subject, 5_000, terms);
  for (let at = 0; at < 3; at++) await subject.collect();
  return { "KiB per connection": (subject.rss() - before) / 5_000 };
}

const BATCH = 20;

async function echo(subject: Subject, protocol: string, message: string): Promise<Record<string, number>> {
  const readers = await connectMany(subject, 50, { protocol });
  const batch = new Uint8Array(Array.from({ length: BATCH }, () => [...frame(message)]).flat());
  const size = BATCH * (message.split("x").length - 1);
  await exchange(readers, batch, { size, rounds: 150 });
  const rounds = 300;
  const before = subject.cpu();
  const start = performance.now();
  await exchange(readers, batch, { size, rounds });
  const count = readers.length * BATCH * rounds;
  return {
    "messages per second": count / (performance.now() - start) * 1000,
    "cpu µs per message": (subject.cpu() - before) * 1000 / count,
  };
}

/** Sends batches of messages. Each batch waits for the replies to the previous one. */
async function exchange(
  readers: readonly Reader[],
  batch: Uint8Array<ArrayBuffer>,
  { size, rounds }: { readonly size: number; readonly rounds: number },
): Promise<void> {
  await Promise.all(readers.map(async (reader) => {
    for (let at = 0; at < rounds; at++) {
      const wanted = reader.received + size;
      await reader.send(batch);
      await reader.until(wanted);
    }
  }));
}

const names = Deno.args.length > 0 ? Deno.args : Object.keys(measures);
for (const name of names) {
  const measure = measures[name];
  if (measure === undefined) throw new Error(`Cannot measure "${name}": there are ${Object.keys(measures).join(", ")}`);
  for (const kind of (Deno.env.get("KINDS") ?? kinds[name] ?? "bare,fw,fw,bare").split(",")) {
    const subject = await new Subject(kind, flags[name]).start();
    try {
      const figures = Object.entries(await measure(subject)).map(([what, value]) => `${value.toFixed(2)} ${what}`);
      print(`${name.padEnd(10)} ${kind.padEnd(5)} ${figures.join(", ")}`);
    } finally {
      await subject.stop();
      for (const reader of opened.splice(0)) reader.close();
    }
  }
}
removePeers();
Deno.exit(0);
