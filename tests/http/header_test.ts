import { assert, assertEquals } from "@std/assert";
import fc from "npm:fast-check@^4";
import * as fw from "../../mod.ts";
import { assertLinear } from "../growth.ts";
import { bothWays, quiet } from "../serving.ts";
import { runs } from "../runs.ts";
import { chooseType } from "../../src/http/accept.ts";
import { readExtendedValue, readHeaderParameters } from "../../src/http/header_parameters.ts";
import { readForwarded } from "../../src/http/forwarded.ts";

/** What the author of a value must not be able to put into a header. */
const evil: Readonly<Record<string, string>> = {
  "a line feed": "a\nx-injected: 1",
  "a carriage return": "a\rx-injected: 1",
  "both": "a\r\nx-injected: 1\r\n\r\n<script>",
  "a final line break": "a\r\n",
  "a line break in front": "\r\nx-injected: 1",
  "a folded line": "a\r\n b",
  "NUL": "a\0b",
  "a bell": "a\x07b",
  "DEL": "a\x7fb",
  "a vertical tab": "a\x0bb",
  "a form feed": "a\x0cb",
  "a letter beyond Latin-1": "a\u010Db",
  "a letter whose low byte is a line feed": "a\u010Ax-injected: 1",
  "a letter whose low byte is a carriage return": "a\u560D\u560Ax-injected: 1",
  "a letter of another plane": "a😀",
  "half a letter": "a\ud800",
};

/** Members that put a value into a header. */
const sinks: Readonly<Record<string, (ctx: fw.Context, value: string) => void>> = {
  Header: (ctx, value) => ctx.Header("x-a", value),
  AddHeader: (ctx, value) => ctx.AddHeader("x-a", value),
  ContentType: (ctx, value) => ctx.ContentType(value),
  "Header of the content type": (ctx, value) => ctx.Header("content-type", value),
};

for (const [member, write] of Object.entries(sinks)) {
  for (const [what, value] of Object.entries(evil)) {
    Deno.test(`Context.${member}() refuses ${what}`, async () => {
      const app = quiet();
      app.Get("/", (ctx) => {
        try {
          write(ctx, value);
        } catch (error) {
          assert(error instanceof fw.FrameworkError);
          return ctx.JSON([error.Code, error.message]);
        }
        ctx.WriteString("taken");
      });
      const response = await app.fetch(new Request("http://localhost/"));
      const name = member.includes("ontent") ? "content-type" : "x-a";
      assertEquals(
        await response.text(),
        JSON.stringify([
          "FW_HEADER",
          `Cannot send the header "${name}": its value has a line break, a control character or a letter beyond Latin-1`,
        ]),
      );
      assertEquals(response.headers.get("x-injected"), null);
    });
  }
}

bothWays("Context.Header() left to throw responds with a bare 500 without the header", () => {
  const app = quiet();
  app.Get("/", (ctx) => {
    ctx.Header("x-before", "1");
    ctx.Header("x-a", "a\r\nx-injected: 1");
  });
  return app;
}, async (ask) => {
  const response = await ask("/");
  assertEquals([response.status, response.text, response.headers.get("x-injected")], [
    500,
    "Internal Server Error",
    null,
  ]);
  assertEquals(response.headers.get("x-before"), "1");
});

bothWays("Context.Header() takes tabs, Latin-1 and everything printable", () => {
  const app = quiet();
  app.Get("/", (ctx) => {
    ctx.Header("x-tab", "a\tb");
    ctx.Header("x-latin", "grüße");
    ctx.Header("x-signs", "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~");
    ctx.Header("x-trimmed", "  a  ");
  });
  return app;
}, async (ask) => {
  const { headers } = await ask("/");
  assertEquals(headers.get("x-tab"), "a\tb");
  assertEquals(headers.get("x-latin"), "grüße");
  assertEquals(headers.get("x-signs"), "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~");
  assertEquals(headers.get("x-trimmed"), "a");
});

for (
  const name of ["", " ", "a b", "a:", "a\r\nb", "ä", "a\0", "x(y)", "{x}", "a/b", '"a"', "a,b", "a;b", "a=b", "a@b"]
) {
  Deno.test(`Context.Header() refuses the name ${JSON.stringify(name)}`, async () => {
    const app = quiet();
    app.Get("/", (ctx) => {
      for (const write of [() => ctx.Header(name, "1"), () => ctx.AddHeader(name, "1"), () => ctx.Header(name, "")]) {
        try {
          write();
          ctx.WriteString("taken ");
        } catch (error) {
          ctx.WriteString(`${error instanceof fw.FrameworkError ? error.message : error} `);
        }
      }
    });
    const response = await app.fetch(new Request("http://localhost/"));
    assertEquals(await response.text(), `Cannot send the header "${name}": its name is not a token `.repeat(3));
  });
}

bothWays("Context.Header() takes every character of a token in a name", () => {
  const app = quiet();
  app.Get("/", (ctx) => ctx.Header("X!#$%&'*+-.^_`|~9", "1"));
  return app;
}, async (ask) => {
  assertEquals((await ask("/")).headers.get("x!#$%&'*+-.^_`|~9"), "1");
});

bothWays("Context.GetHeader() reads a header of the request, in any case", () => {
  const app = quiet();
  app.Get("/", (ctx) => ctx.JSON([ctx.GetHeader("X-A"), ctx.GetHeader("x-a"), ctx.GetHeader("x-b")]));
  return app;
}, async (ask) => {
  assertEquals((await ask("/", { headers: { "x-A": "1" } })).text, '["1","1",""]');
});

const parameterCases: Readonly<Record<string, [value: string, parameters: Record<string, string>] | null>> = {
  "": ["", {}],
  "form-data": ["form-data", {}],
  "Form-Data ; A=1;b = 2 ": ["form-data", { a: "1", b: "2" }],
  'x; a="1;2=3"; b': ["x", { a: "1;2=3" }],
  'x; a="say \\"hi\\""': ["x", { a: 'say "hi"' }],
  'x; a="\\\\"': ["x", { a: "\\" }],
  'x; a="C:\\dir\\new.txt"': ["x", { a: "C:\\dir\\new.txt" }],
  'x; a="foo\\"': ["x", { a: "foo\\" }],
  'x; a="foo\\" ; b=1': ["x", { a: "foo\\", b: "1" }],
  'x; a="foo\\"; b="bar"': ["x", { a: "foo\\", b: "bar" }],
  'x; a="foo\\"; b="bar\\"': ["x", { a: "foo\\", b: "bar\\" }],
  'x; a="1': null,
  'x; a="1"2': null,
  'x; a="1\\"2': null,
  "x; a=1; A=2": null,
  ";;;": ["", {}],
  "x;=1": ["x", { "": "1" }],
};

for (const [text, expected] of Object.entries(parameterCases)) {
  Deno.test(`readHeaderParameters() reads ${JSON.stringify(text)}`, () => {
    const found = readHeaderParameters(text);
    assertEquals(found === null ? null : [found.value, { ...found.parameters }], expected);
  });
}

// What a reader of such headers trips over: delimiters, quotes, escapes and long runs of each.
const pieces = fc.array(
  fc.oneof(
    fc.constantFrom(";", "=", '"', "\\", " ", "\t", "a", "b", "A", '\\"', '="', '";'),
    fc.tuple(fc.constantFrom(";", "=", '"', "\\", " ", "a", '\\"', '";'), fc.integer({ min: 2, max: 50 })).map((
      [piece, count],
    ) => piece.repeat(count)),
  ),
  { maxLength: 12 },
).map((list) => list.join(""));

Deno.test("readHeaderParameters() agrees with a slow and obvious reader", () => {
  fc.assert(
    fc.property(pieces, (text) => {
      const found = readHeaderParameters(text);
      assertEquals(found === null ? null : [found.value, Object.entries(found.parameters)], obvious(text));
    }),
    { numRuns: runs(5000) },
  );
});

for (
  const [what, unit] of Object.entries({
    "semicolons": ";",
    "parameters without a value": "a;",
    "empty quotes": 'a=""b;',
    "open quotes": ';a="',
    "quotes that end in a backslash": ';a="\\"',
    "backslashes": "\\",
    "escaped quotes": '\\"',
    "spaces": " ",
  })
) {
  Deno.test(`readHeaderParameters() takes time in proportion to many ${what}`, async () => {
    await assertLinear(readHeaderParameters, { size: 100_000, prepare: (size) => `x; z="${unit.repeat(size)}` });
    await assertLinear(readHeaderParameters, { size: 100_000, prepare: (size) => `x;${unit.repeat(size)}` });
  });
}

Deno.test("readHeaderParameters() takes time in proportion to many parameters", async () => {
  for (const value of ['""', '"\\"', "1", '"a\\\\"']) {
    const prepare = (size: number) => `x${Array.from({ length: size }, (_, i) => `; p${i}=${value}`).join("")}`;
    await assertLinear(readHeaderParameters, { size: 10_000, prepare });
  }
});

Deno.test("readExtendedValue() takes time in proportion to its text", async () => {
  for (const unit of ["'", "a'", "%41", "%", "-'-"]) {
    await assertLinear(readExtendedValue, { size: 100_000, prepare: (size) => `utf-8'${unit.repeat(size)}\n` });
  }
});

/** Reads the same by trying every split in turn. */
function obvious(text: string): [string, [string, string][]] | null {
  const [value = ""] = text.split(";");
  const found = new Map<string, string>();
  let rest = text.slice(value.length);
  while (rest !== "") {
    rest = rest.slice(1);
    const name = /^[^;=]*/.exec(rest)?.[0] ?? "";
    if (rest[name.length] !== "=") {
      rest = rest.slice(name.length);
      continue;
    }
    const key = name.trim().toLowerCase();
    if (found.has(key)) return null;
    rest = rest.slice(name.length + 1);
    const open = /^[ \t]*"/.exec(rest)?.[0];
    if (open === undefined) {
      const plain = /^[^;]*/.exec(rest)?.[0] ?? "";
      found.set(key, plain.trim());
      rest = rest.slice(plain.length);
      continue;
    }
    const inner = rest.slice(open.length);
    const escaped = /^((?:\\["\\]|[^"])*?)"[ \t]*(?=;|$)/.exec(unambiguous(inner));
    const literal = /^([^"]*)"[ \t]*(?=;|$)/.exec(inner);
    const match = escaped ?? literal;
    if (match === null) return null;
    found.set(key, match === escaped ? escapedText(inner) : match[1] ?? "");
    rest = inner.slice(match[0].length);
  }
  return [value.trim().toLowerCase(), [...found]];
}

/** The text with its escapes replaced by letters of the same length, so that a quote in it ends a value. */
function unambiguous(text: string): string {
  return text.replace(/\\["\\]/g, "xx");
}

function escapedText(inner: string): string {
  const length = unambiguous(inner).indexOf('"');
  return inner.slice(0, length).replace(/\\(["\\])/g, "$1");
}

const none = { for: "", proto: "", host: "" };
const forwardedCases: [text: string, expected: readonly object[]][] = [
  ["for=192.0.2.60;proto=http;by=203.0.113.43", [{ ...none, for: "192.0.2.60", proto: "http" }]],
  ["For=192.0.2.43, FOR=198.51.100.17", [{ ...none, for: "192.0.2.43" }, { ...none, for: "198.51.100.17" }]],
  ['for="[2001:db8:cafe::17]:4711"', [{ ...none, for: "[2001:db8:cafe::17]:4711" }]],
  ['host="a.example:80" ; Proto=https', [{ ...none, host: "a.example:80", proto: "https" }]],
  ['for="a,b;proto=https", for=c', [{ ...none, for: "a,b;proto=https" }, { ...none, for: "c" }]],
  ['for="a\\",proto=https", for=c', [{ ...none, for: 'a",proto=https' }, { ...none, for: "c" }]],
  ["for=_hidden", [{ ...none, for: "_hidden" }]],
  ["", [none]],
  ["secret=1", [none]],
  ["for=a,,for=b", [{ ...none, for: "a" }, none, { ...none, for: "b" }]],
  // A quote that is not closed, something behind one, a name that comes twice: readers differ, so none is believed.
  ['for="a, for=b', []],
  ['for="a"b', []],
  ["for=a;for=b", []],
  ["for=a;FOR=b, for=c", []],
];

for (const [text, expected] of forwardedCases) {
  Deno.test(`readForwarded() of ${JSON.stringify(text)}`, () => assertEquals(readForwarded(text), expected));
}

const offered = ["text/plain", "application/json", "text/html"];

const acceptCases: readonly [header: string, chosen: string][] = [
  ["", "text/plain"],
  ["*/*", "text/plain"],
  ["application/json", "application/json"],
  ["application/*", "application/json"],
  ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "text/html"],
  ["text/plain;q=0.5, application/json;q=0.9", "application/json"],
  ["text/*;q=0.2, text/html;q=0.1, application/json;q=0", "text/plain"],
  ["application/json;q=0, */*", "text/plain"],
  ["image/png", "text/plain"],
  ["APPLICATION/JSON ; charset=utf-8 ; q=1", "application/json"],
  ["application/json;q=nonsense", "application/json"],
  [",;,/,", "text/plain"],
  ["a/b,".repeat(100_000) + "text/html", "text/plain"],
];

for (const [header, chosen] of acceptCases) {
  Deno.test(`chooseType() for "${header.slice(0, 50)}" returns "${chosen}"`, () => {
    assertEquals(chooseType(header, offered), chosen);
  });
}
