import { assertEquals } from "@std/assert";
import { isFastRun } from "../../runs.ts";
import { hasRedis } from "../hub/own_redis.ts";
import { killAnswers, type Plan } from "./killed_answers.ts";

// The figures for 200 answers of 200 parts: deno run -A tests/live/answers/killed_answers.ts sqlite restart 200 200 1
const plans: readonly (Pick<Plan, "store" | "way"> & { readonly name: string })[] = [
  { name: "the process is started again (SQLite)", store: "sqlite", way: "restart" },
  { name: "another process takes over (SQLite)", store: "sqlite", way: "takeover" },
  { name: "another process takes over (Redis)", store: "redis", way: "takeover" },
];

for (const { name, store, way } of plans) {
  Deno.test({
    name: `Answers lose, duplicate and reorder no part, and call the model once, if their process is killed: ${name}`,
    ignore: isFastRun() || (store === "redis" && !hasRedis),
    async fn() {
      const figures = await killAnswers({ store, way, answers: 6, parts: 60, together: 3 });
      assertEquals(figures, { answers: 6, kills: 2, parts: 360, interrupted: 6, modelCalls: 6 });
    },
  });
}
