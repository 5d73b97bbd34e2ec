import { assertEquals } from "@std/assert";
import { Client, request, startSite, uploadOf } from "./support.ts";

const FORM = ["content-type: application/x-www-form-urlencoded", "content-length: 1000"];

/** The request that a client sends, the number of response bytes it reads, and the expected output of the site. */
const STAGES: readonly {
  readonly when: string;
  readonly send: string | Uint8Array;
  readonly read?: number;
  readonly before?: string;
  readonly after?: string;
}[] = [
  { when: "before the first byte", send: "" },
  { when: "in the middle of the request line", send: "GET /wa" },
  { when: "in the middle of a header", send: "GET / HTTP/1.1\r\nhost: loc" },
  { when: "before the body", send: request("POST", "/form", FORM), before: "form", after: "form over" },
  {
    when: "in the middle of the body",
    send: request("POST", "/form", FORM, "a=hello"),
    before: "form",
    after: "form over",
  },
  { when: "in the middle of an upload", send: uploadOf(1 << 20).head, before: "upload", after: "upload failed" },
  { when: "while the handler works", send: request("GET", "/wait"), before: "wait", after: "gone" },
  { when: "in the middle of a download", send: request("GET", "/download"), read: 100_000 },
  { when: "in the middle of a stream", send: request("GET", "/stream/1000000"), read: 200, after: "stream over" },
];

Deno.test("Application continues when clients disconnect, and releases their resources", async (t) => {
  await using site = await startSite();
  await Deno.writeFile(`${site.folder}/big.bin`, new Uint8Array(30 << 20));
  // On a busy machine, the clients may leave before the first upload creates the folder.
  await Deno.mkdir(`${site.folder}/uploads`, { recursive: true });
  for (const { when, send, read = 0, before, after } of STAGES) {
    await t.step(`when one leaves ${when}`, async () => {
      using client = await Client.to(site.port);
      await client.send(send);
      if (before !== undefined) assertEquals(await site.child.line(), before);
      await client.read(read);
      client.close();
      if (after !== undefined) assertEquals(await site.child.line(), after);
      assertEquals(await (await fetch(`http://127.0.0.1:${site.port}/`)).text(), "hello");
    });
  }
  await t.step("when 200 clients disconnect at the same time", async () => {
    await Promise.all(Array.from({ length: 200 }, async (_, index) => {
      const { send, read = 0 } = STAGES[index % 3] ?? { send: "" };
      using client = await Client.to(site.port);
      await client.send(send);
      await client.read(read);
    }));
    assertEquals(await (await fetch(`http://127.0.0.1:${site.port}/`)).text(), "hello");
  });
  assertEquals(await Array.fromAsync(Deno.readDir(`${site.folder}/uploads`)), []);
  // The exit code would be 143 if a request in flight delayed the shutdown.
  site.child.kill("SIGTERM");
  const { code, lines } = await site.child.end();
  assertEquals(lines.slice(1), ["closed", "end"]);
  assertEquals(code, 0);
});
