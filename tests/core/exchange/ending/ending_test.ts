import { assertEquals } from "@std/assert";
import * as fw from "../../../../mod.ts";
import { type State, transitions } from "../../../../src/core/exchange/ending/ending.ts";
import { bothWays, logged, quiet } from "../../../serving.ts";

Deno.test("transitions lead from every state to the end, and failures never lead back to the handlers", () => {
  const states = Object.keys(transitions) as State[];
  for (const state of states) {
    let at = state;
    for (const _ of states) at = transitions[at].done;
    assertEquals(at, "over", state);
  }
  const reachable = new Set(states.flatMap((state) => [transitions[state].done, transitions[state].failed ?? state]));
  assertEquals(states.filter((state) => !reachable.has(state)), ["open"]);
});

bothWays("Recorder.OnSend() of a route that Exec runs may write after an await", () => {
  const app = quiet();
  app.Get("/outer", (ctx) => ctx.Exec("GET", "/inner"));
  app.Get("/inner", (ctx) => {
    ctx.Recorder().OnSend(async () => {
      await Promise.resolve();
      ctx.Header("x-inner", "1");
    });
    ctx.WriteString("inner");
  });
  return app;
}, async (ask) => {
  const { headers, text } = await ask("/outer");
  assertEquals([headers.get("x-inner"), text], ["1", "inner"]);
});

bothWays("Application responds with the status text if the body of an error cannot be written", () => {
  const { app } = logged();
  app.Get("/", () => {
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    throw new fw.Problem({ Status: 409, Extensions: cycle });
  });
  return app;
}, async (ask) => {
  for (let count = 0; count < 2; count++) {
    const { status, text } = await ask("/");
    assertEquals([status, text], [500, "Internal Server Error"]);
  }
});

bothWays("Application runs all end tasks if some fail, and responds with the first failure", () => {
  const { app, lines } = logged();
  app.OnErrorCode(418, async (ctx) => {
    await Promise.resolve();
    ctx.WriteString("teapot");
  });
  app.Get("/", (ctx) => {
    ctx.Recorder().OnSend(() => ctx.Header("x-last", "1"));
    ctx.Recorder().OnSend(() => Promise.reject(new Error("second")));
    ctx.Recorder().OnSend(() => {
      throw new fw.HTTPError(418);
    });
    ctx.WriteString("ok");
  });
  app.Get("/lines", (ctx) => ctx.JSON(lines));
  return app;
}, async (ask) => {
  const { headers, status, text } = await ask("/");
  assertEquals([status, text, headers.get("x-last")], [418, "teapot", "1"]);
  const lines: string[] = JSON.parse((await ask("/lines")).text);
  assertEquals(lines.map((line) => line.includes("second")), [true]);
});
