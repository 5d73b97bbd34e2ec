import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { decode, encode } from "npm:cborg@^4";
import * as fw from "../../../mod.ts";
import { overSocket, quiet } from "../../serving.ts";

/** The media types of each built-in format, with a document. */
const documents: Readonly<Record<string, readonly [document: string, ...types: string[]]>> = {
  XML: ["<tea><name>green</name></tea>", "application/xml", "text/xml"],
  YAML: ["name: green\n", "application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml"],
  MsgPack: ["\x81\xa4name\xa5green", "application/vnd.msgpack", "application/msgpack", "application/x-msgpack"],
};

Deno.test("Context.Negotiate() writes every media type that Context.ReadBody() reads", async () => {
  const app = quiet();
  app.Post("/", async (ctx) => {
    const [value, error] = await ctx.ReadBody();
    if (error !== null) return ctx.StopWithError(400, error);
    ctx.Negotiation().XML().YAML().MsgPack();
    await ctx.Negotiate(value);
  });
  await overSocket(app, async (_, port) => {
    for (const [document, ...types] of Object.values(documents)) {
      for (const type of types) {
        const response = await fetch(`http://127.0.0.1:${port}/`, {
          method: "POST",
          body: Uint8Array.from(document, (char) => char.charCodeAt(0)),
          headers: { "content-type": type, accept: type },
        });
        assertEquals([response.status, response.headers.get("content-type")?.split(";")[0]], [200, type]);
        assertStringIncludes(await response.text(), "green");
      }
    }
  });
});

Deno.test("Application.RegisterFormat() adds CBOR to bodies, negotiation and results with one row", async () => {
  const app = quiet();
  app.RegisterFormat({
    Name: "CBOR",
    Types: ["application/cbor", "+cbor"],
    Encode: (value) => Uint8Array.from(encode(value)),
    Decode: (bytes) => decode(bytes),
  });
  app.Post("/", async (ctx) => {
    const [value, error] = await ctx.ReadBody();
    if (error !== null) return ctx.StopWithError(400, error);
    ctx.Negotiation().JSON().MIME("application/cbor");
    await ctx.Negotiate({ got: value });
  });
  await overSocket(app, async (_, port) => {
    const ask = (type: string, body: Uint8Array<ArrayBuffer>) =>
      fetch(`http://127.0.0.1:${port}/`, {
        method: "POST",
        body,
        headers: { "content-type": type, accept: "application/cbor" },
      });
    for (const type of ["application/cbor", "application/vnd.tea+cbor"]) {
      const response = await ask(type, Uint8Array.from(encode({ tea: "green" })));
      assertEquals(response.headers.get("content-type"), "application/cbor");
      assertEquals(decode(await response.bytes()), { got: { tea: "green" } });
    }
    const bad = await ask("application/cbor", Uint8Array.of(0xff));
    assertEquals(bad.status, 400);
    assertStringIncludes(await bad.text(), "Cannot read the request body as CBOR");
  });
});

Deno.test("Application.RegisterFormat() rejects a format that can do nothing", () => {
  assertThrows(() => fw.New().RegisterFormat({ Name: "X", Types: ["a/b"] }), fw.FrameworkError, 'the format "X"');
  assertThrows(() => fw.New().RegisterFormat({ Name: "X", Types: [], Encode: String }), fw.FrameworkError);
});

Deno.test("Context.Negotiate() responds with 500 and logs why if the server has no format for its offer", async () => {
  const lines: string[] = [];
  const app = fw.New();
  app.Logger().SetOutput((line) => lines.push(line));
  app.Get("/", (ctx) => {
    ctx.Negotiation().MIME("application/x-own");
    return ctx.Negotiate({ tea: "green" });
  });
  const response = await app.fetch(new Request("http://localhost/"));
  assertEquals([response.status, await response.text()], [500, "Internal Server Error"]);
  app.Logger().Flush();
  assertStringIncludes(lines.join(""), 'Cannot send a value as "application/x-own": there is no format for it');
});
