import { assertEquals } from "@std/assert";
import * as fw from "../../../../mod.ts";
import { overSocket, quiet } from "../../../serving.ts";

function part(field: string, name: string, type: string): string {
  const disposition = `content-disposition: form-data; name="${field}"; filename="${name}"`;
  return `--b\r\n${disposition}\r\n${type === "" ? "" : `content-type: ${type}\r\n`}\r\n`;
}

Deno.test("UploadHook receives the field and content type of a file before its first byte has arrived", async () => {
  const folder = await Deno.makeTempDir();
  const seen = Promise.withResolvers<void>();
  const headers: unknown[] = [];
  const app = quiet();
  app.Post("/", async (ctx) => {
    const [bytes, error] = await ctx.UploadFormFiles(folder, (_ctx, { Field, ContentType, Filename, Size }) => {
      headers.push([Field, ContentType, Filename, Size]);
      seen.resolve();
    });
    if (error !== null) throw error;
    ctx.WriteString(String(bytes));
  });
  try {
    await overSocket(app, async (_ask, port) => {
      const encoder = new TextEncoder();
      const body = new ReadableStream<Uint8Array>({
        async start(controller) {
          controller.enqueue(encoder.encode(part("avatar", "a.png", "image/png")));
          // The bytes of the file are sent only after the hook has received its header.
          await seen.promise;
          controller.enqueue(encoder.encode(`12345\r\n${part("notes", "b", "")}67\r\n--b--\r\n`));
          controller.close();
        },
      });
      const type = { "content-type": "multipart/form-data; boundary=b" };
      const response = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers: type, body });
      assertEquals([response.status, await response.text()], [200, "7"]);
    });
    assertEquals(headers, [["avatar", "image/png", "a.png", -1], ["notes", "", "b", -1]]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("UploadHook can reject an upload by throwing an HTTPError, and nothing is saved", async () => {
  const folder = await Deno.makeTempDir();
  const app = quiet();
  app.Post("/", async (ctx) => {
    await ctx.UploadFormFiles(folder, (_ctx, header) => {
      if (!header.ContentType.startsWith("image/")) throw new fw.HTTPError(415, `"${header.Field}" takes images only`);
    });
  });
  try {
    const body = new FormData();
    body.append("avatar", new File(["x"], "a.txt", { type: "text/plain" }));
    const response = await app.fetch(new Request("http://localhost/", { method: "POST", body }));
    assertEquals([response.status, await response.text()], [415, '"avatar" takes images only']);
    assertEquals([...Deno.readDirSync(folder)], []);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
