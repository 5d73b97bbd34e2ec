import { assert, assertEquals, assertMatch } from "@std/assert";
import * as fw from "../../mod.ts";
import * as logger from "../../src/middleware/logger.ts";
import { bothWays, logged, overSocket } from "../serving.ts";

function application(options: logger.Options = {}): { app: fw.Application; lines: string[] } {
  const { app, lines } = logged();
  app.UseRouter(logger.New(options));
  app.Get("/ping/{id}", (ctx) => ctx.WriteString("pong"));
  app.Get("/slow", async (ctx) => {
    await new Promise((resolve) => setTimeout(resolve, 15));
    ctx.StatusCode(201);
  });
  app.Get("/moved", (ctx) => ctx.Redirect("/"));
  app.Get("/throw", () => {
    throw new Error("secret");
  });
  app.Get("/later", async () => {
    await Promise.resolve();
    throw new fw.HTTPError(503);
  });
  app.Get("/response", () => new Response("a", { status: 202 }));
  return { app, lines };
}

const route = " route=/ping/{id}";

/** Returns the log line of a request without the route field. */
async function lineOf(path: string, options: logger.Options = {}, method = "GET"): Promise<string> {
  return (await wholeLineOf(path, options, method)).replace(route, "");
}

async function wholeLineOf(path: string, options: logger.Options = {}, method = "GET"): Promise<string> {
  const { app, lines } = application(options);
  const remoteAddr: Deno.NetAddr = { transport: "tcp", hostname: "203.0.113.7", port: 1 };
  await app.fetch(new Request(`http://localhost${path}`, { method }), { remoteAddr });
  return lines.filter((line) => !line.includes("Cannot serve")).join("|");
}

Deno.test("logger.New() writes one line with the status, latency, address, method and path", async () => {
  assertMatch(await lineOf("/ping/7?token=secret"), /^\[INFO\] 200 [\d.]+(µs|ms|s) 203\.0\.113\.7 GET \/ping\/7$/);
});

Deno.test("logger.New() writes the route if it has parameters, and the fields of the request's logger", async () => {
  assertMatch(await wholeLineOf("/ping/7"), / GET \/ping\/7 route=\/ping\/\{id\}$/);
  const { app, lines } = application({});
  app.Get("/known", (ctx) => {
    ctx.SetID("r1");
    ctx.Logger().AddFields({ tenant: "north" });
  });
  await app.fetch(new Request("http://localhost/known"));
  assertMatch(lines.join(), / GET \/known request_id=r1 tenant=north$/);
});

Deno.test("logger.New() writes fields if the log format is JSON", async () => {
  const { app, lines } = application({});
  app.Logger().SetFormat("json");
  await app.fetch(new Request("http://localhost/ping/7"));
  const { latency_ms, ...rest } = JSON.parse(lines.join());
  assertEquals(typeof latency_ms, "number");
  assertEquals(rest, {
    level: "info",
    message: "GET /ping/7",
    status: 200,
    method: "GET",
    path: "/ping/7",
    route: "/ping/{id}",
  });
});

Deno.test("logger.New() writes the status that the client receives, with a level that depends on it", async () => {
  const expected: [path: string, method: string, start: string][] = [
    ["/ping/7", "GET", "[INFO] 200 "],
    ["/ping/7", "HEAD", "[INFO] 200 "],
    ["/response", "GET", "[INFO] 202 "],
    ["/moved", "GET", "[INFO] 302 "],
    ["/ping/7/", "GET", "[INFO] 301 "],
    ["/nowhere", "GET", "[WARN] 404 "],
    ["/ping/7", "POST", "[WARN] 405 "],
    ["/ping/7", "OPTIONS", "[INFO] 204 "],
    ["/%zz", "GET", "[WARN] 400 "],
    ["/throw", "GET", "[ERRO] 500 "],
    ["/later", "GET", "[ERRO] 503 "],
  ];
  for (const [path, method, start] of expected) {
    const line = await lineOf(path, {}, method);
    assert(line.startsWith(start), `${method} ${path}: ${line}`);
    assert(line.endsWith(` ${method} ${path}`), line);
  }
});

Deno.test("logger.New() measures the time until the last handler has returned", async () => {
  const latencies: number[] = [];
  const { app } = application({ LogFunc: (record) => void latencies.push(record.Latency) });
  await app.fetch(new Request("http://localhost/slow"));
  const [slow = 0] = latencies;
  assert(slow >= 14, latencies.join());
});

Deno.test("logger.New() omits the parts that the options exclude, and adds the query", async () => {
  assertMatch(await lineOf("/ping/7?a=1", { Query: true }), / GET \/ping\/7\?a=1$/);
  assertMatch(await lineOf("/ping/7", { IP: false }), /^\[INFO\] 200 \S+ GET \/ping\/7$/);
  assertMatch(await lineOf("/ping/7", { Status: false }), /^\[INFO\] [\d.]+\S+ 203\.0\.113\.7 GET \/ping\/7$/);
  assertMatch(await lineOf("/ping/7", { Method: false }), /203\.0\.113\.7 \/ping\/7$/);
  assertMatch(await lineOf("/ping/7", { Path: false }), /203\.0\.113\.7 GET$/);
  assertEquals(await lineOf("/ping/7", { Skip: (ctx) => ctx.Path().startsWith("/ping") }), "");
});

Deno.test("logger.New() passes the record to LogFunc instead of the log", async () => {
  const records: logger.Record[] = [];
  assertEquals(await lineOf("/ping/7?a=1", { Query: true, LogFunc: (record) => void records.push(record) }), "");
  assertEquals(records.map(({ Latency: _, ...rest }) => rest), [
    { Status: 200, IP: "203.0.113.7", Method: "GET", Path: "/ping/7?a=1" },
  ]);
});

Deno.test("logger.New() prevents clients from forging lines or colors", async () => {
  const { app, lines } = application({ Query: true });
  await overSocket(app, async (ask) => {
    await ask("/ping/%0a[INFO]%1b[31m?x=\u009b31m");
    await ask("/ping/\u2028");
  });
  assertEquals(lines.length, 2);
  // deno-lint-ignore no-control-regex -- the expression has to match control characters
  for (const line of lines) assert(!/[\x00-\x1f\x7f-\x9f\u2028\u2029]/.test(line), JSON.stringify(line));
});

bothWays("logger.New() does not change responses and errors", () => application().app, async (ask) => {
  assertEquals((await ask("/ping/7")).text, "pong");
  assertEquals((await ask("/slow")).status, 201);
  assertEquals((await ask("/throw")).text, "Internal Server Error");
  assertEquals((await ask("/later")).status, 503);
});

Deno.test("logger.New() stays synchronous if the handlers are", () => {
  const { app } = application();
  assert(app.fetch(new Request("http://localhost/ping/1")) instanceof Response);
});

Deno.test("logger.New() colors the status on a terminal, and not if NO_COLOR is set", async () => {
  const script = `
    import * as fw from "./mod.ts";
    import * as logger from "./src/middleware/logger.ts";
    const app = fw.New();
    const chunks = [];
    app.Logger().SetTimeFormat("").SetOutput({
      writeSync(bytes) { chunks.push(new TextDecoder().decode(bytes)); return bytes.length; },
      isTerminal: () => true,
    });
    app.UseRouter(logger.New());
    app.Get("/", () => {});
    app.fetch(new Request("http://localhost/"));
    app.fetch(new Request("http://localhost/nowhere"));
    app.Logger().Flush();
    console.log(JSON.stringify(chunks.join("")));
  `;
  async function linesWith(env: Record<string, string>): Promise<string> {
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "--no-prompt", "--no-lock", "--allow-env", "-"],
      cwd: new URL("../../", import.meta.url),
      env,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    await new Response(script).body?.pipeTo(child.stdin);
    const { stdout, stderr } = await child.output();
    const text = new TextDecoder().decode(stdout);
    assert(text !== "", new TextDecoder().decode(stderr));
    return JSON.parse(text);
  }
  const [colored, plain] = await Promise.all([linesWith({ NO_COLOR: "" }), linesWith({ NO_COLOR: "1" })]);
  assert(colored.includes("\u001b[32m200\u001b[39m"), JSON.stringify(colored));
  assert(colored.includes("\u001b[33m404\u001b[39m"), JSON.stringify(colored));
  assert(!plain.includes("\u001b"), JSON.stringify(plain));
});
