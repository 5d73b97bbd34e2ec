/**
 * `deno task bench`: measures the requests per second of fw, compared to a raw handler, Hono and Elysia.
 *
 * All candidates run in one server process, because two launches of the same server differ by up to 20 %. Each one is
 * measured between two runs of the raw handler and compared to their mean. The medians over several launches and their
 * ranges are printed. The server runs on one core, and the load generator on the other.
 *
 * Options: --launches=N (5), --seconds=N per measurement (1), --only=NAME of a scenario.
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
    // Rotate the candidates, so that none always has the same neighbor or the same CPU temperature.
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
