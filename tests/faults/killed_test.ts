import { assertEquals } from "@std/assert";
import { Client, startIn, startSite, uploadOf } from "./support.ts";

/** Requests a page with a cookie, and returns the text and the new cookie. */
async function visit(port: number, cookie: string): Promise<{ text: string; cookie: string }> {
  const response = await fetch(`http://127.0.0.1:${port}/visit`, { headers: cookie === "" ? {} : { cookie } });
  const set = response.headers.get("set-cookie");
  return { text: await response.text(), cookie: set?.split(";", 1)[0] ?? cookie };
}

Deno.test("Application keeps its sessions and no partial uploads after being killed", async () => {
  await using site = await startSite();
  let cookie = "";
  for (const count of ["1", "2", "3"]) {
    const seen = await visit(site.port, cookie);
    assertEquals(seen.text, count);
    cookie = seen.cookie;
  }
  using client = await Client.to(site.port);
  await client.send(uploadOf(4 << 20).head);
  await client.send(new Uint8Array(2 << 20));
  assertEquals(await site.child.line(), "upload");
  site.child.kill("SIGKILL");
  await site.child.end();

  await using again = startIn(site.folder);
  const port = await again.port();
  assertEquals((await visit(port, cookie)).text, "4");
  const body = new FormData();
  body.append("f", new File([new Uint8Array(1_000)], "f.bin"));
  const response = await fetch(`http://127.0.0.1:${port}/upload`, { method: "POST", body });
  assertEquals(await response.json(), { bytes: 1_000 });
  const visible = (await Array.fromAsync(Deno.readDir(`${site.folder}/uploads`), ({ name }) => name))
    .filter((name) => !name.startsWith("."));
  assertEquals(visible, ["f.bin"]);
  again.kill("SIGTERM");
  assertEquals((await again.end()).code, 0);
});
