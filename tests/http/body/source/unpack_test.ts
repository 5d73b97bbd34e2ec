import { assert, assertEquals, assertRejects } from "@std/assert";
import { deflateSync, gzipSync } from "node:zlib";
import { HTTPError } from "../../../../src/base/errors/errors.ts";
import { Body } from "../../../../src/http/body/body.ts";
import { defaultLimits } from "../../../../src/http/body/source/body_limits.ts";
import { field, file } from "../../../testdata/forms/cases.ts";
import { ways } from "../../../testdata/forms/requests.ts";

const packers: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  "gzip": (bytes) => gzipSync(bytes),
  "x-gzip": (bytes) => gzipSync(bytes),
  "GZIP ": (bytes) => gzipSync(bytes),
  "deflate": (bytes) => deflateSync(bytes),
  "identity": (bytes) => bytes,
};

function packed(coding: string, bytes: string | Uint8Array, type = "application/json", way = "whole"): Body {
  const plain = typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes;
  const request = ways[way]?.(packers[coding]?.(plain) ?? plain, type, [100]) as Request;
  request.headers.set("content-encoding", coding);
  return new Body(request);
}

for (const coding of Object.keys(packers)) {
  for (const way of Object.keys(ways)) {
    Deno.test(`Body.unpack() decompresses "${coding}", ${way}`, async () => {
      const json = packed(coding, '{"a":1}', "application/json", way);
      json.terms.unpack();
      assertEquals(await json.json(), { a: 1 });
      const simple = packed(coding, "a=1&b=2", "application/x-www-form-urlencoded", way);
      simple.terms.unpack();
      assertEquals({ ...(await simple.form()).values }, { a: ["1"], b: ["2"] });
      const text = `${field("a", "1")}${file("f", "x.txt", "hello".repeat(50_000))}--X--`;
      const parts = packed(coding, text, "multipart/form-data; boundary=X", way);
      parts.terms.unpack();
      const form = await parts.form();
      assertEquals([form.values["a"], await form.files[0]?.open().text()], [["1"], "hello".repeat(50_000)]);
      for (const body of [json, simple, parts]) body.close();
    });
  }
}

Deno.test("Body rejects a compressed body with 415 unless it is decompressed or read as bytes", async () => {
  const readers: readonly ((body: Body) => Promise<unknown>)[] = [
    (body) => body.json(),
    (body) => body.text(),
    (body) => body.form(),
    (body) => body.files(),
  ];
  for (const [at, read] of readers.entries()) {
    const type = at < 2 ? "application/json" : "multipart/form-data; boundary=X";
    const error = await assertRejects(() => read(packed("gzip", "{}", type)), HTTPError);
    assertEquals([error.Status, error.Code], [415, "FW_BODY"]);
    assertEquals(error.message, 'Cannot read the request body: its content encoding "gzip" is not supported here');
  }
  assertEquals((await packed("gzip", "{}").bytes()).slice(0, 2), new Uint8Array([0x1f, 0x8b]));
});

Deno.test("Body.unpack() rejects unknown codings, several codings, and names of prototype members", async () => {
  for (const coding of ["br", "zstd", "compress", "gzip, gzip", "toString", "__proto__", "x".repeat(1000)]) {
    const body = packed(coding, "{}");
    body.terms.unpack();
    assertEquals((await assertRejects(() => body.json(), HTTPError)).Status, 415, coding);
  }
});

Deno.test("Body.unpack() fails with 400 for truncated and invalid data", async () => {
  for (const coding of ["gzip", "deflate"]) {
    const whole = packers[coding]?.(new TextEncoder().encode("hello ".repeat(1000))) ?? new Uint8Array();
    const cases = { "cut off": whole.slice(0, -5), "broken": new TextEncoder().encode('{"a":1}') };
    for (const [what, bytes] of Object.entries(cases)) {
      const request = ways["whole"]?.(bytes, "text/plain") as Request;
      request.headers.set("content-encoding", coding);
      const body = new Body(request);
      body.terms.unpack();
      const error = await assertRejects(() => body.text(), HTTPError, "", `${coding} ${what}`);
      assertEquals([error.Status, error.Code], [400, "FW_BODY"], `${coding} ${what}`);
    }
  }
});

/** Returns the memory of this thread. The memory of the process also depends on tests that run in parallel. */
function heldMemory(): number {
  const { heapUsed, external } = Deno.memoryUsage();
  return heapUsed + external;
}

Deno.test("Body.unpack() stops a decompression bomb at the limit", async () => {
  const zeros = new Uint8Array(64 << 20);
  for (const coding of ["gzip", "deflate"]) {
    const bomb = packers[coding]?.(zeros) ?? new Uint8Array();
    for (const [limit, max] of [[1 << 20, 1 << 20], [undefined, defaultLimits.postMaxMemory]] as const) {
      const request = ways["whole"]?.(bomb, "text/plain") as Request;
      request.headers.set("content-encoding", coding);
      const body = new Body(request);
      if (limit !== undefined) body.terms.limit(limit);
      body.terms.unpack();
      const before = heldMemory();
      const error = await assertRejects(() => body.bytes(), HTTPError);
      assertEquals([error.Status, error.message], [
        413,
        `Cannot read the request body: it is larger than ${max} bytes`,
      ]);
      const growth = heldMemory() - before;
      assert(growth < 128 << 20, `${coding}: ${growth >> 20} MiB more`);
    }
  }
});

Deno.test("Body.unpack() limits both the compressed and the decompressed size", async () => {
  const noise = crypto.getRandomValues(new Uint8Array(20_000));
  const body = packed("gzip", noise, "text/plain", "chunked");
  body.terms.limit(10_000);
  body.terms.unpack();
  assertEquals((await assertRejects(() => body.bytes(), HTTPError)).Status, 413);
});

Deno.test("Body.close() releases a body that is being decompressed", async () => {
  let isCanceled = false;
  const noise = crypto.getRandomValues(new Uint8Array(60_000)).toHex();
  const bytes = gzipSync(new TextEncoder().encode(file("f", "a.txt", noise)));
  const stream = new ReadableStream({
    start(controller): void {
      controller.enqueue(new Uint8Array(bytes.subarray(0, 30_000)));
    },
    cancel(): void {
      isCanceled = true;
    },
  });
  const headers = { "content-encoding": "gzip", "content-type": "multipart/form-data; boundary=X" };
  const body = new Body(new Request("http://localhost/", { method: "POST", body: stream, headers }));
  body.terms.unpack();
  assertEquals((await (await body.files()).next())?.header.Filename, "a.txt");
  assertEquals(body.isHeld, true);
  body.close();
  while (!isCanceled) await new Promise((resolve) => setTimeout(resolve, 1));
});
