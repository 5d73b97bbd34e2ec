import * as fw from "@fw/web";
import * as httptest from "@fw/web/httptest";
import { assertEquals } from "@std/assert";
import { z } from "npm:zod@^4";

const person = z.object({ "@name": z.string(), "@age": z.coerce.number(), description: z.string() });

Deno.test("example read-xml: attributes and elements of a person", async () => {
  const app = fw.New();
  app.Post("/", async (ctx) => {
    const [read, error] = await ctx.ReadXML(person);
    if (error !== null) return ctx.StopWithError(400, error);
    ctx.JSON({ Name: read["@name"], Age: read["@age"], Description: read.description });
  });
  const test = httptest.New(app);
  const body = `<person name="Ada" age="36"><description>A first programmer.</description></person>`;
  await test.POST("/").WithHeader("content-type", "text/xml").WithBody(body).Expect().Status(200)
    .JSON({ Name: "Ada", Age: 36, Description: "A first programmer." });
  await test.POST("/").WithHeader("content-type", "text/xml").WithBody("<person>").Expect().Status(400);
});

Deno.test("example read-yaml: numbers and a folded text", async () => {
  const product = z.object({ invoice: z.number(), tax: z.number(), total: z.number(), comments: z.string() });
  const app = fw.New();
  app.Post("/", async (ctx) => {
    const [read, error] = await ctx.ReadYAML(product);
    if (error !== null) return ctx.StopWithError(400, error);
    ctx.JSON(read);
  });
  const body = "invoice: 34843\ntax  : 251.42\ntotal: 4443.52\ncomments: >-\n    Afternoons are best.\n    Call first.";
  await httptest.New(app).POST("/").WithHeader("content-type", "application/x-yaml").WithBody(body).Expect()
    .Status(200).JSON({ invoice: 34843, tax: 251.42, total: 4443.52, comments: "Afternoons are best. Call first." });
});

Deno.test("example read-msgpack: the user that write-rest sends", async () => {
  const user = { firstname: "John", lastname: "Doe", city: "Nowhere", age: 25 };
  const app = fw.New();
  app.Get("/msgpack", (ctx) => ctx.MsgPack(user));
  app.Post("/", async (ctx) => {
    const [read, error] = await ctx.ReadMsgPack(z.object({ firstname: z.string(), age: z.number() }));
    if (error !== null) return ctx.StopWithError(400, error);
    ctx.WriteString(`${read.firstname} is ${read.age}`);
  });
  const sent = await app.fetch(new Request("http://localhost/msgpack"));
  assertEquals(sent.headers.get("content-type"), "application/vnd.msgpack");
  const body = await sent.bytes();
  await httptest.New(app).POST("/").WithHeader("content-type", "application/msgpack").WithBody(body).Expect()
    .Status(200).Body("John is 25");
});

Deno.test("example read-body: each format in, each format out", async () => {
  const app = fw.New();
  app.Use((ctx) => {
    ctx.Negotiation().JSON().XML().YAML().MsgPack();
    ctx.Negotiation().Accept.JSON();
    return ctx.Next();
  });
  app.Post("/", async (ctx) => {
    const [payload, error] = await ctx.ReadBody(z.object({ message: z.string() }));
    if (error !== null) return ctx.StopWithProblem({ Status: 400, Title: "Parser issue", Detail: error.message });
    return await ctx.Negotiate(payload);
  });
  const test = httptest.New(app);
  const packed = "\x81\xa7message\xa9a message";
  const bytes = Uint8Array.from(packed, (sign) => sign.charCodeAt(0));
  await test.POST("/").WithJSON({ message: "a message" }).Expect().Status(200).JSON({ message: "a message" });
  const xml = await test.POST("/").WithForm({ message: "a message" }).WithHeader("accept", "application/xml")
    .Expect().Status(200);
  assertEquals(xml.Text.split("\n")[1], "<Object><message>a message</message></Object>");
  const query = await app.fetch(
    new Request("http://localhost/?message=a%20message", {
      method: "POST",
      headers: { accept: "application/msgpack" },
    }),
  );
  assertEquals([query.headers.get("content-type"), await query.bytes()], ["application/msgpack", bytes]);
  const binary = await app.fetch(
    new Request("http://localhost/", {
      method: "POST",
      headers: { "content-type": "application/msgpack", accept: "application/msgpack" },
      body: bytes,
    }),
  );
  assertEquals(await binary.bytes(), bytes);
  await test.POST("/").WithHeader("content-type", "application/x-yaml").WithHeader("accept", "application/x-yaml")
    .WithBody("message: a message\n").Expect().Status(200).Header("content-type", "application/x-yaml")
    .Body("message: a message\n");
  await test.POST("/").WithHeader("content-type", "application/yaml").WithBody("a: [").Expect().Status(400);
});

Deno.test("example read-json-stream: one user after another, or the members of an array", async () => {
  const app = fw.New();
  for (const ArrayStream of [false, true]) {
    app.Post(ArrayStream ? "/array" : "/stream", async (ctx) => {
      const users: { username: string }[] = [];
      try {
        for await (const user of ctx.ReadJSONStream(z.strictObject({ username: z.string() }), { ArrayStream })) {
          users.push(user);
        }
      } catch (error) {
        return ctx.StopWithError(400, error as Error);
      }
      ctx.JSON({ users_count: users.length, users });
    });
  }
  const names = ["john", "makis", "george", "michael"].map((username) => ({ username }));
  const lines = names.map((each) => JSON.stringify(each));
  const test = httptest.New(app);
  for (const [path, body] of [["/stream", lines.join("\n") + "\n"], ["/array", `[${lines.join(",\n")}]`]] as const) {
    await test.POST(path).WithHeader("content-type", "application/json").WithBody(body).Expect().Status(200)
      .JSON({ users_count: 4, users: names });
    await test.POST(path).WithHeader("content-type", "application/json").WithBody(body.replace("john", `x","age":"1`))
      .Expect().Status(400);
  }
});

Deno.test("example read-many: handlers read the same body, one after another", async () => {
  const app = fw.New();
  const seen: unknown[] = [];
  app.Post("/", async (ctx) => {
    seen.push((await ctx.GetBody())[0]?.length);
    await ctx.Next();
  }, async (ctx) => {
    seen.push((await ctx.ReadJSON())[0]);
    await ctx.Next();
  }, async (ctx) => {
    seen.push((await ctx.ReadBody())[0]);
    await ctx.Next();
  }, async (ctx) => {
    const [body] = await ctx.GetBody();
    ctx.WriteString(`OK body is still: ${new TextDecoder().decode(body)}`);
  });
  await httptest.New(app).POST("/").WithJSON({ a: 1 }).Expect().Body('OK body is still: {"a":1}');
  assertEquals(seen, [7, { a: 1 }, { a: 1 }]);
});

Deno.test("example read-custom-per-type: a custom format", async () => {
  class Settings {
    readonly fields: ReadonlyMap<string, string>;
    constructor(text: string) {
      this.fields = new Map(text.trim().split("\n").map((line) => line.split(/:\s*/, 2) as [string, string]));
    }
  }
  const app = fw.New();
  app.Post("/", async (ctx) => {
    const [body, error] = await ctx.GetBody();
    if (error !== null) return ctx.StopWithError(400, error);
    ctx.JSON(new Settings(new TextDecoder().decode(body)).fields);
  });
  await httptest.New(app).POST("/").WithBody("addr: localhost\nserverName: fw").Expect()
    .JSON({ addr: "localhost", serverName: "fw" });
});

Deno.test("example write-rest: every response format", async () => {
  const app = fw.New();
  app.Get("/json_secure", (ctx) => ctx.JSON(["val1", "val2", "val3"], { Secure: true }));
  app.Get(
    "/json_ascii",
    (ctx) => ctx.JSON({ lang: "GO-虹膜", tag: "<br>" }, { Indent: "    ", ASCII: true, UnescapeHTML: false }),
  );
  app.Get("/json_raw", (ctx) => ctx.JSON({ html: "<b>Hello</b>" }, { UnescapeHTML: true }));
  app.Get("/binary", (ctx) => ctx.Binary(new TextEncoder().encode("Some binary data here.")));
  app.Get("/text", (ctx) => ctx.Text("Plain text here"));
  app.Get("/jsonp", (ctx) => ctx.JSONP({ hello: "jsonp" }, { Callback: "callbackName" }));
  app.Get("/xml", (ctx) => ctx.XML({ "@one": "hello", "@two": "xml" }, { Root: "example" }));
  app.Get("/markdown", (ctx) => ctx.Markdown("# Hello Dynamic Markdown"));
  app.Get("/yaml", (ctx) => ctx.YAML({ name: "fw", ServerAddr: "localhost:8080" }));
  const test = httptest.New(app);
  await test.GET("/json_secure").Expect().Body('while(1);["val1","val2","val3"]');
  await test.GET("/json_ascii").Expect().Body(
    '{\n    "lang": "GO-\\u8679\\u819c",\n    "tag": "\\u003cbr\\u003e"\n}',
  );
  await test.GET("/json_raw").Expect().Body('{"html":"<b>Hello</b>"}');
  await test.GET("/binary").Expect().Header("content-type", "application/octet-stream").Body("Some binary data here.");
  await test.GET("/text").Expect().Body("Plain text here");
  await test.GET("/jsonp").Expect().Header("content-type", "text/javascript; charset=utf-8")
    .Contains('callbackName({"hello":"jsonp"});');
  await test.GET("/xml").Expect().Contains('<example one="hello" two="xml"></example>');
  await test.GET("/markdown").Expect().Body("<h1>Hello Dynamic Markdown</h1>\n");
  await test.GET("/yaml").Expect().Body("name: fw\nServerAddr: 'localhost:8080'\n");
});
