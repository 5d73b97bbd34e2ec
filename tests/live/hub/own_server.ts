/**
 * Servers for one test, which can be stopped and restarted.
 *
 * @module
 */

import { freePort } from "../../free_port.ts";

/** Reports whether a program is installed. */
export async function isInstalled(program: string): Promise<boolean> {
  const command = new Deno.Command(program, { args: ["--version"], stdout: "null", stderr: "null" });
  return await command.output().then(({ success }) => success, () => false);
}

/** A server in its own process, with a free port and a temporary folder. */
export abstract class OwnServer implements AsyncDisposable {
  readonly port: number = freePort();
  readonly folder: string = Deno.makeTempDirSync({ prefix: "fw_server_" });
  readonly #program: string;
  #process: Deno.ChildProcess | undefined = undefined;

  constructor(program: string) {
    this.#program = program;
  }

  /** Returns the arguments of the program. Called before each start. */
  abstract args(): string[] | Promise<string[]>;

  /** Starts the server and waits until it accepts connections. */
  async start(): Promise<this> {
    const args = await this.args();
    const process = this.#process = new Deno.Command(this.#program, { args, stdout: "null", stderr: "null" }).spawn();
    let hasEnded = false;
    void process.status.then(() => hasEnded = true);
    while (!await this.#accepts()) {
      if (hasEnded) throw new Error(`Cannot start "${this.#program}" on port ${this.port}: it has exited`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return this;
  }

  signal(name: Deno.Signal): void {
    this.#process?.kill(name);
  }

  /** Suspends the server, and waits until none of its threads runs any more. */
  async suspend(): Promise<void> {
    this.signal("SIGSTOP");
    while (!isSuspended(this.#process?.pid ?? 0)) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  async kill(): Promise<void> {
    try {
      this.#process?.kill("SIGKILL");
    } catch {
      // The process has already exited.
    }
    await this.#process?.status;
    this.#process = undefined;
  }

  async close(): Promise<void> {
    await this.kill();
    await Deno.remove(this.folder, { recursive: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #accepts(): Promise<boolean> {
    try {
      (await Deno.connect({ hostname: "127.0.0.1", port: this.port })).close();
      return true;
    } catch {
      return false;
    }
  }
}

/** Reports whether all threads of a process are stopped, as far as the system provides that information. */
function isSuspended(pid: number): boolean {
  try {
    const tasks = [...Deno.readDirSync(`/proc/${pid}/task`)];
    return tasks.every(({ name }) => / T /.test(Deno.readTextFileSync(`/proc/${pid}/task/${name}/stat`)));
  } catch {
    return true;
  }
}
