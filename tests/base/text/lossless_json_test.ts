import { assertEquals, assertThrows } from "@std/assert";
import * as fw from "../../../mod.ts";
import { parseLossless } from "../../../src/base/text/lossless_json.ts";
import { parseMessage } from "../../../src/live/websocket/wire/packet.ts";
import { bodyText, secretTest } from "../../../src/middleware/accesslog/masked_body.ts";
import { assertLinear } from "../../growth.ts";

const long = "1234567890123456789";

Deno.test("parseLossless() returns integers with more digits than a number can represent as bigints", () => {
  const cases: [text: string, value: unknown][] = [
    [long, BigInt(long)],
    [`-${long}`, -BigInt(long)],
    [`[${long}, 1, "${long}", -0, 1e3]`, [BigInt(long), 1, long, -0, 1000]],
    [`{"${long}": ${long}, "a\\"${long}\\\\": [${long}]}`, { [long]: BigInt(long), [`a"${long}\\`]: [BigInt(long)] }],
    [`${long}.5`, Number(`${long}.5`)],
    [`${long}e5`, Number(`${long}e5`)],
    [`0.${long}`, Number(`0.${long}`)],
    ["9007199254740992", 9007199254740992],
    ["9007199254740993", 9007199254740993n],
    ["1000000000000000000000", 1000000000000000000000n],
  ];
  for (const [text, value] of cases) assertEquals(parseLossless(text), value, text);
});

Deno.test("parseLossless() rejects invalid JSON and integers with too many digits", () => {
  for (
    const text of ["", `${long}"`, `"${long}`, `0${long}`, `-`, `[${long}`, `+${long}`, `${long}-${long}`, `${long}e`]
  ) {
    assertThrows(() => parseLossless(text), SyntaxError, "", text);
  }
  assertEquals(parseLossless("9".repeat(4_096)), BigInt("9".repeat(4_096)));
  assertThrows(() => parseLossless("9".repeat(4_097)), SyntaxError, "4097 digits");
});

/** Text that is expensive for parsers which read a part of it again. */
const hostile: Readonly<Record<string, (size: number) => string>> = {
  "quotes without an end": (size) => long + '"'.repeat(size),
  "escaped quotes without an end": (size) => `${long}"` + '\\"'.repeat(size / 2),
  "backslashes without an end": (size) => `${long}"` + "\\".repeat(size),
  "strings of one character without a last quote": (size) => long + '"a'.repeat(size / 2),
  "a valid string": (size) => `[${long},"${"a".repeat(size)}"]`,
  "a valid string of escapes": (size) => `[${long},"${"\\\\".repeat(size / 2)}"]`,
  "opening brackets": (size) => long + "[".repeat(size),
  "one integer": (size) => "9".repeat(size),
  "long integers": (size) => `[${`${"9".repeat(4_000)},`.repeat(size / 4_000)}1]`,
  "many integers": (size) => `[${`${long},`.repeat(size / 20)}1]`,
  "minus signs": (size) => long + "-".repeat(size),
  "digits and dots": (size) => `[${long}${"1.".repeat(size / 2)}]`,
  "spaces": (size) => `[${long}${" ".repeat(size)}x`,
};

/** The doors through which the text enters. */
const doors: Readonly<Record<string, (text: string) => unknown>> = {
  "parseLossless()": parseLossless,
  "WebSocket messages": parseMessage,
  "Context.ReadJSON()": (text) => send(async (ctx) => void await ctx.ReadJSON(), text),
  "Context.ReadJSONStream()": (text) =>
    send(async (ctx) => {
      for await (const _ of ctx.ReadJSONStream(anything)) { /* read */ }
    }, text),
  "accesslog with RequestBody": (text) =>
    bodyText({ bytes: new TextEncoder().encode(text), isWhole: true, type: "application/json" }, {
      max: 1_000,
      isSecret: secretTest([]),
    }),
};

/** A schema that accepts all values. Without one, streams are not parsed losslessly. */
const anything = { "~standard": { version: 1, vendor: "fw", validate: (value: unknown) => ({ value }) } } as const;

async function send(handler: fw.Handler, body: string): Promise<void> {
  const app = fw.New();
  app.Logger().SetOutput(() => {});
  app.Post("/", handler);
  const headers = { "content-type": "application/json" };
  await (await app.fetch(new Request("http://localhost/", { method: "POST", headers, body }))).body?.cancel();
}

for (const [door, read] of Object.entries(doors)) {
  Deno.test(`${door} parses hostile JSON in linear time`, async (t) => {
    for (const [name, prepare] of Object.entries(hostile)) {
      await t.step(name, () =>
        assertLinear(async (text: string) => {
          try {
            await read(text);
          } catch (error) {
            if (!(error instanceof SyntaxError)) throw error;
          }
        }, { size: 20_000, prepare }));
    }
  });
}
