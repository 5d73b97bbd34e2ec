import { assertEquals } from "@std/assert";
import type * as fw from "../../../../mod.ts";
import { overSocket, quiet, writeAll } from "../../../serving.ts";

const head = 'content-disposition: form-data; name="avatar"; filename="me.png"\r\ncontent-type: image/png\r\n\r\n';

/** Serves an upload whose avatars are limited to 64 KiB. */
function uploads(folder: string, seen: string[] = []): fw.Application {
  const app = quiet();
  app.Post("/", async (ctx) => {
    const options: fw.UploadOptions = { Fields: { avatar: { MaxFile: 64 << 10, MaxCount: 1 } } };
    const hook: fw.UploadHook = (_ctx, { Filename }) => void seen.push(Filename);
    const [bytes, error] = await ctx.UploadFormFiles(folder, options, hook);
    if (error !== null) throw error;
    ctx.WriteString(String(bytes));
  });
  return app;
}

Deno.test("Context.UploadFormFiles() responds with 413 to a file over the limit of its field before it has arrived", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await overSocket(uploads(folder), async (_ask, port) => {
      // The client declares 50 MB and stops after 1 MB, so a server that reads the whole file never responds.
      for (const framing of ["content-length: 50000000", "transfer-encoding: chunked"]) {
        using connection = await Deno.connect({ hostname: "127.0.0.1", port });
        const type = "content-type: multipart/form-data; boundary=b";
        const start = `--b\r\n${head}${"x".repeat(1_000_000)}`;
        const body = framing.startsWith("transfer") ? `${start.length.toString(16)}\r\n${start}\r\n` : start;
        const writer = connection.writable.getWriter();
        await writer.write(
          new TextEncoder().encode(`POST / HTTP/1.1\r\nhost: localhost\r\n${framing}\r\n${type}\r\n\r\n${body}`),
        );
        const { value } = await connection.readable.getReader().read();
        assertEquals(new TextDecoder().decode(value).split("\r\n")[0], "HTTP/1.1 413 Payload Too Large", framing);
      }
    });
    assertEquals([...Deno.readDirSync(folder)], []);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("Context.UploadFormFiles() takes options before its hooks, and saves nothing if a limit is exceeded", async () => {
  const folder = await Deno.makeTempDir();
  const seen: string[] = [];
  const app = uploads(folder, seen);
  async function send(...names: string[]): Promise<[number, string]> {
    const body = new FormData();
    for (const name of names) body.append("avatar", new File(["12345"], name));
    const response = await app.fetch(new Request("http://localhost/", { method: "POST", body }));
    return [response.status, await response.text()];
  }
  try {
    const message = 'Cannot save the uploaded files: the field "avatar" has more than 1 file';
    assertEquals(await send("a.png", "b.png"), [413, message]);
    assertEquals([seen, [...Deno.readDirSync(folder)]], [["a.png"], []]);
    assertEquals(await send("c.png"), [200, "5"]);
    assertEquals([seen, Array.from(Deno.readDirSync(folder), ({ name }) => name)], [["a.png", "c.png"], ["c.png"]]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

/** Serves an upload whose photos are limited to 64 KiB together, and the files of each other field to 9 bytes. */
function albums(folder: string): fw.Application {
  const app = quiet();
  app.Post("/", async (ctx) => {
    const [bytes, error] = await ctx.UploadFormFiles(folder, {
      MaxTotal: 9,
      Fields: { photos: { MaxTotal: 64 << 10 } },
    });
    if (error !== null) throw error;
    ctx.WriteString(String(bytes));
  });
  return app;
}

function part(field: string, name: string, content: string): string {
  return `--b\r\ncontent-disposition: form-data; name="${field}"; filename="${name}"\r\n\r\n${content}\r\n`;
}

Deno.test("Context.UploadFormFiles() responds with 413 to files over the total of their field before they have arrived", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await overSocket(albums(folder), async (_ask, port) => {
      // Each file is within the limit. The client stops in the second file, so a server that reads all of it never
      // responds.
      const start = part("photos", "a.png", "x".repeat(60_000)) + part("photos", "b.png", "x".repeat(60_000));
      const type = "content-type: multipart/form-data; boundary=b";
      const head = `POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 50000000\r\n${type}\r\n\r\n`;
      using connection = await Deno.connect({ hostname: "127.0.0.1", port });
      await writeAll(connection, new TextEncoder().encode(`${head}${start.slice(0, -1000)}`));
      const { value } = await connection.readable.getReader().read();
      assertEquals(new TextDecoder().decode(value).split("\r\n")[0], "HTTP/1.1 413 Payload Too Large");
    });
    assertEquals([...Deno.readDirSync(folder)], []);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("Context.UploadFormFiles() counts the total of each field separately, and anew for each request", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await overSocket(albums(folder), async (ask) => {
      async function send(...parts: string[]): Promise<[number, string]> {
        const headers = { "content-type": "multipart/form-data; boundary=b" };
        const { status, text } = await ask("/", { method: "POST", headers, body: `${parts.join("")}--b--\r\n` });
        return [status, text];
      }
      const full = [part("a", "1", "12345"), part("b", "2", "123456789"), part("a", "3", "6789")];
      const message = 'Cannot save the uploaded files: the files in the field "a" are larger than 9 bytes in total';
      assertEquals(await send(...full, part("a", "4", "0")), [413, message]);
      assertEquals([...Deno.readDirSync(folder)], []);
      for (const _time of ["first", "second"]) {
        assertEquals(await send(...full, part("photos", "5", "0123456789")), [200, "28"]);
      }
      assertEquals(Array.from(Deno.readDirSync(folder), ({ name }) => name).sort(), ["1", "2", "3", "5"]);
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
