/**
 * `deno task bench`: requests a second of fw beside a raw handler, Hono and Elysia.
 *
 * All candidates live in one server process, since two launches of the same server differ by up to 20 %. Each is
 * measured between two runs of the raw handler and compared with their mean; the medians over several launches and
 * their spread are printed. The server has one core, the load the other.
 *
 * Options: --launches=N (5), --seconds=N a measurement (1), --only=NAME of a scenario.
 */

import { scenarios } from "./candidates.ts";
import { Service } from "./load.ts";

const options = new Map(Deno.args.map((arg) => arg.replace(/^--/, "").split("=", 2) as [string, string]));
const launches = Number(options.get("launches") ?? 5);
const seconds = Number(options.get("seconds") ?? 1);
const names = Object.keys(scenarios).filter((name) => (options.get("only") ?? name) === name);
const candidates = ["fw", "hono", "elysia"];

const ratios = new Map<string, number[]>();
const rates = new Map<string, number[]>();

for (let launch = 0; launch < launches; launch++) {
  await using service = await Service.start();
  for (const scenario of names) {
    const path = scenarios[scenario]?.path ?? "/";
    for (const name of ["raw", ...candidates]) await service.measure([scenario, name], path, 1);
    // Rotated, so that no candidate always has the same neighbour or the same heat of the machine.
    const order = candidates.map((_, i) => candidates[(i + launch) % candidates.length] ?? "");
    let before = await service.measure([scenario, "raw"], path, seconds);
    for (const name of order) {
      const rate = await service.measure([scenario, name], path, seconds);
      const after = await service.measure([scenario, "raw"], path, seconds);
      push(ratios, `${scenario}/${name}`, rate / ((before + after) / 2));
      push(rates, `${scenario}/${name}`, rate);
      push(rates, `${scenario}/raw`, after);
      before = after;
    }
  }
}

print(`${"".padEnd(18)}${"raw req/s".padStart(12)}${candidates.map((name) => name.padStart(26)).join("")}`);
for (const scenario of names) {
  const cells = candidates.map((name) => cell(ratios.get(`${scenario}/${name}`) ?? []).padStart(26));
  const raw = Math.round(median(rates.get(`${scenario}/raw`) ?? []));
  print(`${scenario.padEnd(18)}${String(raw).padStart(12)}${cells.join("")}`);
}
print(`Share of the raw handler, median (lowest to highest) of ${launches} launches.`);

function push(map: Map<string, number[]>, key: string, value: number): void {
  map.set(key, [...map.get(key) ?? [], value]);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}

function cell(values: readonly number[]): string {
  return `${median(values).toFixed(3)} (${Math.min(...values).toFixed(2)}-${Math.max(...values).toFixed(2)})`;
}

function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}
