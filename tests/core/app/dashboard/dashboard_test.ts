import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import * as fw from "../../../../mod.ts";
import { type Ask, logged, overSocket } from "../../../serving.ts";

const json = { headers: { accept: "application/json" } };

/** Asks for the data of a panel. */
async function data(ask: Ask, panel: string): Promise<Record<string, unknown>[]> {
  const response = await ask(`/_fw/${panel}`, json);
  assertEquals([response.status, response.headers.get("content-type")], [200, "application/json"]);
  return JSON.parse(response.text);
}

/** Returns an application in development. */
function developed(): fw.Application {
  return logged(fw.New().Configure(fw.WithDevelopment)).app;
}

Deno.test("/_fw shows what a request did: handlers, queries, calls, log lines and its problems", async () => {
  using database = new DatabaseSync(":memory:");
  database.exec("create table teas (id integer)");
  const find = database.prepare("select * from teas where id = ?");
  await using upstream = Deno.serve({ port: 0, onListen() {} }, () => new Response("kettle"));
  const app = developed();
  app.Use(async function brew(ctx) {
    await ctx.Next();
  });
  app.Get("/teas/{id:int}", async (ctx) => {
    for (let id = 0; id < 6; id++) find.all(id);
    await (await fetch(`http://user:word@127.0.0.1:${upstream.addr.port}/pot?key=1`)).text();
    ctx.Application().Logger().Warn("The pot is cold");
    ctx.WriteString("tea");
  });
  await overSocket(app, async (ask) => {
    assertEquals((await ask("/teas/7")).text, "tea");
    const [shown] = await data(ask, "requests");
    assertEquals([shown?.ID, shown?.Method, shown?.Path, shown?.Status, shown?.Route], [
      1,
      "GET",
      "/teas/7",
      200,
      "GET /teas/{id:int}",
    ]);
    const { Events } = JSON.parse((await ask("/_fw/requests/1", json)).text);
    const events: string[] = Events.map(({ Kind, Text }: Record<string, string>) => `${Kind} ${Text}`);
    assertEquals(events.filter((each) => /^(?:middleware|handler)/.test(each)), [
      "middleware brew",
      "handler (handler 2)",
    ]);
    assertEquals(events.filter((each) => each === "query select * from teas where id = ?").length, 6);
    assert(events.includes(`fetch GET http://127.0.0.1:${upstream.addr.port}/pot`), events.join("\n"));
    assert(events.includes("log warn: The pot is cold"), events.join("\n"));
    const problems = (await data(ask, "problems")).map(({ Text, Request }) => [Text, Request]);
    assertEquals(problems, [
      ["GET /teas/{id:int} repeats a query: select * from teas where id = ?", 1],
      ["The pot is cold", 1],
    ]);
    const page = await ask("/_fw/requests/1");
    assertMatch(page.text, /<rect class="query"/);
    assertStringIncludes(page.text, "curl -X GET");
  });
});

Deno.test("the error page links to the timeline of its request, which names the file and line", async () => {
  const app = developed();
  app.Get("/", () => {
    throw new Error("broken pot");
  });
  await overSocket(app, async (ask) => {
    const page = await ask("/", { headers: { accept: "text/html" } });
    assertStringIncludes(page.text, '<a href="/_fw/requests/1">Timeline of this request</a>');
    const [problem] = await data(ask, "problems");
    assertMatch(String(problem?.Place), /dashboard_test\.ts:\d+$/);
    assertStringIncludes((await ask("/_fw/problems")).text, '<a href="/_fw/requests/1">#1</a>');
  });
});

Deno.test("/_fw lists routes with their guards, explains a path, and shows the structure", async () => {
  const app = developed();
  app.Party("/teas").Get("/{id:int}", (ctx) => ctx.WriteString("tea"));
  await overSocket(app, async (ask) => {
    assertEquals((await data(ask, "routes")).map(({ Method, Path }) => [Method, Path]), [["GET", "/teas/{id:int}"]]);
    const explained = JSON.parse((await ask("/_fw/routes?method=GET&path=/teas/ann", json)).text);
    assertEquals(explained.Others, [{ Route: "GET /teas/{id:int}", Why: '"ann" is not of type int' }]);
    const { Parties } = JSON.parse((await ask("/_fw/structure", json)).text);
    assertEquals(Parties, "/teas: 1 route");
    const start = await ask("/_fw");
    assertEquals([start.status, start.headers.get("location")], [303, "/_fw/problems"]);
  });
});

Deno.test("/_fw shows the panels of extensions, and the reason if one fails", async () => {
  const app = developed();
  app.Install({
    Name: "flags",
    Install(host) {
      host.Panel("Feature flags", () => Promise.resolve([{ Flag: "blue pot", On: true }]));
      host.Panel("Broken", () => {
        throw new Error("no flags");
      });
    },
  });
  await overSocket(app, async (ask) => {
    assertEquals(await data(ask, "feature-flags"), [{ Flag: "blue pot", On: true }]);
    assertStringIncludes((await ask("/_fw/feature-flags")).text, "<td>blue pot</td><td>true</td>");
    assertStringIncludes((await ask("/_fw/broken")).text, "The panel cannot be shown: no flags");
  });
});

const circle: Record<string, unknown> = { Name: "pot" };
circle.Self = circle;

/** The contents that a panel may return by mistake, and a part of what is shown. */
const contents: Readonly<Record<string, readonly [content: () => unknown, shown: RegExp]>> = {
  "a throw": [() => {
    throw new Error("no pots");
  }, /cannot be shown: no pots/],
  "a rejection": [() => Promise.reject(new Error("no pots")), /cannot be shown: no pots/],
  "nothing": [() => undefined, /undefined/],
  "null": [() => null, /null/],
  "a circle": [() => circle, /Circular/],
  "a bigint": [() => [{ Count: 7n }], /"Count": "7"/],
  "a function": [() => () => {}, /Function/],
  "a getter that throws": [() => ({
    get Name() {
      throw new Error("no name");
    },
  }), /Getter/],
};

Deno.test("/_fw shows any content of a panel, or why it cannot", async (test) => {
  for (const [name, [content, shown]] of Object.entries(contents)) {
    await test.step(name, async () => {
      const app = developed();
      app.Install({ Name: "pots", Install: (host) => host.Panel("Pots", content) });
      await overSocket(app, async (ask) => {
        const found = await ask("/_fw/pots", json);
        assertEquals(found.status, 200);
        assertMatch(found.text, shown);
        assertEquals((await ask("/_fw/pots")).status, 200);
      });
    });
  }
});

Deno.test("/_fw numbers panels with the same title", async () => {
  const app = developed();
  for (const pot of ["blue", "green"]) {
    app.Install({ Name: "pots", Many: true, Install: (host) => host.Panel("Requests", () => pot) });
  }
  await overSocket(app, async (ask) => {
    const texts = await Promise.all([2, 3].map((time) => ask(`/_fw/requests-${time}`, json)));
    assertEquals(texts.map(({ text }) => JSON.parse(text)), ["blue", "green"]);
  });
});

Deno.test("/_fw records the requests of mounted applications as a part of the outer ones", async () => {
  const inner = developed();
  inner.Get("/pot", function pour(ctx) {
    ctx.WriteString("tea");
  });
  const app = developed();
  app.Mount("/in", inner);
  await overSocket(app, async (ask) => {
    assertEquals((await ask("/in/pot")).text, "tea");
    const entries = await data(ask, "requests");
    assertEquals(entries.map(({ Path }) => Path), ["/in/pot"]);
    assertStringIncludes((await ask("/_fw/requests/1", json)).text, '"pour"');
  });
});

Deno.test("/_fw sends a request again by a click", async () => {
  let served = 0;
  const app = developed();
  app.Get("/", (ctx) => ctx.WriteString(`${++served}`));
  await overSocket(app, async (ask) => {
    await ask("/");
    const [, field = ""] = /name="fw_development" value="([^"]+)"/.exec((await ask("/_fw/requests/1")).text) ?? [];
    const form = { method: "POST", body: `fw_development=${field}` };
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const sent = await ask("/_fw/requests/1/again", { ...form, headers });
    assertEquals([sent.status, served], [303, 2]);
    assertEquals((await data(ask, "requests")).length, 2);
  });
});

Deno.test("/_fw is below the base path of the application, and sends requests there", async () => {
  let served = 0;
  const app = developed().Configure(fw.WithBasePath("/shop"));
  app.Get("/pot", (ctx) => ctx.WriteString(`${++served}`));
  await overSocket(app, async (ask) => {
    await ask("/shop/pot");
    const page = await ask("/shop/_fw/requests/1");
    assertStringIncludes(page.text, 'action="/shop/_fw/requests/1/again"');
    const [, field = ""] = /name="fw_development" value="([^"]+)"/.exec(page.text) ?? [];
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const body = `fw_development=${field}`;
    const sent = await ask("/shop/_fw/requests/1/again", { method: "POST", body, headers });
    assertEquals([sent.status, sent.headers.get("location"), served], [303, "/shop/_fw/requests", 2]);
  });
});

Deno.test("/_fw does not exist without fw.WithDevelopment", async () => {
  const { app } = logged();
  app.Get("/", (ctx) => ctx.WriteString("tea"));
  await overSocket(app, async (ask) => {
    for (const path of ["/_fw", "/_fw/requests", "/_fw/problems"]) assertEquals((await ask(path)).status, 404);
  });
});

Deno.test("/_fw keeps at most 200 requests and 1,000 events", async () => {
  const app = developed();
  app.Get("/", function one(ctx) {
    for (let line = 0; line < 20; line++) ctx.Application().Logger().Info(`line ${line}`);
    ctx.WriteString("tea");
  });
  for (let at = 0; at < 300; at++) await (await app.fetch(new Request("http://localhost/"))).text();
  const response = await app.fetch(new Request("http://localhost/_fw/requests", json));
  const entries: { ID: number }[] = await response.json();
  assertEquals([entries.length, entries[0]?.ID], [200, 300]);
  const counts = await Promise.all(entries.map(async ({ ID }) => {
    const entry = await (await app.fetch(new Request(`http://localhost/_fw/requests/${ID}`, json))).json();
    return entry.Events.length;
  }));
  assert(counts[0] >= 21, `${counts[0]} events`);
  const sum = counts.reduce((all, each) => all + each);
  assert(sum > 900 && sum <= 1_000, `${sum} events`);
});

/** Requests that must not see or change anything. */
const attacks: Readonly<
  Record<string, { path?: string; method?: string; body?: string; headers?: Record<string, string> }>
> = {
  "another host": { headers: { host: "evil.example" } },
  "another host with the port": { headers: { host: "evil.example:80" } },
  "a host that begins like this one": { headers: { host: "localhost.evil.example" } },
  "a host that begins like an address": { headers: { host: "127.0.0.1.evil.example" } },
  "an address of another network": { headers: { host: "10.0.0.1" } },
  "all addresses": { headers: { host: "0.0.0.0" } },
  "a proxy": { headers: { "x-forwarded-for": "203.0.113.9" } },
  "a proxy that names this machine": { headers: { "x-forwarded-for": "127.0.0.1" } },
  "a proxy with the standard header": { headers: { forwarded: "for=127.0.0.1" } },
  "a proxy that names the host": { headers: { "x-forwarded-host": "localhost" } },
  "a proxy that names the address": { headers: { "x-real-ip": "127.0.0.1" } },
  "a proxy that names itself": { headers: { via: "1.1 pot" } },
  "a script of another site": { headers: { "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors" } },
  "an image of another site": { headers: { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" } },
  "a script of a sibling site": { headers: { "sec-fetch-site": "same-site", "sec-fetch-mode": "cors" } },
  "a frame of another site": {
    headers: { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" },
  },
  "a form of another site": {
    method: "POST",
    path: "/_fw/requests/1/again",
    headers: { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" },
  },
  "the origin of another site": { headers: { origin: "http://evil.example" } },
  "another port of this machine": { headers: { origin: "http://localhost:1" } },
  "an opaque origin": { headers: { origin: "null" } },
  "a click without a token": { method: "POST", path: "/_fw/requests/1/again" },
  "a click with another token": { method: "POST", path: "/_fw/requests/1/again", body: "fw_development=AAAA" },
  "a click with an empty token": { method: "POST", path: "/_fw/requests/1/again", body: "fw_development=" },
  "a link instead of a click": { path: "/_fw/requests/1/again" },
  "a wrong token from elsewhere": { path: "/_fw/requests?fw_development=AAAA", headers: { host: "evil.example" } },
  "an empty token from elsewhere": { path: "/_fw/requests?fw_development=", headers: { host: "evil.example" } },
  "a wrong cookie from elsewhere": { headers: { host: "evil.example", cookie: "fw_development=AAAA" } },
  "an empty cookie from elsewhere": { headers: { host: "evil.example", cookie: "fw_development=" } },
  "a panel of a feature from elsewhere": { path: "/_fw/settings", headers: { host: "evil.example" } },
  "the start page from elsewhere": { path: "/_fw", headers: { host: "evil.example" } },
};

Deno.test("/_fw refuses requests from elsewhere", async (test) => {
  const app = developed();
  let served = 0;
  app.Get("/", (ctx) => ctx.WriteString(`${++served}`));
  await overSocket(app, async (ask) => {
    await ask("/");
    for (const [name, { path = "/_fw/requests", headers = {}, ...rest }] of Object.entries(attacks)) {
      await test.step(name, async () => {
        const type = rest.method === "POST" ? { "content-type": "application/x-www-form-urlencoded" } : {};
        const response = await ask(path, { ...rest, headers: { ...type, ...headers } });
        assertEquals([response.status, served], [403, 1], response.text);
      });
    }
  });
});

Deno.test("/_fw opens elsewhere with the token of the log, which becomes a cookie", async () => {
  const { app, lines } = logged(fw.New().Configure(fw.WithDevelopment));
  const server = await listenAnywhere(app);
  try {
    const [, query = ""] = /Development pages: http:\S+\/_fw(\?\S+)/.exec(lines.join("\n")) ?? [];
    const first = await raw(server.port, `/_fw/requests${query}`, {});
    assertEquals([first.status, first.headers.get("location")], [303, "/_fw/requests"]);
    const cookie = first.headers.get("set-cookie") ?? "";
    assertMatch(cookie, /; HttpOnly; SameSite=Strict/);
    assertEquals((await raw(server.port, "/_fw/requests", {})).status, 403);
    assertEquals((await raw(server.port, "/_fw/requests", { cookie: cookie.split(";", 1)[0] ?? "" })).status, 200);
  } finally {
    await app.Shutdown();
    await server.ended;
  }
});

Deno.test("/_fw hides credentials and escapes what it shows", async () => {
  const app = developed();
  app.Get("/{name}", (ctx) => {
    ctx.Application().Logger().Warn(`<img src=x onerror=alert(1)>`);
    ctx.SetCookie("session", "pot-secret");
    ctx.Redirect("/reset?token=pot-secret");
  });
  await overSocket(app, async (ask) => {
    const headers = { authorization: "Bearer pot-secret", cookie: "a=pot-secret", "x-csrf-token": "pot-secret" };
    await ask("/%3Cscript%3E?access_token=pot-secret&password=pot-secret&tea=1", { headers });
    for (const panel of ["requests", "requests/1", "problems", "settings"]) {
      const page = await ask(`/_fw/${panel}`);
      assertEquals([page.status, page.text.includes("pot-secret")], [200, false], panel);
      assertEquals(page.text.match(/<img|<script>/g), ["<script>"], panel);
      const policy = page.headers.get("content-security-policy") ?? "";
      assertStringIncludes(policy, "default-src 'none'");
      assertEquals(policy.includes("unsafe-inline"), false);
    }
    assertStringIncludes((await ask("/_fw/requests/1", json)).text, "access_token=(hidden)&password=(hidden)&tea=1");
  });
});

/** Listens on all addresses. */
async function listenAnywhere(app: fw.Application): Promise<{ port: number; ended: Promise<unknown> }> {
  const listening = Promise.withResolvers<number>();
  const ended = app.Listen("0.0.0.0:0", fw.WithOnListen((addr) => listening.resolve((addr as Deno.NetAddr).port)));
  return { port: await listening.promise, ended };
}

/** Sends a request with another host name. */
async function raw(port: number, path: string, headers: Record<string, string>): Promise<Response> {
  using connection = await Deno.connect({ port });
  const lines = Object.entries({ host: "pot.example", connection: "close", ...headers }).map(([k, v]) =>
    `${k}: ${v}\r\n`
  );
  await connection.write(new TextEncoder().encode(`GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`));
  const text = await new Response(connection.readable).text();
  const [head = "", body = ""] = text.split("\r\n\r\n", 2);
  const [status = "", ...rest] = head.split("\r\n");
  const pairs = rest.map((line) => line.split(/: (.*)/, 2) as [string, string]);
  return new Response(/ 303 /.test(status) ? null : body, { status: Number(status.split(" ")[1]), headers: pairs });
}
