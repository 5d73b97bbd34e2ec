import * as fw from "@fw/web";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { besides, Child, output, tlsFile } from "../../http/server/support.ts";
import { inTime } from "../../in_time.ts";
import { askOverSocket, quiet } from "../../serving.ts";

const APP = besides("app.ts");

function run(mode: string, env: Record<string, string> = {}): Child {
  return new Child(["run", "-A", "--no-lock", "--no-check", APP, mode], env);
}

function denoServe(flags: string[], env: Record<string, string> = {}): Child {
  return new Child(["serve", "--no-lock", "--no-check", "--port", "0", ...flags, APP], env);
}

/** Requests a URL. A failure is only reported when the status is awaited. */
function statusOf(url: string): Promise<number> {
  const status = fetch(url).then(async (response) => {
    await response.text();
    return response.status;
  });
  status.catch(() => {});
  return status;
}

Deno.test("WithOnListen() adds a function to those that were set before", async () => {
  const app = quiet();
  const seen: string[] = [];
  app.Configure(fw.WithOnListen(() => void seen.push("first")));
  const running = app.Run(
    "127.0.0.1:0",
    fw.WithoutStartupLog,
    fw.WithOnListen(() => {
      seen.push("second");
      void app.Shutdown();
    }),
  );
  assertEquals(await running, null);
  assertEquals(seen, ["first", "second"]);
});

const HELLO = "[INFO] Received SIGTERM: draining requests; send a second signal to exit immediately";

Deno.test("Application.Shutdown() without Run() runs the tasks of RegisterOnInterrupt() and RegisterOnShutdown() once", async () => {
  const app = quiet();
  const steps: string[] = [];
  app.RegisterOnInterrupt(() => void steps.push("interrupt"));
  app.RegisterOnShutdown(() => void steps.push("first"));
  app.RegisterOnShutdown(async () => {
    await Promise.resolve();
    steps.push("last");
  });
  app.Get("/", (ctx) => ctx.WriteString("a"));
  await app.fetch(new Request("http://localhost/"));
  await Promise.all([app.Shutdown(), app.Shutdown()]);
  await app.Shutdown();
  assertEquals(steps, ["interrupt", "last", "first"]);
});

Deno.test("Application.Shutdown() without Run() waits for in-process requests", async () => {
  const app = quiet();
  const steps: string[] = [];
  const released = Promise.withResolvers<void>();
  app.RegisterOnShutdown(() => void steps.push("shutdown"));
  app.Get("/", async (ctx) => {
    await released.promise;
    steps.push("response");
    ctx.WriteString("a");
  });
  const response = app.fetch(new Request("http://localhost/"));
  const stopped = app.Shutdown();
  released.resolve();
  await stopped;
  assertEquals(steps, ["response", "shutdown"]);
  assertEquals(await (await response).text(), "a");
});

Deno.test("Application.Shutdown() may be awaited by one of its own tasks", async () => {
  const app = quiet();
  let count = 0;
  app.RegisterOnShutdown(async () => {
    count++;
    await app.Shutdown();
  });
  await app.Shutdown();
  assertEquals(count, 1);
});

Deno.test("Application.Shutdown() responds with 503 if a handler never returns, and closes its connection", async () => {
  const limit = 400;
  await inTime(limit, async (begin) => {
    const app = quiet();
    const arrived = Promise.withResolvers<void>();
    app.Get("/never", () => {
      arrived.resolve();
      return new Promise(() => {});
    });
    const listening = Promise.withResolvers<number>();
    const ended = app.Run(
      "127.0.0.1:0",
      fw.WithoutInterruptHandler,
      fw.WithShutdownTimeout(limit),
      fw.WithOnListen((address) => listening.resolve("port" in address ? address.port : 0)),
    );
    using connection = await Deno.connect({ hostname: "127.0.0.1", port: await listening.promise });
    await connection.write(new TextEncoder().encode("GET /never HTTP/1.1\r\nHost: a\r\n\r\n"));
    await arrived.promise;
    begin();
    await app.Shutdown();
    assertEquals(await ended, null);
    const text = await new Response(connection.readable).text();
    assert(text.startsWith("HTTP/1.1 503 Service Unavailable\r\n"), text);
  });
});

Deno.test("Application.Shutdown() lets the process exit even if a handler never returns", async () => {
  const limit = 500;
  await inTime(limit, async (begin) => {
    await using child = run("run", { LIMIT: String(limit) });
    const port = await child.port();
    const status = statusOf(`http://127.0.0.1:${port}/never`);
    assertEquals(await child.line(), "request");
    begin();
    assertEquals(await (await fetch(`http://127.0.0.1:${port}/stop`)).text(), "stopping");
    assertEquals(await status, 503);
    const { code, lines } = await child.end();
    assertEquals(lines.filter((line) => !line.startsWith("[WARN]")), ["interrupt", "shutdown", "result null"]);
    assertEquals(code, 0);
  });
});

Deno.test("Application.Run() accepts an address as a string, and Application.Listen() a port", async () => {
  await using child = run("string");
  assertEquals(await (await fetch(`http://127.0.0.1:${await child.port()}/`)).text(), "hello");
  const app = quiet();
  const listening = Promise.withResolvers<void>();
  const ended = app.Listen(0, fw.WithoutInterruptHandler, fw.WithOnListen(() => listening.resolve()));
  await listening.promise;
  await app.Shutdown();
  assertEquals(await ended, null);
});

Deno.test("Application.Run() explains the expected type of its first argument", async () => {
  const mod = new URL("../../../mod.ts", import.meta.url);
  for (const [given, shown] of [["", "undefined"], ["fw.WithoutStartupLog", "a function"]]) {
    const code = `import * as fw from "${mod}"; await fw.New().Run(${given}); console.log("went on");`;
    assertEquals(await end(new Child(["eval", "--no-lock", "--config", besides("../../../deno.json"), code])), {
      code: 1,
      lines: [],
      errors:
        `Cannot run on "${shown}": the first argument must be a runner or an address, such as fw.Addr(":8080") [FW_ADDRESS]\n`,
    });
  }
});

Deno.test("Application.Run() exits with code 1 after the shutdown tasks if it fails, even if something keeps the process alive", async (t) => {
  using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const busy = JSON.stringify(`127.0.0.1:${taken.addr.port}`);
  const failures: Record<string, string> = {
    "a port in use": `await app.Run(fw.Addr(${busy}));`,
    "a port in use, not awaited": `app.Run(fw.Addr(${busy}));`,
    "a port in use, by Listen": `await app.Listen(${taken.addr.port});`,
    "an address that is none": 'await app.Run("nonsense:port");',
    "a missing certificate": 'await app.Run(fw.TLS("127.0.0.1:0", "none.crt", "none.key"));',
    "a setting that is refused": 'await app.Run("127.0.0.1:0", (config) => void (config.Charset = ""));',
    "a view that does not exist": 'app.RegisterView(fw.HTML("/nowhere")); await app.Run("127.0.0.1:0");',
    "a task that never ends": `app.RegisterOnShutdown(() => new Promise(() => {}));
      await app.Run(fw.Addr(${busy}), fw.WithShutdownTimeout(100));`,
    "a second server beside one that runs": `
      app.Run("127.0.0.1:0", fw.WithoutStartupLog, fw.WithOnListen(() => app.Run(fw.Addr(${busy}))));`,
  };
  for (const [name, code] of Object.entries(failures)) {
    await t.step(name, async () => {
      const { code: exit, lines, errors } = await end(
        new Child([
          "eval",
          "--no-lock",
          "--config",
          besides("../../../deno.json"),
          `import * as fw from "@fw/web";
          setInterval(() => {}, 1000);
          using socket = Deno.listen({ port: 0 });
          const app = fw.New();
          app.RegisterOnShutdown(() => console.log("closed"));
          ${code}
          await new Promise(() => {});`,
        ]),
      );
      // The last registered task runs first. If it hangs, the others do not run.
      assertEquals([exit, lines], [1, name === "a task that never ends" ? [] : ["closed"]], errors);
      assertEquals(errors.trim().split("\n").length, 1, errors);
    });
  }
});

Deno.test("Application.Run() without await does not hide an error of the main module", async () => {
  await using child = run("forgotten");
  const { code, lines } = await child.end();
  assertEquals(code, 1);
  assertStringIncludes(lines.join("\n"), "Unhandled rejection: Error: the rest of the program failed");
  assertEquals(lines.at(-1), "[ERRO] The main module failed: exiting");
});

for (
  const [name, flags] of [["deno serve", ["-A"]], ["deno serve with no permission but those to read", [
    "-R",
    "-E",
  ]]] as const
) {
  Deno.test(`${name} runs an application's shutdown tasks on SIGTERM, after the requests in flight`, async () => {
    await using child = denoServe([...flags]);
    const response = fetch(`http://127.0.0.1:${await child.port()}/slow`);
    assertEquals(await child.line(), "request");
    child.kill("SIGTERM");
    assertEquals(await (await response).text(), "slow");
    const { code, lines } = await child.end();
    assertEquals(lines, [HELLO, "interrupt", "shutdown"]);
    assertEquals(code, 0);
  });
}

Deno.test("deno serve --parallel runs an application's shutdown tasks on SIGTERM", async () => {
  await using child = denoServe(["-A", "--parallel"], { DENO_JOBS: "2" });
  await untilThreads(await child.port(), 2);
  child.kill("SIGTERM");
  const { code, lines } = await child.end();
  // The process ends with the first of its threads, so the task of the other one may be cut off.
  assert(lines.includes("shutdown"), lines.join("\n"));
  assertEquals(code, 0);
});

Deno.test("deno serve ends a handler that never returns after the shutdown timeout", async () => {
  const limit = 500;
  await inTime(limit, async (begin) => {
    await using child = denoServe(["-A"], { LIMIT: String(limit) });
    const status = statusOf(`http://127.0.0.1:${await child.port()}/never`);
    assertEquals(await child.line(), "request");
    begin();
    child.kill("SIGTERM");
    assertEquals(await status, 503);
    const { lines } = await child.end();
    assertEquals(lines.filter((line) => !line.startsWith("[WARN]")), [HELLO, "interrupt", "shutdown"]);
  });
});

for (const flags of [["-A"], ["-R", "-E"], ["-A", "--parallel"]]) {
  Deno.test(`deno serve ${flags.join(" ")} logs an unhandled rejection and continues to serve`, async () => {
    await using child = denoServe(flags, { DENO_JOBS: "2" });
    const port = await child.port();
    await untilThreads(port, flags.includes("--parallel") ? 2 : 1);
    const url = `http://127.0.0.1:${port}`;
    for (let i = 0; i < 8; i++) assertEquals(await (await fetch(`${url}/stray`)).text(), "stray");
    assertEquals(await child.line(), "[ERRO] Unhandled rejection: Error: no code awaited this");
    assertEquals(await (await fetch(url)).text(), "hello");
    child.kill("SIGTERM");
    assertEquals((await child.end()).code, 0);
  });
}

/** Waits until a number of threads are serving. If a thread is stopped before that, Deno leaves it behind. */
async function untilThreads(port: number, count: number): Promise<void> {
  const threads = new Set<string>();
  while (threads.size < count) threads.add((await askOverSocket(port, "/thread")).text);
}

const PORT_80 = 'Cannot listen on "127.0.0.1:80": the system does not allow this port; ' +
  "choose one above 1023 or grant the permission to bind it [FW_LISTEN]\n";

async function end(child: Child): Promise<{ code: number; lines: string[]; errors: string }> {
  await using running = child;
  return await running.end();
}

Deno.test("reportFailure() prints one line without a stack trace and exits with code 1", async () => {
  using other = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const address = `127.0.0.1:${other.addr.port}`;
  const why = "the port is already in use; stop the program that uses it or choose another port";
  assertEquals(await end(Child.serve("addr", address)), {
    code: 1,
    lines: [],
    errors: `Cannot listen on "${address}": ${why} [FW_LISTEN]\n`,
  });
  assertEquals(await end(Child.serve("app", address)), {
    code: 1,
    lines: [],
    errors: `Cannot listen on "${address}": ${why} [FW_LISTEN]\n`,
  });
  assertEquals(await end(Child.serve("addr", ":x")), {
    code: 1,
    lines: [],
    errors: 'Cannot read listen address ":x": port "x" is not a number [FW_ADDRESS]\n',
  });
  assertEquals(await end(Child.serve("tls", tlsFile("localhost.crt"), "none.key")), {
    code: 1,
    lines: [],
    errors: 'Cannot read key "none.key": the file does not exist; check the path [FW_LISTEN]\n',
  });
});

Deno.test("reportFailure() reports the missing permission", async () => {
  const run = (...args: string[]) => end(new Child(["run", "--no-lock", "--no-prompt", ...args]));
  const child = besides("child.ts");
  assertEquals(
    (await run(child, "addr", "127.0.0.1:0")).errors,
    [
      'Cannot listen on "127.0.0.1:0": Deno has no permission; run with --allow-net [FW_LISTEN]\n',
    ].join(""),
  );
  assertEquals(
    (await run("--allow-net", child, "tls", "a.crt", "a.key")).errors,
    [
      'Cannot read certificate "a.crt": Deno has no permission; run with --allow-read [FW_LISTEN]\n',
    ].join(""),
  );
  assertEquals(
    (await run("--allow-net", child, "unix", "a.sock")).errors,
    [
      'Cannot listen on unix socket "a.sock": Deno has no permission; run with --allow-read="a.sock" ',
      '--allow-write="a.sock" --allow-net="unix:a.sock" [FW_LISTEN]\n',
    ].join(""),
  );
});

Deno.test({
  name: "reportFailure() reports a port that requires privileges",
  // Root may bind every port, so setpriv is used to drop that capability.
  ignore: Deno.build.os !== "linux" || Deno.uid() !== 0,
  async fn() {
    const limits = ["--bounding-set", "-net_bind_service", "--inh-caps", "-net_bind_service"];
    const args = [...limits, Deno.execPath(), "run", "-A", "--no-lock", besides("child.ts"), "addr", "127.0.0.1:80"];
    assertEquals(await output("setpriv", ...args), PORT_80);
  },
});

Deno.test("reportFailure() shows the stack trace of an unexpected error", async () => {
  const { code, errors } = await end(Child.serve("bug"));
  assertEquals(code, 1);
  assertMatch(errors, /^TypeError: a bug\n {4}at /);
});
