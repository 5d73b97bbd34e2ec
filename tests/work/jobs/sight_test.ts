import { assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import * as fw from "../../../mod.ts";
import * as health from "../../../src/middleware/health/mod.ts";
import * as metrics from "../../../src/middleware/metrics/mod.ts";
import * as jobs from "../../../src/work/jobs/mod.ts";
import { collectedSpans } from "../../collected_spans.ts";
import { overSocket } from "../../serving.ts";

function work(text: string): string {
  if (text === "fail") throw new jobs.PermanentError("no");
  return text;
}

Deno.test("Queue.RunWith() adds the jobs to the metrics of the application", async () => {
  const counted = metrics.New();
  const app = fw.New();
  app.Logger().SetOutput(() => {});
  app.UseRouter(counted.Handler());
  app.Get("/metrics", counted.Page());
  const queue = jobs.New(jobs.NewMemory(), { Name: 'the "mail"' }).Handle(work).RunWith(app);
  const failed = Promise.withResolvers<void>();
  queue.OnFailed(() => failed.resolve());
  await queue.Add(work, "later", { In: 60_000 });
  const { promise: listening, resolve: listen } = Promise.withResolvers<number>();
  const ended = app.Run(fw.Addr("127.0.0.1:0"), fw.WithOnListen((address) => listen((address as Deno.NetAddr).port)));
  const port = await listening;
  await queue.Add(work, "go", { Priority: 1 });
  await queue.Add(work, "fail");
  await failed.promise;
  const read = async () => await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  await read(); // the numbers of the store are read for the next scrape
  await queue.Stats();
  const text = await read();
  const labels = 'queue="the \\"mail\\"",job="work"';
  assertStringIncludes(text, `jobs_attempts_total{${labels},outcome="done"} 1\n`);
  assertStringIncludes(text, `jobs_attempts_total{${labels},outcome="failed"} 1\n`);
  assertStringIncludes(text, `jobs_failed_for_good_total{${labels}} 1\n`);
  assertStringIncludes(text, 'jobs_waiting{queue="the \\"mail\\""} 1\n');
  assertEquals(text.match(/# TYPE jobs_attempts_total counter/g)?.length, 1);
  await app.Shutdown();
  await ended;
});

Deno.test("Measure() measures a queue without an application", async () => {
  const queue = jobs.New(jobs.NewMemory()).Handle(work);
  const meter = jobs.Measure(queue);
  await queue.Add(work, "go");
  await queue.Drain();
  const attempts = meter().filter(({ Name }) => Name === "jobs_attempts_total");
  assertEquals(attempts.map(({ Labels, Value }) => [Labels?.outcome, Value]), [["done", 1], ["failed", 0]]);
});

Deno.test("Check() fails if a job has been due for too long", async () => {
  const queue = jobs.New(jobs.NewMemory()).Handle(work);
  const app = fw.New();
  const logged: string[] = [];
  app.Logger().SetOutput((line) => logged.push(line));
  health.New({ Checks: { jobs: jobs.Check(queue, { MaxAge: 60_000 }) }, MaxAge: 0 }).Register(app);
  await overSocket(app, async (_, port) => {
    const ready = async () => {
      const response = await fetch(`http://127.0.0.1:${port}/readyz`);
      await response.body?.cancel();
      return response.status;
    };
    assertEquals(await ready(), 200);
    await queue.Add(work, "new");
    assertEquals(await ready(), 200);
    await queue.Add(work, "old", { At: Date.now() - 61_000 });
    assertEquals(await ready(), 503);
    assertStringIncludes(logged.join(""), 'The queue "default" is stuck: 2 jobs are due, the oldest one for 61 s');
    await queue.Drain();
    assertEquals(await ready(), 200);
  });
});

Deno.test("Queue.Run() continues the trace of the request that added the job", async () => {
  const spans = await collectedSpans(fromFileUrl(new URL("./traced_app.ts", import.meta.url)));
  const request = spans.find(({ name }) => name.startsWith("POST"));
  const attempts = spans.filter(({ name }) => name === "job work");
  assertEquals(attempts.map(({ traceId }) => traceId), [request?.traceId, request?.traceId] as string[]);
  assertEquals(attempts.map(({ parentSpanId }) => parentSpanId), [request?.spanId, request?.spanId]);
  assertEquals(attempts.map(({ status }) => status.code ?? 0).sort(), [0, 2]);
  // The requests of a job belong to its span.
  const ids = new Set(attempts.map(({ spanId }) => spanId));
  assertEquals(spans.filter(({ name, parentSpanId }) => name === "GET" && ids.has(parentSpanId ?? "")).length, 1);
});
