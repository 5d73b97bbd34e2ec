/**
 * Starts programs as a person at a terminal does, each with a limit on its time.
 *
 * @module
 */

import { delimiter, dirname } from "node:path";

const limit = 120_000;
const patience = 10_000;

/** What surrounds a program. */
export interface Surroundings {
  /** The folder in which it runs. */
  readonly cwd: string;
  /** Variables beside those of this process. */
  readonly env: Readonly<Record<string, string>>;
}

/** A server that responds. */
export interface Serving extends AsyncDisposable {
  /** Where it says that it listens. */
  readonly url: string;
}

/** Spawns a line of a shell in a process group of its own, with this Deno first on the path. */
function spawn(line: string, { cwd, env }: Surroundings): Deno.ChildProcess {
  const path = `${dirname(Deno.execPath())}${delimiter}${Deno.env.get("PATH") ?? ""}`;
  return new Deno.Command("sh", {
    args: ["-c", line],
    cwd,
    env: { ...env, PATH: path, NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    detached: true,
  }).spawn();
}

/** Runs a command to its end and returns what it wrote; an error that holds it if it failed or took too long. */
export async function run(line: string, surroundings: Surroundings): Promise<string> {
  const child = spawn(line, surroundings);
  const timer = setTimeout(() => end(child), limit);
  const { code, stdout, stderr } = await child.output();
  clearTimeout(timer);
  const text = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  if (code !== 0) throw new Error(`"${line}" ended with ${code}:\n${text}`);
  return text;
}

/** Starts a command that serves, and waits until it says where. */
export async function serve(line: string, surroundings: Surroundings): Promise<Serving> {
  const child = spawn(line, surroundings);
  const timer = setTimeout(() => end(child), limit);
  const listening = Promise.withResolvers<string>();
  let text = "";
  const read = async (stream: ReadableStream<Uint8Array>): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      text += decoder.decode(chunk, { stream: true });
      const [, url] = /listening on:? (http:\S+[^\s.])/i.exec(text) ?? [];
      if (url !== undefined) listening.resolve(url.replace("0.0.0.0", "127.0.0.1"));
    }
  };
  const ended = Promise.all([read(child.stdout), read(child.stderr), child.status]);
  void ended.then(() => listening.reject(new Error(`"${line}" ended before it served:\n${text}`)));
  const url = await listening.promise;
  clearTimeout(timer);
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      end(child);
      await ended;
    },
  };
}

/** Ends a program and all that it started, as Ctrl+C does; whatever does not listen is ended for good. */
function end(child: Deno.ChildProcess): void {
  signal(child, "SIGINT");
  const timer = setTimeout(() => signal(child, "SIGKILL"), patience);
  void child.status.then(() => clearTimeout(timer));
}

function signal(child: Deno.ChildProcess, name: Deno.Signal): void {
  try {
    Deno.kill(-child.pid, name);
  } catch (error) {
    // It has ended by itself.
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** Finds a port that is free. */
export function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}
