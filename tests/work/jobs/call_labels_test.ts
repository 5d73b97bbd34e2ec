/**
 * Labels of the call that has added a job, in the log lines of the job.
 *
 * @module
 */

import * as fw from "@fw/web";
import * as httptest from "@fw/web/httptest";
import * as jobs from "@fw/web/jobs";
import * as websocket from "@fw/web/websocket";
import { assertEquals } from "@std/assert";
import { quiet } from "../../serving.ts";

const tenantKey = fw.Key<string | undefined>("tenant");

/** Returns an extension whose labels depend on the request, and one of them on a carried value. */
function labels(carry?: fw.Carry<string | undefined>): fw.Extension {
  return {
    Name: "tenants",
    Install(host) {
      host.Provide(tenantKey, (ctx) => ctx.GetHeader("x-tenant") || undefined, carry);
      host.Label("tenant", (ctx) => ctx.Values().Get(tenantKey), { Log: true });
      host.Label("path", (ctx) => ctx.Path(), { Log: true });
      host.Label("job", () => "not this", { Log: true });
      host.Label("region", (ctx) => ctx.GetHeader("x-region") || undefined, { Log: true });
      host.Label("plan", () => "pro", { Metric: ["pro"] });
    },
  };
}

const text: fw.Carry<string | undefined> = { Encode: (tenant) => tenant, Decode: String };

/** Creates an application, and a queue whose jobs write log lines. */
function newBench(carry?: fw.Carry<string | undefined>) {
  const lines: string[] = [];
  const app = quiet();
  app.Install(labels(carry));
  function look(_: undefined, ctx: jobs.Context): void {
    ctx.Logger().Info("looked");
    if (ctx.Attempt === 1) throw new Error("No tea");
  }
  async function again(_: undefined, ctx: jobs.Context): Promise<void> {
    ctx.Logger().Info("again");
    await queue.Add(look, undefined, { MaxAttempts: 1 });
  }
  app.Logger().SetLevel("info").SetTimeFormat("").SetOutput((line) =>
    void lines.push(line.split("\n", 1)[0]?.replace(/ job_id=\S+/, "") ?? "")
  );
  const queue = jobs.New(jobs.NewMemory(), { Backoff: () => 0 }).Handle(look).Handle(again).RunWith(app);
  return { app, queue, look, again, lines };
}

async function ask(app: fw.Application, headers: Record<string, string>, path = "/"): Promise<void> {
  const response = await app.fetch(new Request(`http://localhost${path}`, { headers }));
  await response.body?.cancel();
  assertEquals(response.status, 200);
}

Deno.test("the log lines of a job have the labels of the call that carries values to it", async () => {
  const { app, queue, look, again, lines } = newBench(text);
  app.Get("/", async () => void await queue.Add(look));
  app.Get("/again", async () => void await queue.Add(again));
  await ask(app, { "x-tenant": "acme" });
  await queue.Drain();
  const own = "tenant=acme path=/ job=look queue=default attempt";
  assertEquals(lines, [
    `[INFO] looked ${own}=1`,
    `[WARN] A job has failed and will be retried in 0 ms: Error: No tea ${own}=1`,
    `[INFO] looked ${own}=2`,
  ]);
  lines.length = 0;
  await ask(app, { "x-tenant": "acme", "x-region": "eu" }, "/again");
  await queue.Drain();
  const inner = "tenant=acme path=/again job=look region=eu queue=default attempt=1";
  assertEquals(lines, [
    "[INFO] again tenant=acme path=/again job=again region=eu queue=default attempt=1",
    `[INFO] looked ${inner}`,
    `[ERRO] A job has failed for good: Error: No tea ${inner}`,
  ]);
  await app.Shutdown();
});

for (
  const [name, carry, headers] of [
    ["a call without carried values", undefined, { "x-tenant": "acme" }],
    ["a call whose values are undefined", text, {}],
  ] as const
) {
  Deno.test(`the log lines of a job have no labels of ${name}`, async () => {
    const { app, queue, look, lines } = newBench(carry);
    app.Get("/", async () => void await queue.Add(look));
    await ask(app, headers);
    await queue.Drain();
    assertEquals(lines.filter((line) => line.includes("looked")), [
      "[INFO] looked queue=default job=look attempt=1",
      "[INFO] looked queue=default job=look attempt=2",
    ]);
    await app.Shutdown();
  });
}

Deno.test("the log lines of a job that a socket event or a mounted application adds have the labels of the request", async () => {
  const { app, queue, look, lines } = newBench(text);
  const server = websocket.New();
  server.On("add", async () => (await queue.Add(look)).IsNew);
  const inner = quiet();
  inner.Get("/ws", websocket.Handler(server));
  inner.Get("/", async () => void await queue.Add(look));
  app.Get("/ws", websocket.Handler(server));
  app.Mount("/m", inner);
  const Headers = { "x-tenant": "acme", "x-region": "eu" };
  const test = httptest.New(app);
  for (const path of ["/ws", "/m/ws"]) {
    const socket = await test.WebSocket(path, { Headers });
    assertEquals(await socket.Ask("add", null), true);
    await socket.Close();
  }
  await ask(app, Headers, "/m");
  await queue.Drain();
  const looked = lines.filter((line) => line.includes("looked") && line.endsWith("=1"));
  assertEquals(
    looked.sort(),
    ["/m", "/m/ws", "/ws"].map((path) =>
      `[INFO] looked tenant=acme path=${path} job=look region=eu queue=default attempt=1`
    ),
  );
  await app.Shutdown();
});
