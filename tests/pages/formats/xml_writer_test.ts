import { assertEquals } from "@std/assert";
import { fromXML } from "../../../src/pages/formats/xml_reader.ts";
import { toXML } from "../../../src/pages/formats/xml_writer.ts";

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n';

Deno.test("toXML() writes an element for each field and repeats it for each item of a list", () => {
  class Order {
    id = 9007199254740993n;
    items = ["a", "b"];
    by = { name: "Ada", admin: true };
    empty = null;
    absent = undefined;
    at = new Date(0);
    total(): number {
      return 1;
    }
  }
  assertEquals(
    toXML(new Order()),
    `${HEAD}<Order><id>9007199254740993</id><items>a</items><items>b</items><by><name>Ada</name><admin>true</admin></by>` +
      "<empty/><at>1970-01-01T00:00:00.000Z</at></Order>",
  );
});

Deno.test("toXML() wraps lists and values that have no name", () => {
  assertEquals(toXML([1, null, { a: 2 }]), `${HEAD}<List><Item>1</Item><Item/><Item><a>2</a></Item></List>`);
  assertEquals(toXML({}), `${HEAD}<Object></Object>`);
  assertEquals(toXML(null), `${HEAD}<Object/>`);
  assertEquals(toXML(undefined), `${HEAD}<Object/>`);
});

Deno.test("toXML() escapes names and text", () => {
  assertEquals(
    toXML({ "a><b": '</a>&"<!--]]>', "1x": "\0\u0008\ud800" }),
    `${HEAD}<Object><a__b>&lt;/a&gt;&amp;&quot;&lt;!--]]&gt;</a__b><_1x>\ufffd\ufffd\ufffd</_1x></Object>`,
  );
});

Deno.test("toXML() writes attributes and text that fromXML() reads, and the name of the root", () => {
  const person = {
    "@name": 'Ada "L"',
    "@age": 36,
    description: { "@lang": "en", "#text": "first & best" },
    "#text": "t",
  };
  const text = toXML(person, { Root: "person" });
  assertEquals(
    text,
    `${HEAD}<person name="Ada &quot;L&quot;" age="36">t<description lang="en">first &amp; best</description></person>`,
  );
  assertEquals(
    fromXML(text),
    Object.assign(Object.create(null), {
      "@name": 'Ada "L"',
      "@age": "36",
      description: Object.assign(Object.create(null), { "@lang": "en", "#text": "first & best" }),
      "#text": "t",
    }),
  );
  assertEquals(toXML([1], { Root: "a b" }), `${HEAD}<a_b><Item>1</Item></a_b>`);
  assertEquals(
    toXML({ '@a"><b': "\n<", "@": 1, "@list": [1] }),
    `${HEAD}<Object a___b="&#10;&lt;"><_>1</_><_list>1</_list></Object>`,
  );
});
