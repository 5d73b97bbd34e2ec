/**
 * The panel of a queue on the development pages.
 *
 * @module
 */

import type { PanelCall } from "../../core/context/extension.ts";
import type { Operations } from "./operations.ts";

/** Reads the panel of a queue, after the button that was pressed. */
export async function readPanel(queue: Operations, { Form: { retry, schedule } = {} }: PanelCall): Promise<unknown> {
  if (retry !== undefined) await queue.Retry(retry);
  if (schedule !== undefined) await queue.RunSchedule(schedule);
  const [stats, jobs, schedules] = await Promise.all([queue.Stats(), queue.List({ Limit: 50 }), queue.Schedules()]);
  return {
    Counts: [{ ...stats, OldestDue: timeOf(stats.OldestDue) }],
    Jobs: jobs.map(({ ID: Job, Name, State, Attempt, Due, Error }) => {
      const Again = State === "failed" ? { Element: "form", Text: "Retry", Values: { retry: Job } } : "";
      return { Job, Name, State, Attempt, Due: timeOf(Due), Error, Again };
    }),
    Schedules: schedules.map(({ Name: Schedule, Cron, TimeZone, Last, Next }) => {
      const Run = { Element: "form", Text: "Run now", Values: { schedule: Schedule } };
      return { Schedule, Cron, TimeZone, Last: timeOf(Last), Next: timeOf(Next), Run };
    }),
  };
}

function timeOf(time: number | null): string {
  return time === null ? "" : new Date(time).toISOString();
}
