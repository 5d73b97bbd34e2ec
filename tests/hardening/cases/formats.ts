/** Attacks on parsers and serializers of formats, and on language selection. */

import type { Attack } from "../attack.ts";
import { all, either, never, noFault, refuses, says, so } from "../expect.ts";
import { growing, growsLinearly } from "../growth.ts";
import { get, post } from "../requests.ts";

const formats = { needs: ["formats"] };
const languages = { needs: ["languages"] };

/** MessagePack strings, arrays and maps that declare more data than they contain. */
const announced: Readonly<Record<string, string>> = {
  "string": "\xdb\xff\xff\xff\xff",
  "array": "\xdd\xff\xff\xff\xff",
  "map": "\xdf\xff\xff\xff\xff",
  "blob": "\xc6\xff\xff\xff\xff",
  "array of arrays": "\xdd\x0f\xff\xff\xff\xdd\x0f\xff\xff\xff",
};

/** Creates an XML document whose entities expand to a billion strings. */
function laughs(): string {
  const entities = Array.from({ length: 9 }, (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`);
  return `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY l0 "lol">${entities.join("")}]><x>&l9;</x>`;
}

/** Creates a YAML document whose aliases expand to a billion strings. */
function yamlLaughs(): string {
  const lines = Array.from(
    { length: 9 },
    (_, at) => `l${at + 1}: &l${at + 1} [${Array(9).fill(`*l${at}`).join(", ")}]`,
  );
  return `l0: &l0 [lol]\n${lines.join("\n")}\n`;
}

const xmlFile = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]><x>&f;</x>';
const xmlRemote = '<?xml version="1.0"?><!DOCTYPE x SYSTEM "http://127.0.0.1:1/x.dtd"><x>1</x>';

/** Attacks on parsers and serializers. */
export const formatAttacks: readonly Attack[] = [
  {
    ...formats,
    name: "XML with expanding entities is rejected",
    advisory: "CVE-2003-1564",
    send: post("/formats/xml", "application/xml", laughs()),
    expect: all(refuses(), never("lollol")),
  },
  {
    ...formats,
    name: "XML with a file entity is rejected",
    send: post("/formats/xml", "application/xml", xmlFile),
    expect: all(refuses(), never("root:")),
  },
  {
    ...formats,
    name: "XML with a foreign document type is read without it",
    send: post("/formats/xml", "application/xml", xmlRemote),
    expect: either(refuses(), says(200, '"1"')),
  },
  {
    ...formats,
    name: "XML with an entity that is not declared does not fail the server",
    send: post("/formats/xml", "application/xml", "<x>&nope;</x>"),
    expect: noFault(),
  },
  {
    ...formats,
    name: "XML with an element named __proto__ does not change a prototype",
    send: post(
      "/formats/xml",
      "application/xml",
      "<x><__proto__><polluted>1</polluted></__proto__><constructor>2</constructor></x>",
    ),
    expect: noFault(),
  },
  {
    ...formats,
    name: "XML that ends too early is rejected",
    send: post("/formats/xml", "application/xml", "<x><y>"),
    expect: refuses(),
  },
  ...["klingon", "utf-7", "x".repeat(5_000), "utf-8;charset=utf-16", "%00"].map((charset) => ({
    ...formats,
    name: `XML in the charset ${JSON.stringify(charset.slice(0, 20))} does not fail the server`,
    send: post("/formats/xml", `application/xml; charset=${charset}`, "<x>1</x>"),
    expect: noFault(),
  })),
  {
    ...formats,
    name: "XML with a script in UTF-7 is rejected or stays text",
    send: post("/formats/xml", "application/xml; charset=utf-7", "+ADw-script+AD4-"),
    expect: all(refuses(), never("<script>")),
  },
  {
    ...formats,
    name: "XML with an endless encoding declaration is rejected",
    send: post("/formats/xml", "application/xml", `<?xml version="1.0" encoding="${"a".repeat(50_000)}`),
    expect: refuses(),
  },
  {
    ...formats,
    name: "Names and strings are escaped in XML",
    send: get("/formats/xml?name=a%3E%3Cscript%3E&text=%3C/text%3E%3Cscript%3E%26%00"),
    expect: all(noFault(), never("<script>")),
  },
  {
    ...formats,
    name: "YAML with expanding aliases is rejected",
    advisory: "CVE-2019-11253",
    send: post("/formats/yaml", "application/yaml", yamlLaughs()),
    expect: refuses(),
  },
  {
    ...formats,
    name: "YAML with a key __proto__ does not change a prototype",
    send: post("/formats/yaml", "application/yaml", "__proto__: { polluted: 1 }\na: 1\n"),
    expect: noFault(),
  },
  {
    ...formats,
    name: "YAML with a tag of a function is rejected",
    send: post("/formats/yaml", "application/yaml", 'a: !!js/function "function () { return 1 }"\n'),
    expect: refuses(),
  },
  {
    ...formats,
    name: "YAML that merges an anchor is rejected",
    send: post("/formats/yaml", "application/yaml", "a: &a { b: 1 }\nc: { <<: *a }\n"),
    expect: refuses(),
  },
  ...Object.entries(announced).map(([kind, body]) => ({
    ...formats,
    name: `MessagePack with a ${kind} longer than the body is rejected`,
    send: post("/formats/msgpack", "application/msgpack", body),
    expect: refuses(),
  })),
  {
    ...formats,
    name: "MessagePack with endless arrays is rejected",
    send: post("/formats/msgpack", "application/msgpack", "\x91".repeat(100_000)),
    expect: refuses(),
  },
  {
    ...formats,
    name: "MessagePack with a key __proto__ does not change a prototype",
    send: post("/formats/msgpack", "application/msgpack", "\x81\xa9__proto__\x81\xa8polluted\x01"),
    expect: noFault(),
  },
  ...[
    "alert(1)//",
    "%3C/script%3E%3Cscript%3E",
    "a;alert(1)",
    "a%E2%80%A8alert(1)",
    "a%0Aalert(1)",
    "a%5B0%5D%28%29",
    "%2F**%2Falert",
    "a".repeat(2_000),
  ].map((callback) => ({
    ...formats,
    name: `A JSONP callback ${JSON.stringify(callback.slice(0, 24))} is rejected`,
    send: get(`/formats/jsonp?callback=${callback}`),
    expect: all(
      either(refuses(), never("alert(1)")),
      never("<script>"),
      never("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa("),
    ),
  })),
  ...[
    "<script>alert(1)</script>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "<img src=x onerror=alert(1)>",
    "![x](data:text/html;base64,PHNjcmlwdD4=)",
    '<a href="java\tscript:alert(1)">x</a>',
    "<svg><script>alert(1)</script></svg>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<style>@import 'x'</style>",
  ].map((text) => ({
    ...formats,
    name: `Markdown ${JSON.stringify(text)} does not become a script`,
    send: post("/formats/markdown", "text/markdown", text),
    expect: so("sends no element and no link that runs something", ({ replies }) =>
      replies[0]?.status === 200 &&
      !/<(?:script|svg|iframe|style)|<[^>]*\son\w+\s*=|(?:href|src)="?\s*(?:javascript|data|java\tscript):/i.test(
        replies[0].body,
      )),
  })),
];

/** Attacks on the choice of a version and of a representation. */
export const choiceAttacks: readonly Attack[] = [
  ...["9".repeat(5_000), "1.0.0-" + "a.".repeat(2_000), "__proto__", "constructor", "1.0.0%0d%0ax:%20y", ">=1.0.0", "*"]
    .map((version) => ({
      ...formats,
      name: `A version ${JSON.stringify(version.slice(0, 20))} is not found`,
      send: get("/formats/versioned", { "Accept-Version": version }),
      expect: says(501, "version not found"),
    })),
  ...["*/*;q=0", "text/html;q=0", "a".repeat(5_000), ";q=1", "application/json;q=1e9", "constructor/__proto__"].map((
    accept,
  ) => ({
    ...formats,
    name: `A client that accepts ${JSON.stringify(accept.slice(0, 24))} does not fail the server`,
    send: get("/formats/tea", { Accept: accept }),
    expect: noFault(),
  })),
];

/** Attacks on language selection. */
export const languageAttacks: readonly Attack[] = [
  ...[
    "/el/staff",
    "/EL/staff",
    "/%65l/staff",
    "//el/staff",
    "/el//staff",
    "/el/./staff",
    "/el/x/../staff",
    "/el-GR/staff/x",
    "/el/el/staff",
  ].map((path) => ({
    ...languages,
    name: `A language prefix does not bypass a guard with ${path}`,
    send: get(path),
    expect: never(),
  })),
  ...["../../etc", "en-x-aaaaaaaa", "el_GR", "i-klingon", "x", "%00", "__proto__", "constructor", "a".repeat(5_000)]
    .map((tag) => ({
      ...languages,
      name: `A language ${JSON.stringify(tag.slice(0, 20))} in the query does not fail the server`,
      send: get(`/formats/hi?lang=${tag}`),
      expect: noFault(),
    })),
  {
    ...languages,
    name: "An unsupported language falls back to the default",
    send: get("/formats/hi", { "Accept-Language": "tlh;q=1, *;q=0" }),
    expect: says(200, "en-US hello"),
  },
];

/** Inputs whose cost must be at most linear. */
export const formatBlowups: readonly Attack[] = [
  {
    ...formats,
    name: "The time for XML of nested elements is at most linear",
    send: growing(10_000, (n) => post("/formats/xml", "application/xml", "<a>".repeat(n))),
    expect: growsLinearly,
  },
  {
    ...formats,
    name: "The time for XML of attributes is at most linear",
    send: growing(
      10_000,
      (n) =>
        post("/formats/xml", "application/xml", `<a ${Array.from({ length: n }, (_, at) => `b${at}="c"`).join(" ")}/>`),
    ),
    expect: growsLinearly,
  },
  {
    ...formats,
    name: "The time for YAML of nested lists is at most linear",
    send: growing(10_000, (n) => post("/formats/yaml", "application/yaml", "[".repeat(n))),
    expect: growsLinearly,
  },
  {
    ...formats,
    name: "The time for YAML of blanks is at most linear",
    send: growing(50_000, (n) => post("/formats/yaml", "application/yaml", `a: ${" ".repeat(n)}b`)),
    expect: growsLinearly,
  },
  {
    ...formats,
    name: "The time for Markdown of brackets is at most linear",
    send: growing(2_000, (n) => post("/formats/markdown", "text/markdown", "[".repeat(n))),
    expect: growsLinearly,
  },
  {
    ...formats,
    name: "The time for Markdown of asterisks is at most linear",
    send: growing(2_000, (n) => post("/formats/markdown", "text/markdown", "*a_ ".repeat(n))),
    expect: growsLinearly,
  },
  {
    ...formats,
    name: "The time for a header of media types is at most linear",
    send: growing(2_000, (n) => get("/formats/tea", { Accept: "a/b;c=d;q=0.1,".repeat(n) })),
    expect: growsLinearly,
  },
  {
    ...formats,
    name: "The time for a media type with blanks is at most linear",
    send: growing(10_000, (n) => get("/formats/tea", { Accept: `a/b;c${" ".repeat(n)}d` })),
    expect: growsLinearly,
  },
  {
    ...formats,
    name: "The time for a header with a version is at most linear",
    send: growing(10_000, (n) => get("/formats/versioned", { Accept: "version=;".repeat(n / 10) })),
    expect: growsLinearly,
  },
  {
    ...languages,
    name: "The time for a header of languages is at most linear",
    send: growing(2_000, (n) => get("/formats/hi", { "Accept-Language": "xx;q=0.5,".repeat(n) })),
    expect: growsLinearly,
  },
];
