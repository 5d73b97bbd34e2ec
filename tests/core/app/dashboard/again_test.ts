import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import * as fw from "../../../../mod.ts";
import { type Ask, logged, overSocket } from "../../../serving.ts";

const json = { headers: { accept: "application/json" } };
const form = { "content-type": "application/x-www-form-urlencoded" };

/** A request as a handler has received it. */
interface Sent {
  readonly method: string;
  readonly path: string;
  readonly type: string | null;
  readonly body: string;
  readonly extra: string | null;
}

/** Returns an application in development that lists the requests it has received. */
function newApp(): { app: fw.Application; sent: Sent[] } {
  const { app } = logged(fw.New().Configure(fw.WithDevelopment));
  const sent: Sent[] = [];
  app.Any("/{rest:path}", async (ctx) => {
    const { url, method, headers } = ctx.Request();
    const [bytes] = await ctx.GetBody();
    const { pathname, search } = new URL(url);
    const body = new TextDecoder().decode(bytes ?? undefined);
    sent.push({
      method,
      path: pathname + search,
      type: headers.get("content-type"),
      body,
      extra: headers.get("x-tea"),
    });
    ctx.WriteString("tea");
  });
  return { app, sent };
}

/** Presses "Send again" on the page of a request, and returns the response. */
async function sendAgain(ask: Ask, id: number) {
  const [, token = ""] = /name="fw_development" value="([^"]+)"/.exec((await ask("/_fw/jobs-form")).text) ?? [];
  return await ask(`/_fw/requests/${id}/again`, { method: "POST", body: `fw_development=${token}`, headers: form });
}

/** Adds a panel with a form, whose token the tests use. */
function withToken(app: fw.Application): fw.Application {
  const panel = { Element: "form", Text: "Go" };
  app.Install({ Name: "jobs form", Install: (host) => host.Panel("Jobs form", () => panel) });
  return app;
}

/** Returns the command on the page of a request. */
async function curlOf(ask: Ask, id: number): Promise<string> {
  const { text } = await ask(`/_fw/requests/${id}`);
  const [, html = ""] = /<pre>(curl [^]*?)<\/pre>/.exec(text) ?? [];
  const signs: Record<string, string> = { lt: "<", gt: ">", quot: '"', "#39": "'", amp: "&" };
  return html.replace(/&([\w#]+);/g, (whole, name) => signs[name] ?? whole);
}

/** Requests that can be repeated exactly. */
const requests: Readonly<Record<string, Omit<Sent, "type" | "extra"> & { type?: string; extra?: string }>> = {
  "a query": { method: "GET", path: "/pots?size=1&size=2", body: "" },
  "a header": { method: "GET", path: "/tea", body: "", extra: 'it\'s "hot" $HOME `id` !1 \\n 100% ;' },
  "an empty header": { method: "GET", path: "/tea", body: "", extra: "" },
  "a path that shells and curl interpret": { method: "DELETE", path: "/it's/{a,b}/[1-3]/$HOME/;x/%20", body: "" },
  "a query that shells interpret": { method: "PUT", path: "/tea?a=$(id)&b=!!&c=`id`&d=*", body: "" },
  "JSON": {
    method: "POST",
    path: "/tea",
    type: "application/json",
    body: '{"tea":"it\'s $HOME","n":12345678901234567890}',
  },
  "broken JSON": { method: "POST", path: "/tea", type: "application/json", body: '{"tea":' },
  "a form": { method: "POST", path: "/tea", type: "application/x-www-form-urlencoded", body: "tea=a+b&tea=%26&cup=" },
  "text": { method: "PATCH", path: "/tea", type: "text/plain", body: "  \"quotes\" 'and'\n\n$HOME !! \\ `id`\t☕\r\n" },
  "text that begins like a file name": { method: "POST", path: "/tea", type: "text/plain", body: "@/etc/hostname" },
  "a body without a type": { method: "POST", path: "/tea", body: "tea" },
  "a multipart form": {
    method: "POST",
    path: "/tea",
    type: "multipart/form-data; boundary=x",
    body: '--x\r\ncontent-disposition: form-data; name="tea"\r\n\r\nAssam\r\n--x--\r\n',
  },
};

Deno.test("/_fw repeats requests with their bodies, by a click and with curl in a shell", async (test) => {
  const { app, sent } = newApp();
  withToken(app);
  await overSocket(app, async (ask, port) => {
    for (const [name, { method, path, type = null, body, extra = null }] of Object.entries(requests)) {
      await test.step(name, async () => {
        const headers = {
          host: `127.0.0.1:${port}`,
          ...type !== null && { "content-type": type },
          ...extra !== null && { "x-tea": extra },
        };
        await ask(path, { method, headers, ...body !== "" && { body } });
        const [{ ID }] = JSON.parse((await ask("/_fw/requests", json)).text);
        assertEquals((await sendAgain(ask, ID)).status, 303);
        const command = await curlOf(ask, ID);
        const { stdout } = await new Deno.Command("sh", { args: ["-c", command], stderr: "piped" }).output();
        assertEquals(new TextDecoder().decode(stdout), "tea", command);
        const [first, again, copied] = sent.splice(0);
        assertEquals([first?.method, first?.body, first?.type, first?.extra], [method, body, type, extra]);
        assertEquals(again, first);
        assertEquals(copied, first, command);
      });
    }
  });
});

Deno.test("the command for a HEAD request ends", async () => {
  const { app, sent } = newApp();
  await overSocket(app, async (ask, port) => {
    await ask("/tea", { method: "HEAD", headers: { host: `127.0.0.1:${port}` } });
    const { success } = await new Deno.Command("sh", { args: ["-c", await curlOf(ask, 1)], stdout: "null" }).output();
    assertEquals([success, sent.map(({ method }) => method)], [true, ["HEAD", "HEAD"]]);
  });
});

/** Requests with a secret or an unknown body, and the reason that the page shows. */
const unrepeated: Readonly<Record<string, { path?: string; headers?: Record<string, string>; body: string }>> = {
  "a password in JSON": { headers: { "content-type": "application/json" }, body: '{"a":{"password":"pot-word"}}' },
  "a password in a form": { headers: form, body: "name=ada&password=pot-word" },
  "a password in a multipart form": {
    headers: { "content-type": "multipart/form-data; boundary=x" },
    body: '--x\r\ncontent-disposition: form-data; name="password"\r\n\r\npot-word\r\n--x--\r\n',
  },
  "a password in broken JSON": { headers: { "content-type": "application/json" }, body: '{"password":"pot-word' },
  "a code": { headers: { "content-type": "application/json" }, body: '{"code":"pot-word"}' },
  "a token in the query": { path: "/tea?token=pot-word", body: "tea" },
  "a long body": { body: `pot-word${"x".repeat(16 << 10)}` },
  "bytes": { body: "pot-word\0" },
  "a long path": { path: `/${"x".repeat(8_000)}?pot-word`, body: "" },
};

Deno.test("/_fw does not repeat requests with secrets or unknown bodies, and says so", async (test) => {
  for (const [name, { path = "/tea", ...question }] of Object.entries(unrepeated)) {
    await test.step(name, async () => {
      const { app, sent } = newApp();
      withToken(app);
      await overSocket(app, async (ask) => {
        await ask(path, { method: "POST", ...question });
        const page = await ask("/_fw/requests/1");
        assertStringIncludes(page.text, "It cannot be sent again from here: its ");
        assertEquals([page.text.includes("pot-word"), page.text.includes("Send again")], [false, false]);
        assertEquals([(await sendAgain(ask, 1)).status, sent.length], [409, 1]);
      });
    });
  }
});

Deno.test("the command for curl has placeholders for secrets", async () => {
  const { app } = newApp();
  await overSocket(app, async (ask) => {
    const headers = { authorization: "Bearer pot-word", cookie: "a=pot-word", "content-type": "application/json" };
    await ask("/tea?token=pot-word", { method: "POST", headers, body: '{"tea":"Assam","password":"pot-word"}' });
    const command = await curlOf(ask, 1);
    for (const part of ["'authorization: (hidden)'", "'cookie: (hidden)'", "?token=(hidden)", `"tea":"Assam"`]) {
      assertStringIncludes(command, part);
    }
    assertMatch(command, /--data-raw '\{"tea":"Assam","password":"\(hidden\)"\}'/);
    assert(!command.includes("pot-word"));
  });
});

Deno.test("/_fw does not wait for a request that never ends", async () => {
  const { app } = logged(fw.New().Configure(fw.WithDevelopment));
  const began = Promise.withResolvers<void>();
  let times = 0;
  const end = Promise.withResolvers<void>();
  app.Get("/", async (ctx) => {
    if (++times === 2) began.resolve();
    if (times === 2) await end.promise;
    ctx.WriteString("tea");
  });
  withToken(app);
  await overSocket(app, async (ask) => {
    await ask("/");
    const [again] = await Promise.all([sendAgain(ask, 1), began.promise]);
    assertEquals([again.status, again.headers.get("location")], [303, "/_fw/requests"]);
    const [{ Status, Took }] = JSON.parse((await ask("/_fw/requests", json)).text);
    assertEquals([Status, Took], [0, "…"]);
    end.resolve();
  });
});

/** Returns the number of characters of all strings in a value. */
function charactersIn(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 8;
  return Object.entries(value).reduce((sum, [name, each]) => sum + name.length + charactersIn(each), 0);
}

Deno.test("/_fw keeps less than 20 MB, whatever requests contain and handlers log", async () => {
  const { app } = logged(fw.New().Configure(fw.WithDevelopment));
  app.Post("/{rest:path}", async (ctx) => {
    await ctx.GetBody();
    for (let line = 0; line < 4; line++) ctx.Application().Logger().Warn(`${Math.random()} ${"x".repeat(1 << 15)}`);
    ctx.WriteString("tea");
  });
  const headers = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`x-${at}`, "y".repeat(1_000)]));
  const body = "z".repeat(16 << 10);
  for (let at = 0; at < 250; at++) {
    const url = `http://localhost/${"p".repeat(5_000)}`;
    await (await app.fetch(new Request(url, { method: "POST", headers, body }))).text();
  }
  const read = async (path: string) =>
    await (await app.fetch(new Request(`http://localhost/_fw/${path}`, json))).json();
  const list: { ID: number }[] = await read("requests");
  const entries = await Promise.all(list.map(({ ID }) => read(`requests/${ID}`)));
  const bytes = 2 * charactersIn([entries, await read("problems")]);
  assert(list.length > 150 && bytes < 20e6, `${list.length} requests with ${bytes} bytes`);
});
