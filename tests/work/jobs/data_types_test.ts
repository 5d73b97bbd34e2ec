import { assertEquals, assertRejects } from "@std/assert";
import { z } from "npm:zod@^4";
import * as jobs from "../../../src/work/jobs/mod.ts";

interface Node {
  readonly at: Date;
  readonly children: readonly Node[];
  readonly note?: string | undefined;
}

class WithDate {
  static readonly Schema = z.object({ at: z.date(), id: z.bigint(), page: z.instanceof(URL), any: z.any() });
  static seen: unknown[] = [];
  Run(data: { at: Date; id: bigint; page: URL; any: unknown }): void {
    WithDate.seen.push(data);
  }
}

class Contradicting {
  static readonly Schema = z.object({ at: z.string() });
  Run(data: { at: Date }): void {
    data.at.getTime();
  }
}

function contradicting(_data: number): void {}
contradicting.Schema = z.string();

class Transforming {
  static readonly Schema = z.object({ at: z.string().transform((text) => new Date(text)) });
  Run(_data: { at: Date }): void {}
}

function tree(_data: Node): void {}
function collections(
  _data: { map: Map<string, Date>; set: ReadonlySet<bigint>; bytes: Uint8Array; error: Error },
): void {}
function callback(_data: { done: () => void }): void {}
function blob(_data: { file: Blob }): void {}
function nothing(): void {}

Deno.test("Queue.Add() passes dates, bigints and URLs to a job whose schema has them", async () => {
  const queue = jobs.New(jobs.NewMemory()).Handle(WithDate, nothing, Transforming);
  const data = { at: new Date(5), id: 5n, page: new URL("https://a.example/"), any: { deep: [2n ** 64n + 1n] } };
  await queue.Add(WithDate, data);
  await queue.Add(nothing);
  await queue.Add(Transforming, { at: "2026-01-01" });
  assertEquals(await queue.Drain(), 3);
  assertEquals(WithDate.seen, [data]);
  await queue.Store.Close();
});

Deno.test("Queue.Add() and Handle() do not compile with data that cannot be stored, or with a contradicting schema", async () => {
  const queue = jobs.New(jobs.NewMemory());
  // @ts-expect-error The schema's output is not the type of the parameter.
  queue.Handle(Contradicting);
  // @ts-expect-error The schema's output is not the type of the parameter.
  queue.Handle(nothing, contradicting);
  // @ts-expect-error The schema's output is not the type of the parameter.
  await assertRejects(() => queue.Add(contradicting, 5));
  // @ts-expect-error The input of the schema is a string.
  await assertRejects(() => queue.Add(Transforming, { at: new Date() }));
  await queue.Add(tree, { at: new Date(), children: [{ at: new Date(), children: [] }] });
  await queue.Add(collections, { map: new Map(), set: new Set([1n]), bytes: new Uint8Array(), error: new Error("x") });
  // @ts-expect-error Functions cannot be stored.
  await assertRejects(() => queue.Add(callback, { done: () => {} }), Error, "Data.done is a function");
  // @ts-expect-error Blobs cannot be stored.
  await assertRejects(() => queue.Add(blob, { file: new Blob() }), Error, "Data.file is an instance of Blob");
  // @ts-expect-error Functions cannot be stored.
  const scheduling = queue.Schedule("0 3 * * *", callback, { done: () => {} });
  await assertRejects(() => scheduling, Error, "Data.done is a function");
  await queue.Store.Close();
});
