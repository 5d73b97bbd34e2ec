/**
 * `deno task bench mvc`: compares a controller with an injected field to fw's own plain handler, a plain Hono handler,
 * and a Nest controller on Node with Fastify. npm installs Nest into a temporary folder.
 *
 * The controller, the plain handler and Hono run in the same process and are compared to the plain handler's runs
 * before and after. Nest runs in a separate process on the same core and is compared to the controller's runs before
 * and after.
 *
 * Options: --launches=N (5), --seconds=N per measurement (1).
 */

import { controllers } from "./controllers.ts";
import { Service, wrk } from "./load.ts";
import { Nest } from "./nest.ts";
import { Figures, option, printRow } from "./report.ts";

const launches = Number(option("launches", "5"));
const seconds = Number(option("seconds", "1"));
const { path } = controllers;
const ratios = new Figures();
const rates = new Figures();
const costs = new Figures();

for (let launch = 0; launch < launches; launch++) {
  await using service = await Service.start();
  await using nest = await Nest.start();
  const ask = (name: string) => service.measure(["controllers", name], path, seconds);
  for (const name of ["plain", "controller", "hono", "plain", "controller"]) await ask(name);
  await wrk(nest.port, path, 2);
  let before = await ask("plain");
  for (const name of ["controller", "hono"]) {
    const measured = await ask(name);
    const after = await ask("plain");
    ratios.add(name, measured.rate / ((before.rate + after.rate) / 2));
    costs.add(name, (before.cost + after.cost) / 2 / measured.cost);
    rates.add(name, measured.rate);
    rates.add("plain", after.rate);
    before = after;
  }
  const first = await ask("controller");
  const { rate } = await wrk(nest.port, path, seconds);
  const second = await ask("controller");
  ratios.add("controller/nest", (first.rate + second.rate) / 2 / rate);
  rates.add("nest", rate);
}

printRow("", "requests/s", "share of plain", "by processor time");
printRow("fw plain", String(Math.round(rates.median("plain"))), "1", "1");
for (const name of ["controller", "hono"]) {
  const title = name === "controller" ? "fw controller" : name;
  printRow(title, String(Math.round(rates.median(name))), ratios.spread(name), costs.spread(name));
}
printRow("nest on node", String(Math.round(rates.median("nest"))));
printRow(`fw's controller is ${ratios.spread("controller/nest")} times as fast as Nest's.`);
