import { fromFileUrl } from "@std/path";
import { assertEquals, assertStringIncludes } from "@std/assert";
import * as fw from "@fw/web";
import { decode } from "@std/msgpack/decode";
import { encode } from "@std/msgpack/encode";

function site(): fw.Application {
  const app = fw.New();
  app.Logger().SetLevel("disable");
  return app;
}

async function respond(handler: fw.Handler, path = "/"): Promise<Response> {
  const app = site();
  app.Get("/", handler);
  return await app.fetch(new Request(`http://localhost${path}`));
}

const value = { name: "Ζωή <&>", tags: ["a"] };

Deno.test("Context.XML(), YAML(), MsgPack(), Markdown() and Binary() write their format and content type", async () => {
  const rows: [handler: fw.Handler, type: string, text: string][] = [
    [
      (ctx) => ctx.XML(value),
      "application/xml; charset=utf-8",
      '<?xml version="1.0" encoding="UTF-8"?>\n<Object><name>Ζωή &lt;&amp;&gt;</name><tags>a</tags></Object>',
    ],
    [(ctx) => ctx.YAML(value), "application/yaml", "name: Ζωή <&>\ntags:\n  - a\n"],
    [(ctx) => ctx.Markdown("*hi* <b>"), "text/html; charset=utf-8", "<p><em>hi</em> &lt;b&gt;</p>\n"],
    [(ctx) => ctx.Binary(new TextEncoder().encode("bytes")), "application/octet-stream", "bytes"],
  ];
  for (const [handler, type, text] of rows) {
    const response = await respond(handler);
    assertEquals([response.headers.get("content-type"), await response.text()], [type, text]);
  }
  const packed = await respond((ctx) => ctx.MsgPack(value));
  assertEquals(packed.headers.get("content-type"), "application/vnd.msgpack");
  assertEquals(decode(await packed.bytes()), value);
});

Deno.test("Context.XML() and similar methods replace earlier output but keep an explicit content type", async () => {
  const response = await respond(async (ctx) => {
    ctx.JSON({ a: 1 });
    await ctx.YAML({ a: 2 });
    await ctx.XML({ a: 3 });
  });
  assertEquals(response.headers.get("content-type"), "application/xml; charset=utf-8");
  assertStringIncludes(await response.text(), "<Object><a>3</a></Object>");
  const chosen = await respond((ctx) => {
    ctx.ContentType("application/atom+xml");
    return ctx.XML({ a: 1 });
  });
  assertEquals(chosen.headers.get("content-type"), "application/atom+xml");
});

Deno.test("Context.JSON() accepts a layout", async () => {
  const rows: [value: unknown, layout: fw.JSONLayout, text: string][] = [
    [{ a: [1n] }, { Indent: "  " }, '{\n  "a": [\n    1\n  ]\n}'],
    [{ a: 1 }, { Indent: "\t", Prefix: "> " }, '{\n> \t"a": 1\n> }'],
    [{ a: "é😀" }, { ASCII: true }, '{"a":"\\u00e9\\ud83d\\ude00"}'],
    [[1], { Secure: true }, "while(1);[1]"],
    [{ a: 1 }, { Secure: true }, '{"a":1}'],
    [{ a: "<b>&" }, { UnescapeHTML: false }, '{"a":"\\u003cb\\u003e\\u0026"}'],
    [{ a: "<b>&" }, {}, '{"a":"<b>&"}'],
  ];
  for (const [json, layout, text] of rows) {
    const response = await respond((ctx) => ctx.JSON(json, layout));
    assertEquals([response.headers.get("content-type"), await response.text()], ["application/json", text]);
  }
});

Deno.test("Context.JSONP() wraps the value in a function call and rejects invalid names", async () => {
  const named = await respond((ctx) => ctx.JSONP({ a: "\u2028</script>" }, { Callback: "app.show" }));
  assertEquals(
    await named.text(),
    '/**/ typeof app.show === "function" && app.show({"a":"\\u2028</script>"});',
  );
  assertEquals(named.headers.get("content-type"), "text/javascript; charset=utf-8");
  assertEquals(named.headers.get("x-content-type-options"), "nosniff");
  assertStringIncludes(await (await respond((ctx) => ctx.JSONP(1), "/?callback=cb_1")).text(), "cb_1(1);");
  const refused = ["", "alert(1)//", "a;b", "a[0]", "a..b", "<script>", "a b", "x".repeat(200), "a\u2028b", "function"];
  for (const callback of [...refused, "this", "new.target", "1a", "α"]) {
    const response = await respond((ctx) => ctx.JSONP(1), `/?callback=${encodeURIComponent(callback)}`);
    assertEquals(response.status, 400, callback);
    await response.body?.cancel();
  }
});

const schema: fw.StandardSchema<{ name: string }> = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: (input) => {
      const { name } = input as { name?: unknown };
      return typeof name === "string" ? { value: { name } } : { issues: [{ message: "Name it", path: ["name"] }] };
    },
  },
};

function fail(): never {
  throw new Error("No such way to read");
}

function reading(): (type: string | null, body: BodyInit | null, path?: string) => Promise<[number, string]> {
  const app = site();
  app.Post("/{kind}", async (ctx) => {
    const read = {
      xml: () => ctx.ReadXML(schema),
      yaml: () => ctx.ReadYAML(schema),
      msgpack: () => ctx.ReadMsgPack(schema),
      any: () => ctx.ReadBody(schema),
      anyxml: () => ctx.ReadXML(schema, { AnyType: true }),
    }[ctx.Params().Get("kind")];
    const [input, error] = await (read ?? fail)();
    if (error !== null) throw error;
    ctx.Text(input.name);
  });
  return async (type, body, path = "/any") => {
    const headers = type === null ? new Headers() : new Headers({ "content-type": type });
    const request = new Request(`http://localhost${path}`, { method: "POST", headers, body });
    if (type === null) request.headers.delete("content-type");
    const response = await app.fetch(request);
    return [response.status, await response.text()];
  };
}

Deno.test("Context.ReadBody() reads the format that the content type declares", async () => {
  const send = reading();
  const packed = encode({ name: "Ada" });
  const rows: [type: string | null, body: BodyInit | null, path: string, status: number][] = [
    ["application/json", '{"name":"Ada"}', "/any", 200],
    ["application/xml", "<u><name>Ada</name></u>", "/any", 200],
    ["text/xml; charset=utf-8", "<u><name>Ada</name></u>", "/any", 200],
    ["application/atom+xml", "<u><name>Ada</name></u>", "/any", 200],
    ["application/yaml", "name: Ada", "/any", 200],
    ["text/x-yaml", "name: Ada", "/any", 200],
    ["application/msgpack", packed, "/any", 200],
    ["application/vnd.msgpack", packed, "/any", 200],
    ["application/x-www-form-urlencoded", "name=Ada", "/any", 200],
    [null, null, "/any?name=Ada", 200],
    ["application/pdf", "%PDF", "/any", 415],
    ["application/xml", "<u>", "/any", 400],
    ["application/yaml", "a: [", "/any", 400],
    ["application/msgpack", new Uint8Array([0xdd, 0xff, 0xff, 0xff, 0xff]), "/any", 400],
    ["application/xml", "<u/>", "/any", 422],
    ["application/xml", `${"<a>".repeat(100_000)}`, "/any", 400],
    ["text/plain", "<u><name>Ada</name></u>", "/xml", 415],
    ["text/plain", "<u><name>Ada</name></u>", "/anyxml", 200],
    ["application/json", "name: Ada", "/yaml", 415],
    ["application/yaml", "name: Ada", "/yaml", 200],
    ["application/msgpack", packed, "/msgpack", 200],
  ];
  for (const [type, body, path, status] of rows) {
    const [got, text] = await send(type, body, path);
    assertEquals(got, status, `${type} ${path} ${text}`);
    if (status === 200) assertEquals(text, "Ada");
  }
});

Deno.test("Context.ReadBody() reads GET requests from the query", async () => {
  const app = site();
  app.Get("/", async (ctx) => {
    const [input, error] = await ctx.ReadBody(schema);
    ctx.Text(error === null ? input.name : "none");
  });
  assertEquals(await (await app.fetch(new Request("http://localhost/?name=Ada"))).text(), "Ada");
  assertEquals(await (await app.fetch(new Request("http://localhost/"))).text(), "none");
});

Deno.test("Context.YAML() and XML() log the handler's line if their encoder fails while it is being loaded", async () => {
  const file = await Deno.makeTempFile({ suffix: ".ts" });
  const lines: string[] = [];
  // The encoders are loaded once per process.
  await Deno.writeTextFile(
    file,
    `import * as fw from ${JSON.stringify(import.meta.resolve("../../../../mod.ts"))};
const app = fw.New();
app.Logger().SetOutput((line) => console.log(line));
const broken = { get name() { throw new Error("on purpose"); } };
app.Get("/yaml", function inYAML(ctx) { return ctx.YAML(broken); });
app.Get("/xml", async function inXML(ctx) { await ctx.XML(broken); });
for (const path of ["/yaml", "/xml"]) await app.fetch(new Request("http://localhost" + path));
app.Logger().Flush();
`,
  );
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--no-check",
      "--no-lock",
      "--config",
      fromFileUrl(new URL(import.meta.resolve("../../../../deno.json"))),
      file,
    ],
  }).output();
  lines.push(...new TextDecoder().decode(stdout).split("\n"));
  await Deno.remove(file);
  for (const name of ["inYAML", "inXML"]) assertEquals(lines.some((line) => line.includes(`at ${name} (`)), true, name);
});

Deno.test("Context.XML() and similar methods reject a promise, which is a forgotten await", async () => {
  const pending = { tea: Promise.resolve("Assam") };
  const writers: Record<string, fw.Handler> = {
    XML: (ctx) => ctx.XML(pending),
    YAML: (ctx) => ctx.YAML([Promise.resolve(1)]),
    MessagePack: (ctx) => ctx.MsgPack(pending),
    "JSON with options": (ctx) => ctx.JSON(pending, { Indent: " " }),
    JSONP: (ctx) => ctx.JSONP(Promise.resolve(1), { Callback: "cb" }),
  };
  for (const [name, write] of Object.entries(writers)) {
    const app = fw.New();
    app.Logger().SetLevel("disable");
    const messages: string[] = [];
    app.OnError((_ctx, error) => void messages.push(error.message));
    app.Get("/", write);
    const response = await app.fetch(new Request("http://localhost/"));
    await response.body?.cancel();
    assertEquals([response.status, messages.length], [500, 1], name);
    assertStringIncludes(messages[0] ?? "", "is a promise", name);
  }
});
