/**
 * Sends SIGKILL to the processes that write answers, in the middle of each answer, and compares what the clients
 * receive with what the model has written: `killed_answers.ts sqlite|redis restart|takeover ANSWERS PARTS TOGETHER`.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { OwnRedis } from "../hub/own_redis.ts";
import { Reader } from "./chat_client.ts";
import { Site } from "./chat_process.ts";
import { FakeModel } from "./fake_model.ts";

/** A run. */
export interface Plan {
  readonly store: "sqlite" | "redis";
  /** Whether the killed process is started again, or another process takes over. */
  readonly way: "restart" | "takeover";
  readonly answers: number;
  readonly parts: number;
  /** The number of answers that are written at the same time, and are interrupted by one kill. */
  readonly together: number;
}

/** The figures of a run. */
export interface Figures {
  readonly answers: number;
  readonly kills: number;
  /** The number of text parts that the clients have received. */
  readonly parts: number;
  /** The number of answers that were interrupted between their first and their last part. */
  readonly interrupted: number;
  readonly modelCalls: number;
}

/** Runs a plan and checks every answer. */
export async function killAnswers(plan: Plan): Promise<Figures> {
  const model = new FakeModel({ events: plan.parts, every: 4 });
  const folder = await Deno.makeTempDir();
  const redis = plan.store === "redis" ? new OwnRedis() : undefined;
  await redis?.start();
  const sites = [0, 1].map(() => new Site(model.url, redis?.url ?? `${folder}/answers.db`));
  let [kills, interrupted, parts] = [0, 0, 0];
  try {
    const [first, second] = sites as [Site, Site];
    await first.start();
    if (plan.way === "takeover") await second.start();
    for (let begin = 0; begin < plan.answers; begin += plan.together) {
      const ids = Array.from({ length: Math.min(plan.together, plan.answers - begin) }, (_, at) => `q${begin + at}`);
      // The processes take turns, so that each of them is killed and takes over.
      const turn = plan.way === "takeover" && kills % 2 === 1;
      const [dying, other] = turn ? [second, first] : [first, second];
      // No answer can end before the process is killed.
      model.pauseBefore(Math.ceil(0.8 * plan.parts));
      const readers = await interrupt(ids, dying, plan.way === "takeover" ? other : undefined, plan.parts);
      kills++;
      model.continue();
      await Promise.all([
        ...readers.map(({ id, one, counted }) => {
          if (counted < plan.parts) interrupted++;
          return one.finish(streamOf(plan.way === "takeover" ? other : dying, id));
        }),
        ...readers.map(({ two }) => two),
        dying.start(),
      ]);
      for (const { id, one, watcher } of readers) {
        parts += check(model, id, one);
        if (watcher !== undefined) check(model, id, watcher);
        // The record is the same as the answer that was sent.
        const record = new Reader();
        await record.finish(`${streamOf(dying, id)}?ended=1`);
        assertEquals(record.data, one.data);
      }
    }
    return { answers: plan.answers, kills, parts, interrupted, modelCalls: sum(model.calls.values()) };
  } finally {
    for (const site of sites) await site.kill();
    await redis?.close();
    await model.close();
    await Deno.remove(folder, { recursive: true });
  }
}

/** Starts answers and kills their process when every client has received some parts, but none has received all. */
async function interrupt(ids: readonly string[], dying: Site, other: Site | undefined, parts: number) {
  const readers = await Promise.all(ids.map(async (id) => {
    const body = JSON.stringify({ id, question: id });
    const [one, watcher] = [new Reader(), other === undefined ? undefined : new Reader()];
    const reading = one.read(await fetch(`${dying.url}/api/chat`, { method: "POST", body }));
    await one.until(3);
    // A second tab is connected to the process that takes over, and stays connected.
    const two = other === undefined ? undefined : watcher?.read(await fetch(streamOf(other, id)));
    return { id, one, two, watcher, reading, counted: 0 };
  }));
  await Promise.all(readers.map(({ one }) => one.until(Math.ceil(parts * (0.2 + Math.random() / 2)))));
  await dying.kill();
  await Promise.all(readers.map(({ reading }) => reading));
  return readers.map((reader) => ({ ...reader, counted: reader.one.text.split(" ").length - 1 }));
}

/** Checks that an answer is complete, in order and without repetitions. Returns the number of its text parts. */
function check(model: FakeModel, id: string, reader: Reader): number {
  const texts = model.textOf(id);
  assertEquals(reader.text, texts.join(""));
  assertEquals(reader.types, ["start", "text-start", "text-delta", "text-end", "finish", "[DONE]"]);
  assertEquals(reader.data.length, texts.length + 5);
  assertEquals(model.calls.get(id), 1);
  return texts.length;
}

function streamOf({ url }: Site, id: string): string {
  return `${url}/api/chat/${id}/stream`;
}

function sum(numbers: Iterable<number>): number {
  return [...numbers].reduce((total, each) => total + each, 0);
}

if (import.meta.main) {
  const [store, way, answers = "200", parts = "200", together = "1"] = Deno.args;
  const plan = { store, way, answers: Number(answers), parts: Number(parts), together: Number(together) } as Plan;
  const begin = performance.now();
  const figures = await killAnswers(plan);
  // deno-lint-ignore no-console
  console.log({ ...plan, ...figures, seconds: Math.round((performance.now() - begin) / 1000) });
}
