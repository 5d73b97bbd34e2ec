/**
 * A process with an hourly schedule, whose clock is shifted and runs faster. It appends the time of each tick to a file.
 *
 * Arguments: the database, the file, the first time of the clock, the real time at which it starts, and its speed.
 *
 * @module
 */

import * as jobs from "@fw/web/jobs";
import * as sqlite from "@fw/web/jobs/sqlite";

const [File = "", runs = "", first = "", start = "", speed = ""] = Deno.args;
const store = sqlite.New({ File });

function hourly(_data: unknown, ctx: jobs.Context): void {
  Deno.writeTextFileSync(runs, `${ctx.Due.toISOString()}\n`, { append: true });
}

const day = 86_400_000;
const queue = jobs.New(store, {
  Clock: () => Number(first) + Math.max(0, Date.now() - Number(start)) * Number(speed),
  PollEvery: 10,
  Lease: 20 * day,
  KeepDone: 365 * day,
}).Handle(hourly);
await queue.Schedule("0 * * * *", hourly, null, { TimeZone: "Europe/Berlin", MissedAfter: 20 * day });
await queue.Run();
await store.Close();
