/**
 * Starts programs like a user at a terminal, each with a time limit.
 *
 * @module
 */

import { delimiter, dirname } from "node:path";

const limit = 600_000;
const patience = 60_000;

/** The environment of a program. */
export interface Surroundings {
  /** The working directory. */
  readonly cwd: string;
  /** Additional environment variables. */
  readonly env: Readonly<Record<string, string>>;
}

/** A running server. */
export interface Serving extends AsyncDisposable {
  /** The URL that the server reports. */
  readonly url: string;
}

/** Runs a shell command in a new process group, with the current Deno first on the path. */
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

/**
 * Runs a command to completion and returns its output. If it fails or takes too long, throws an error with the output.
 */
export async function run(line: string, surroundings: Surroundings): Promise<string> {
  const child = spawn(line, surroundings);
  const timer = setTimeout(() => end(child), limit);
  const { code, stdout, stderr } = await child.output();
  clearTimeout(timer);
  const text = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  if (code !== 0) throw new Error(`"${line}" ended with ${code}:\n${text}`);
  return text;
}

/** Starts a server and waits until it reports its URL. */
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
  void ended.then(() => {
    clearTimeout(timer);
    listening.reject(new Error(`"${line}" ended before it served:\n${text}`));
  });
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

/** Stops a program and all of its children like Ctrl+C. If they do not react, kills them. */
function end(child: Deno.ChildProcess): void {
  signal(child, "SIGINT");
  const timer = setTimeout(() => signal(child, "SIGKILL"), patience);
  void child.status.then(() => clearTimeout(timer));
}

function signal(child: Deno.ChildProcess, name: Deno.Signal): void {
  try {
    Deno.kill(-child.pid, name);
  } catch (error) {
    // The process has already exited.
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
