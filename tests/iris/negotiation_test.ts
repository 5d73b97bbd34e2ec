import * as fw from "@fw/web";
import * as httptest from "@fw/web/httptest";
import { assertEquals } from "@std/assert";

const html = "<h1>Test Name</h1><h2>Age 26</h2>";

class Testdata {
  readonly Name = "test name";
  readonly Age = 26;
}

function newApp(): fw.Application {
  const app = fw.New();
  app.Get("/resource", (ctx) => {
    ctx.Negotiation().JSON().XML().Charset("utf-8", "iso-8859-7");
    return ctx.Negotiate(new Testdata());
  });
  app.Get("/resource2", (ctx) => {
    ctx.Negotiation().JSON(new Testdata()).XML(new Testdata()).HTML(html);
    return ctx.Negotiate();
  });
  app.Get("/resource3", (ctx) => {
    ctx.Negotiation().JSON(new Testdata()).XML(new Testdata()).HTML(html).Encoding("gzip");
    return ctx.Negotiate();
  });
  app.Get("/chosen", (ctx) => {
    ctx.Negotiation().Accept.Override().MIME(ctx.URLParamDefault("type", "application/json"));
    return ctx.Next();
  }, (ctx) => {
    ctx.Negotiation().JSON().XML();
    return ctx.Negotiate(new Testdata());
  });
  return app;
}

Deno.test("example content-negotiation: JSON, XML, HTML, charsets and gzip", async () => {
  const test = httptest.New(newApp());
  const xml = "<Testdata><Name>test name</Name><Age>26</Age></Testdata>";
  await test.GET("/resource").WithHeader("accept", "application/json").Expect().Status(200)
    .Header("content-type", "application/json; charset=utf-8").JSON({ Name: "test name", Age: 26 });
  await test.GET("/resource").WithHeader("accept", "application/xml").WithHeader("accept-charset", "iso-8859-7")
    .Expect().Status(200).Header("content-type", "application/xml; charset=iso-8859-7").Contains(xml);
  await test.GET("/resource").WithHeader("accept", "text/xml").WithHeader("accept-charset", "iso-8859-7").Expect()
    .Contains('encoding="iso-8859-7"');
  await test.GET("/resource2").WithHeader("accept", "application/json").Expect().JSON({ Name: "test name", Age: 26 });
  await test.GET("/resource2").WithHeader("accept", "application/xml").Expect().Contains(xml);
  await test.GET("/resource2").WithHeader("accept", "text/html").Expect()
    .Header("content-type", "text/html; charset=utf-8").Body(html);
  const response = await newApp().fetch(
    new Request("http://localhost/resource3", { headers: { accept: "text/html", "accept-encoding": "gzip" } }),
  );
  assertEquals(response.headers.get("content-encoding"), "gzip");
  const plain = response.body?.pipeThrough(new DecompressionStream("gzip")) ?? null;
  assertEquals(await new Response(plain).text(), html);
});

Deno.test("example content-negotiation: middleware chooses the type", async () => {
  const test = httptest.New(newApp());
  await test.GET("/chosen").WithHeader("accept", "text/plain").Expect().JSON({ Name: "test name", Age: 26 });
  await test.GET("/chosen").WithQuery("type", "text/xml").Expect().Header("content-type", "text/xml; charset=utf-8");
  await test.GET("/chosen").WithQuery("type", "image/png").Expect().Status(406);
});
