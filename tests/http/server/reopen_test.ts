import { assert, assertEquals, assertInstanceOf, assertStringIncludes } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { FrameworkError } from "../../../src/base/errors/errors.ts";
import { Addr } from "../../../src/http/server/runner.ts";
import { serve } from "../../../src/http/server/serve.ts";
import { besides, Child } from "./support.ts";

Deno.test({
  name: "serve() opens its listener again after it ran out of file descriptors",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using child = Child.limited(64, ["run", "-A", "--no-lock", "--no-check", besides("child.ts"), "quick"]);
    const port = await child.port();
    const kept = await connect(port);
    const crowd = await Promise.allSettled(Array.from({ length: 90 }, () => connect(port)));
    assertStringIncludes(
      await child.line() ?? "",
      `Listener on http://127.0.0.1:${port} failed and is being reopened:`,
    );
    assertEquals(await ask(kept), 200);
    for (const each of crowd) if (each.status === "fulfilled") each.value.close();
    // The listener may fail a few more times while the clients are disconnecting.
    let status = 0;
    while (status !== 200) {
      const connection = await connect(port).catch(() => undefined);
      if (connection === undefined) continue;
      status = await ask(connection).catch(() => 0);
      connection.close();
    }
    kept.close();
    child.kill("SIGTERM");
    assertEquals((await child.end()).code, 0);
  },
});

Deno.test({
  name: "Application.Run() survives running out of file descriptors right after the start",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using child = Child.limited(64, ["run", "-A", "--no-lock", "--no-check", besides("early_app.ts")]);
    const port = await child.port();
    const crowd = await Promise.allSettled(Array.from({ length: 90 }, () => connect(port)));
    // The clients stay for longer than the first attempts to reopen the listener.
    for (let line = ""; !line.includes("failed and is being reopened");) {
      const next = await child.line();
      if (next === undefined) throw new Error((await child.end()).errors);
      line = next;
    }
    for (const each of crowd) if (each.status === "fulfilled") each.value.close();
    let status = 0;
    while (status !== 200) {
      const connection = await connect(port).catch(() => undefined);
      if (connection === undefined) continue;
      status = await ask(connection).catch(() => 0);
      connection.close();
    }
    child.kill("SIGTERM");
    assertEquals((await child.end()).code, 0);
  },
});

Deno.test("serve() ends with the error when its listener breaks and cannot be opened again", async () => {
  using time = new FakeTime();
  const lines: string[] = [];
  const log = { Info() {}, Warn() {}, Error: (...values: unknown[]) => void lines.push(values.join(" ")) };
  let opened = 0;
  using _replaced = replaceServe(() => {
    if (++opened > 1) throw new Deno.errors.AddrInUse("in use");
    return brokenServer();
  });
  const running = await serve(Addr("127.0.0.1:0"), () => new Response(), { log, handleSignals: false });
  const ended = running.finished;
  let ending: Awaited<typeof ended> | undefined;
  ended.then((value) => ending = value);
  while (ending === undefined) await time.tickAsync(50);
  assertInstanceOf(ending.error, FrameworkError);
  assertEquals(
    ending.error.message,
    'Cannot listen on "127.0.0.1:4711": the port is already in use; stop the program that uses it or choose another port',
  );
  assertEquals(opened, 7);
  assertEquals(lines, ["Listener on http://127.0.0.1:4711 failed and is being reopened: Error: too many open files"]);
  assert(ending.deadline > 0);
});

async function connect(port: number): Promise<Deno.TcpConn> {
  return await Deno.connect({ hostname: "127.0.0.1", port });
}

async function ask(connection: Deno.TcpConn): Promise<number> {
  await connection.write(new TextEncoder().encode("GET / HTTP/1.1\r\nhost: a\r\n\r\n"));
  const chunk = new Uint8Array(1_000);
  const count = await connection.read(chunk) ?? 0;
  return Number(new TextDecoder().decode(chunk.subarray(0, count)).split(" ")[1] ?? 0);
}

/** Replaces `Deno.serve` with a function. */
function replaceServe(value: () => Deno.HttpServer<Deno.NetAddr>): Disposable {
  const original = Object.getOwnPropertyDescriptor(Deno, "serve") ?? {};
  Object.defineProperty(Deno, "serve", { configurable: true, value });
  return { [Symbol.dispose]: () => void Object.defineProperty(Deno, "serve", original) };
}

/** Creates a server whose listener has failed from the start. */
function brokenServer(): Deno.HttpServer<Deno.NetAddr> {
  const finished = Promise.reject(new Error("too many open files"));
  finished.catch(() => {});
  return {
    finished,
    addr: { transport: "tcp", hostname: "127.0.0.1", port: 4711 },
    ref() {},
    unref() {},
    shutdown: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
