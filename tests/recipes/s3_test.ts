import { assertEquals } from "@std/assert";
import { GetObjectCommand, type S3Client } from "npm:@aws-sdk/client-s3@^3";
import type * as fw from "../../mod.ts";
import { keys, startS3 } from "./s3_server.ts";
import { runRecipe } from "./recipe.ts";

interface Recipe {
  readonly app: fw.Application;
  readonly client: S3Client;
}

const MiB = 1 << 20;

Deno.test('The recipe "Uploads to S3" streams files to S3 and stores nothing if an upload fails', async (t) => {
  await using server = await startS3("uploads");
  const { app, client } = await runRecipe<Recipe>("s3", ["app", "client"], {
    '{ region: "eu-central-1" }': JSON.stringify({
      region: "eu-central-1",
      endpoint: server.url,
      forcePathStyle: true,
      credentials: keys,
    }),
  });
  app.Logger().SetLevel("disable");
  const served = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, app.fetch);
  const url = `http://127.0.0.1:${served.addr.port}/files`;
  const content = (size: number) => new Uint8Array(size).map((_, at) => at % 251);

  await t.step("small and large files arrive complete, with their types", async () => {
    const body = new FormData();
    body.set("note", "two files");
    body.set("small", new File(["tea"], "tea.txt", { type: "text/plain" }));
    body.set("large", new File([content(12 * MiB)], "tea.bin", { type: "application/x-tea" }));
    const stored: string[] = await (await fetch(url, { method: "POST", body })).json();
    const objects = await Promise.all(stored.map(async (Key) => {
      const { Body, ContentType } = await client.send(new GetObjectCommand({ Bucket: "uploads", Key }));
      return [ContentType, await Body?.transformToByteArray()];
    }));
    assertEquals(objects[0], ["text/plain", new TextEncoder().encode("tea")]);
    assertEquals(objects[1]?.[0], "application/x-tea");
    assertEquals(objects[1]?.[1], content(12 * MiB));
  });

  const before = await server.stored("uploads");
  const head = (name: string) => `--x\r\ncontent-disposition: form-data; name="${name}"; filename="${name}"\r\n\r\n`;
  const headers = { "content-type": "multipart/form-data; boundary=x" };
  const encode = (text: string) => new TextEncoder().encode(text);

  await t.step(
    "the first block is stored while the rest still arrives; if the client disconnects, all is removed",
    async () => {
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
      const client = new AbortController();
      const sent = fetch(url, { method: "POST", headers, body: readable, signal: client.signal });
      const gone = sent.catch((error: Error) => error.name);
      const writer = writable.getWriter();
      await writer.write(encode(`${head("first")}finished\r\n${head("second")}`));
      await writer.write(content(7 * MiB));
      await until(async () => (await server.stored("uploads")).length > before.length + 1);
      client.abort();
      assertEquals(await gone, "AbortError");
      await until(async () => (await server.stored("uploads")).length <= before.length);
      assertEquals(await server.stored("uploads"), before);
    },
  );
  await t.step("a truncated form leaves nothing behind", async () => {
    const body = new Blob([head("first"), "finished\r\n", head("second"), content(7 * MiB)]);
    const response = await fetch(url, { method: "POST", headers, body });
    assertEquals([response.status, await response.text()], [
      400,
      "Cannot read the multipart form: it ends unexpectedly",
    ]);
    assertEquals(await server.stored("uploads"), before);
  });

  await served.shutdown();
  client.destroy();
});

/** Waits until a condition is true. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!await isSo()) await new Promise((resolve) => setTimeout(resolve, 10));
}
