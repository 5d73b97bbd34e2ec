import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { askOverSocket } from "../../serving.ts";
import { Child, temporaryFolder } from "../../http/server/support.ts";

const APP = fromFileUrl(new URL("./embedded_app.ts", import.meta.url));

Deno.test("Party.HandleDir() serves files embedded in a binary, which have no modification time", async () => {
  await using folder = await temporaryFolder();
  await Deno.writeTextFile(`${folder.path}/short.txt`, "embedded");
  await Deno.writeFile(`${folder.path}/long.bin`, new Uint8Array(300_000).fill(7));
  await using child = new Child(["run", "-A", "--no-lock", "--no-check", APP, folder.path]);
  const port = await child.port();
  for (let round = 0; round < 3; round++) {
    const short = await askOverSocket(port, "/short.txt");
    assertEquals([short.status, short.text, short.headers.get("last-modified")], [200, "embedded", null]);
    const tag = short.headers.get("etag") ?? "";
    // The tag is based on the content, because nothing else distinguishes the files.
    assertMatch(tag, /^"8-[0-9a-f]{24}"$/);
    assertEquals((await askOverSocket(port, "/short.txt", { headers: { "if-none-match": tag } })).status, 304);
    assertEquals((await askOverSocket(port, "/short.txt", { method: "HEAD" })).headers.get("content-length"), "8");
    const long = await askOverSocket(port, "/long.bin");
    assertEquals([long.status, long.bytes.length, long.bytes.every((byte) => byte === 7)], [200, 300_000, true]);
    const part = await askOverSocket(port, "/long.bin", { headers: { range: "bytes=1000-" } });
    assertEquals([part.status, part.bytes.length], [206, 299_000]);
    const middle = await askOverSocket(port, "/long.bin", { headers: { range: "bytes=1000-200999" } });
    assertEquals([middle.status, middle.bytes.length], [206, 200_000]);
    const list = await askOverSocket(port, "/");
    assertStringIncludes(list.text, "short.txt");
  }
});
