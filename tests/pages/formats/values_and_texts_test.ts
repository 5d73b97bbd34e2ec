import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { HTTPError } from "../../../src/base/errors/errors.ts";
import { checkedValue } from "../../../src/pages/formats/checked_value.ts";
import { toHTML } from "../../../src/pages/formats/markdown.ts";
import { fromMsgPack, toMsgPack } from "../../../src/pages/formats/msgpack_format.ts";
import { fromXML } from "../../../src/pages/formats/xml_reader.ts";
import { toXML } from "../../../src/pages/formats/xml_writer.ts";
import { fromYAML, toYAML } from "../../../src/pages/formats/yaml_format.ts";

class User {
  name = "Ada & Co";
  tags = ["a", "b"];
  none = null;
  left = undefined;
  born = new Date(0);
}

Deno.test("toXML() writes classes, arrays and maps, and replaces characters that XML does not allow", () => {
  const head = '<?xml version="1.0" encoding="UTF-8"?>\n';
  assertEquals(
    toXML(new User()),
    `${head}<User><name>Ada &amp; Co</name><tags>a</tags><tags>b</tags><none/><born>1970-01-01T00:00:00.000Z</born></User>`,
  );
  assertEquals(toXML([1, { a: 2n }]), `${head}<List><Item>1</Item><Item><a>2</a></Item></List>`);
  assertEquals(toXML({ m: new Map([["k", 1]]), s: new Set([1]) }), `${head}<Object><m><k>1</k></m><s>1</s></Object>`);
  assertEquals(toXML({ "1 <x>": "\0\ud800" }), `${head}<Object><_1__x_>\ufffd\ufffd</_1__x_></Object>`);
  assertEquals(
    toXML({ a: { b: 1 } }, { Indent: "  ", Prefix: "|" }),
    `${head}|<Object>\n|  <a>\n|    <b>1</b>\n|  </a>\n|</Object>`,
  );
});

Deno.test("fromXML() reads elements, attributes, text and repeated elements", () => {
  const document =
    `<?xml version="1.0"?><!DOCTYPE p><p id="7"><name>A &amp; <![CDATA[<b>]]></name><t>1</t><t>2</t><e/>x</p>`;
  assertEquals({ ...fromXML(document) as object }, {
    "@id": "7",
    name: "A & <b>",
    t: ["1", "2"],
    e: "",
    "#text": "x",
  });
  assertEquals(fromXML("<a>text</a>"), "text");
});

Deno.test("toXML() keeps carriage returns, which readers of XML would otherwise turn into line feeds", () => {
  const lines = "one\r\ntwo\rthree\n";
  assertEquals({ ...fromXML(toXML({ text: lines, "@name": lines })) as object }, { text: lines, "@name": lines });
});

Deno.test("fromXML() does not expand custom entities or read files", () => {
  const bomb = `<!DOCTYPE l [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><l>&b;</l>`;
  assertThrows(() => fromXML(bomb));
  assertThrows(() => fromXML(`<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>`));
  for (const broken of ["", "<a>", "<a></b>", "text", "<a b=c/>", "<a/><b/>"]) assertThrows(() => fromXML(broken));
  const polluted = fromXML("<x><__proto__><isAdmin>1</isAdmin></__proto__></x>") as Record<string, unknown>;
  assertEquals((polluted as { isAdmin?: unknown }).isAdmin, undefined);
});

Deno.test("toYAML() and fromYAML() agree, and fromYAML() rejects aliases and deep nesting", () => {
  assertEquals(toYAML({ a: [1, "two"], b: 3n, c: undefined }), "a:\n  - 1\n  - two\nb: 3\n");
  const [long, deep] = [12345678901234567890n, -(10n ** 30n)];
  assertEquals(
    toYAML({ long, list: [deep, 1e21, "12345678901234567890"] }),
    [
      `long: ${long}`,
      "list:",
      `  - ${deep}`,
      "  - 1e+21",
      "  - '12345678901234567890'",
      "",
    ].join("\n"),
  );
  assertEquals(fromYAML(toYAML(new User())), JSON.parse(JSON.stringify(new User())));
  assertEquals(fromYAML("a: 2020-01-01\nb: 12:30:45\nc: yes\n"), { a: "2020-01-01", b: "12:30:45", c: "yes" });
  const bomb = `a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n`;
  assertThrows(() => fromYAML(bomb), HTTPError, "it refers to the same value several times");
  assertThrows(() => fromYAML("[".repeat(1000) + "]".repeat(1000)), HTTPError, "nested more than 400 levels");
  assertThrows(() => fromYAML("a: !!js/function 'function () {}'"));
  assertThrows(() => fromYAML("a: [1"));
});

Deno.test("toMsgPack() and fromMsgPack() agree, and fromMsgPack() survives forged lengths", () => {
  const value = { a: [1, -5, 1.5, "two", null, true], b: new Uint8Array([1, 2]), c: 2n ** 60n };
  assertEquals(fromMsgPack(toMsgPack(value)), value);
  assertEquals(fromMsgPack(toMsgPack(new Map([["k", new Set([1])]]))), { k: [1] });
  assertEquals(fromMsgPack(toMsgPack({ d: new Date(0), f() {}, u: undefined })), { d: "1970-01-01T00:00:00.000Z" });
  const forged = [[0xdd, 0xff, 0xff, 0xff, 0xff], [0xdf, 0xff, 0xff, 0xff, 0xff], [0xdb, 0xff, 0xff, 0xff, 0xff, 1], [
    0xc1,
  ], []];
  for (const bytes of forged) assertThrows(() => fromMsgPack(new Uint8Array(bytes)));
  assertThrows(() => fromMsgPack(new Uint8Array(1_000_000).fill(0x91)));
  // {"__proto__": {"isAdmin": true}}
  const polluted = fromMsgPack(toMsgPack(JSON.parse('{"__proto__":{"isAdmin":true}}'))) as { isAdmin?: unknown };
  assertEquals(polluted.isAdmin, undefined);
});

Deno.test("checkedValue() accepts plain values", () => {
  for (const value of [1, "a", null, { a: [1, { b: new Date() }] }, Object.create(null), new Uint8Array(3)]) {
    assertEquals(checkedValue(value, "YAML"), value);
  }
});

Deno.test("toHTML() renders Markdown and escapes scripts", () => {
  assertEquals(
    toHTML("# Hi\n\n*a* [b](https://x.org)"),
    '<h1>Hi</h1>\n<p><em>a</em> <a href="https://x.org" rel="nofollow noopener">b</a></p>\n',
  );
  const vectors = [
    "<script>alert(1)</script>",
    '<img src=x onerror="alert(1)">',
    "a <b onclick=alert(1)>b</b>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](java\tscript:alert(1))",
    "[x](java&#115;cript:alert(1))",
    "[x](javascript&colon;alert(1))",
    "[x](&#x6A;avascript:alert(1))",
    "[x](vbscript:x)",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "![x](javascript:alert(1))",
    '[x](https://a.org "\\" onmouseover=alert(1) ")',
    '![x\\" onerror=alert(1)](https://a.org/a.png)',
    "<javascript:alert(1)>",
    "[x]: javascript:alert(1)\n\n[x]",
    '```js" onload="alert(1)\n</code><script>\n```',
    "<!-- --><iframe src=javascript:alert(1)>",
  ];
  for (const vector of vectors) {
    const html = toHTML(vector);
    // The values of attributes other than links are plain text.
    const tags = (html.match(/<[^>]*>/g)?.join(" ") ?? "").replace(/(title|alt|class)="[^"]*"/g, "");
    assertEquals(
      /<script|<img src=x|<b |<iframe|\son\w+\s*=|javascript|vbscript|data:text/i.test(tags),
      false,
      `${vector} → ${html}`,
    );
  }
  assertStringIncludes(toHTML("<b>x</b>", { Sanitize: false }), "<b>x</b>");
});
