import { assert, assertEquals } from "@std/assert";
import * as fw from "@fw/web";

function form(files: Record<string, string | Blob>): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(files)) data.append(name, value);
  return data;
}

async function served<T>(handler: fw.Handler, use: (url: string) => Promise<T>): Promise<T> {
  const app = fw.New();
  app.Logger().SetLevel("disable");
  app.Post("/", handler);
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => app.fetch(request));
  return await use(`http://127.0.0.1:${server.addr.port}/`);
}

async function post(url: string, body: BodyInit): Promise<[number, string]> {
  const response = await fetch(url, { method: "POST", body });
  return [response.status, await response.text()];
}

Deno.test("Context.FormParts() yields fields and files in order, with their headers and content", async () => {
  const handler: fw.Handler = async (ctx) => {
    const parts: unknown[] = [];
    for await (const part of ctx.FormParts()) {
      parts.push([part.Name, part.IsFile, part.Filename, part.Header.get("content-type"), await part.Text()]);
    }
    ctx.JSON(parts);
  };
  const body = form({ note: "héllo", file: new File(["a".repeat(100_000)], "../a.txt", { type: "text/plain" }) });
  await served(handler, async (url) => {
    const [status, text] = await post(url, body);
    assertEquals(status, 200);
    const [note, file] = JSON.parse(text);
    assertEquals(note, ["note", false, "", null, "héllo"]);
    assertEquals([file.slice(0, 4), file[4].length], [["file", true, "a.txt", "text/plain"], 100_000]);
  });
});

Deno.test("Context.FormParts() yields the first bytes before the rest has arrived", async () => {
  const first = Promise.withResolvers<string>();
  const handler: fw.Handler = async (ctx) => {
    for await (const part of ctx.FormParts()) {
      for await (const chunk of part.Body) first.resolve(new TextDecoder().decode(chunk));
    }
    ctx.Text("done");
  };
  await served(handler, async (url) => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const headers = { "content-type": "multipart/form-data; boundary=x" };
    const sent = fetch(url, { method: "POST", headers, body: readable });
    const writer = writable.getWriter();
    const head = '--x\r\ncontent-disposition: form-data; name="f"; filename="f"\r\n\r\n';
    await writer.write(new TextEncoder().encode(`${head}early`));
    assertEquals(await first.promise, "early");
    await writer.write(new TextEncoder().encode("late\r\n--x--\r\n"));
    await writer.close();
    assertEquals(await (await sent).text(), "done");
  });
});

Deno.test("Context.FormParts() skips unread parts, and reading a skipped part fails", async () => {
  const handler: fw.Handler = async (ctx) => {
    const kept: fw.FormPart[] = [];
    for await (const part of ctx.FormParts()) kept.push(part);
    const late = await kept[0]?.Text().catch((error: Error) => error.message);
    ctx.JSON([kept.map((part) => part.Name), late]);
  };
  await served(handler, async (url) => {
    const [status, text] = await post(url, form({ a: new File(["x".repeat(300_000)], "a"), b: "b" }));
    assertEquals(status, 200);
    const [names, late] = JSON.parse(text);
    assertEquals(names, ["a", "b"]);
    assert(late.includes("it was skipped because the next part"), late);
  });
});

Deno.test("Context.FormParts() fails with 415, 400, 413 and FW_STATE, and leaves no resources open", async () => {
  const handler: fw.Handler = async (ctx) => {
    if (ctx.URLParamExists("read")) await ctx.FormValue("a");
    if (ctx.URLParamExists("limit")) ctx.SetMaxRequestBodySize(1000);
    for await (const part of ctx.FormParts()) await part.Text();
    ctx.Text("read");
  };
  await served(handler, async (url) => {
    assertEquals((await post(url, "text"))[0], 415);
    assertEquals((await post(url, form({ a: "1" })))[0], 200);
    assertEquals((await post(`${url}?read`, form({ a: "1" })))[0], 500);
    assertEquals((await post(`${url}?limit`, form({ a: new File(["x".repeat(5000)], "a") })))[0], 413);
    assertEquals((await post(url, form({ a: new File(["x".repeat(2 << 20)], "a") })))[0], 413);
    const headers = { "content-type": "multipart/form-data; boundary=x" };
    const cut = await fetch(url, {
      method: "POST",
      headers,
      body: '--x\r\ncontent-disposition: form-data; name="a"\r\n\r\nab',
    });
    assertEquals(cut.status, 400);
    await cut.body?.cancel();
  });
});
