/**
 * A PostgreSQL server for the tests, on a free port.
 *
 * @module
 */

import { join } from "@std/path";
import { freePort } from "../free_port.ts";

/** A running PostgreSQL server. */
export interface PostgresServer extends AsyncDisposable {
  readonly url: string;
  /** Ends the server and all connections at once, as in a crash, and starts it again. */
  restart(): Promise<void>;
}

const programs = await findPrograms();

/** The reason why tests that need PostgreSQL are ignored, or `undefined` if they can run. */
export const postgresIsMissing: string | undefined = programs === undefined ? "no PostgreSQL is installed" : undefined;

/** Starts a server with an empty database. */
export async function startPostgres(): Promise<PostgresServer> {
  const folder = await Deno.makeTempDir({ prefix: "fw_postgres_" });
  const data = join(folder, "data");
  const port = freePort();
  if (isRoot()) await run("chown", "postgres", folder);
  await asUser("initdb", "--pgdata", data, "--auth", "trust", "--username", "fw", "--no-sync");
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off`;
  const start = () =>
    asUser("pg_ctl", "start", "--pgdata", data, "--wait", "--silent", "--log", join(folder, "log"), "-o", options);
  await start();
  return {
    url: `postgres://fw@127.0.0.1:${port}/postgres`,
    async restart() {
      await asUser("pg_ctl", "stop", "--pgdata", data, "--mode", "immediate", "--silent");
      await start();
    },
    async [Symbol.asyncDispose]() {
      await asUser("pg_ctl", "stop", "--pgdata", data, "--mode", "immediate", "--silent");
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** Finds the folder of the PostgreSQL programs. On Debian, they are not on the path. */
async function findPrograms(): Promise<string | undefined> {
  const folders = ["/usr/lib/postgresql"].flatMap((folder) => {
    try {
      return [...Deno.readDirSync(folder)].map(({ name }) => join(folder, name, "bin"));
    } catch {
      return [];
    }
  });
  for (const folder of folders.sort().reverse()) {
    const found = await Deno.stat(join(folder, "initdb")).then(() => true, () => false);
    if (found) return folder;
  }
  return undefined;
}

/** Runs a PostgreSQL program, which refuses to run as root. */
async function asUser(program: string, ...args: string[]): Promise<void> {
  const command = [join(programs ?? "", program), ...args];
  await (isRoot() ? run("runuser", "-u", "postgres", "--", ...command) : run(...command));
}

async function run(...[program = "", ...args]: string[]): Promise<void> {
  // The server keeps the streams of pg_ctl open, so do not wait for them to end.
  const child = new Deno.Command(program, { args, cwd: "/", stdin: "null", stdout: "null", stderr: "null" }).spawn();
  const { code } = await child.status;
  if (code !== 0) throw new Error(`Cannot run "${program} ${args.join(" ")}": it ended with ${code}`);
}

function isRoot(): boolean {
  return Deno.uid() === 0;
}
