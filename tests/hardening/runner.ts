/**
 * Runs rows of the table against a server.
 *
 * @module
 */

import { type Attack, type AttackTable, fullName, type Group } from "./attack.ts";
import { headersOf, type Outcome } from "./outcome.ts";
import { get } from "./requests.ts";
import type { Target } from "./target.ts";
import type { Wire } from "./wire.ts";

/** The result of a row. */
export interface Verdict {
  readonly name: string;
  readonly result: "held" | "failed" | "n/a";
  /** The expected and the actual outcome, if the row failed. */
  readonly reason: string;
  /** The duration, in milliseconds. */
  readonly time: number;
}

const atOnce = 8;
const maxShown = 300;
/** The time limit for a row. A row that takes longer fails. */
const deadline = 120_000;

/** Runs the rows of a group. Rows that measure time run one at a time, and others run in parallel. */
export async function runGroup(target: Target, table: AttackTable, group: Group): Promise<Verdict[]> {
  const rows = [...table[group].entries()];
  const verdicts: Verdict[] = [];
  async function work(): Promise<void> {
    for (let row = rows.shift(); row !== undefined; row = rows.shift()) {
      const from = performance.now();
      verdicts[row[0]] = { ...await runRow(target, group, row[1]), time: performance.now() - from };
    }
  }
  const workers = group === "parser blow-ups" ? 1 : atOnce;
  await Promise.all(Array.from({ length: workers }, work));
  return verdicts;
}

async function runRow(target: Target, group: Group, attack: Attack): Promise<Omit<Verdict, "time">> {
  const name = fullName(group, attack);
  const door = attack.door ?? "plain";
  if (!target.has(door, attack.needs ?? [])) return { name, result: "n/a", reason: "" };
  const wire = target.wire(door);
  const outcome = await withDeadline(send(wire, attack));
  if (typeof outcome === "string") {
    await recovered(wire);
    return { name, result: "failed", reason: outcome };
  }
  if (!attack.expect.holds(outcome)) {
    await recovered(wire);
    return { name, result: "failed", reason: `The server ${attack.expect.words}: got ${describe(outcome)}` };
  }
  // Other connections must still be served, regardless of what was sent.
  const alive = await withDeadline(wire.send(get("/ping")));
  if (typeof alive !== "string" && alive.replies[0]?.body === "pong") return { name, result: "held", reason: "" };
  return { name, result: "failed", reason: "The server does not serve others any more" };
}

/** Waits until the server has finished processing an attack, so that the next row is not affected. */
async function recovered(wire: Wire): Promise<void> {
  for (let i = 0; i < 5; i++) {
    const outcome = await wire.send(get("/ping"));
    if (outcome.replies[0]?.body === "pong") return;
  }
}

async function send(wire: Wire, attack: Attack): Promise<Outcome> {
  if (typeof attack.send === "string") return await wire.send(attack.send);
  return await (typeof attack.send === "function" ? attack.send(wire) : wire.steps(attack.send));
}

async function withDeadline(work: Promise<Outcome>): Promise<Outcome | string> {
  const late = Promise.withResolvers<string>();
  const timer = setTimeout(() => late.resolve(`It took more than ${deadline / 1000} seconds`), deadline);
  try {
    return await Promise.race([work, late.promise]);
  } catch (error) {
    return `The conversation broke: ${error instanceof Error ? error.message : error}`;
  } finally {
    clearTimeout(timer);
  }
}

function describe(outcome: Outcome): string {
  const replies = outcome.replies.map((reply) => {
    const cookies = headersOf(reply, "set-cookie").map((cookie) => ` [${cookie}]`).join("");
    const location = headersOf(reply, "location").map((to) => ` -> ${to}`).join("");
    return `${reply.status}${location}${cookies} ${JSON.stringify(reply.body.slice(0, maxShown))}`;
  });
  const figures = outcome.figures === undefined ? "" : `, figures ${outcome.figures.join(" ")}`;
  return `${replies.join(", then ") || "no response"}; connection ${outcome.end}${figures}`;
}
