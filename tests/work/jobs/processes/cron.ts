/**
 * A program with a schedule that is registered with `Deno.cron`, if it exists. It stops by itself.
 *
 * @module
 */

import * as jobs from "@fw/web/jobs";

function tick(): void {}

const registered: string[] = [];
type Cron = (name: string, schedule: string, ...rest: unknown[]) => Promise<void>;
const { cron } = Deno as unknown as { cron?: Cron };
if (cron !== undefined) {
  const value: Cron = (name, schedule, ...rest) => {
    registered.push(`${name}: ${schedule}`);
    return cron(name, schedule, ...rest);
  };
  Object.defineProperty(Deno, "cron", { value });
}
const queue = jobs.New(jobs.NewMemory()).Handle(tick);
await queue.Schedule("5 7 * * 1-5", tick, null, { Name: "a/b" });
await queue.Schedule("0 7 * * *", tick, null, { Name: "berlin", TimeZone: "Europe/Berlin" });
await queue.Schedule("*/5 * * * * *", tick, null, { Name: "seconds" });
setTimeout(() => queue.Shutdown(), 200);
await queue.Run();
// deno-lint-ignore no-console
console.log(JSON.stringify(registered));
