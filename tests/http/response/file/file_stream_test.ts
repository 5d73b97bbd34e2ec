import { assert, assertEquals } from "@std/assert";
import { exceptOnLinux, testUnless } from "../../../skipped.ts";
import type * as fw from "../../../../mod.ts";
import { overSocket, quiet, readReceived } from "../../../serving.ts";

const noTable = exceptOnLinux("the open files of a process are listed on Linux only");

const size = 8 << 20;
/** More bytes than the system buffers between a server and a client that does not read. */
const large = 64 << 20;

/** A file may be sent in two ways, depending on whether it was written recently. */
const ages = ["new", "old"] as const;

/** A file that is removed after the test. */
class LargeFile implements Disposable {
  readonly path: string = Deno.makeTempFileSync({ suffix: ".log" });

  constructor(length: number = size, age: typeof ages[number] = "new") {
    Deno.writeFileSync(this.path, new Uint8Array(length).fill(7));
    if (age === "old") this.age();
  }

  /** Sets an old modification time. */
  age(): void {
    Deno.utimeSync(this.path, 1e9, 1e9);
  }

  /** Returns the number of times that this process has opened the file. */
  get openings(): number {
    let count = 0;
    for (const { name } of Deno.readDirSync("/proc/self/fd")) {
      try {
        if (Deno.readLinkSync(`/proc/self/fd/${name}`) === this.path) count++;
      } catch {
        // The entry of the folder itself no longer exists.
      }
    }
    return count;
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.path);
  }
}

function serving(path: string): fw.Application {
  const app = quiet();
  app.Get("/", (ctx) => ctx.ServeFile(path));
  app.Get("/slow", (ctx) => ctx.SendFileWithRate(path, 1000));
  return app;
}

/** Requests a path without reading the response. */
async function ask(port: number, path: string, headers = ""): Promise<Deno.TcpConn> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await connection.write(new TextEncoder().encode(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n${headers}\r\n`));
  return connection;
}

async function until(test: () => boolean): Promise<void> {
  while (!test()) await new Promise((resolve) => setTimeout(resolve, 2));
}

testUnless(
  noTable,
  "Context.ServeFile() sends the announced length of a file that grows meanwhile, and keeps the connection",
  async () => {
    using file = new LargeFile();
    await overSocket(serving(file.path), async (_, port) => {
      for (const headers of ["", `range: bytes=1000-${size - 1}\r\n`]) {
        const length = Deno.statSync(file.path).size;
        const connection = await ask(port, "/", headers);
        await until(() => file.openings === 1);
        for (let i = 0; i < 20; i++) Deno.writeFileSync(file.path, new Uint8Array(100_000).fill(8), { append: true });
        const reader = connection.readable.getReader({ mode: "byob" });
        const { head, body } = await readResponse(reader);
        const announced = Number(/content-length: (\d+)\r\n/.exec(head)?.[1]);
        // The file is opened shortly before its size is read, so it may have grown a little by then.
        if (headers === "") assert(announced >= length && announced <= Deno.statSync(file.path).size, head);
        else assertEquals(announced, size - 1000);
        assertEquals(body, announced);
        const writer = connection.writable.getWriter();
        await writer.write(new TextEncoder().encode("HEAD / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"));
        const { value } = await reader.read(new Uint8Array(1000));
        assert(new TextDecoder().decode(value).startsWith("HTTP/1.1 200 OK"), "the connection is not usable");
        await reader.cancel();
        await writer.close().catch(() => {});
        await until(() => file.openings === 0);
      }
    });
  },
);

testUnless(
  noTable,
  "Context.ServeFile() sends no more than the announced length of a file that starts to grow later",
  async () => {
    using file = new LargeFile(large, "old");
    await overSocket(serving(file.path), async (_, port) => {
      for (const headers of ["connection: close\r\n", "connection: close\r\nrange: bytes=1000-\r\n"]) {
        Deno.truncateSync(file.path, large);
        file.age();
        const connection = await ask(port, "/", headers);
        await until(() => file.openings === 1);
        Deno.writeFileSync(file.path, new Uint8Array(100_000).fill(8), { append: true });
        const { bytes, headers: received } = readReceived(await new Response(connection.readable).bytes());
        const announced = Number(received.get("content-length"));
        // Some versions of Deno close the connection before the last bytes, so that the client notices that they are
        // missing.
        assert(bytes.length > announced - (128 << 10) && bytes.length <= announced, `${bytes.length} of ${announced}`);
        await until(() => file.openings === 0);
      }
    });
  },
);

testUnless(
  noTable,
  "Context.ServeFile() sends the announced length of a file that grows meanwhile over HTTP/2",
  async () => {
    using file = new LargeFile(large, "old");
    const read = (name: string) => Deno.readTextFileSync(new URL(`../../../testdata/tls/${name}`, import.meta.url));
    const app = serving(file.path);
    const server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {}, cert: read("localhost.crt"), key: read("localhost.key") },
      app.fetch,
    );
    using client = Deno.createHttpClient({ caCerts: [read("localhost.crt")], http1: false, http2: true });
    const response = await fetch(`https://localhost:${server.addr.port}/`, { client });
    await until(() => file.openings === 1);
    Deno.writeFileSync(file.path, new Uint8Array(100_000).fill(8), { append: true });
    const bytes = await response.bytes();
    assertEquals([response.headers.get("content-length"), bytes.length, bytes.indexOf(8)], [`${large}`, large, -1]);
    await server.shutdown();
  },
);

for (const age of ages) {
  testUnless(
    noTable,
    `Context.ServeFile() aborts the connection if a ${age} file becomes shorter than announced`,
    async () => {
      using file = new LargeFile(large, age);
      await overSocket(serving(file.path), async (_, port) => {
        // The connection is closed at the end, because the file may become shorter before its size is read, and the
        // response is complete in that case.
        const connection = await ask(port, "/", "connection: close\r\n");
        await until(() => file.openings === 1);
        Deno.truncateSync(file.path, 1 << 20);
        let length = 0;
        try {
          for await (const chunk of connection.readable) length += chunk.length;
        } catch {
          // The server has reset the connection.
        }
        assert(length < large, `${length} bytes came`);
        await until(() => file.openings === 0);
      });
    },
  );

  testUnless(noTable, `Context.ServeFile() closes the ${age} file when the client disconnects`, async () => {
    using file = new LargeFile(32 << 20, age);
    await overSocket(serving(file.path), async (_, port) => {
      for (const path of ["/", "/slow"]) {
        const connections = await Promise.all(Array.from({ length: 5 }, () => ask(port, path)));
        await until(() => file.openings === 5);
        for (const connection of connections) connection.close();
        await until(() => file.openings === 0);
      }
    });
  });

  testUnless(noTable, `Context.ServeFile() reads a ${age} file no faster than its client does`, async () => {
    using file = new LargeFile(large, age);
    await overSocket(serving(file.path), async (_, port) => {
      const connection = await ask(port, "/");
      await until(() => file.openings === 1);
      // The system buffers much less than the size of the file.
      await new Promise((resolve) => setTimeout(resolve, 200));
      assert(position(file.path) < 32 << 20, `${position(file.path)} bytes were read`);
      connection.close();
      await until(() => file.openings === 0);
    });
  });
}

/** Reads the head of a response and counts the bytes of its body. */
async function readResponse(reader: ReadableStreamBYOBReader): Promise<{ head: string; body: number }> {
  let text = "";
  let extra = 0;
  while (!text.includes("\r\n\r\n")) {
    const { value } = await reader.read(new Uint8Array(1000));
    text += new TextDecoder("latin1").decode(value);
  }
  const head = text.slice(0, text.indexOf("\r\n\r\n") + 2);
  extra = text.length - head.length - 2;
  const length = Number(/content-length: (\d+)/.exec(head)?.[1]);
  let buffer = new Uint8Array(64 << 10);
  while (extra < length) {
    const { value } = await reader.read(buffer.subarray(0, Math.min(buffer.length, length - extra)));
    if (value === undefined) break;
    extra += value.length;
    buffer = new Uint8Array(value.buffer);
  }
  return { head, body: extra };
}

/** Returns the position up to which this process has read a file. */
function position(path: string): number {
  for (const { name } of Deno.readDirSync("/proc/self/fd")) {
    try {
      if (Deno.readLinkSync(`/proc/self/fd/${name}`) !== path) continue;
      return Number(/pos:\s*(\d+)/.exec(Deno.readTextFileSync(`/proc/self/fdinfo/${name}`))?.[1]);
    } catch {
      // The entry of the folder itself no longer exists.
    }
  }
  return -1;
}

Deno.test("Context.ServeFile() sends whole files instead of long ranges while many clients read slowly", async () => {
  using file = new LargeFile(large, "old");
  const range = `range: bytes=0-${large - 2}\r\n`;
  await overSocket(serving(file.path), async (_ask, port) => {
    const status = async (connection: Deno.TcpConn) => {
      const buffer = new Uint8Array(12);
      await connection.read(buffer);
      return new TextDecoder().decode(buffer).slice(9);
    };
    const readers: Deno.TcpConn[] = [];
    const statuses: string[] = [];
    for (let i = 0; i < 12; i++) {
      const reader = await ask(port, "/", range);
      readers.push(reader);
      statuses.push(await status(reader));
    }
    const short = await ask(port, "/", "range: bytes=0-99999\r\n");
    statuses.push(await status(short));
    for (const reader of [...readers, short]) reader.close();
    assertEquals(statuses, [...Array(4).fill("206"), ...Array(8).fill("200"), "206"]);
    await until(() => file.openings === 0);
    const later = await ask(port, "/", range);
    assertEquals(await status(later), "206");
    later.close();
    await until(() => file.openings === 0);
  });
});

Deno.test("Context.ServeFile() keeps the chunks that a wrapper reads, and frees those that the platform has taken", async () => {
  const path = Deno.makeTempFileSync({ suffix: ".bin" });
  try {
    const bytes = new Uint8Array(3 << 20);
    for (let at = 0; at < bytes.length; at += 1 << 16) crypto.getRandomValues(bytes.subarray(at, at + (1 << 16)));
    Deno.writeFileSync(path, bytes);
    const last = bytes.length - 2;
    const part = bytes.subarray(1, last + 1);
    const app = quiet();
    app.WrapRouter(async (request, next) => {
      const response = await next(request);
      if (!request.url.endsWith("?wrapped")) return response;
      const chunks = await Array.fromAsync(response.body ?? []);
      return new Response(new Blob(chunks), response);
    });
    app.Get("/", (ctx) => ctx.ServeFile(path));
    const headers = { range: `bytes=1-${last}` };
    await overSocket(app, async (_, port) => {
      for (const query of ["", "?wrapped"]) {
        const response = await fetch(`http://127.0.0.1:${port}/${query}`, { headers });
        assertEquals(response.status, 206);
        assert(equal(await response.bytes(), part), query);
      }
      const inside = await app.fetch(new Request("http://localhost/", { headers }));
      assert(equal(await new Blob(await Array.fromAsync(inside.body ?? [])).bytes(), part));
    });
  } finally {
    Deno.removeSync(path);
  }
});

function equal(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}
