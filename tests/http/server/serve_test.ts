import { assert, assertEquals, assertFalse, assertMatch, assertRejects } from "@std/assert";
import { connect } from "node:http2";
import { text } from "node:stream/consumers";
import { Addr, TLS, Unix } from "../../../src/http/server/runner.ts";
import { type Listening, serve, type ServeOptions } from "../../../src/http/server/serve.ts";
import { output, temporaryFolder, tlsFile } from "./support.ts";

const LOCAL = Addr("127.0.0.1:0");

async function start(
  fetch: (request: Request, info: Deno.ServeHandlerInfo) => Response | Promise<Response>,
  options: ServeOptions = {},
): Promise<Listening & AsyncDisposable> {
  const running = await serve(LOCAL, fetch, options);
  return Object.assign(running, { [Symbol.asyncDispose]: () => running.shutdown() });
}

function portOf(running: Listening): number {
  assert("port" in running.addr);
  return running.addr.port;
}

async function textOf(url: string): Promise<string> {
  return await (await fetch(url)).text();
}

Deno.test("serve() listens on a free port and reports it", async () => {
  let told: Deno.Addr | undefined;
  await using running = await start((request) => new Response(`hello ${new URL(request.url).pathname}`), {
    onListen: (address) => told = address,
  });
  assertEquals(running.url, `http://127.0.0.1:${portOf(running)}`);
  assertEquals(told, running.addr);
  assertEquals(await textOf(`${running.url}/a`), "hello /a");
});

Deno.test("serve() reports a working URL for every kind of address", async () => {
  for (const [address, host] of [[":0", "localhost"], ["[::1]:0", "[::1]"], ["localhost:0", "127.0.0.1"]] as const) {
    const running = await serve(Addr(address), () => new Response("here"));
    assertEquals(running.url, `http://${host}:${portOf(running)}`);
    assertEquals(await textOf(running.url), "here");
    await running.shutdown();
  }
});

Deno.test("serve() passes the peer's address to the handler", async () => {
  await using running = await start((_request, info) => Response.json(info.remoteAddr));
  assertEquals((await (await fetch(running.url)).json()).hostname, "127.0.0.1");
});

Deno.test("serve() responds with a plain 500 and logs when the handler throws", async () => {
  const lines: unknown[][] = [];
  const log = { Info() {}, Warn() {}, Error: (...values: unknown[]) => void lines.push(values) };
  await using running = await start(() => {
    throw new Error("secret text");
  }, { log });
  const response = await fetch(running.url);
  assertEquals(response.status, 500);
  assertEquals(await response.text(), "Internal Server Error");
  assertEquals(lines.map(([text]) => text), ["Request handler failed:"]);
});

Deno.test("serve() stops and throws when onListen throws", async () => {
  let port = 0;
  const fail = (address: Deno.Addr) => {
    if ("port" in address) port = address.port;
    throw new Error("on purpose");
  };
  await assertRejects(() => serve(LOCAL, () => new Response(), { onListen: fail }), Error, "on purpose");
  await assertRejects(() => Deno.connect({ hostname: "127.0.0.1", port }), Deno.errors.ConnectionRefused);
});

Deno.test("TLS() accepts file names and serves HTTP/2 to curl", async () => {
  const running = await serve(
    TLS("127.0.0.1:0", tlsFile("localhost.crt"), tlsFile("localhost.key")),
    () => new Response("over TLS"),
  );
  const url = `https://localhost:${portOf(running)}/`;
  const ca = ["--cacert", tlsFile("localhost.crt"), "-sS", "-w", " HTTP/%{http_version}"];
  assertEquals(await output("curl", "--http2", ...ca, url), "over TLS HTTP/2");
  assertEquals(await output("curl", "--http1.1", ...ca, url), "over TLS HTTP/1.1");
  assertMatch(running.url, /^https:\/\/127\.0\.0\.1:\d+$/);
  await running.shutdown();
});

Deno.test("TLS() accepts file URLs and PEM strings", async () => {
  const certificate = await Deno.readTextFile(tlsFile("localhost.crt"));
  const key = new URL("../../testdata/tls/localhost.key", import.meta.url);
  const running = await serve(TLS("127.0.0.1:0", certificate, key), (request) => new Response(request.url));
  const session = connect(running.url, { ca: certificate });
  const stream = session.request({ ":path": "/a" });
  assertEquals(await text(stream), `${running.url}/a`);
  assertEquals(session.alpnProtocol, "h2");
  await new Promise<void>((resolve) => session.close(resolve));
  await running.shutdown();
});

Deno.test("Running.shutdown() finishes HTTP/2 streams in flight", async () => {
  const arrived = Promise.withResolvers<void>();
  const running = await serve(TLS("127.0.0.1:0", tlsFile("localhost.crt"), tlsFile("localhost.key")), async () => {
    arrived.resolve();
    await new Promise((resolve) => setTimeout(resolve, 200));
    return new Response("in the end");
  });
  const flags = ["-sS", "--http2", "--cacert", tlsFile("localhost.crt"), "-w", " HTTP/%{http_version}"];
  const response = output("curl", ...flags, running.url);
  await arrived.promise;
  await running.shutdown();
  assertEquals(await response, "in the end HTTP/2");
  assertEquals((await running.finished).isDrained, true);
});

Deno.test("Unix() serves curl, and the socket is removed at shutdown", async () => {
  await using folder = await temporaryFolder();
  const path = `${folder.path}/http.sock`;
  const running = await serve(Unix(path), () => new Response("over unix"));
  assertEquals(running.url, `unix:${path}`);
  assertEquals(await output("curl", "-sS", "--unix-socket", path, "http://localhost/"), "over unix");
  await running.shutdown();
  await assertRejects(() => Deno.lstat(path), Deno.errors.NotFound);
});

Deno.test("Running.shutdown() finishes requests in flight and accepts no more connections", async () => {
  const arrived = Promise.withResolvers<void>();
  const running = await start(async () => {
    arrived.resolve();
    await new Promise((resolve) => setTimeout(resolve, 100));
    return new Response("done");
  });
  const response = textOf(running.url);
  await arrived.promise;
  await running.shutdown();
  assertEquals(await response, "done");
  assert((await running.finished).isDrained);
  await assertRejects(() => Deno.connect({ hostname: "127.0.0.1", port: portOf(running) }));
});

Deno.test("Running.shutdown() does not wait for idle connections", async () => {
  const running = await start(() => new Response("x"));
  const used = await Deno.connect({ hostname: "127.0.0.1", port: portOf(running) });
  const unused = await Deno.connect({ hostname: "127.0.0.1", port: portOf(running) });
  await used.write(new TextEncoder().encode("GET / HTTP/1.1\r\nhost: a\r\n\r\n"));
  await used.read(new Uint8Array(1000));
  await running.shutdown();
  assert((await running.finished).isDrained);
  assertEquals(await used.read(new Uint8Array(1)), null);
  assertEquals(await unused.read(new Uint8Array(1)), null);
  used.close();
  unused.close();
});

Deno.test("Running.shutdown() can be called twice", async () => {
  const running = await start(() => new Response("x"));
  const both = [running.shutdown(), running.shutdown()];
  await Promise.all(both);
  await running.shutdown();
  assert((await running.finished).isDrained);
});

Deno.test("Running.shutdown() can be awaited by a request handler, which still responds", async () => {
  const running: Listening = await serve(LOCAL, async () => {
    await running.shutdown();
    return new Response("good night");
  });
  const response = await fetch(running.url);
  assertEquals(await response.text(), "good night");
  assertEquals(response.headers.get("connection"), "close");
  assert((await running.finished).isDrained);
});

Deno.test("Running.shutdown() waits for a stream that is being sent", async () => {
  const running = await start(() => {
    const chunks = ["one ", "two ", "three"];
    return new Response(
      new ReadableStream({
        async pull(controller) {
          await new Promise((resolve) => setTimeout(resolve, 40));
          const chunk = chunks.shift();
          if (chunk === undefined) controller.close();
          else controller.enqueue(new TextEncoder().encode(chunk));
        },
      }),
    );
  });
  const response = await fetch(running.url);
  const [body] = await Promise.all([response.text(), running.shutdown()]);
  assertEquals(body, "one two three");
});

Deno.test("Running.shutdown() notifies the application when requests time out, and stays within the limit", async () => {
  const cut = Promise.withResolvers<Response>();
  const arrived = Promise.withResolvers<void>();
  const warnings: unknown[] = [];
  const log = { Info() {}, Warn: (...values: unknown[]) => void warnings.push(values[0]), Error() {} };
  const running = await start(() => {
    arrived.resolve();
    return cut.promise;
  }, { shutdownTimeout: 400, log, onCut: () => cut.resolve(new Response("cut off")) });
  const response = textOf(running.url);
  await arrived.promise;
  const begin = performance.now();
  await running.shutdown();
  const took = performance.now() - begin;
  const { isDrained, deadline } = await running.finished;
  assertFalse(isDrained);
  assert(took >= 350, `took ${took} ms`);
  assert(deadline >= begin);
  assertEquals(warnings, [
    `Cut off the requests on ${running.url} that were still in flight after 350 ms; the remaining 50 ms of the ` +
    "shutdown timeout are reserved for shutdown tasks",
  ]);
  assertEquals(await response, "cut off");
});

Deno.test("Running.shutdown() closes connections immediately if the shutdown timeout is 0", async () => {
  const arrived = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const running = await start(async () => {
    arrived.resolve();
    await release.promise;
    return new Response("late");
  }, { shutdownTimeout: 0 });
  const response = assertRejects(() => fetch(running.url), TypeError);
  await arrived.promise;
  await running.shutdown();
  await response;
  release.resolve();
});

Deno.test("ServeOptions.onShutdown is called before requests have ended, so that it can end streams", async () => {
  const streams = new Set<ReadableStreamDefaultController<Uint8Array>>();
  const running = await start(() => {
    const events = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode("data: hello\n\n"));
        streams.add(controller);
      },
    });
    return new Response(events, { headers: { "content-type": "text/event-stream" } });
  }, {
    onShutdown() {
      for (const stream of streams) stream.close();
    },
  });
  const response = await fetch(running.url);
  await running.shutdown();
  assertEquals(await response.text(), "data: hello\n\n");
  assert((await running.finished).isDrained);
});

Deno.test("serve() releases the resources of fifty concurrent servers", async () => {
  await Promise.all(Array.from({ length: 50 }, async () => {
    const running = await start(() => new Response("x"));
    assertEquals(await textOf(running.url), "x");
    await running.shutdown();
  }));
});

Deno.test("Unix() creates the socket with the specified mode", async () => {
  await using folder = await temporaryFolder();
  const path = `${folder.path}/s.sock`;
  const running = await serve(Unix(path, { Mode: 0o660 }), () => new Response("hello"));
  assertEquals(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o660);
  await running.shutdown();
});
