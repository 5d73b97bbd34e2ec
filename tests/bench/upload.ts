/**
 * `deno run -A tests/bench/upload.ts`: measures uploading a file to disk, in MiB/s and memory, compared to
 * `request.formData()`, Hono's `parseBody` and `@fastify/busboy`.
 *
 * Every combination of candidate and size runs in a separate server process. The memory is the peak resident size
 * (VmHWM) minus that of the idle server. The candidates take turns for several rounds, and the medians are printed.
 * Candidates that hold the whole body are skipped if it would not fit in memory.
 *
 * Then measures uploads in chunks of several sizes and with a declared length, compared to a server that only reads:
 * time, CPU time, peak memory, and the ratio of the CPU time to that of an upload of a quarter of the size.
 *
 * Options: --sizes=1,16,64,256,2048 (MiB), --rounds=N (3), --uploads=N per launch (3), --only=NAME, --parallel=100,
 * --chunks=1000,4096,65536,0 (bytes; 0 declares the length), --chunked=8,32 (MB).
 */

import * as fw from "@fw/web";
import { fromFileUrl, join } from "@std/path";
import { uploadFile } from "../chunked_upload.ts";
import { Busboy } from "npm:@fastify/busboy@3.2.0";
import { Hono } from "npm:hono@4.13.17";
import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

type Serve = (request: Request, info: Deno.ServeHandlerInfo) => Response | Promise<Response>;

const candidates: Record<string, (folder: string) => Serve> = { fw: viaFw, formData, hono: viaHono, busboy };
const chunkedCandidates: Record<string, (folder: string) => Serve> = { fw: viaFw, raw };
// The measured ratio of memory to body size. For the largest body, it exceeds the memory of the machine.
const held: Record<string, number> = { formData: 9, hono: 9 };

function viaFw(folder: string): Serve {
  const app = fw.New();
  app.Post("/", async (ctx) => {
    const [total, error] = await ctx.UploadFormFiles(folder);
    if (error !== null) throw error;
    ctx.WriteString(String(total));
  });
  return app.fetch;
}

function formData(folder: string): Serve {
  return async (request) => {
    const file = (await request.formData()).get("file") as File;
    await Deno.writeFile(join(folder, file.name), file.stream());
    return new Response(String(file.size));
  };
}

function viaHono(folder: string): Serve {
  const app = new Hono();
  app.post("/", async (c) => {
    const { file } = await c.req.parseBody() as { file: File };
    await Deno.writeFile(join(folder, file.name), file.stream());
    return c.text(String(file.size));
  });
  return (request) => app.fetch(request);
}

function busboy(folder: string): Serve {
  return async (request) => {
    const type = request.headers.get("content-type") ?? "";
    const parser = new Busboy({ headers: { "content-type": type } });
    const written: Promise<number>[] = [];
    parser.on(
      "file",
      (_field: string, stream: Readable, name: string) => written.push(save(stream, join(folder, name))),
    );
    await pipeline(Readable.fromWeb(request.body as never), parser);
    const sizes = await Promise.all(written);
    return new Response(String(sizes.reduce((sum, size) => sum + size, 0)));
  };
}

async function save(stream: Readable, path: string): Promise<number> {
  await pipeline(stream, createWriteStream(path));
  return (await Deno.stat(path)).size;
}

/** Reads the body and discards it. */
function raw(): Serve {
  return async (request) => {
    let size = 0;
    for await (const chunk of request.body ?? []) size += chunk.length;
    return new Response(String(size));
  };
}

async function serve(name: string, folder: string): Promise<void> {
  const handle = { ...candidates, ...chunkedCandidates }[name]?.(folder) as Serve;
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, handle);
  await Deno.stdout.write(new TextEncoder().encode(`${server.addr.port}\n`));
  await server.finished;
}

/** A server process and its measurements. */
class Process implements AsyncDisposable {
  readonly port: number;
  readonly folder: string;
  readonly #child: Deno.ChildProcess;
  #idle = 0;

  constructor(child: Deno.ChildProcess, port: number, folder: string) {
    this.#child = child;
    this.port = port;
    this.folder = folder;
  }

  static async start(name: string): Promise<Process> {
    const folder = await Deno.makeTempDir({ prefix: "bench-" });
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", fromFileUrl(import.meta.url), "serve", name, folder],
      stdout: "piped",
    }).spawn();
    const reader = child.stdout.getReader();
    const port = Number(new TextDecoder().decode((await reader.read()).value));
    reader.releaseLock();
    const process = new Process(child, port, folder);
    // The first connection and the first small file are included in the baseline.
    await uploadFile(port, { size: 1 << 10, chunk: 0 });
    process.#idle = process.#status("VmRSS");
    return process;
  }

  /** Returns the peak memory above that of the idle server, in MB. */
  get peak(): number {
    return (this.#status("VmHWM") - this.#idle) / 1000;
  }

  /** Returns the CPU time so far, in milliseconds. */
  get processorTime(): number {
    const fields = Deno.readTextFileSync(`/proc/${this.#child.pid}/stat`).split(") ")[1]?.split(" ") ?? [];
    return 10 * (Number(fields[11]) + Number(fields[12]));
  }

  /** Returns the total size of the saved files and removes them. */
  async collect(): Promise<number> {
    let size = 0;
    for await (const { name } of Deno.readDir(this.folder)) {
      size += (await Deno.stat(join(this.folder, name))).size;
      await Deno.remove(join(this.folder, name));
    }
    return size;
  }

  #status(field: string): number {
    const text = Deno.readTextFileSync(`/proc/${this.#child.pid}/status`);
    return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(text)?.[1]) * 1.024;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#child.stdout.cancel();
    await this.#child.status;
    await Deno.remove(this.folder, { recursive: true });
  }
}

/** Sends a file like a browser and returns the elapsed milliseconds. */
async function upload(process: Process, size: number, name = "a.bin"): Promise<number> {
  const boundary = "----WebKitFormBoundary7MA4YWxkTrZu0gW";
  const disposition = `Content-Disposition: form-data; name="file"; filename="${name}"`;
  const head = encode(`--${boundary}\r\n${disposition}\r\nContent-Type: application/octet-stream\r\n\r\n`);
  const tail = encode(`\r\n--${boundary}--\r\n`);
  const lines = [
    "POST / HTTP/1.1",
    "Host: localhost",
    "Connection: close",
    `Content-Type: multipart/form-data; boundary=${boundary}`,
    `Content-Length: ${head.length + size + tail.length}`,
  ];
  const connection = await Deno.connect({ hostname: "127.0.0.1", port: process.port });
  const start = performance.now();
  await write(connection, encode(`${lines.join("\r\n")}\r\n\r\n`));
  await write(connection, head);
  for (let left = size; left > 0; left -= random.length) await write(connection, random.subarray(0, left));
  await write(connection, tail);
  const response = await new Response(connection.readable).text();
  if (!response.startsWith("HTTP/1.1 200") || !response.endsWith(String(size))) {
    throw new Error(`Cannot upload: ${response}`);
  }
  return performance.now() - start;
}

async function write(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}

async function measureAll(): Promise<void> {
  const options = new Map(Deno.args.map((arg) => arg.replace(/^--/, "").split("=", 2) as [string, string]));
  const sizes = (options.get("sizes") ?? "1,16,64,256,2048").split(",").map(Number);
  const [rounds, uploads] = [Number(options.get("rounds") ?? 3), Number(options.get("uploads") ?? 3)];
  const names = Object.keys(candidates).filter((name) => (options.get("only") ?? name) === name);
  print(`${"MiB".padStart(8)}${names.map((name) => name.padStart(22)).join("")}     (MiB/s, peak above idle)`);
  for (const size of sizes) {
    const results = new Map<string, { speeds: number[]; peaks: number[] }>();
    for (let round = 0; round < rounds; round++) {
      for (const name of names) {
        if (size * (held[name] ?? 0) > 16 << 10) continue;
        const result = results.get(name) ?? { speeds: [], peaks: [] };
        results.set(name, result);
        await using process = await Process.start(name);
        await process.collect();
        for (let i = 0; i < uploads; i++) {
          result.speeds.push(size / (await upload(process, size * (1 << 20)) / 1000));
          if (await process.collect() !== size * (1 << 20)) throw new Error(`Cannot measure "${name}": bytes are lost`);
        }
        result.peaks.push(process.peak);
      }
    }
    const cells = names.map((name) => {
      const { speeds, peaks } = results.get(name) ?? { speeds: [], peaks: [] };
      return (speeds.length === 0 ? "-" : `${median(speeds).toFixed(0)}, +${median(peaks).toFixed(0)} MB`).padStart(22);
    });
    print(`${String(size).padStart(8)}${cells.join("")}`);
  }
  await parallel(Number(options.get("parallel") ?? 100));
  const listed = (name: string, values: string) => (options.get(name) ?? values).split(",").map(Number);
  await chunked(listed("chunks", "1000,4096,65536,0"), listed("chunked", "8,32"));
}

/** Uploads in chunks, each in a separate process. */
async function chunked(chunks: readonly number[], sizes: readonly number[]): Promise<void> {
  const names = Object.keys(chunkedCandidates);
  print(`\n${"chunks".padStart(8)}${names.map((name) => name.padStart(80)).join("")}`);
  for (const chunk of chunks) {
    const cells: string[] = [];
    for (const name of names) {
      const costs: number[] = [];
      const figures: string[] = [];
      for (const size of sizes) {
        await using process = await Process.start(name);
        const before = process.processorTime;
        const { milliseconds, response } = await uploadFile(process.port, { size: size * 1e6, chunk });
        if (!response.startsWith("HTTP/1.1 200")) throw new Error(`Cannot upload: ${response}`);
        costs.push(process.processorTime - before);
        figures.push(`${size} MB ${milliseconds.toFixed(0)} ms (${costs.at(-1)} CPU) +${process.peak.toFixed(0)} MB`);
      }
      const growth = ((costs.at(-1) ?? NaN) / Math.max(costs[0] ?? NaN, 10)).toFixed(1);
      cells.push(`${figures.join(", ")}, x${growth}`.padStart(80));
    }
    print(`${(chunk === 0 ? "length" : String(chunk)).padStart(8)}${cells.join("")}`);
  }
}

/** Sends many uploads of 8 MiB at once. */
async function parallel(count: number): Promise<void> {
  if (count === 0) return;
  await using process = await Process.start("fw");
  await process.collect();
  const start = performance.now();
  const names = Array.from({ length: count }, (_, i) => `${i}.bin`);
  const done = await Promise.allSettled(names.map((name) => upload(process, 8 << 20, name)));
  const seconds = (performance.now() - start) / 1000;
  const failed = done.filter(({ status }) => status === "rejected").length;
  const isWhole = await process.collect() === count * (8 << 20);
  const speed = (8 * count / seconds).toFixed(0);
  print(
    `fw, ${count} uploads of 8 MiB at once: ${speed} MiB/s, +${process.peak.toFixed(0)} MB, ${failed} failed, ${
      isWhole ? "all" : "not all"
    } bytes saved`,
  );
}

function median(list: readonly number[]): number {
  return list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? NaN;
}

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

const random = new Uint8Array(1 << 20);
for (let at = 0; at < random.length; at += 1 << 16) crypto.getRandomValues(random.subarray(at, at + (1 << 16)));

if (Deno.args[0] === "serve") await serve(Deno.args[1] ?? "", Deno.args[2] ?? "");
else await measureAll();
