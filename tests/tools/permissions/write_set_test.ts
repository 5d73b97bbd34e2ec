import { assertEquals } from "@std/assert";
import { Flags } from "@fw/web/permissions";
import { parseJSONC, setMember } from "../../../src/tools/permissions/jsonc.ts";
import type { Entry } from "../../../src/tools/permissions/permission_set.ts";
import { writeSet } from "../../../src/tools/permissions/write_set.ts";

const entries: readonly Entry[] = [
  { kind: "net", value: "0.0.0.0:8080", sites: ["main.ts:3"] },
  { kind: "env", value: undefined, sites: ["main.ts:4"] },
];

/** Configuration files, and the position at which the set is written. */
const configs: Readonly<Record<string, string>> = {
  "an empty object": "{}",
  "an object on one line": `{ "name": "x" }`,
  "a final line break": `{\n  "name": "x"\n}\n`,
  "a trailing comma and a comment": `{\n  "name": "x", // a "comment", with }\n}\n`,
  "comments after the last member": `{\n  "name": "x" /* { */\n  // the end: {}\n}\n`,
  "an empty list of sets": `{\n  "permissions": {}\n}\n`,
  "other sets": `{\n  "permissions": {\n    "a": { "net": true }\n  },\n  "name": "x"\n}\n`,
  "the same set": `{\n  "permissions": {\n    "b": { "read": ["./x"], },\n    "c": {}\n  }\n}\n`,
  "tabs and Windows line endings": `{\r\n\t"name": "x",\r\n\t"tasks": { "b": "deno run \\"}\\" // no" }\r\n}\r\n`,
  "braces in strings": `{\n  "a}": "{[\\"",\n  "b": ["]", { "permissions": 1 }]\n}\n`,
};

for (const [name, text] of Object.entries(configs)) {
  Deno.test(`writeSet() keeps the rest of a file with ${name}`, () => {
    const result = writeSet(text, "b", entries, { before: {}, comments: false });
    const old = parseJSONC(text) as { permissions?: Record<string, unknown> };
    const set = { net: ["0.0.0.0:8080"], env: true };
    assertEquals(parseJSONC(result), { ...old, permissions: { ...old.permissions, b: set } });
    for (const comment of text.match(/\/\/[^"\r\n]*$|\/\*.*?\*\//gm) ?? []) {
      assertEquals(result.includes(comment), true);
    }
    assertEquals(result.includes("\r\n"), text.includes("\r\n"));
    assertEquals(/[^\r]\n/.test(result) && text.includes("\r\n"), false);
    // A second run changes nothing.
    assertEquals(writeSet(result, "b", entries, { before: {}, comments: false }), result);
  });
}

Deno.test("writeSet() writes the reasons as comments, and a long list in several lines", () => {
  const text = writeSet("{}\n", "start", entries, { before: {}, comments: true });
  const reason = `"net": [\n        "0.0.0.0:8080" // main.ts:3\n      ],\n      // main.ts:4\n      "env": true\n`;
  assertEquals(text, `{\n  "permissions": {\n    "start": {\n      ${reason}    }\n  }\n}\n`);
  const many = Array.from({ length: 9 }, (_, at) => ({ kind: "env", value: `A_LONG_NAME_${at}`, sites: [] }) as const);
  const lines = writeSet("{}", "start", many, { before: {}, comments: false }).split("\n");
  assertEquals([lines.length, Math.max(...lines.map((line) => line.length)) < 80], [17, true]);
});

Deno.test("setMember() replaces a value that is not an object", () => {
  assertEquals(setMember(`{"a": 1, "b": 2}`, ["a", "x"], ["3"]), `{"a": {\n    "x": 3\n  }, "b": 2}`);
});

Deno.test("Flags() converts all rules of a permission set", () => {
  const set = {
    net: true,
    read: ["a,b", "c"],
    write: false,
    env: { allow: ["A"], deny: ["B"], ignore: true },
    run: [],
  };
  assertEquals(Flags(set), ["--allow-net", "--allow-read=a,,b,c", "--allow-env=A", "--deny-env=B", "--ignore-env"]);
  assertEquals(Flags({ all: true, ffi: { deny: true } }), ["--allow-all", "--deny-ffi"]);
});
