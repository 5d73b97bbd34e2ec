/**
 * `deno task bench table`: prints one table with the start-up time and ten small services, over a socket and in
 * process, for fw, Hono, Elysia and a hand-written `Deno.serve`. With `--before=FOLDER`, another checkout of fw is
 * included.
 *
 * All candidates for the services run in one process and are measured in turn, between two runs of the raw candidate
 * that they are compared to. The raw candidate uses the platform's `request.formData()` for a form, and a map and a
 * cookie for a session. For SQLite and Redis, see `deno task bench session_read`.
 *
 * Options: --launches=N (3), --seconds=N per measurement (2), --rounds=N for start-up (7), --before=FOLDER,
 * --only=PART: `start` or `services`. `FW_TEST_STD` as for `deno task bench start`.
 */

import { fromFileUrl, join } from "@std/path";
import { measureLaunch, openOrigin, type Origin, thisCheckout, writePrograms } from "./launch.ts";
import { processorTime, wrk } from "./load.ts";
import { Figures, option, printRow } from "./report.ts";
import { rows } from "./services.ts";

const launches = Number(option("launches", "3"));
const seconds = Number(option("seconds", "2"));
const rounds = Number(option("rounds", "7"));
const before = option("before", "");
const only = option("only", "");
const names = ["fw", ...before === "" ? [] : ["before"], "hono", "elysia"];
/** The number of requests per in-process run, and the number of runs per launch. */
const [requests, runs] = [300, 30];

interface Ports {
  readonly port: number;
  readonly control: number;
}

async function tableOfStarts(): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "fw_table_" });
  const origins: [string, Origin][] = [["now", await openOrigin(thisCheckout)]];
  try {
    if (before !== "") origins.push(["before", await openOrigin(before)]);
    const programs: [string, string, Origin][] = [];
    for (const [when, origin] of origins) {
      for (const [name, file] of await writePrograms(join(folder, when), origin)) {
        if (when === "now" || name.startsWith("fw")) programs.push([`${name}, ${when}`, file, origin]);
      }
    }
    const figures = new Figures();
    for (let round = 0; round < rounds; round++) {
      for (const [name, file, origin] of programs) {
        const { took, busy } = await measureLaunch(file, origin);
        figures.add(name, took);
        figures.add(`${name}/busy`, busy);
      }
    }
    const raw = figures.median("raw, now");
    printRow("launch to first response", "median, ms", "over raw, ms", "processor, ms");
    for (const [name] of programs) {
      const median = figures.median(name);
      printRow(`  ${name}`, median.toFixed(1), (median - raw).toFixed(1), figures.median(`${name}/busy`).toFixed(1));
    }
  } finally {
    for (const [, origin] of origins) await origin[Symbol.asyncDispose]();
    await Deno.remove(folder, { recursive: true });
  }
}

/** Selects the next candidate. */
async function choose({ control }: Ports, row: string, name: string, count?: number): Promise<unknown> {
  const body = JSON.stringify({ row, name, requests: count });
  return await (await fetch(`http://127.0.0.1:${control}`, { method: "POST", body })).json();
}

async function measureRow(ports: Ports, pid: number, row: string, launch: number): Promise<void> {
  const { path, body } = rows[row] ?? { path: "/" };
  const once = async (name: string): Promise<{ rate: number; cost: number }> => {
    const headers = await choose(ports, row, name) as Record<string, string>;
    const start = processorTime(pid);
    const { rate, requests: count } = await wrk(ports.port, path, seconds, headers, body);
    return { rate, cost: (processorTime(pid) - start) / count / 1000 };
  };
  // Run in process first, so that the code is optimized before it is measured over the socket.
  for (let run = 0; run < runs; run++) {
    for (const name of ["raw", ...names]) {
      const spent = await choose(ports, row, name, requests) as number;
      if (run >= runs / 3) figures.add(`${row}/${name}/ns`, spent);
    }
  }
  // Code that only runs over the socket is optimized within a second or two. Warm up all candidates, so that no single
  // one is affected.
  for (const name of ["raw", ...names]) await once(name);
  const first = await once("raw");
  // Rotate the candidates, so that none always has the same neighbor or the same CPU temperature.
  const measured = new Map<string, { rate: number; cost: number }>();
  for (const at of names.keys()) {
    const name = names[(at + launch) % names.length] ?? "";
    measured.set(name, await once(name));
  }
  const last = await once("raw");
  const raw = { rate: (first.rate + last.rate) / 2, cost: (first.cost + last.cost) / 2 };
  for (const [name, { rate, cost }] of [["raw", raw] as const, ...measured]) {
    figures.add(`${row}/${name}/rate`, rate);
    figures.add(`${row}/${name}/share`, rate / raw.rate);
    figures.add(`${row}/${name}/cost`, cost);
  }
}

async function tableOfServices(): Promise<void> {
  const script = fromFileUrl(new URL("table_server.ts", import.meta.url));
  for (let launch = 0; launch < launches; launch++) {
    const server = new Deno.Command("taskset", {
      args: ["-c", "0", Deno.execPath(), "run", "-A", "--unstable-kv", script, ...before === "" ? [] : [before]],
      stdout: "piped",
      // The load ends in the middle of requests, and some candidates report that.
      stderr: "null",
    }).spawn();
    const reader = server.stdout.getReader();
    const line = new TextDecoder().decode((await reader.read()).value);
    const [port = 0, control = 0] = line.trim().split(" ").map(Number);
    for (const row of Object.keys(rows)) await measureRow({ port, control }, server.pid, row, launch);
    server.kill();
    await reader.cancel();
    await server.status;
  }
  const cells = (row: string, kind: string, digits: number) =>
    ["raw", ...names].map((name) => figures.median(`${row}/${name}/${kind}`).toFixed(digits));
  for (
    const [title, kind, digits] of [
      ["requests per second", "rate", 0],
      ["  as a share of raw", "share", 2],
      ["processor per request, µs", "cost", 1],
      ["in process, ns", "ns", 0],
    ] as const
  ) {
    printRow(title, "raw", ...names);
    for (const row of Object.keys(rows)) printRow(`  ${row}`, ...cells(row, kind, digits));
  }
}

const figures = new Figures();
if (only !== "services") await tableOfStarts();
if (only !== "start") await tableOfServices();
