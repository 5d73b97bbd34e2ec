/**
 * `deno task bench cores`: measures the requests per second of one process, of the threads of `deno serve --parallel`,
 * and of processes that share a port with `fw.WithSocketSharding`, for a CPU-bound route. The load generator runs on
 * the same machine and uses some of the CPU time. Options: `--members=2 --seconds=4 --rounds=3`.
 *
 * @module
 */

import { fromFileUrl } from "@std/path";
import { wrk } from "./load.ts";
import { Figures, option, printRow } from "./report.ts";

const members = Number(option("members", String(navigator.hardwareConcurrency)));
const seconds = Number(option("seconds", "4"));
const rounds = Number(option("rounds", "3"));
const site = fromFileUrl(new URL("cores_site.ts", import.meta.url));
const decoder = new TextDecoder();

/** A running program and its port. */
interface Program {
  readonly process: Deno.ChildProcess;
  readonly port: number;
}

async function start(args: string[]): Promise<Program> {
  const process = new Deno.Command(Deno.execPath(), {
    args,
    env: { DENO_JOBS: String(members) },
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const reader = process.stdout.getReader();
  const { value } = await reader.read();
  reader.releaseLock();
  return { process, port: Number(decoder.decode(value).trim().split("\n")[0]) };
}

/**
 * Returns a port that was free a moment ago. With `--port 0`, each thread of `deno serve` would use a different port.
 */
function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

/** Starts the programs in each of the ways and returns the port that they share. */
const ways: Readonly<Record<string, () => Promise<Program[]>>> = {
  "one process": async () => [await start(["run", "-A", "--unstable-net", site, "127.0.0.1:0"])],
  [`deno serve --parallel, ${members}`]: async () => [
    await start(["serve", "-A", "--parallel", "--host", "127.0.0.1", "--port", String(freePort()), site]),
  ],
  [`WithSocketSharding, ${members}`]: async () => {
    const first = await start(["run", "-A", "--unstable-net", site, "127.0.0.1:0"]);
    const address = `127.0.0.1:${first.port}`;
    const others = Array.from({ length: members - 1 }, () => start(["run", "-A", "--unstable-net", site, address]));
    return [first, ...await Promise.all(others)];
  },
};

const figures = new Figures();
for (let round = 0; round < rounds; round++) {
  for (const [name, begin] of Object.entries(ways)) {
    const programs = await begin();
    const port = programs[0]?.port ?? 0;
    // Use only one load. After the connections of a first load have closed, the threads of Deno 2.9.5 serve a second
    // one at half the speed, even without fw.
    figures.add(name, (await wrk(port, "/work", seconds)).rate);
    for (const { process } of programs) {
      process.kill("SIGKILL");
      await process.stdout.cancel();
      await process.status;
    }
  }
}
const one = figures.median("one process");
printRow(`${navigator.hardwareConcurrency} cores, load among them`, "requests per second", "to one process");
for (const name of Object.keys(ways)) {
  printRow(name, figures.median(name).toFixed(0), (figures.median(name) / one).toFixed(2));
}
