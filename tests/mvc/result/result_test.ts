import { assertEquals } from "@std/assert";
import type * as fw from "../../../mod.ts";
import * as mvc from "../../../mvc/mod.ts";
import { quietApp, responseTo } from "../serve.ts";

const TEXT = "text/plain;charset=UTF-8";

Deno.test("Response sends the first of Err, Path, Object, Text and Content that is set", async () => {
  const all = { Object: { a: 1 }, Text: "text", Content: "content" };
  assertEquals(await responseTo(() => new mvc.Response(all)), {
    status: 200,
    type: "application/json",
    body: '{"a":1}',
  });
  const { Object: _, ...texts } = all;
  assertEquals(await responseTo(() => new mvc.Response(texts)), { status: 200, type: TEXT, body: "text" });
  const content = await responseTo(() => new mvc.Response({ Content: "c", ContentType: "text/css" }));
  assertEquals(content, { status: 200, type: "text/css; charset=utf-8", body: "c" });
  const bytes = await responseTo(() => new mvc.Response({ Content: new Uint8Array([65]) }));
  assertEquals(bytes, { status: 200, type: "application/octet-stream", body: "A" });
});

Deno.test("Response.Code sets the status, and the body of an error defaults to the status text", async () => {
  assertEquals((await responseTo(() => new mvc.Response({ Code: 201, Text: "created" }))).status, 201);
  assertEquals(await responseTo(() => new mvc.Response({ Code: 410 })), { status: 410, type: TEXT, body: "Gone" });
  assertEquals(await responseTo(() => new mvc.Response()), { status: 200, type: "", body: "" });
});

Deno.test("Response.ContentType selects the format of Object", async () => {
  const xml = await responseTo(() => new mvc.Response({ ContentType: "application/xml", Object: { a: 1 } }));
  assertEquals(xml.body, '<?xml version="1.0" encoding="UTF-8"?>\n<Object><a>1</a></Object>');
  assertEquals((await responseTo(() => new mvc.Response({ ContentType: "image/png", Object: {} }))).status, 500);
});

Deno.test("Response.Err takes precedence, and Code is its status from 400 on", async () => {
  const Err = new Error("no");
  assertEquals(await responseTo(() => new mvc.Response({ Err, Text: "t", Path: "/" })), {
    status: 400,
    type: TEXT,
    body: "no",
  });
  assertEquals((await responseTo(() => new mvc.Response({ Err, Code: 503 }))).status, 503);
  assertEquals((await responseTo(() => new mvc.Response({ Err, Code: 201 }))).status, 400);
  assertEquals((await responseTo(() => new mvc.Response({ Err: null, Text: "t" }))).body, "t");
});

Deno.test("Response.Path redirects with 302, 303 after a POST, or Code", async () => {
  assertEquals((await responseTo(() => new mvc.Response({ Path: "/a" }))).status, 302);
  assertEquals((await responseTo(() => new mvc.Response({ Path: "/a" }), "POST")).status, 303);
  assertEquals((await responseTo(() => new mvc.Response({ Path: "/a", Code: 301 }), "POST")).status, 301);
  assertEquals((await responseTo(() => new mvc.Response({ Path: "/a", Code: 200 }), "PUT")).status, 302);
});

/** A view engine that renders its arguments. */
const engine: fw.Engine = {
  Load: () => undefined,
  Render: (name, data, options) => `${name} ${JSON.stringify(data)} ${options?.Layout}`,
};

Deno.test("View renders its template with its data and layout", async () => {
  class Pages {
    Get(): mvc.View {
      return new mvc.View({ Name: "index", Data: { a: 1 }, Layout: "main", Code: 203 });
    }
    GetErr(): mvc.View {
      return new mvc.View({ Name: "index", Err: new Error("no"), Code: 503 });
    }
    GetNothing(): mvc.View {
      return new mvc.View({ Name: "" });
    }
  }
  const app = quietApp();
  app.RegisterView(engine);
  mvc.New(app).Handle(Pages);
  const page = await app.fetch(new Request("http://localhost/"));
  assertEquals([page.status, page.headers.get("content-type"), await page.text()], [
    203,
    "text/html; charset=utf-8",
    'index {"a":1} main',
  ]);
  const failed = await app.fetch(new Request("http://localhost/err"));
  assertEquals([failed.status, await failed.text()], [503, "no"]);
  assertEquals(await (await app.fetch(new Request("http://localhost/nothing"))).text(), "");
});
