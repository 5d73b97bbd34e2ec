/**
 * Real processes and clients for the server tests.
 *
 * @module
 */

import { fromFileUrl } from "@std/path";

const CHILD = fromFileUrl(new URL("./child.ts", import.meta.url));

/** Another Deno process. */
export class Child implements AsyncDisposable {
  readonly #process: Deno.ChildProcess;
  readonly #lines: ReadableStreamDefaultReader<string>;
  readonly #errors: Promise<string>;
  #rest = "";

  constructor(args: string[], env: Record<string, string> = {}, program: string = Deno.execPath(), cwd?: string) {
    this.#process = new Deno.Command(program, {
      args,
      ...cwd !== undefined && { cwd },
      env: { NO_COLOR: "1", ...env },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.#lines = this.#process.stdout.pipeThrough(new TextDecoderStream()).getReader();
    this.#errors = new Response(this.#process.stderr).text();
  }

  /** Starts `child.ts` in one of its modes. */
  static serve(...args: string[]): Child {
    return new Child(["run", "-A", "--no-lock", CHILD, ...args]);
  }

  /** Starts Deno with a limit on the number of open files. */
  static limited(files: number, args: string[]): Child {
    return new Child(["-c", `ulimit -n ${files}; exec "$0" "$@"`, Deno.execPath(), ...args], {}, "bash");
  }

  get pid(): number {
    return this.#process.pid;
  }

  /** Returns the next line of standard output, or `undefined` after the last one. */
  async line(): Promise<string | undefined> {
    while (!this.#rest.includes("\n")) {
      const { done, value } = await this.#lines.read();
      if (done) return undefined;
      this.#rest += value;
    }
    const end = this.#rest.indexOf("\n");
    const line = this.#rest.slice(0, end);
    this.#rest = this.#rest.slice(end + 1);
    return line;
  }

  /** Reads the line that contains the port. */
  async port(): Promise<number> {
    const line = await this.line();
    const port = Number(line?.replace("port ", ""));
    if (!(port > 0)) throw new Error(`The child told no port but "${line}": ${await this.#errors}`);
    return port;
  }

  kill(signal: Deno.Signal): void {
    this.#process.kill(signal);
  }

  /** Waits until the process has exited. */
  async end(): Promise<{ code: number; lines: string[]; errors: string }> {
    const lines: string[] = [];
    for (let line = await this.line(); line !== undefined; line = await this.line()) lines.push(line);
    const { code } = await this.#process.status;
    return { code, lines, errors: await this.#errors };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.#process.kill("SIGKILL");
    } catch {
      // The process has already exited.
    }
    await this.end();
  }
}

/** Runs a program and returns the output of both streams. */
export async function output(program: string, ...args: string[]): Promise<string> {
  const { stdout, stderr } = await new Deno.Command(program, { args }).output();
  const decoder = new TextDecoder();
  return decoder.decode(stdout) + decoder.decode(stderr);
}

/** Creates a folder that is removed afterwards. */
export async function temporaryFolder(): Promise<AsyncDisposable & { path: string }> {
  const path = await Deno.makeTempDir({ prefix: "fw_server_" });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

/** Returns the path of the certificate or its key. */
export function tlsFile(name: string): string {
  return fromFileUrl(new URL(`../../testdata/tls/${name}`, import.meta.url));
}

/** Returns the path of `child.ts` and other modules next to the tests. */
export function besides(name: string): string {
  return fromFileUrl(new URL(`./${name}`, import.meta.url));
}
