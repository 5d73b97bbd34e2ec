import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Child } from "../http/server/support.ts";
import { inTime } from "../in_time.ts";
import { Client, request, type Site, startSite, uploadOf } from "./support.ts";

const MIB = 1 << 20;
/** The shutdown timeout for requests that do not end by themselves. A slower process is ended before it has logged. */
const LIMIT = 1_000;

/** Waits until the site prints a line. */
async function until(child: Child, wanted: string): Promise<void> {
  let line: string | undefined;
  do line = await child.line(); while (line !== undefined && line !== wanted);
  assertEquals(line, wanted);
}

/** Sends the stop signal to the site and waits until it has been received. */
async function stop({ child }: Site): Promise<void> {
  child.kill("SIGTERM");
  await until(child, "[INFO] Received SIGTERM: draining requests; send a second signal to exit immediately");
}

async function filesOf(folder: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(folder), ({ name }) => name)).sort();
}

Deno.test("SIGTERM during an upload waits until the upload has finished", async () => {
  await using site = await startSite();
  using client = await Client.to(site.port);
  const { head, tail } = uploadOf(4 * MIB);
  await client.send(head);
  await client.send(new Uint8Array(2 * MIB));
  await until(site.child, "upload");
  await stop(site);
  await client.send(new Uint8Array(2 * MIB));
  await client.send(tail);
  assertMatch(await client.rest(), /^HTTP\/1\.1 200 [\s\S]*\{"bytes":4194304\}$/);
  const { code, lines } = await site.child.end();
  assertEquals(lines, ["upload 4194304", "closed", "end"]);
  assertEquals(code, 0);
  assertEquals(await filesOf(`${site.folder}/uploads`), ["f.bin"]);
});

Deno.test("SIGTERM during a stalled upload aborts it within the limit and leaves no partial file", async () => {
  await inTime(LIMIT, async (begin) => {
    await using site = await startSite(LIMIT);
    using client = await Client.to(site.port);
    await client.send(uploadOf(4 * MIB).head);
    await client.send(new Uint8Array(2 * MIB));
    await until(site.child, "upload");
    begin();
    await stop(site);
    assertMatch(await client.rest(), /^HTTP\/1\.1 503 |^$/);
    const { code } = await site.child.end();
    assertEquals(code, 143);
    assertEquals(await filesOf(`${site.folder}/uploads`), []);
  });
});

Deno.test("SIGTERM during a download waits until the download has finished", async () => {
  await using site = await startSite();
  await Deno.writeFile(`${site.folder}/big.bin`, new Uint8Array(30 * MIB));
  using client = await Client.to(site.port);
  await client.send(request("GET", "/download"));
  const first = await client.read(MIB);
  await stop(site);
  const rest = await client.read(Infinity);
  const head = new TextDecoder("latin1").decode(first).split("\r\n\r\n", 1)[0] ?? "";
  assertMatch(head, /content-length: 31457280/i);
  assertEquals(first.length + rest.length, head.length + 4 + 30 * MIB);
  const { code, lines } = await site.child.end();
  assertEquals(lines, ["closed", "end"]);
  assertEquals(code, 0);
});

Deno.test("SIGTERM during a stream waits until the stream has finished", async () => {
  // The stream takes 600 ms. A slower client may send the signal after its end.
  await inTime(600, async (begin) => {
    await using site = await startSite();
    using client = await Client.to(site.port);
    begin();
    await client.send(request("GET", "/stream/30"));
    const first = new TextDecoder().decode(await client.read(200));
    await stop(site);
    const text = first + await client.rest();
    assertEquals(text.match(/^line \d+$/gm)?.length, 30);
    assert(text.endsWith("0\r\n\r\n"), "the stream broke off");
    const { code, lines } = await site.child.end();
    assertEquals(lines, ["stream over", "closed", "end"]);
    assertEquals(code, 0);
  });
});

for (const way of ["SIGTERM", "Application.Shutdown()"]) {
  Deno.test(`${way} during an endless stream aborts it within the limit`, async () => {
    await inTime(LIMIT, async (begin) => {
      await using site = await startSite(LIMIT);
      using client = await Client.to(site.port);
      await client.send(request("GET", "/stream/1000000"));
      await client.read(200);
      begin();
      if (way === "SIGTERM") site.child.kill("SIGTERM");
      else await (await fetch(`http://127.0.0.1:${site.port}/stop`)).text();
      const text = await client.rest();
      assert(!text.endsWith("0\r\n\r\n"), "the stream ended as if it were whole");
      const { code, lines } = await site.child.end();
      assertEquals(code, way === "SIGTERM" ? 143 : 0);
      assert(lines.includes("stream over"), lines.join("\n"));
      assert(lines.includes("closed"), lines.join("\n"));
    });
  });
}

Deno.test("SIGTERM with an open WebSocket allows the application to close it", async () => {
  await using site = await startSite();
  const socket = new WebSocket(`ws://127.0.0.1:${site.port}/socket`);
  const heard = Promise.withResolvers<string>();
  const closed = Promise.withResolvers<number>();
  socket.onopen = () => socket.send("hello");
  socket.onmessage = ({ data }) => heard.resolve(data);
  socket.onclose = ({ code }) => closed.resolve(code);
  assertEquals(await heard.promise, "echo hello");
  await stop(site);
  assertEquals(await closed.promise, 1001);
  const { code, lines } = await site.child.end();
  assertEquals(lines, ["socket over", "closed", "end"]);
  assertEquals(code, 0);
});
