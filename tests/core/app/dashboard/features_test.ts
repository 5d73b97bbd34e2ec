import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { tracingChannel } from "node:diagnostics_channel";
import * as fw from "../../../../mod.ts";
import * as mcp from "../../../../src/api/mcp/mod.ts";
import * as auth from "../../../../src/middleware/basicauth/mod.ts";
import * as jobs from "../../../../src/work/jobs/mod.ts";
import * as mail from "../../../../src/work/mail/mod.ts";
import * as websocket from "../../../../src/live/websocket/mod.ts";
import * as httptest from "../../../../src/tools/httptest/mod.ts";
import { type Ask, logged, overSocket } from "../../../serving.ts";

const json = { headers: { accept: "application/json" } };

async function data(ask: Ask, path: string) {
  const { status, text } = await ask(`/_fw/${path}`, json);
  assertEquals(status, 200, text);
  return JSON.parse(text);
}

/** Presses a button on a page. */
async function press(ask: Ask, path: string, fields: Record<string, string>) {
  const [, token = ""] = /name="fw_development" value="([^"]+)"/.exec((await ask(path)).text) ?? [];
  const body = new URLSearchParams({ "fw_development": token, ...fields }).toString();
  return await ask(path, { method: "POST", body, headers: { "content-type": "application/x-www-form-urlencoded" } });
}

function developed(): fw.Application {
  return logged(fw.New().Configure(fw.WithDevelopment)).app;
}

/** Returns the events of a request, such as "job brew". */
async function eventsOf(ask: Ask, id: number): Promise<string[]> {
  const { Events } = await data(ask, `requests/${id}`);
  return Events.map(({ Kind, Text }: Record<string, string>) => `${Kind} ${Text}`);
}

Deno.test("/_fw shows jobs and schedules, runs them by a click, and shows the jobs that a request adds", async () => {
  const app = developed();
  const queue = jobs.New(jobs.NewMemory());
  function brew() {
    throw new Error("cold water");
  }
  queue.Handle(brew).RunWith(app);
  await queue.Schedule("0 3 * * *", brew, undefined, { Name: "nightly" });
  app.Post("/brew", async (ctx) => {
    await queue.Add(brew, undefined, { MaxAttempts: 1 });
    ctx.StatusCode(202);
  });
  await overSocket(app, async (ask) => {
    await ask("/brew", { method: "POST" });
    assert((await eventsOf(ask, 1)).includes("job brew"));
    await queue.Drain();
    const { Counts, Jobs, Schedules } = await data(ask, "jobs");
    assertEquals([Counts[0].Failed, Jobs[0].Name, Jobs[0].State, Schedules[0].Schedule], [
      1,
      "brew",
      "failed",
      "nightly",
    ]);
    assertStringIncludes(Jobs[0].Error, "cold water");
    await press(ask, "/_fw/jobs", { retry: Jobs[0].Job });
    await press(ask, "/_fw/jobs", { schedule: "nightly" });
    assertEquals((await data(ask, "jobs")).Counts[0].Waiting, 2);
    const stolen = {
      method: "POST",
      body: "schedule=nightly",
      headers: { "content-type": "application/x-www-form-urlencoded" },
    };
    assertEquals((await ask("/_fw/jobs", stolen)).status, 403);
  });
});

Deno.test("/_fw shows mails in every language in a sandbox, and the mails that a request sends", async () => {
  const app = developed();
  app.I18n.LoadKV({ en: { Hello: "Hello" }, de: { Hello: "Hallo" } });
  const views = fw.HTML("").ParseTemplate("tea", `<title>Tea</title><p onclick="x()"><%= tr("Hello") %></p>`);
  const mailer = mail.New({ Transport: mail.NewMemory(), From: "pot@example.com", Views: views, App: app });
  app.Get("/send", async (ctx) => {
    await mailer.Send({ To: "ada@example.com", View: "tea", Language: "de" });
    ctx.WriteString("sent");
  });
  await overSocket(app, async (ask) => {
    await ask("/send");
    assert((await eventsOf(ask, 1)).includes("mail Tea"));
    const [{ Mail, To }] = await data(ask, "mails");
    assertEquals([Mail.Text, To], ["Tea", "ada@example.com"]);
    const query = new URLSearchParams(Mail.Values);
    const shown = await data(ask, `mails?${query}`);
    assertStringIncludes(shown.Source, "Hallo");
    assertStringIncludes(shown.Text, "Hallo");
    assertEquals(shown.Languages.map(({ Text }: { Text: string }) => Text), ["en", "de"]);
    assertStringIncludes((await data(ask, `mails?${query}&language=en`)).Source, "Hello");
    const page = await ask(`/_fw/mails?${query}`);
    assertStringIncludes(page.text, `<iframe sandbox title="Document" src="/_fw/mails/document?mail=`);
    assertEquals(page.text.includes("<p onclick"), false);
    const part = await ask(`/_fw/mails/document?${query}`);
    assertStringIncludes(part.text, "<p onclick");
    assertMatch(part.headers.get("content-security-policy") ?? "", /^sandbox; default-src 'none'/);
  });
});

Deno.test("/_fw shows rooms and sockets, and their events in the request of the handshake", async () => {
  const app = developed();
  const server = websocket.New();
  server.On("pour", async (conn, room) => {
    await conn.Join(String(room));
    return "tea";
  });
  app.Get("/ws", websocket.Handler(server));
  const client = httptest.New(app);
  const socket = await client.WebSocket("/ws");
  assertEquals(await socket.Ask("pour", "kitchen"), "tea");
  const ask: Ask = async (path, question = {}) => {
    const response = await app.fetch(new Request(`http://localhost${path}`, question));
    return { status: response.status, headers: response.headers, bytes: new Uint8Array(), text: await response.text() };
  };
  const { Connections, Rooms } = await data(ask, "rooms-and-sockets");
  assertEquals([Connections.length, Rooms], [1, [{ Room: "kitchen", Connections: 1 }]]);
  const events = await eventsOf(ask, 1);
  assert(events.includes("event websocket pour"), events.join("\n"));
  await socket.Close();
});

Deno.test("/_fw lists tools and calls one by a click, which is recorded as a request", async () => {
  const app = developed();
  app.Get("/teas/{id:int}", function tea(ctx) {
    ctx.JSON({ id: ctx.Params().GetIntDefault("id", 0) });
  }).Describe({ OperationID: "get_tea", Summary: "Returns a tea" });
  mcp.New(app, { Name: "teas", Routes: ({ Path }) => Path.startsWith("/teas") });
  await overSocket(app, async (ask) => {
    const [{ Tool }] = await data(ask, "tools");
    const path = `/_fw/tools?tool=${Tool.Text}`;
    assertStringIncludes((await ask(path)).text, "<textarea");
    const called = await press(ask, path, { Arguments: `{"id": 7}` });
    assertMatch(called.text, /200\n.*&quot;id&quot;:7|\\&quot;id\\&quot;:7/s);
    const [{ ID, Path }] = await data(ask, "requests");
    assertEquals(Path, "/mcp");
    const events = await eventsOf(ask, ID);
    assert(events.includes(`tool ${Tool.Text}`) && events.includes("handler tea"), events.join("\n"));
    assertStringIncludes((await press(ask, path, { Arguments: "{" })).text, "not JSON");
  });
});

Deno.test("/_fw times the calls that drivers publish on the channel fw", async () => {
  const app = developed();
  app.Get("/", async (ctx) => {
    const calls = tracingChannel<object>("fw");
    const rows = await calls.tracePromise(() => Promise.resolve([1, 2]), { Kind: "query", Text: "select 1" });
    ctx.JSON(rows);
  });
  await overSocket(app, async (ask) => {
    assertEquals((await ask("/")).text, "[1,2]");
    const { Events } = await data(ask, "requests/1");
    const { Kind, Took } = Events.find(({ Text }: { Text: string }) => Text === "select 1");
    assertEquals([Kind, typeof Took], ["query", "number"]);
  });
});

Deno.test("/_fw shows calls without await and routes without a guard as problems, with file and line", async () => {
  await using upstream = Deno.serve({ port: 0, onListen() {} }, async () => {
    await new Promise((resolve) => setTimeout(resolve, 200));
    return new Response("late");
  });
  const app = developed();
  let late: Promise<unknown> | undefined;
  app.Get("/forget", (ctx) => {
    late = fetch(`http://127.0.0.1:${upstream.addr.port}/`).then((response) => response.text());
    ctx.WriteString("fine");
  });
  app.Party("/admin", auth.New({ Users: [{ Name: "ada", Password: "pot" }] })).Post(
    "/teas",
    (ctx) => ctx.StatusCode(204),
  );
  app.Post("/open", (ctx) => ctx.StatusCode(204));
  await overSocket(app, async (ask) => {
    await ask("/forget");
    await late;
    const problems: Record<string, string>[] = await data(ask, "problems");
    const [forgotten, open] = [/an await may be missing/, /^POST \/open writes without a guard/].map((text) =>
      problems.find(({ Text = "" }) => text.test(Text))
    );
    for (const problem of [forgotten, open]) assertMatch(String(problem?.Place), /features_test\.ts:\d+$/);
    assertEquals(problems.some(({ Text = "" }) => Text.includes("/admin")), false);
    assertMatch((await ask("/_fw/problems")).text, /href="vscode:\/\/file\/[^"]+features_test\.ts:\d+"|:\/\//);
  });
});

Deno.test("/_fw shows broken templates, and translations that are missing or not used", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/good.html`, "<p>tea</p>");
    const app = developed();
    app.RegisterView(fw.HTML(folder));
    app.I18n.LoadKV({ en: { Pot: "Pot", Cup: "Cup" }, de: { Pot: "Kanne" } });
    app.Get("/", (ctx) => ctx.View("good"));
    await overSocket(app, async (ask) => {
      assertEquals((await ask("/")).text, "<p>tea</p>");
      await Deno.writeTextFile(`${folder}/bad.html`, "<p>\n<% if (it.x { %>");
      const views = await data(ask, "views");
      assertMatch(views["Broken templates"][0].Place, /bad\.html:\d+$/);
      assertEquals(views["Missing translations"], [{ Key: "Cup", Missing: "de" }]);
      const problems: Record<string, string>[] = await data(ask, "problems");
      assert(problems.some(({ Place = "" }) => Place.includes("bad.html")));
      assert(problems.some(({ Text = "" }) => Text === 'The translation "Cup" is missing in: de'));
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("the error page shows the values that were read, the explanation of the code, and opens the editor", async () => {
  const app = developed();
  app.Post("/teas/{id:int}", async (ctx) => {
    ctx.Params().GetIntDefault("id", 0);
    ctx.URLParam("size");
    await ctx.ReadJSON();
    throw new fw.FrameworkError("FW_STATE", "The pot is empty");
  });
  app.Post("/form", async (ctx) => {
    await ctx.FormValue("tea");
    throw new Error("broken");
  });
  await overSocket(app, async (ask) => {
    const headers = { accept: "text/html", "content-type": "application/json" };
    const body = JSON.stringify({ tea: "Assam", password: "pot-secret", deep: { token: "pot-secret" } });
    const { text } = await ask("/teas/7?size=large", { method: "POST", headers, body });
    for (const part of ["&quot;id&quot;: &quot;7&quot;", "large", "Assam", "(hidden)", "<h2>FW_STATE</h2>"]) {
      assertStringIncludes(text, part);
    }
    assertEquals(text.includes("pot-secret"), false);
    assertMatch(text, /<a href="[a-z]+:\/\/[^"]*features_test\.ts:\d+">Open in the editor<\/a>/);
    assertStringIncludes(text, 'href="/_fw/requests/1">Timeline of this request</a>');
    const form = { accept: "text/html", "content-type": "application/x-www-form-urlencoded" };
    const second = await ask("/form", { method: "POST", headers: form, body: "tea=Darjeeling" });
    assertStringIncludes(second.text, "Darjeeling");
  });
});
