import { fromFileUrl } from "@std/path";

/** The server process for the benchmarks and the load generator. */

const decoder = new TextDecoder();

/** A running server with a selectable handler. */
export class Service {
  readonly #process: Deno.ChildProcess;
  readonly #port: number;
  readonly #control: number;

  constructor(process: Deno.ChildProcess, port: number, control: number) {
    this.#process = process;
    this.#port = port;
    this.#control = control;
  }

  /** Starts the server on the first core. */
  static async start(script: string = "server.ts", args: readonly string[] = []): Promise<Service> {
    const process = new Deno.Command("taskset", {
      args: ["-c", "0", Deno.execPath(), "run", "-A", fromFileUrl(new URL(script, import.meta.url)), ...args],
      stdout: "piped",
    }).spawn();
    const reader = process.stdout.getReader();
    const { value } = await reader.read();
    reader.releaseLock();
    const [port = 0, control = 0] = decoder.decode(value).trim().split(" ").map(Number);
    return new Service(process, port, control);
  }

  /** Measures a candidate over 64 connections from the second core. */
  async measure(
    choice: readonly [string, string],
    path: string,
    seconds: number,
    headers: Readonly<Record<string, string>> = {},
    body?: string,
  ): Promise<Measured> {
    const port = await this.choose(choice);
    const before = processorTicks(this.#process.pid);
    const { rate, requests } = await wrk(port, path, seconds, headers, body);
    return { rate, cost: (processorTicks(this.#process.pid) - before) / requests };
  }

  /** Selects a candidate and returns its port. This is the common port unless the candidate needs its own server. */
  async choose(choice: readonly [string, string]): Promise<number> {
    const chosen = await fetch(`http://127.0.0.1:${this.#control}`, { method: "POST", body: JSON.stringify(choice) });
    const [word, port = this.#port] = (await chosen.text()).split(" ");
    if (word !== "ok") throw new Error(`Cannot choose the candidate "${choice.join(" ")}"`);
    return Number(port);
  }

  /** Ends the process. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill();
    await this.#process.stdout.cancel();
    await this.#process.status;
  }
}

/** Returns the CPU time of a process, in nanoseconds. */
export function processorTime(pid: number): number {
  const tasks = `/proc/${pid}/task`;
  let sum = 0;
  for (const { name } of Deno.readDirSync(tasks)) {
    sum += Number(Deno.readTextFileSync(`${tasks}/${name}/schedstat`).split(" ")[0]);
  }
  return sum;
}

/**
 * Returns the CPU time including threads that have ended, such as idle threads for reading files. The resolution is
 * only 10 ms, which is sufficient for measurements of several seconds.
 */
function processorTicks(pid: number): number {
  const fields = Deno.readTextFileSync(`/proc/${pid}/stat`).replace(/^.*\) /, "").split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 1e7;
}

/** The measurements of a candidate. */
export interface Measured {
  /** The number of requests per second. */
  readonly rate: number;
  /** The CPU time per request, in nanoseconds. It is less affected by other load on the machine than the rate. */
  readonly cost: number;
}

/** Puts load on a port over 64 connections from the second core. If there is a body, sends POST requests. */
export async function wrk(
  port: number,
  path: string,
  seconds: number,
  headers: Readonly<Record<string, string>> = {},
  body?: string,
): Promise<{ readonly rate: number; readonly requests: number }> {
  const lines = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
  const script = body === undefined ? [] : ["-s", fromFileUrl(new URL("post.lua", import.meta.url))];
  const { stdout } = await new Deno.Command("taskset", {
    args: ["-c", "1", "wrk", "-t1", "-c64", ...script, `-d${seconds}s`, ...lines, `http://127.0.0.1:${port}${path}`],
    env: body === undefined ? {} : { BODY: body },
    stderr: "inherit",
  }).output();
  const report = decoder.decode(stdout);
  if (/Non-2xx/.test(report)) throw new Error(`Cannot measure "${path}": not every response was 2xx`);
  return {
    rate: Number(/Requests\/sec:\s+([\d.]+)/.exec(report)?.[1]),
    requests: Number(/(\d+) requests in/.exec(report)?.[1]),
  };
}
