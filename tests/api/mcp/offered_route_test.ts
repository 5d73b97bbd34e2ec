import { assertEquals, assertStringIncludes } from "@std/assert";
import { z } from "npm:zod@^4";
import * as fw from "@fw/web";
import * as mcp from "@fw/web/mcp";
import * as methodoverride from "@fw/web/middleware/methodoverride";
import * as rewrite from "@fw/web/middleware/rewrite";
import * as mvc from "@fw/web/mvc";
import * as versioning from "@fw/web/versioning";

type Arguments = Record<string, unknown>;

/** An application in which every route that is not offered records that it ran. */
class Subject {
  readonly app = fw.New();
  readonly ran: string[] = [];

  constructor(...configurators: fw.Configurator[]) {
    this.app.Configure(...configurators);
    this.app.Logger().SetLevel("disable");
  }

  /** Returns middleware or a handler that must not run. */
  secret(name: string): fw.Handler {
    return (ctx) => {
      this.ran.push(name);
      return ctx.GetCurrentRoute()?.Name === name ? ctx.WriteString("secret") : ctx.Next();
    };
  }

  offer(): this {
    const Routes = ({ Name }: fw.Route) => Name.startsWith("offered");
    mcp.New(this.app, { Name: "teas", Routes, Sessions: false });
    return this;
  }

  async ask(method: string, params: Arguments, headers: HeadersInit = {}, path = "/mcp"): Promise<Arguments> {
    const response = await this.app.fetch(
      new Request(`http://localhost${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...Object.fromEntries(new Headers(headers)) },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      }),
    );
    return await response.json();
  }

  /** Calls a tool. Returns the text of its result, after "error: " if it is an error. */
  async call(name: string, given: Arguments, headers: HeadersInit = {}, path = "/mcp"): Promise<string> {
    const { result } = await this.ask("tools/call", { name, arguments: given }, headers, path);
    return `${Object(result)["isError"] === true ? "error: " : ""}${Object(result)["content"]?.[0]?.text}`;
  }

  /** Reads a resource. Returns its text, or "error: " with the code. */
  async read(uri: string): Promise<string> {
    const { result, error } = await this.ask("resources/read", { uri });
    return error === undefined ? Object(result).contents[0].text : `error: ${Object(error).code}`;
  }
}

const escapes = [
  "export",
  "x/../export",
  "./export",
  "../teas/export",
  "export/",
  "export/.",
  "/export",
  "x\\..\\export",
  ".\\export",
  "..",
  ".",
  "",
  "%65xport",
  "%2e%2e",
  "%2e/export",
  "x%2f..%2fexport",
  "x/%2e%2e/export",
  "export?x=1",
  "export#x",
  "export;x",
  "//export",
  "../export",
  "export%00",
  "x//../export",
];

for (const value of escapes) {
  for (const kind of ["single", "rest"] as const) {
    Deno.test(`mcp.New() does not call another route with ${JSON.stringify(value)} as a ${kind} parameter`, async () => {
      const subject = new Subject();
      const received: string[] = [];
      const path = kind === "single" ? "/teas/{name}" : "/teas/{name:path}";
      subject.app.Get(path, (ctx) => {
        received.push(ctx.Params().Get("name"));
        ctx.WriteString("open");
      }).SetName("offered");
      const inner = subject.app.Party("/teas/export");
      inner.Get("/", subject.secret("export")).SetName("export");
      inner.Get("/{rest:path}", subject.secret("below")).SetName("below");
      subject.app.Get("/export", subject.secret("root")).SetName("root");
      subject.app.Get("/", subject.secret("home")).SetName("home");
      subject.offer();
      await subject.call("offered", { name: value });
      await subject.read(`app:///teas/${value}`);
      await subject.read(`app:///teas/${encodeURIComponent(value)}`);
      assertEquals(subject.ran, []);
      // A value is data: it arrives as it was given, or not at all.
      const [given = value] = received.filter((each) => each !== value.replace(/^\//, "") && each !== decoded(value));
      assertEquals(given, value);
    });
  }
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value.replace(/[?#].*$/s, ""));
  } catch {
    return value;
  }
}

Deno.test("mcp.New() does not run middleware of another route", async () => {
  const subject = new Subject();
  subject.app.Get("/teas/{name}", (ctx) => ctx.WriteString("open")).SetName("offered");
  const party = subject.app.Party("/teas/export", subject.secret("middleware"));
  party.UseRouter(subject.secret("router middleware"));
  party.OnErrorCode(404, subject.secret("error handler"));
  party.Get("/", subject.secret("export")).SetName("export");
  subject.offer();
  for (const name of ["export", "export/", "./export", "x/../export", "export/none"]) {
    await subject.call("offered", { name });
    await subject.read(`app:///teas/${name}`);
  }
  assertEquals(subject.ran.filter((name) => name === "export" || name === "error handler"), []);
  assertEquals(await subject.call("offered", { name: "assam" }), "open");
});

Deno.test("mcp.New() does not call another route in another letter case", async () => {
  const subject = new Subject(fw.WithLowercaseRouting);
  subject.app.Get("/Teas/{name}", (ctx) => ctx.WriteString(ctx.Params().Get("name"))).SetName("offered");
  subject.app.Get("/teas/Export", subject.secret("export")).SetName("export");
  subject.offer();
  for (const name of ["EXPORT", "Export", "export", "eXPORT"]) {
    assertStringIncludes(await subject.call("offered", { name }), "error: ");
    assertStringIncludes(await subject.read(`app:///Teas/${name}`), "error: ");
  }
  assertEquals(subject.ran, []);
  assertEquals(await subject.call("offered", { name: "Assam" }), "Assam");
});

Deno.test("mcp.New() does not call another route because of a rewritten path", async () => {
  const subject = new Subject();
  subject.app.WrapRouter(rewrite.New({
    Rules: [{ From: "/old/{rest:path}", To: "/admin/{rest}" }, { From: "/teas/{x}/old", To: "/admin/{x}" }],
  }));
  subject.app.Get("/{rest:path}", (ctx) => ctx.WriteString(ctx.Params().Get("rest"))).SetName("offered");
  subject.app.Get("/teas/{x}/{y}", (ctx) => ctx.WriteString("open")).SetName("offered2");
  subject.app.Get("/admin/{x}", subject.secret("admin")).SetName("admin");
  subject.offer();
  for (const rest of ["old/keys", "/old/keys", "admin/keys", "old%2fkeys", "teas/keys/old"]) {
    await subject.call("offered", { rest });
    await subject.read(`app:///${rest}`);
  }
  assertStringIncludes(await subject.call("offered2", { x: "keys", y: "old" }), "error: ");
  assertEquals(subject.ran, []);
});

Deno.test("mcp.New() does not call another route because of an overridden method", async () => {
  const subject = new Subject();
  subject.app.WrapRouter(methodoverride.New({ FormField: "_method", Headers: ["X-Method", "X-HTTP-Method-Override"] }));
  const any = z.looseObject({ name: z.string().optional() });
  const teas = subject.app.ConfigureContainer();
  teas.Post("/teas", (_ctx, query = mvc.Query(any)) => `open ${query.name}`).SetName("offered");
  teas.Post("/forms", (_ctx, form = mvc.Form(any)) => `open ${form.name}`).SetName("offered2");
  teas.Post("/declared", (_ctx, query = mvc.Query(z.object({ _method: z.string() }))) => query._method)
    .SetName("offered3");
  teas.Post("/headers", (_ctx, head = mvc.Header(z.object({ "x-method": z.string() }))) => head["x-method"])
    .SetName("offered4");
  for (const path of ["/teas", "/forms", "/declared", "/headers"]) {
    subject.app.Delete(path, subject.secret(path)).SetName(path);
    subject.app.Put(path, subject.secret(path)).SetName(`put ${path}`);
  }
  subject.offer();
  const tools = Object(await subject.ask("tools/list", {})).result.tools;
  assertEquals(tools.length, 4);
  for (const method of ["DELETE", "delete", " put "]) {
    await subject.call("offered", { name: "x", query: { _method: method }, _method: method });
    await subject.call("offered", { query: { _method: method } });
    await subject.call("offered", { _method: method });
    await subject.call("offered2", { form: { name: "x", _method: method } });
    await subject.call("offered3", { _method: method });
    await subject.call("offered4", { "x-method": method });
  }
  assertEquals(subject.ran, []);
  assertEquals(await subject.call("offered3", { _method: "POST" }), "POST");
});

Deno.test("mcp.New() does not call another version of a route", async () => {
  const subject = new Subject();
  const { app } = subject;
  app.Use(versioning.FromQuery("version", "1.0.0"));
  const one = versioning.NewGroup(app, "1.x");
  one.Get("/teas", (ctx) => ctx.WriteString("one")).SetName("offered");
  const two = versioning.NewGroup(app, "2.x");
  two.Use(subject.secret("middleware of two"));
  two.Get("/teas", subject.secret("two")).SetName("two");
  app.Get("/teas", subject.secret("unversioned")).SetName("unversioned");
  const asked = one.ConfigureContainer();
  asked.Get("/list", (_ctx, query = mvc.Query(z.object({ version: z.string() }))) => query.version).SetName("offered2");
  versioning.NewGroup(app, "2.x").Get("/list", subject.secret("list")).SetName("list");
  asked.Get(
    "/head",
    (_ctx, head = mvc.Header(z.object({ "accept-version": z.string().optional() }))) => `${head["accept-version"]}`,
  ).SetName("offered3");
  versioning.NewGroup(app, "3.x").Get("/head", subject.secret("head")).SetName("head");
  subject.offer();
  assertEquals(await subject.call("offered", {}), "one");
  assertEquals(await subject.call("offered2", { version: "1.2.0" }), "1.2.0");
  for (const version of ["2.0.0", "2.1", "9.0.0"]) {
    assertStringIncludes(await subject.call("offered2", { version }), "error: ");
    await subject.read(`app:///list?version=${version}`);
    await subject.call("offered3", { "accept-version": version });
    await subject.call("offered", {}, { "accept-version": version });
    await subject.call("offered", {}, {}, `/mcp?version=${version}`);
  }
  assertEquals(subject.ran, []);
});

Deno.test("mcp.New() does not call a version by header that was not offered", async () => {
  const subject = new Subject();
  versioning.NewGroup(subject.app, "1.x").Get("/teas", (ctx) => ctx.WriteString("one")).SetName("offered");
  versioning.NewGroup(subject.app, "2.x").Get("/teas", subject.secret("two")).SetName("two");
  subject.app.Get("/teas", subject.secret("plain")).SetName("plain");
  subject.offer();
  assertEquals(await subject.call("offered", {}, { "accept-version": "1.0.0" }), "one");
  for (const version of ["2.0.0", "3"]) {
    assertStringIncludes(await subject.call("offered", {}, { "accept-version": version }), "error: ");
  }
  assertEquals(subject.ran, []);
});

Deno.test("mcp.New() does not run a route that overlaps the one that was offered", async () => {
  const subject = new Subject();
  subject.app.SetRegisterRule(fw.RouteOverlap);
  subject.app.Get("/teas", (ctx) => ctx.StopWithStatus(409)).SetName("offered");
  subject.app.Get("/teas", subject.secret("second")).SetName("second");
  subject.offer();
  assertStringIncludes(await subject.call("offered", {}), "error: 409");
  assertEquals(subject.ran, []);
});

Deno.test("mcp.New() does not take the first segment of an argument for a language", async () => {
  const subject = new Subject();
  subject.app.I18n.LoadKV({ en: { hi: "Hello" }, el: { hi: "Γεια" } }, "en", "el");
  subject.app.Get("/{rest:path}", (ctx) => ctx.WriteString(`${ctx.Params().Get("rest")} ${ctx.Tr("hi")}`))
    .SetName("offered");
  subject.app.Get("/keys", subject.secret("keys")).SetName("keys");
  subject.offer();
  for (const language of ["el", "en", "EL", "el-GR"]) {
    assertEquals(await subject.call("offered", { rest: `${language}/keys` }), `${language}/keys Hello`);
    assertEquals(await subject.read(`app:///${language}/keys`), `${language}/keys Hello`);
  }
  assertEquals(subject.ran, []);
});

for (const [path, greeting] of [["/el/mcp", "Γεια"], ["/mcp?lang=el", "Γεια"], ["/mcp", "Hello"]] as const) {
  Deno.test(`mcp.New() keeps the language of ${path} in tool calls`, async () => {
    const subject = new Subject();
    subject.app.I18n.LoadKV({ en: { hi: "Hello" }, el: { hi: "Γεια" } }, "en", "el");
    subject.app.I18n.URLParameter = "lang";
    subject.app.Get("/hi/{name}", (ctx) => ctx.WriteString(`${ctx.Tr("hi")} ${ctx.Params().Get("name")}`))
      .SetName("offered");
    subject.app.Get("/moved", (ctx) => ctx.Redirect("/hi/ada")).SetName("offered2");
    subject.offer();
    assertEquals(await subject.call("offered", { name: "ada" }, {}, path), `${greeting} ada`);
  });
}

Deno.test("mcp.New() reads the resource that the router selects if several match", async () => {
  const subject = new Subject();
  subject.app.Get("/teas/{name}", (ctx) => ctx.WriteString("tea")).SetName("offered");
  subject.app.Get("/teas/export", (ctx) => ctx.WriteString("export")).SetName("offered2");
  subject.app.Get("/teas/keys", subject.secret("keys")).SetName("keys");
  subject.offer();
  assertEquals(await subject.read("app:///teas/export"), "export");
  assertEquals(await subject.read("app:///teas/assam"), "tea");
  assertEquals(await subject.read("app:///teas/keys"), "error: -32002");
  assertEquals(subject.ran, []);
});

Deno.test("mcp.New() lets a tool's handler execute other routes and serve mounted applications", async () => {
  const subject = new Subject();
  const inner = fw.New();
  inner.Get("/inner/keys", (ctx) => ctx.WriteString("inner keys"));
  subject.app.Get("/inner/{rest:path}", fw.FromFetch(inner.fetch)).SetName("offered2");
  const group = versioning.NewGroup(subject.app, "1.x");
  group.Get("/versioned", (ctx) => ctx.WriteString("versioned"));
  subject.app.Get("/run", (ctx) => ctx.Exec("GET", "/versioned")).SetName("offered");
  subject.offer();
  assertEquals(await subject.call("offered", {}, { "accept-version": "1.0.0" }), "versioned");
  assertEquals(await subject.call("offered2", { rest: "keys" }), "inner keys");
});

Deno.test("mcp.New() does not offer routes that later ones replace", async () => {
  const subject = new Subject();
  subject.app.Get("/teas/{a}", subject.secret("first")).SetName("offered");
  subject.app.Get("/teas/{b}", (ctx) => ctx.WriteString("second")).SetName("offered2");
  subject.offer();
  const tools: { name: string }[] = Object(await subject.ask("tools/list", {})).result.tools;
  assertEquals(tools.map(({ name }) => name), ["offered2"]);
  assertEquals(await subject.call("offered2", { b: "x" }), "second");
  assertEquals(subject.ran, []);
});
