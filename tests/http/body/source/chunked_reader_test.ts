import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { type Upload, uploadFile } from "../../../chunked_upload.ts";
import { Child } from "../../server/support.ts";

const server = fromFileUrl(new URL("../upload_server.ts", import.meta.url));

interface Usage {
  /** The CPU time, in milliseconds. */
  readonly processor: number;
  /** The memory, in megabytes. */
  readonly memory: number;
}

/** Calls a function while a server process is running. */
async function withServer(run: (port: number) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "fw_chunked_" });
  try {
    await using child = new Child(["run", "-A", "--no-lock", server, folder]);
    await run(await child.port());
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function usage(port: number): Promise<Usage> {
  const response = await fetch(`http://127.0.0.1:${port}/usage`, { headers: { connection: "close" } });
  return await response.json();
}

/** Returns the CPU time of an upload. */
async function cost(port: number, upload: Upload): Promise<number> {
  const before = await usage(port);
  const { response } = await uploadFile(port, upload);
  assertStringIncludes(response, `\r\n\r\n${upload.size}`);
  return (await usage(port)).processor - before.processor;
}

/**
 * Checks that the CPU time grows linearly. If it does not, measures again and uses the minimum, because load on the
 * machine only adds to it.
 */
async function assertLinear(size: number, costOf: (size: number) => Promise<number>): Promise<void> {
  let [small, large] = [Infinity, Infinity];
  // Quadratic work would take 16 times as long. Below 20 ms, the resolution of the clock dominates.
  const isLinear = () => large < 8 * Math.max(small, 20);
  for (let round = 0; round < 10 && !isLinear(); round++) {
    small = Math.min(small, await costOf(size));
    large = Math.min(large, await costOf(4 * size));
  }
  assert(isLinear(), `${small} ms, then ${large} ms for 4 times the size`);
}

const rows: readonly (readonly [chunk: number, size: number])[] = [
  [1, 100_000],
  [100, 2_000_000],
  [1_000, 5_000_000],
  [4 << 10, 8_000_000],
  [64 << 10, 16_000_000],
  [1 << 20, 16_000_000],
];

for (const [chunk, size] of rows) {
  Deno.test(`Context.UploadFormFiles() takes time linear in the size of an upload with chunks of ${chunk} bytes`, async () => {
    await withServer(async (port) => {
      await uploadFile(port, { size: 1000, chunk });
      await assertLinear(size, (size) => cost(port, { size, chunk }));
    });
  });
}

for (const path of ["/form", "/body"]) {
  Deno.test(`Body reads chunks of 1,000 bytes in linear time at ${path}`, async () => {
    await withServer(async (port) => {
      await uploadFile(port, { size: 1000, chunk: 100, path });
      await assertLinear(4_000_000, async (size) => {
        const before = await usage(port);
        assertStringIncludes((await uploadFile(port, { size, chunk: 1000, path })).response, "HTTP/1.1 200");
        return (await usage(port)).processor - before.processor;
      });
    });
  });
}

Deno.test("Body responds with 413 as soon as a chunked upload exceeds the limit", async () => {
  await withServer(async (port) => {
    await uploadFile(port, { size: 1000, chunk: 100 });
    const before = await usage(port);
    const { response, sentBefore } = await uploadFile(port, { size: 300_000_000, chunk: 16 << 10 });
    assertStringIncludes(response, "HTTP/1.1 413");
    // The limit is 128 MiB. The buffers of the client and of both ends of the socket come on top.
    assert(sentBefore < 160_000_000, `${sentBefore} bytes were sent before the response`);
    const { memory } = await usage(port);
    assert(memory - before.memory < 100, `${memory - before.memory} MB`);
  });
});

Deno.test("Body stops reading a chunked upload when the client disconnects", async () => {
  await withServer(async (port) => {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    const head = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n" +
      "Content-Type: multipart/form-data; boundary=X\r\n\r\n";
    const part = `--X\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n`;
    const chunk = `3e8\r\n${"a".repeat(1000)}\r\n`;
    const bytes = new TextEncoder().encode(
      `${head}${part.length.toString(16)}\r\n${part}\r\n${chunk.repeat(10_000)}`,
    );
    for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
    connection.close();
    // The server is idle if its CPU time between two checks is only that of the request in between.
    let idle = 0;
    let last = (await usage(port)).processor;
    for (let i = 0; i < 1200 && idle < 3; i++) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      const { processor } = await usage(port);
      idle = processor - last < 20 ? idle + 1 : 0;
      last = processor;
    }
    assertEquals(idle, 3);
  });
});
