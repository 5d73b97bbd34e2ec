/**
 * `deno task bench table`: prints one table with the start-up time and ten small services, over a socket and in
 * process, for fw, Hono, Elysia and a hand-written `Deno.serve`. With `--before=FOLDER`, another checkout of fw is
 * included.
 *
 * Each candidate runs in a separate process, because candidates that share one disturb each other by up to 2 µs. Each
 * is launched several times in rotating order, because launches differ by up to 4 µs. Over the socket, the CPU time of
 * the process per request is measured, which does not depend on other programs as the rate does. Shown are the median
 * and the spread of the launches. In process, it is the CPU time of the thread, without creating the request.
 *
 * The candidates do equal work: before anything is measured, their responses are compared. Differences that remain are
 * printed below the table. The raw candidate uses the platform's `request.formData()` for a form, and a map and a cookie
 * for a session. For SQLite and Redis, see `deno task bench session_read`.
 *
 * Options: --launches=N (8), --seconds=N per measurement (2), --rounds=N for start-up (7), --before=FOLDER,
 * --rows=TEXT measures only the rows whose names contain the text, --only=PART: `start` or `services`. `FW_TEST_STD` as
 * for `deno task bench start`.
 */

import { fromFileUrl, join } from "@std/path";
import { measureLaunch, openOrigin, type Origin, thisCheckout, writePrograms } from "./launch.ts";
import { processorTime, wrk } from "./load.ts";
import { Figures, option, printRow } from "./report.ts";
import { headersOf, type Row, rows, serviceOf } from "./services.ts";

const launches = Number(option("launches", "8"));
const seconds = Number(option("seconds", "2"));
const rounds = Number(option("rounds", "7"));
const before = option("before", "");
const only = option("only", "");
const names = ["raw", "fw", ...before === "" ? [] : ["before"], "hono", "elysia"];
const chosen = Object.entries(rows).filter(([name]) => name.includes(option("rows", "")));
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

/** Compares the responses of the candidates, and returns how they differ. */
async function differences(row: Row): Promise<string[]> {
  const found = new Map<string, string[]>();
  for (const name of names) {
    const serve = await serviceOf(name, before);
    const headers = await headersOf(serve, row);
    const { path, body = null } = row;
    const response = await serve(
      new Request(`http://localhost${path}`, { headers, body, method: body === null ? "GET" : "POST" }),
    );
    const fields = [...response.headers].map(([field, value]) =>
      `${field}: ${value.toLowerCase().replace(/;\s*/g, ";")}`
    );
    const shown = `${response.status} ${await response.text()} ${fields.sort().join(", ")}`;
    found.set(shown, [...found.get(shown) ?? [], name]);
  }
  return found.size === 1 ? [] : [...found].map(([shown, who]) => `${who.join(", ")}: ${shown}`);
}

/** Launches a candidate and measures all rows. */
async function measureLaunchOf(name: string): Promise<void> {
  const script = fromFileUrl(new URL("table_server.ts", import.meta.url));
  const server = new Deno.Command("taskset", {
    args: ["-c", "0", Deno.execPath(), "run", "-A", "--unstable-kv", script, name, before],
    stdout: "piped",
    // The load ends in the middle of requests, and some candidates report that.
    stderr: "null",
  }).spawn();
  const reader = server.stdout.getReader();
  const line = new TextDecoder().decode((await reader.read()).value);
  const [port = 0, control = 0] = line.trim().split(" ").map(Number);
  for (const [row, { path, body }] of chosen) {
    // Run in process first, so that the code is optimized before it is measured over the socket.
    const asked = await fetch(`http://127.0.0.1:${control}/${encodeURIComponent(row)}`);
    const { headers, least } = await asked.json() as { headers: Record<string, string>; least: number };
    figures.add(`${row}/${name}/ns`, least);
    // Code that only runs over the socket is optimized within a second or two.
    await wrk(port, path, seconds, headers, body);
    const start = processorTime(server.pid);
    const { requests } = await wrk(port, path, seconds, headers, body);
    figures.add(`${row}/${name}/cost`, (processorTime(server.pid) - start) / requests / 1000);
  }
  server.kill();
  await reader.cancel();
  await server.status;
}

async function tableOfServices(): Promise<void> {
  const notes: string[] = [];
  for (const [row, each] of chosen) {
    if (each.differs !== undefined) notes.push(`${row}: ${each.differs}`);
    for (const difference of await differences(each)) notes.push(`${row}: ${difference}`);
  }
  for (let launch = 0; launch < launches; launch++) {
    for (const at of names.keys()) await measureLaunchOf(names[(at + launch) % names.length] ?? "");
  }
  for (const [title, kind, digits] of [["CPU per request, µs", "cost", 1], ["CPU in process, ns", "ns", 0]] as const) {
    printRow(title, ...names);
    for (const [row] of chosen) {
      printRow(`  ${row}`, ...names.map((name) => figures.spread(`${row}/${name}/${kind}`, digits)));
    }
  }
  for (const note of notes) printRow(note);
}

const figures = new Figures();
if (only !== "services") await tableOfStarts();
if (only !== "start") await tableOfServices();
