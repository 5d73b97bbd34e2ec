/** The server process of the benchmarks and the load on it. */

const decoder = new TextDecoder();

/** A running server whose handler can be chosen. */
export class Service {
  readonly #process: Deno.ChildProcess;
  readonly #port: number;
  readonly #control: number;

  constructor(process: Deno.ChildProcess, port: number, control: number) {
    this.#process = process;
    this.#port = port;
    this.#control = control;
  }

  /** Starts it on the first core. */
  static async start(script: string = "server.ts", args: readonly string[] = []): Promise<Service> {
    const process = new Deno.Command("taskset", {
      args: ["-c", "0", Deno.execPath(), "run", "-A", new URL(script, import.meta.url).pathname, ...args],
      stdout: "piped",
    }).spawn();
    const reader = process.stdout.getReader();
    const { value } = await reader.read();
    reader.releaseLock();
    const [port = 0, control = 0] = decoder.decode(value).trim().split(" ").map(Number);
    return new Service(process, port, control);
  }

  /** Measures a candidate, over 64 connections from the second core. */
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

  /** Chooses a candidate, and returns the port that it serves: the common one, unless it needs a server of its own. */
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

/** The time that a process has spent on a processor, in nanoseconds. */
export function processorTime(pid: number): number {
  const tasks = `/proc/${pid}/task`;
  let sum = 0;
  for (const { name } of Deno.readDirSync(tasks)) {
    sum += Number(Deno.readTextFileSync(`${tasks}/${name}/schedstat`).split(" ")[0]);
  }
  return sum;
}

/**
 * The same, with the threads that have ended: those that read files end when they idle. Only to the hundredth of a second,
 * which is enough for measurements of seconds.
 */
function processorTicks(pid: number): number {
  const fields = Deno.readTextFileSync(`/proc/${pid}/stat`).replace(/^.*\) /, "").split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 1e7;
}

/** What was measured of a candidate. */
export interface Measured {
  /** Requests a second. */
  readonly rate: number;
  /** Processor time a request, in nanoseconds: what others do on the machine disturbs it less than the rate. */
  readonly cost: number;
}

/** Loads a port over 64 connections from the second core; a body is posted. */
export async function wrk(
  port: number,
  path: string,
  seconds: number,
  headers: Readonly<Record<string, string>> = {},
  body?: string,
): Promise<{ readonly rate: number; readonly requests: number }> {
  const lines = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
  const script = body === undefined ? [] : ["-s", new URL("post.lua", import.meta.url).pathname];
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
