import { assert, assertEquals } from "@std/assert";
import type * as fw from "../../../mod.ts";
import { assertLinear, processorTime } from "../../growth.ts";
import { isFastRun } from "../../runs.ts";
import { quiet } from "../../serving.ts";
import { patternTables, type RouteTable, routeTables } from "./route_tables.ts";

/** Creates an application with a table of routes. Counts how often the parameter type `counted` tests a value. */
async function newApp({ register }: RouteTable, size: number): Promise<{ app: fw.Application; tests: () => number }> {
  const app = quiet();
  let tests = 0;
  app.Macros().Register({
    Name: "counted",
    Test: (text, start, end) => {
      tests++;
      return /^\d+$/.test(text.slice(start, end));
    },
  });
  register(app, size);
  await app.Build();
  return { app, tests: () => tests };
}

for (const [what, table] of Object.entries({ ...routeTables, ...patternTables })) {
  Deno.test(`Application.Build() takes time linear in the number of ${what}`, async () => {
    await assertLinear((size) => newApp(table, size), { size: 1_000, prepare: (size: number) => size });
  });

  Deno.test(`Application serves a large table of ${what}`, async () => {
    const { app } = await newApp(table, 300);
    for (const [url, status] of Object.entries(table.requests)) {
      assertEquals((await app.fetch(new Request(url))).status, status, url);
    }
  });
}

for (const [what, table] of Object.entries(routeTables)) {
  Deno.test(`Application tests equally many values regardless of the number of ${what}`, async () => {
    for (const url of Object.keys(table.requests)) {
      const counts: number[] = [];
      for (const size of [10, 300]) {
        const { app, tests } = await newApp(table, size);
        const before = tests();
        await app.fetch(new Request(url));
        counts.push(tests() - before);
      }
      assertEquals(counts[1], counts[0], url);
    }
  });

  Deno.test(`Application serves requests in the same time regardless of the number of ${what}`, {
    ignore: isFastRun(),
  }, async () => {
    const { app: small } = await newApp(table, 10);
    const { app: large } = await newApp(table, 4_000);
    for (const url of Object.keys(table.requests)) {
      const times = [Infinity, Infinity];
      for (let round = 0; round < 12 && ratio(times) > 2; round++) {
        for (const [at, app] of [small, large].entries()) {
          times[at] = Math.min(times[at] ?? Infinity, await timeOf(app, url));
        }
      }
      assert(ratio(times) < 2, `${url} takes ${ratio(times).toFixed(1)} times as long for 400 times the routes`);
    }
  });
}

function ratio([small = 0, large = 0]: readonly number[]): number {
  return large === Infinity ? Infinity : large / small;
}

async function timeOf(app: fw.Application, url: string): Promise<number> {
  const request = new Request(url);
  const begin = processorTime();
  for (let i = 0; i < 300; i++) await app.fetch(request);
  return processorTime() - begin;
}
