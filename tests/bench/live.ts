/**
 * `deno task bench live`: compares fw's WebSocket connections to a plain loop over Deno's own, interleaved.
 *
 * @module
 */

const encoder = new TextEncoder();
const key = "dGhlIHNhbXBsZSBub25jZQ==";

/** A server in a separate process. */
class Subject {
  readonly kind: string;
  readonly #process: Deno.ChildProcess;
  port = 0;

  constructor(kind: string) {
    this.kind = kind;
    const file = new URL("live_server.ts", import.meta.url).pathname;
    const args = ["run", "-A", "--no-check", "--v8-flags=--expose-gc", file, kind];
    this.#process = new Deno.Command(Deno.execPath(), { args, stdout: "piped" }).spawn();
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

  async get(path: string): Promise<{ ms: number }> {
    return await (await fetch(`http://127.0.0.1:${this.port}${path}`)).json();
  }

  async ping(): Promise<number> {
    const start = performance.now();
    await (await fetch(`http://127.0.0.1:${this.port}/ping`)).text();
    return performance.now() - start;
  }

  async stop(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.#process.status;
    await this.#process.stdout.cancel().catch(() => {});
  }
}

/** A client that counts the bytes it receives. */
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
      this.received += count;
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

async function connect(subject: Subject, protocol = "fw.live.1"): Promise<Reader> {
  const connection = await connectTCP(subject.port);
  const lines = ["GET /ws HTTP/1.1", `Host: 127.0.0.1:${subject.port}`, "Upgrade: websocket", "Connection: Upgrade"];
  const rest = [`Sec-WebSocket-Key: ${key}`, "Sec-WebSocket-Version: 13"];
  const offered = protocol === "" ? [] : [`Sec-WebSocket-Protocol: ${protocol}`];
  await connection.write(encoder.encode([...lines, ...rest, ...offered, "", ""].join("\r\n")));
  await connection.read(new Uint8Array(4096));
  const reader = new Reader(connection);
  void reader.run();
  if (protocol !== "" && subject.kind === "fw") await reader.send(frame('[5,1,"",{}]'));
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

async function connectMany(subject: Subject, count: number, protocol?: string): Promise<Reader[]> {
  const readers: Reader[] = [];
  while (readers.length < count) {
    const some = Math.min(100, count - readers.length);
    readers.push(...await Promise.all(Array.from({ length: some }, () => connect(subject, protocol))));
  }
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
  /** Measures the memory per idle connection, in KiB. */
  async memory(subject) {
    await connectMany(subject, 200);
    await subject.get("/memory");
    const before = subject.rss();
    await connectMany(subject, 3_000);
    await subject.get("/memory");
    await sleep(300);
    await subject.get("/memory");
    return { "KiB per connection": (subject.rss() - before) / 3_000 };
  },

  /** Measures the resident memory after sending one large message to many clients. */
  async large(subject) {
    const readers = await connectMany(subject, 1_000);
    await subject.get("/broadcast?size=100");
    await sleep(500);
    await subject.get("/memory");
    const before = subject.rss();
    await subject.get(`/broadcast?size=${1 << 20}`);
    await Promise.all(readers.map((reader) => reader.until(1 << 20)));
    await sleep(1_000);
    for (let at = 0; at < 3; at++) {
      await subject.get("/memory");
      await sleep(300);
    }
    return { "MiB before": before / 1024, "MiB after": subject.rss() / 1024 };
  },

  /**
   * Measures the CPU time for sending one small message to many clients, and the latency of plain requests during that
   * time.
   */
  async broadcast(subject) {
    const readers = await connectMany(subject, 5_000);
    await subject.get("/broadcast?size=100");
    await sleep(500);
    const waits: number[] = [];
    let isDone = false;
    const pings = (async () => {
      while (!isDone) waits.push(await subject.ping());
    })();
    const before = subject.cpu();
    const start = performance.now();
    for (let at = 0; at < 10; at++) {
      const wanted = readers.map((reader) => reader.received + 100);
      await subject.get("/broadcast?size=100");
      await Promise.all(readers.map((reader, n) => reader.until(wanted[n] ?? 0)));
    }
    const wall = performance.now() - start;
    const cpu = subject.cpu() - before;
    isDone = true;
    await pings;
    waits.sort((a, b) => a - b);
    return { "ms per broadcast": wall / 10, "cpu ms": cpu / 10, "p99 ms": waits[Math.floor(waits.length * 0.99)] ?? 0 };
  },

  /** Measures many small messages to many clients at once. */
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
  echo: (subject) => echo(subject, "", frame("x".repeat(64))),

  /** Measures echoed messages per second, as an event with a reply, compared to a plain echo of the same text. */
  ask: (subject) => echo(subject, "fw.live.1", frame(`[1,7,"","echo","${"x".repeat(44)}"]`)),
};

async function echo(subject: Subject, protocol: string, one: Uint8Array<ArrayBuffer>): Promise<Record<string, number>> {
  const readers = await connectMany(subject, 50, protocol);
  const batch = new Uint8Array(one.length * 20);
  for (let at = 0; at < 20; at++) batch.set(one, at * one.length);
  const rounds = 60;
  const before = subject.cpu();
  const start = performance.now();
  await Promise.all(readers.map(async (reader) => {
    for (let at = 0; at < rounds; at++) {
      const wanted = reader.received + 20 * 40;
      await reader.send(batch);
      await reader.until(wanted);
    }
  }));
  const count = 50 * 20 * rounds;
  return {
    "messages per second": count / (performance.now() - start) * 1000,
    "cpu µs per message": (subject.cpu() - before) * 1000 / count,
  };
}

const names = Deno.args.length > 0 ? Deno.args : Object.keys(measures);
for (const name of names) {
  const measure = measures[name];
  if (measure === undefined) throw new Error(`Cannot measure "${name}": there are ${Object.keys(measures).join(", ")}`);
  for (const kind of (Deno.env.get("KINDS") ?? "bare,fw,fw,bare").split(",")) {
    const subject = await new Subject(kind).start();
    try {
      const figures = Object.entries(await measure(subject)).map(([what, value]) => `${value.toFixed(2)} ${what}`);
      print(`${name.padEnd(10)} ${kind.padEnd(5)} ${figures.join(", ")}`);
    } finally {
      await subject.stop();
    }
  }
}
Deno.exit(0);
