/** Tests samples of every parameter type, with the router and with the schema in the OpenAPI document. */

import { assert, assertEquals } from "@std/assert";
import * as fw from "../../../mod.ts";
import { BUILTIN_TYPES } from "../../../src/http/parameter_types/types.ts";
import * as openapi from "../../../src/api/openapi/mod.ts";
import { quiet } from "../../serving.ts";

const numbers = [
  "0",
  "-1",
  "+1",
  "007",
  "127",
  "128",
  "-128",
  "-129",
  "255",
  "256",
  "32767",
  "32768",
  "-32769",
  "65536",
];
const large = ["2147483647", "2147483648", "-2147483649", "4294967295", "4294967296", "9007199254740991"];
const huge = ["9007199254740992", "9223372036854775807", "9223372036854775808", "18446744073709551616", "1e3", "1.5"];
const words = [
  "a",
  "A b",
  "a-b",
  "ann lee",
  "ä",
  "a1",
  ".",
  "..",
  "...",
  "a.txt",
  ".env",
  "a_b-c.d",
  "a b.txt",
  "%",
  "{}",
];
const days = ["monday", "Monday", "MONDAY", "mon", "sunday", "Saturday", "6", "7", "06", "2026-11-15", "2026-02-30"];
const more = ["true", "True", "TRUE", "t", "f", "false", "yes", "ann@example.com", "ann@", "@x", "ann@x@y"];
const ids = [
  "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
  "6BA7B810-9DAD-11D1-80B4-00C04FD430C8",
  "6ba7b8109dad11d180b400c04fd430c8",
];
const samples = [...numbers, ...large, ...huge, ...words, ...days, ...more, ...ids];

/** Reports whether a schema accepts a value in the form it has in a path. */
function accepts(schema: Record<string, unknown>, text: string): boolean {
  if (schema["type"] === "boolean") return text === "true" || text === "false";
  if (schema["type"] === "integer") {
    if (!/^-?\d+$/.test(text)) return false;
    const [low, high] = bounds[String(schema["format"])] ?? [schema["minimum"], schema["maximum"]].map(bigint);
    const value = BigInt(text);
    return (low === undefined || value >= low) && (high === undefined || value <= high);
  }
  assertEquals(schema["type"], "string");
  if (schema["pattern"] !== undefined) return new RegExp(String(schema["pattern"]), "u").test(text);
  const format = formats[String(schema["format"])];
  return format === undefined || format(text);
}

function bigint(bound: unknown): bigint | undefined {
  return typeof bound === "number" ? BigInt(bound) : undefined;
}

const bounds: Readonly<Record<string, readonly bigint[]>> = {
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
  uint64: [0n, 2n ** 64n - 1n],
};

const formats: Readonly<Record<string, (text: string) => boolean>> = {
  uuid: (text) => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text),
  date: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && new Date(`${text}T00:00Z`).toJSON()?.slice(0, 10) === text,
  email: (text) => /^[^@\s]+@[^@\s]+$/.test(text),
};

// deno-lint-ignore no-explicit-any -- accessed by path
async function documentOf(app: fw.Application): Promise<any> {
  return JSON.parse(JSON.stringify(await openapi.New({ Title: "t", Version: "1" }).Build(app)));
}

/** Returns the schema of a parameter in the document of an application. */
async function schemaOf(type: string): Promise<Record<string, unknown>> {
  const app = fw.New();
  app.Get(`/{value:${type}}`, () => {});
  const document = await documentOf(app);
  return document.paths["/{value}"].get.parameters[0].schema;
}

for (const type of BUILTIN_TYPES) {
  Deno.test(`{value:${type.Name}} accepts the same values in the router and in OpenAPI`, async () => {
    const schema = await schemaOf(type.Name);
    const app = quiet();
    app.Get(`/{value:${type.Name}}`, (ctx) => ctx.WriteString("ok"));
    for (const sample of samples) {
      // A path cannot contain dot segments.
      if (/^\.{1,2}$/.test(sample)) continue;
      const { status } = await app.fetch(new Request(`http://localhost/${encodeURIComponent(sample)}`));
      if (accepts(schema, sample)) assertEquals(status, 200, `the schema accepts ${sample}`);
      if (status !== 200) continue;
      const value = type.Convert?.(sample);
      const isPlainValue = ["boolean", "bigint"].includes(typeof value) ||
        (typeof value === "number" && schema["type"] === "integer");
      assert(accepts(schema, isPlainValue ? String(value) : sample), `the router accepts ${sample}`);
    }
  });
}

Deno.test("ParamType.Schema of a custom type appears in the OpenAPI document", async () => {
  const app = fw.New();
  app.Macros().Register({
    Name: "shout",
    Test: (text, start, end) => /^[A-Z]+$/.test(text.slice(start, end)),
    Schema: { type: "string", pattern: "^[A-Z]+$" },
  });
  app.Get("/{word:shout}", () => {});
  const document = await documentOf(app);
  assertEquals(document.paths["/{word}"].get.parameters[0].schema, { type: "string", pattern: "^[A-Z]+$" });
});

Deno.test("the guide lists every parameter type", async () => {
  const guide = await Deno.readTextFile(new URL("../../../examples/book/reference/routing.md", import.meta.url));
  const unnamed = BUILTIN_TYPES.map(({ Name }) => Name).filter((name) => !/^u?int\d+$|^uint$/.test(name))
    .filter((name) => !guide.includes(`\`${name}\``) && name !== "int64");
  assertEquals(unnamed, []);
});
