import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { decode, encode } from "npm:cborg@^4";
import * as fw from "../../../../mod.ts";
import { overSocket, quiet } from "../../../serving.ts";

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

Deno.test("Application.RegisterFormat() rejects media types and functions that could never be used", () => {
  for (
    const format of [
      { Types: ["cbor"], Encode: String },
      { Types: ["application/cbor; q=1"], Encode: String },
      { Types: ["*/*"], Encode: String },
      { Types: [5], Encode: String },
      { Types: "a/b", Encode: String },
      { Types: ["a/b"], Encode: "no" },
      { Types: ["a/b"], Encode: undefined, Decode: null },
    ]
  ) {
    const row = { Name: "X", ...format } as unknown as fw.Format;
    assertThrows(
      () => fw.New().RegisterFormat(row),
      fw.FrameworkError,
      'Cannot register the format "X": it needs Types',
    );
  }
});

/** Sends a body to an application that reads it and offers the given types. */
async function exchanged(format: fw.Format, type: string, body: string): Promise<[number, string]> {
  const app = quiet().RegisterFormat(format);
  app.Post("/", async (ctx) => {
    const [value, error] = await ctx.ReadBody();
    if (error !== null) return ctx.StopWithError(400, error);
    ctx.Negotiation().MIME(type);
    await ctx.Negotiate(value);
  });
  const headers = { "content-type": type, accept: type };
  const response = await app.fetch(new Request("http://localhost/", { method: "POST", body, headers }));
  return [response.status, await response.text()];
}

class CSV implements fw.Format {
  readonly Name = "CSV";
  readonly Types: readonly string[] = ["text/csv"];
  readonly #comma = ",";

  Encode(value: unknown): string {
    return (value as string[]).toReversed().join(this.#comma);
  }

  Decode(bytes: Uint8Array<ArrayBuffer>): string[] {
    return new TextDecoder().decode(bytes).split(this.#comma);
  }
}

Deno.test("Application.RegisterFormat() accepts an instance of a class", async () => {
  assertEquals(await exchanged(new CSV(), "text/csv", "a,b"), [200, "b,a"]);
});

Deno.test("Application.RegisterFormat() takes precedence over all built-in formats, also JSON and forms", async () => {
  for (
    const type of ["application/vnd.api+json", "application/json", "application/x-www-form-urlencoded", "text/yaml"]
  ) {
    assertEquals(await exchanged({ ...builtOf(new CSV()), Types: [type] }, type, "a,b"), [200, "b,a"], type);
  }
});

function builtOf(csv: CSV): Pick<Required<fw.Format>, "Name" | "Encode" | "Decode"> {
  return { Name: csv.Name, Encode: (value) => csv.Encode(value), Decode: (bytes) => csv.Decode(bytes) };
}

Deno.test("Application.RegisterFormat() with one function leaves the other one to the built-in format", async () => {
  const Name = "own";
  const reader = { Name, Types: ["text/yaml", "application/json"], Decode: () => ["own"] };
  assertEquals(await exchanged(reader, "text/yaml", "a: 1"), [200, "- own\n"]);
  assertEquals(await exchanged(reader, "application/json", "1"), [200, '["own"]']);
  const writer = { Name, Types: ["text/yaml", "application/json"], Encode: (value: unknown) => `own ${value}` };
  assertEquals(await exchanged(writer, "text/yaml", "[1, 2]"), [200, "own 1,2"]);
  assertEquals(await exchanged(writer, "application/json", "[1, 2]"), [200, "own 1,2"]);
});

Deno.test("Encode of a format may return any thenable, and must return a string or bytes", async () => {
  const row = { Name: "own", Types: ["a/b"], Decode: () => 1 };
  const thenable = Object.freeze({ then: (resolve: (text: string) => void) => resolve("later") });
  assertEquals(await exchanged({ ...row, Encode: () => thenable as never }, "a/b", "x"), [200, "later"]);
  for (const wrong of [undefined, null, 42, {}]) {
    assertEquals((await exchanged({ ...row, Encode: () => wrong as never }, "a/b", "x"))[0], 500);
  }
});

Deno.test("Context.Negotiate() sends an offered charset once", async () => {
  const app = quiet();
  app.Get("/", (ctx) => {
    ctx.Negotiation().MIME("text/html; charset=utf-8", "<p>");
    return ctx.Negotiate();
  });
  app.Get("/latin", (ctx) => {
    ctx.Negotiation().Charset("iso-8859-1").MIME("text/html; charset=utf-8; level=1", "<p>");
    return ctx.Negotiate();
  });
  for (
    const [path, type] of [["/", "text/html; charset=utf-8"], ["/latin", "text/html; level=1; charset=iso-8859-1"]]
  ) {
    const response = await app.fetch(new Request(`http://localhost${path}`));
    assertEquals([response.headers.get("content-type"), await response.text()], [type, "<p>"]);
  }
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
