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
import { Figures, option, printRow } from "./report.ts";

const launches = Number(option("launches", "5"));
const seconds = Number(option("seconds", "1"));
const only = option("only", "");
const names = Object.keys(scenarios).filter((name) => only === "" || only === name);
const candidates = ["fw", "hono", "elysia"];
const ratios = new Figures();
const costs = new Figures();
const raws = new Figures();

for (let launch = 0; launch < launches; launch++) {
  await using service = await Service.start();
  for (const scenario of names) {
    const path = scenarios[scenario]?.path ?? "/";
    for (const name of ["raw", ...candidates]) await service.measure([scenario, name], path, 1);
    let before = await service.measure([scenario, "raw"], path, seconds);
    // Rotated, so that no candidate always has the same neighbour or the same heat of the machine.
    for (const at of candidates.keys()) {
      const name = candidates[(at + launch) % candidates.length] ?? "";
      const measured = await service.measure([scenario, name], path, seconds);
      const after = await service.measure([scenario, "raw"], path, seconds);
      ratios.add(`${scenario}/${name}`, measured.rate / ((before.rate + after.rate) / 2));
      costs.add(`${scenario}/${name}`, (before.cost + after.cost) / 2 / measured.cost);
      raws.add(scenario, after.rate);
      before = after;
    }
  }
}

for (const [title, figures] of [["requests a second", ratios], ["requests a processor second", costs]] as const) {
  printRow(title, "raw, requests/s", ...candidates);
  for (const scenario of names) {
    const cells = candidates.map((name) => figures.spread(`${scenario}/${name}`));
    printRow(`  ${scenario}`, String(Math.round(raws.median(scenario))), ...cells);
  }
}
printRow(`Shares of the raw handler: median (lowest-highest) of ${launches} launches.`);
