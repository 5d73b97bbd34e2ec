/**
 * `deno task bench [NAME]`: runs one of the benchmarks, `http` by default. The options after the name are passed to it.
 */

import { fromFileUrl } from "@std/path";

const benches = [
  "http",
  "mvc",
  "form",
  "upload",
  "sessions",
  "session_read",
  "allocations",
  "crowd",
  "events",
  "slow_readers",
  "logins",
  "contracts",
  "language_server",
  "start",
  "table",
  "growth",
  "guards",
  "static",
  "chain",
  "inject",
  "cores",
  "live",
  "live_cluster",
  "live_resume",
  "jobs",
  "jobs_postgres",
  "development",
];
const [name = "http", ...options] = Deno.args[0]?.startsWith("--") ? ["http", ...Deno.args] : Deno.args;
if (!benches.includes(name)) throw new Error(`There is no benchmark "${name}": there are ${benches.join(", ")}`);
const { code } = await new Deno.Command(Deno.execPath(), {
  args: ["run", "-A", "--unstable-kv", fromFileUrl(new URL(`${name}.ts`, import.meta.url)), ...options],
}).spawn().status;
Deno.exit(code);
