import { assertEquals, assertThrows } from "@std/assert";
import * as fw from "@fw/web";

async function ask(handler: fw.Handler, headers: HeadersInit): Promise<Response> {
  const app = fw.New();
  app.Logger().SetLevel("disable");
  app.Use((ctx) => {
    if (ctx.GetHeader("x-force") !== "") ctx.Negotiation().Accept.Override().MIME(ctx.GetHeader("x-force"));
    return ctx.Next();
  });
  app.Get("/", handler);
  return await app.fetch(new Request("http://localhost/", { headers }));
}

function offer(ctx: fw.Context): Promise<void> {
  ctx.Negotiation().JSON().XML().YAML().MsgPack().HTML("<h1>Tea</h1>").Text("Tea").MIME("image/svg+xml", "<svg/>");
  return ctx.Negotiate({ name: "Tea" });
}

Deno.test("Context.Negotiate() follows the weights in Accept, and the server's order for equal weights", async () => {
  const rows: [accept: string, type: string | number][] = [
    ["application/json", "application/json"],
    ["application/xml", "application/xml"],
    ["text/xml", "text/xml; charset=utf-8"],
    ["text/html", "text/html; charset=utf-8"],
    ["text/plain", "text/plain; charset=utf-8"],
    ["application/yaml", "application/yaml"],
    ["application/msgpack", "application/msgpack"],
    ["image/*", "image/svg+xml"],
    ["*/*", "application/json"],
    ["", "application/json"],
    ["text/html;q=0.5, application/json;q=0.4", "text/html; charset=utf-8"],
    ["text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.8", "text/html; charset=utf-8"],
    ["application/json;q=0, */*", "application/xml"],
    ["image/png", 406],
    ["application/json;q=0", 406],
  ];
  for (const [accept, expected] of rows) {
    const response = await ask(offer, accept === "" ? {} : { accept });
    const got = response.status === 200 ? response.headers.get("content-type") : response.status;
    assertEquals(got, expected, accept);
    assertEquals(response.headers.get("vary"), "Accept", accept);
    await response.body?.cancel();
  }
});

Deno.test("Context.Negotiate() sends the value for the chosen type, the value for Any, or its argument", async () => {
  const text = async (handler: fw.Handler, accept: string) => await (await ask(handler, { accept })).text();
  assertEquals(await text(offer, "text/html"), "<h1>Tea</h1>");
  assertEquals(await text(offer, "application/json"), '{"name":"Tea"}');
  const any: fw.Handler = (ctx) => {
    ctx.Negotiation().JSON().Text("own").Any({ any: true });
    return ctx.Negotiate();
  };
  assertEquals(await text(any, "application/json"), '{"any":true}');
  assertEquals(await text(any, "text/plain"), "own");
});

Deno.test("Negotiation.Accept replaces the types that the client accepts", async () => {
  const response = await ask(offer, { accept: "application/json", "x-force": "text/html" });
  assertEquals(await response.text(), "<h1>Tea</h1>");
});

Deno.test("Negotiation.Charset() and Encoding() negotiate the charset and the encoding", async () => {
  const handler: fw.Handler = (ctx) => {
    ctx.Negotiation().Text("café").Charset("utf-8", "iso-8859-1").Encoding("gzip");
    return ctx.Negotiate();
  };
  const latin = await ask(handler, { "accept-charset": "iso-8859-1" });
  assertEquals(latin.headers.get("content-type"), "text/plain; charset=iso-8859-1");
  assertEquals([...await latin.bytes()], [0x63, 0x61, 0x66, 0xe9]);
  const packed = await ask(handler, { "accept-encoding": "gzip" });
  assertEquals(packed.headers.get("content-encoding"), "gzip");
  assertEquals(packed.headers.get("vary"), "Accept, Accept-Encoding, Accept-Charset");
  const body = packed.body?.pipeThrough(new DecompressionStream("gzip"));
  assertEquals(await new Response(body).text(), "café");
  const { Negotiation } = fw;
  assertThrows(() => new Negotiation("").Charset("klingon"), fw.FrameworkError, 'Cannot offer the charset "klingon"');
  assertThrows(() => new Negotiation("").Encoding("br"), fw.FrameworkError, 'Cannot offer the content coding "br"');
});
