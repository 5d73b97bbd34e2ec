/**
 * `deno task bench static`: compares fw's files and compressed JSON to a plain `Deno.serve` with `file.readable`,
 * Hono's `serveStatic` and `compress`, `serveDir` from @std/http, and Deno's own `automaticCompression`.
 *
 * All candidates run in one server process on one core and are measured in turn, with the raw handler before and after
 * each. The load generator runs on the other core. Hono has no entity tags for files, so its 304 responses come from
 * its `etag` middleware. If `FW_TEST_STD` is the path of a checkout of the standard library, its `serveDir` is
 * included. The stand-in for `@std/http` implements only some of its functions.
 *
 * Options: --launches=N (5), --seconds=N per measurement (2), --only=NAME of a scenario.
 *
 * @module
 */

import { join, toFileUrl } from "@std/path";
import { Service } from "./load.ts";
import { Figures, option, printRow } from "./report.ts";

/** A request to measure. */
interface Scenario {
  /** The candidates of static_server.ts. */
  readonly kind: "file" | "known" | "json";
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const scenarios: Readonly<Record<string, Scenario>> = {
  "10 KiB file": { kind: "file", path: "/small.bin" },
  "10 MiB file": { kind: "file", path: "/large.bin" },
  "304, 10 KiB file": { kind: "known", path: "/small.bin" },
  "7 KB JSON, gzip": { kind: "json", path: "/items", headers: { "accept-encoding": "gzip" } },
  "7 KB JSON, of a browser": {
    kind: "json",
    path: "/items",
    headers: { "accept-encoding": "gzip, deflate, br, zstd" },
  },
};

const launches = Number(option("launches", "5"));
const seconds = Number(option("seconds", "2"));
const only = option("only", "");
const names = Object.keys(scenarios).filter((name) => name.includes(only));
const std = Deno.env.get("FW_TEST_STD") ?? "";
const fileCandidates = ["fw HandleDir", "fw ServeFile", "hono", ...std === "" ? [] : ["std"]];

/** Bundles the file server of the standard library into one module, because its imports need its own configuration. */
async function bundleOf(checkout: string, folder: string): Promise<string> {
  const bundle = join(folder, "file_server.js");
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "--no-lock", "--no-check", "--platform=deno", `--output=${bundle}`, "http/file_server.ts"],
    cwd: checkout,
    stdout: "null",
    stderr: "null",
  }).output();
  if (!success) throw new Error(`Cannot bundle "http/file_server.ts" of the checkout "${checkout}"`);
  return toFileUrl(bundle).href;
}

/** Returns the request headers of a scenario and the size of the response. */
async function probe(service: Service, { kind, path, headers }: Scenario, name: string): Promise<Probe> {
  const url = `http://127.0.0.1:${await service.choose([kind, name])}${path}`;
  const ask = async (sent: Record<string, string>) => {
    const response = await fetch(url, { headers: { "accept-encoding": "identity", ...sent } });
    await response.body?.cancel();
    return response;
  };
  if (kind !== "known") {
    const { headers: received } = await ask({ ...headers });
    return { headers: headers ?? {}, coding: received.get("content-encoding") ?? "" };
  }
  const sent = { "if-none-match": (await ask({})).headers.get("etag") ?? "" };
  if ((await ask(sent)).status !== 304) throw new Error(`Cannot measure "${name}": it does not send 304`);
  return { headers: sent, coding: "" };
}

interface Probe {
  readonly headers: Readonly<Record<string, string>>;
  /** The content coding selected by the candidate. */
  readonly coding: string;
}

const ratios = new Figures();
const shares = new Figures();
const costs = new Figures();
const rates = new Figures();
const codings = new Map<string, string>();

async function measure(service: Service, scenario: string, launch: number): Promise<void> {
  const asked = scenarios[scenario] as Scenario;
  const candidates = asked.kind === "json" ? ["automatic", "fw", "hono"] : fileCandidates;
  const probes = new Map<string, Probe>();
  for (const name of ["raw", ...candidates]) {
    probes.set(name, await probe(service, asked, name));
    codings.set(`${scenario}/${name}`, probes.get(name)?.coding ?? "");
    await service.measure([asked.kind, name], asked.path, 1, probes.get(name)?.headers);
  }
  const run = (name: string) => service.measure([asked.kind, name], asked.path, seconds, probes.get(name)?.headers);
  let before = await run("raw");
  // Rotate the candidates, so that none always has the same neighbor or the same CPU temperature.
  for (const at of candidates.keys()) {
    const name = candidates[(at + launch) % candidates.length] ?? "";
    const measured = await run(name);
    const after = await run("raw");
    const row = `${scenario}/${name}`;
    rates.add(row, measured.rate);
    rates.add(`${scenario}/raw`, after.rate);
    ratios.add(row, measured.rate / ((before.rate + after.rate) / 2));
    shares.add(row, (before.cost + after.cost) / 2 / measured.cost);
    costs.add(row, measured.cost / 1000);
    costs.add(`${scenario}/raw`, after.cost / 1000);
    before = after;
  }
}

const folder = await Deno.makeTempDir({ prefix: "fw_static_" });
try {
  const site = join(folder, "site");
  await Deno.mkdir(site);
  for (const [name, size] of [["small.bin", 10 << 10], ["large.bin", 10 << 20]] as const) {
    await Deno.writeFile(join(site, name), new Uint8Array(size).fill(7));
    // Set an old modification time, because fw handles recently written files more carefully.
    await Deno.utime(join(site, name), 1e9, 1e9);
  }
  const bundle = std === "" ? [] : [await bundleOf(std, folder)];
  if (std === "") printRow('Skipped "std": FW_TEST_STD names no checkout of the standard library.');
  for (let launch = 0; launch < launches; launch++) {
    await using service = await Service.start("static_server.ts", [site, ...bundle]);
    for (const scenario of names) await measure(service, scenario, launch);
  }
} finally {
  await Deno.remove(folder, { recursive: true });
}

printRow(
  "".padEnd(42),
  "requests/s",
  "of raw",
  "of Hono",
  "processor, µs",
  "raw's, so many times",
  "Hono's",
);
for (const scenario of names) {
  const candidates = scenarios[scenario]?.kind === "json" ? ["automatic", "fw", "hono"] : fileCandidates;
  for (const name of ["raw", ...candidates]) {
    const row = `${scenario}/${name}`;
    const coding = codings.get(row) ?? "";
    printRow(
      `${scenario}: ${name}${coding === "" ? "" : ` (${coding})`}`.padEnd(42),
      rates.median(row).toFixed(0),
      name === "raw" ? "1" : ratios.spread(row),
      (rates.median(row) / rates.median(`${scenario}/hono`)).toFixed(2),
      costs.median(row).toFixed(0),
      name === "raw" ? "1" : shares.spread(row),
      (costs.median(`${scenario}/hono`) / costs.median(row)).toFixed(2),
    );
  }
}
printRow(`Medians (lowest-highest) of ${launches} launches; load average ${Deno.loadavg().map((x) => x.toFixed(1))}.`);
printRow("Other load on the machine affects the requests per second more than the CPU time.");
