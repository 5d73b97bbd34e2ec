import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { fromFileUrl } from "@std/path";
import * as fw from "../../../mod.ts";
import * as accesslog from "../../../src/middleware/accesslog/mod.ts";
import { Child } from "../../http/server/support.ts";
import { bothWays, listen, logged, overSocket, quiet } from "../../serving.ts";

/** Creates an application with every kind of response, and the list of its access log lines. */
function application(options: accesslog.Options = {}): { app: fw.Application; lines: string[] } {
  const lines: string[] = [];
  const app = quiet();
  const log = accesslog.New({ Format: "json", Output: (line) => void lines.push(line), ...options });
  app.UseRouter(log.Handler());
  app.Get("/text/{id:int}", (ctx) => ctx.WriteString("grüß"));
  app.Get("/json", (ctx) => ctx.JSON({ a: [1, 2] }));
  app.Get("/bytes", (ctx) => ctx.Write(new Uint8Array(7)));
  app.Get("/stream", (ctx) =>
    ctx.Stream((async function* () {
      yield "one";
      await Promise.resolve();
      yield "three";
    })()));
  app.Get("/response", () => new Response("12345", { status: 201 }));
  app.Get("/empty", (ctx) => ctx.StatusCode(204));
  app.Get("/known", (ctx) => {
    ctx.WriteString("not sent");
    ctx.StatusCode(304);
  });
  app.Get("/fail", () => {
    throw new Error("boom");
  });
  app.Get("/refuse", () => {
    throw new fw.HTTPError(409, "taken");
  });
  app.Post("/form", async (ctx) => ctx.WriteString(await ctx.PostValue("a")));
  app.Post("/unread", (ctx) => ctx.WriteString("ok"));
  return { app, lines };
}

type Line = Record<string, unknown>;

/** Paths with the expected status and byte count. */
const sizes: [path: string, code: number, sent: number][] = [
  ["/text/7", 200, 6],
  ["/json", 200, 11],
  ["/bytes", 200, 7],
  ["/stream", 200, 8],
  ["/response", 201, 5],
  ["/empty", 204, 0],
  ["/known", 304, 0],
  ["/fail", 500, 21],
  ["/refuse", 409, 5],
  ["/nowhere", 404, 9],
];

bothWays("accesslog.New() logs the status and the bytes of every kind of response", () => {
  const { app, lines } = application({ Skip: (ctx) => ctx.Path() === "/lines" });
  app.Get("/lines", (ctx) => ctx.JSON(lines.map((line) => JSON.parse(line))));
  return app;
}, async (ask) => {
  for (const [path, code, sent] of sizes) {
    const { status, bytes } = await ask(path);
    assertEquals([status, bytes.length], [code, sent], path);
  }
  const entries: Line[] = JSON.parse((await ask("/lines")).text);
  assertEquals(entries.map((entry) => [entry.path, entry.status, entry["bytes_sent"]]), sizes);
});

bothWays("accesslog.New() logs the bytes of a request, and no bytes for HEAD", () => {
  const { app, lines } = application({ Skip: (ctx) => ctx.Path() === "/lines" });
  app.Get("/lines", (ctx) => ctx.JSON(lines.map((line) => JSON.parse(line))));
  return app;
}, async (ask) => {
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  await ask("/form", { method: "POST", headers, body: "a=tea" });
  await ask("/unread", { method: "POST", headers, body: "a=tea&b" });
  await ask("/text/7", { method: "HEAD" });
  const entries: Line[] = JSON.parse((await ask("/lines")).text);
  const seen = entries.map((entry) => [entry.method, entry["bytes_received"], entry["bytes_sent"]]);
  assertEquals(seen.slice(1), [["POST", seen[1]?.[1], 2], ["HEAD", 0, 0]]);
  assertEquals([seen[0], [0, 7].includes(Number(seen[1]?.[1]))], [["POST", 5, 3], true]);
});

Deno.test("accesslog.New() logs the route, parameters, address, ID, user, error and fields in JSON", async () => {
  const { app, lines } = application({ Query: true, Fields: (ctx) => ({ agent: ctx.GetHeader("user-agent") }) });
  app.Get("/all/{id:int}", (ctx) => {
    ctx.SetID("r1");
    ctx.SetUser({ ID: "5", Name: "Ada", Roles: [], Method: "basic" });
    ctx.Logger().AddFields({ tenant: "north", count: 3n });
    throw new fw.HTTPError(409, "taken");
  });
  const remoteAddr: Deno.NetAddr = { transport: "tcp", hostname: "203.0.113.7", port: 1 };
  const request = new Request("http://localhost/all/7?a=1", { headers: { "user-agent": "tests" } });
  await app.fetch(request, { remoteAddr });
  const { timestamp, latency_ms, ...rest } = JSON.parse(lines[0] ?? "");
  assert(Math.abs(Date.parse(timestamp) - Date.now()) < 60_000 && latency_ms >= 0);
  assertEquals(rest, {
    status: 409,
    method: "GET",
    path: "/all/7?a=1",
    route: "/all/{id:int}",
    ip: "203.0.113.7",
    request_id: "r1",
    user: "5",
    params: { id: "7" },
    fields: { tenant: "north", count: 3, agent: "tests" },
    bytes_received: 0,
    bytes_sent: 5,
    error: "taken",
  });
});

Deno.test("accesslog.New() omits the query unless configured", async () => {
  const { app, lines } = application();
  await app.fetch(new Request("http://localhost/json?token=secret"));
  assertEquals(JSON.parse(lines[0] ?? "").path, "/json");
});

Deno.test("accesslog.New() writes text columns, CSV, templates and the result of a function", async () => {
  const expected: Record<string, RegExp> = {
    text: /^[\dT:.Z-]{24}\|[\d.]+(µs|ms)\|200\|GET\|\/text\/7\|\/text\/\{id:int\}\|\|\|\|id=7\|\|0\|6\|$/,
    csv: /^[\dT:.Z-]{24},[\d.]+,200,GET,\/text\/7,\/text\/\{id:int\},,,,id=7,,0,6,$/,
    "{Method} {Path} -> {Status} ({BytesSent})": /^GET \/text\/7 -> 200 \(6\)$/,
  };
  for (const [Format, pattern] of Object.entries(expected)) {
    const { app, lines } = application({ Format });
    await app.fetch(new Request("http://localhost/text/7"));
    assertMatch(lines[0] ?? "", pattern);
  }
  const { app, lines } = application({ Format: (entry) => `${entry.Status}\n${entry.Params.id}` });
  await app.fetch(new Request("http://localhost/text/7"));
  assertEquals(lines, ["200\\n7"]);
});

Deno.test("accesslog.New() rejects a template with an unknown column", () => {
  assertThrows(() => accesslog.New({ Format: "{Code}" }), fw.FrameworkError, '"{Code}" is not one of {Timestamp}');
});

Deno.test("accesslog.New() prevents clients from forging lines or columns", async () => {
  for (const Format of ["text", "json", "csv", "{Path} {Fields}"]) {
    const { app, lines } = application({ Format, Fields: (ctx) => ({ agent: ctx.GetHeader("x-agent") }) });
    const headers = { "x-agent": 'a","b=\u00802' };
    await app.fetch(new Request("http://localhost/a%0Ab%1b%5b2J,%22x%22|200|b", { headers }));
    assertEquals(lines.length, 1);
    assertEquals(/[\n\r]|\u0080/.test(lines[0] ?? ""), false, lines[0]);
    if (Format === "json") assertEquals(JSON.parse(lines[0] ?? "").fields.agent, 'a","b=\u00802');
    if (Format === "csv") assertEquals(csvColumns(lines[0] ?? "").length, 14, lines[0]);
    if (Format === "text") assertEquals(lines[0]?.split("|").length, 14, lines[0]);
  }
});

const forgedNames = [
  "ann 200",
  'ann" 200 "',
  "ann\\",
  "ann\t200",
  "ann|200",
  "ann,200",
  "ann\u2028200",
  "ann\u00a0200",
  "ann]",
  "",
];

Deno.test("accesslog.New() prevents user names, paths and IDs from ending their template column", async () => {
  const templates: Record<string, RegExp> = {
    "{IP} {User} {ID} {Path} {Status}": /^- \S+ \S+ \S+ 200$/,
    '"{User}" "{ID}" "{Path}" {Status}': /^"[^"\s]+" "[^"\s]+" "[^"\s]+" 200$/,
    "{User}|{ID}|{Path}|{Status}": /^[^|\s]+\|[^|\s]+\|[^|\s]+\|200$/,
    "[{User}],{ID},{Path};{Status}": /^\[[^\][]+\],[^,]+,[^,;]+;200$/,
    "user={User} path={Path} status={Status}": /^user=[^=\s]+ path=[^=\s]+ status=200$/,
  };
  for (const [Format, pattern] of Object.entries(templates)) {
    for (const name of forgedNames) {
      const lines: string[] = [];
      const app = quiet();
      app.UseRouter(accesslog.New({ Format, Output: (line) => void lines.push(line) }).Handler());
      app.Get("/{rest:path}", (ctx) => {
        ctx.SetUser({ ID: name, Name: name, Roles: [], Method: "test" });
        ctx.SetID(name);
      });
      await app.fetch(new Request(`http://localhost/${encodeURIComponent(name)}x`));
      assertEquals(lines.length, 1);
      assertMatch(lines[0] ?? "", pattern);
    }
  }
});

Deno.test("accesslog.New() writes no CSV values that a spreadsheet would evaluate", async () => {
  for (const text of ["=1+1", "+cmd|'calc'!A0", "-1", "@SUM(A1)"]) {
    const { app, lines } = application({ Format: "csv" });
    app.Get("/fails", () => {
      throw new fw.HTTPError(409, text);
    });
    await app.fetch(new Request("http://localhost/fails"));
    assertEquals(csvColumns(lines[0] ?? "").at(-1), `'${text}`);
  }
});

/** Parses the columns of a CSV line. */
function csvColumns(line: string): string[] {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map((match) => match[1] ?? match[2] ?? "");
}

Deno.test("accesslog.New() writes the column names at the top of a CSV file", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const log = accesslog.New({ File: `${folder}/a.csv`, Format: "csv" });
    const app = quiet();
    app.UseRouter(log.Handler());
    await app.fetch(new Request("http://localhost/"));
    log.Close();
    const [head = "", line = "", end] = Deno.readTextFileSync(`${folder}/a.csv`).split("\n");
    assertStringIncludes(head, "Timestamp,Latency,Status,Method,Path,");
    assertEquals([csvColumns(line).length, end], [head.split(",").length, ""]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("accesslog.New() logs the bytes sent of a stream that the client cancels", async () => {
  const written = Promise.withResolvers<string>();
  const app = quiet();
  const log = accesslog.New({ Format: "{Path} {BytesSent}", Output: written.resolve });
  app.UseRouter(log.Handler());
  app.Get("/endless", (ctx) =>
    ctx.Stream((async function* () {
      while (true) {
        yield "x".repeat(1000);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    })()));
  await overSocket(app, async (_, port) => {
    const response = await fetch(`http://127.0.0.1:${port}/endless`);
    await response.body?.getReader().cancel();
    assertMatch(await written.promise, /^\/endless [1-9]\d*000$/);
  });
});

Deno.test("accesslog.New() logs a waiting stream that the client cancels once and reports no failure", async () => {
  const { app, lines: failures } = logged();
  const lines: string[] = [];
  const log = accesslog.New({ Format: "{Path} {Status} {BytesSent}", Output: (line) => void lines.push(line) });
  app.UseRouter(log.Handler());
  const [waiting, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  app.Get("/events", (ctx) =>
    ctx.Stream(async function* (signal) {
      yield "first";
      waiting.resolve();
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      ended.resolve();
    }));
  const { body } = await app.fetch(new Request("http://localhost/events"));
  const reader = body?.getReader();
  await reader?.read();
  const pending = reader?.read();
  await waiting.promise;
  await reader?.cancel();
  assertEquals((await pending)?.done, true);
  await ended.promise;
  await app.Shutdown();
  log.Close();
  assertEquals([lines, failures], [["/events 200 5"], []]);
});

Deno.test("accesslog.New() logs a stream once if a shutdown cuts it off", async () => {
  const { app, lines: failures } = logged();
  const lines: string[] = [];
  const log = accesslog.New({ Format: "{Path} {Status} {BytesSent}", Output: (line) => void lines.push(line) });
  app.UseRouter(log.Handler());
  app.Logger().SetLevel("error");
  app.Configure(fw.WithShutdownTimeout(100));
  app.Get("/endless", (ctx) =>
    ctx.Stream(async function* () {
      yield "first";
      await new Promise(() => {});
    }));
  const { url, ended } = await listen(app);
  const { body } = await fetch(`${url}endless`);
  const reader = body?.getReader();
  await reader?.read();
  const rest = reader?.read().catch(() => "broken off");
  await app.Shutdown();
  await ended;
  assertEquals(await rest, "broken off");
  log.Close();
  assertEquals([lines, failures], [["/endless 200 5"], []]);
});

Deno.test("accesslog.New() logs a write failure once in the application's log", async () => {
  const { app, lines } = logged();
  const log = accesslog.New({ File: "/nowhere/at/all.log" });
  app.UseRouter(log.Handler());
  app.Get("/", (ctx) => ctx.WriteString("served"));
  for (let i = 0; i < 3; i++) {
    const response = await app.fetch(new Request("http://localhost/"));
    assertEquals(await response.text(), "served");
    log.Flush();
  }
  assertEquals(lines.length, 1);
  assertStringIncludes(lines[0] ?? "", "Cannot write the access log, its lines are lost: NotFound:");
});

Deno.test("accesslog.New() loses none of 10,000 lines if the process receives SIGTERM", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const program = fromFileUrl(new URL("./server.ts", import.meta.url));
    await using child = new Child(["run", "-A", "--no-lock", "--no-check", program, `${folder}/access.log`]);
    const origin = `http://127.0.0.1:${await child.port()}`;
    const served = new Set<string>();
    let next = 0;
    const clients = Array.from({ length: 32 }, async () => {
      while (next < 10_500) {
        const path = next % 3 === 0 ? `/later/${next++}` : `/${next++}`;
        try {
          const response = await fetch(origin + path);
          if (await response.text() === path.replace("/later", "").slice(1)) served.add(path);
        } catch {
          return; // The server has stopped.
        }
        if (served.size === 10_000) child.kill("SIGTERM");
      }
    });
    await Promise.all(clients);
    assertEquals((await child.end()).code, 0);
    const files = [...Deno.readDirSync(folder)].map((entry) => Deno.readTextFileSync(`${folder}/${entry.name}`));
    const lines = files.join("").trimEnd().split("\n").map((line): Line => JSON.parse(line));
    const seen = new Set(lines.map((line) => line.path));
    assert(served.size >= 10_000 && files.length > 5, `${served.size} responses, ${files.length} files`);
    assertEquals([...served].filter((path) => !seen.has(path)), []);
    assertEquals(seen.size, lines.length);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("accesslog.New() writes the common and combined formats and escapes client input", async () => {
  const lines: Record<string, string> = {};
  for (const Format of ["common", "combined"] as const) {
    const app = quiet();
    const log = accesslog.New({ Format, Output: (line) => lines[Format] = line });
    app.UseRouter(log.Handler());
    app.Get("/a", (ctx) => ctx.WriteString("four"));
    const headers = { host: "localhost", "user-agent": 'evil" "agent\\', referer: "http://x/" };
    await app.fetch(new Request("http://localhost/a", { headers }), {
      remoteAddr: { transport: "tcp", hostname: "192.0.2.1", port: 1 },
    });
  }
  const common =
    /^192\.0\.2\.1 - - \[\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000\] "GET \/a HTTP\/[12]\.\d" 200 4/;
  assertMatch(lines["common"] ?? "", new RegExp(`${common.source}$`));
  assertMatch(lines["combined"] ?? "", common);
  assertEquals((lines["combined"] ?? "").endsWith(' "http://x/" "evil\\" \\"agent\\\\"'), true, lines["combined"]);
});
