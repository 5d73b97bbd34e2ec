import * as fw from "@fw/web";
import { assertEquals } from "@std/assert";

type Reader = "ReadXML" | "ReadYAML" | "ReadMsgPack" | "ReadBody";

/** Sends a body and returns the status, and the value as JSON or the error message. */
async function send(reader: Reader, type: string, body: string | Uint8Array<ArrayBuffer>): Promise<[number, string]> {
  const app = fw.New();
  app.Logger().SetLevel("disable");
  app.Post("/", async (ctx) => {
    const [value, error] = await ctx[reader]();
    if (error !== null) throw error;
    ctx.JSON(value);
  });
  const headers = new Headers({ "content-type": type });
  const response = await app.fetch(new Request("http://localhost/?from=query", { method: "POST", body, headers }));
  assertEquals(Object.keys(Object.prototype), [], "nothing may be added to all objects");
  return [response.status, (await response.text()).replace(/^Cannot read the request body(?: as \w+)?: /, "")];
}

function bytes(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

const latin = bytes("3c613ee93c2f613e");
const xmlRows: readonly [type: string, body: string | Uint8Array<ArrayBuffer>, status: number, shown: string][] = [
  ["application/xml", "<a/>", 200, '""'],
  ["application/xml", "", 400, "Root element is missing or invalid (line 1, column 1)"],
  ["application/xml", "<a><![CDATA[<b>&amp;]]></a>", 200, '"<b>&amp;"'],
  ["application/xml", "<a><!-- c --><?pi x?>t</a>", 200, '"t"'],
  [
    "application/xml",
    "<n:a xmlns:n='u'><n:b n:c='1'>x</n:b></n:a>",
    200,
    '{"@xmlns:n":"u","n:b":{"@n:c":"1","#text":"x"}}',
  ],
  ["application/xml", "<a><__proto__><x>1</x></__proto__></a>", 200, '{"__proto__":{"x":"1"}}'],
  ["application/xml", "<a x='1' x='2'/>", 400, "Duplicate attribute: x (line 1, column 15)"],
  [
    "application/xml",
    "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>",
    400,
    "Named entity isn't defined: &x; (line 1, column 58)",
  ],
  ["application/xml", "<a>".repeat(402) + "</a>".repeat(402), 400, "it is nested more than 400 levels deep"],
  ["application/xml", "<a>".repeat(100_000), 400, "it is nested too deeply or incomplete"],
  ["application/xml; charset=iso-8859-1", latin, 200, '"é"'],
  ['text/xml; Charset="ISO-8859-7"', latin, 200, '"ι"'],
  ["application/xml", latin, 400, "it is not valid UTF-8"],
  ["application/xml; charset=klingon", "<a/>", 415, "its charset is not supported"],
  ["application/xml", bytes("fffe3c0061002f003e00"), 200, '""'],
  ["application/xml", bytes("efbbbf3c612f3e"), 200, '""'],
  [
    "application/xml",
    Uint8Array.from('<?xml version="1.0" encoding="ISO-8859-1"?><a>é</a>', (sign) => sign.charCodeAt(0)),
    200,
    '"é"',
  ],
  ["text/plain", "<a/>", 415, "its content type is not XML"],
];

for (const [type, body, status, shown] of xmlRows) {
  const name = typeof body === "string" ? body.slice(0, 40) : `${body.length} bytes`;
  Deno.test(`Context.ReadXML() responds with ${status} to "${name}" as "${type}"`, async () => {
    assertEquals(await send("ReadXML", type, body), [status, shown]);
  });
}

const yamlRows: readonly [body: string, status: number, shown: string][] = [
  ["", 200, "null"],
  ["\ufeffa: 1", 200, '{"a":1}'],
  ["a: &x 1\nb: *x", 200, '{"a":1,"b":1}'],
  ["a: &x {b: 1}\nc: *x", 400, "it refers to the same value several times"],
  ["a: &a [*a]", 400, "it refers to the same value several times"],
  ["base: &b {x: 1}\nd:\n  <<: *b", 400, "it refers to the same value several times"],
  ["__proto__: {polluted: 1}", 200, '{"__proto__":{"polluted":1}}'],
  ["<<: {__proto__: {polluted: 1}}", 200, '{"<<":{"__proto__":{"polluted":1}}}'],
  ["a: 2020-01-01\nb: yes\nc: 12:30:45", 200, '{"a":"2020-01-01","b":"yes","c":"12:30:45"}'],
  ["a: ~\nb:", 200, '{"a":null,"b":null}'],
  ["[".repeat(401) + "]".repeat(401), 400, "it is nested more than 400 levels deep"],
  ["[".repeat(100_000), 400, "it is nested too deeply or incomplete"],
];

for (const [body, status, shown] of yamlRows) {
  Deno.test(`Context.ReadYAML() responds with ${status} to ${JSON.stringify(body.slice(0, 40))}`, async () => {
    assertEquals(await send("ReadYAML", "application/yaml", body), [status, shown]);
  });
}

for (
  const body of [
    "a: !!js/function 'function(){}'",
    "a: !!binary aGk=",
    "!!omap [a: 1]",
    "a: 1\na: 2",
    "--- a\n--- b",
    "a: [1, 2",
    "@bad",
  ]
) {
  Deno.test(`Context.ReadYAML() rejects ${JSON.stringify(body)}`, async () => {
    assertEquals((await send("ReadYAML", "application/yaml", body))[0], 400);
  });
}

const packedRows: readonly [name: string, hex: string, status: number, shown?: string][] = [
  ["an integer of 64 bits", "cf0000000000000019", 200, "25"],
  ["a negative integer of 64 bits", "d3ffffffffffffffe7", 200, "-25"],
  ["an integer beyond the exact numbers", "cfffffffffffffffff", 200, "18446744073709551615"],
  ["an array as a key", "8292cf0000000000000001c0a161d30000000000000002", 400],
  ["a map with a 64-bit integer", "81a161d30000000000000002", 200, '{"a":2}'],
  ["a key __proto__", "81a95f5f70726f746f5f5f81a161cf0000000000000001", 200, '{"__proto__":{"a":1}}'],
  ["nothing", "", 400],
  ["a type that is never used", "c1", 400],
  ["an array of 4 Gi items", "ddffffffff", 400],
  ["a map of 4 Gi entries", "dfffffffff", 400],
  ["a string of 4 GiB", "dbffffffff", 400],
  ["bytes of 4 GiB", "c6ffffffff", 400],
  ["an extension", "d40142", 400],
  ["a timestamp", "d6ff5f000000", 400],
  ["two values", "c0c0", 400],
  ["a cut value", "82a161", 400],
  ["10,000 nested arrays", "91".repeat(10_000), 400],
];

for (const [name, hex, status, shown] of packedRows) {
  Deno.test(`Context.ReadMsgPack() responds with ${status} to ${name}`, async () => {
    const [got, text] = await send("ReadMsgPack", "application/msgpack", bytes(hex));
    assertEquals(got, status);
    if (shown !== undefined) assertEquals(text, shown);
  });
}

Deno.test("Context.ReadBody() reads the query if the content type is empty, and rejects unknown types", async () => {
  assertEquals(await send("ReadBody", "", "x"), [200, '{"from":"query"}']);
  for (const type of ["text/plain", "garbage", "application/octet-stream", "application/json, application/yaml"]) {
    assertEquals((await send("ReadBody", type, "x"))[0], 415, type);
  }
  assertEquals(await send("ReadBody", "application/json", '\ufeff{"__proto__":{"a":1}}'), [
    200,
    '{"__proto__":{"a":1}}',
  ]);
});

for (
  const [reader, type] of [["ReadXML", "text/xml"], ["ReadYAML", "text/yaml"], [
    "ReadMsgPack",
    "application/msgpack",
  ]] as const
) {
  Deno.test(`Context.${reader}() responds with 413 beyond the JSON body limit, even if the length is unknown`, async () => {
    const app = fw.New();
    app.Logger().SetLevel("disable");
    const read: fw.Handler = async (ctx) => {
      const [, error] = await ctx[reader]();
      if (error !== null) throw error;
    };
    app.Post("/", read);
    app.Post("/small", fw.LimitDocument(10), read);
    app.Post("/large", fw.LimitDocument(3 << 20), read);
    const large = new Uint8Array(2 << 20);
    const send = async (path: string, body: BodyInit) => {
      const request = new Request(`http://localhost${path}`, {
        method: "POST",
        headers: { "content-type": type },
        body,
      });
      const response = await app.fetch(request);
      await response.body?.cancel();
      return response.status;
    };
    assertEquals(await send("/", large), 413);
    assertEquals(await send("/", new Blob([large]).stream()), 413);
    assertEquals(await send("/small", new Uint8Array(11)), 413);
    assertEquals(await send("/small", new Blob([new Uint8Array(11)]).stream()), 413);
    assertEquals(await send("/large", new Blob([large]).stream()), 400, "the format is wrong, not the length");
  });
}
