import { assertEquals, assertGreater, equal } from "@std/assert";
import fc from "npm:fast-check@^4";
import { runs } from "../../../runs.ts";
import { type Case, cases, type Entry, field, file } from "../../../testdata/forms/cases.ts";
import { entriesOf, ways } from "../../../testdata/forms/requests.ts";

const plain = "multipart/form-data; boundary=X";

for (const [way, request] of Object.entries(ways)) {
  Deno.test(`MultipartReader reads every body of the table correctly, ${way}`, async (t) => {
    for (const { name, type = plain, body, expected } of cases) {
      await t.step(name, async () => assertEquals(await entriesOf(request(body, type, [3])), expected));
    }
  });
}

Deno.test("MultipartReader reads every body of the table correctly over a socket", async () => {
  const server = Deno.serve({ port: 0, onListen() {} }, async (r) => Response.json(await entriesOf(r)));
  const address = `http://localhost:${server.addr.port}/`;
  for (const { name, type = plain, body, expected } of cases) {
    for (const sent of [body, new Blob([body]).stream()]) {
      const response = await fetch(address, { method: "POST", body: sent, headers: { "content-type": type } });
      assertEquals(await response.json(), expected, name);
    }
  }
  await server.shutdown();
});

Deno.test("MultipartReader is necessary, because the platform's parser fails for some bodies of the table", async () => {
  const right: string[] = [];
  for (const { name, type = plain, body, expected } of cases) {
    const found = await nativeEntries(body, type);
    if (equal(found, expected === 413 ? 400 : expected)) right.push(name);
  }
  // The number of cases that the platform reads correctly changes with Deno. If it were all of them, fw would not need
  // its own reader. If it were few, the list would be wrong.
  const listed = cases.filter(({ native }) => native !== undefined).map(({ name }) => name);
  assertGreater(listed.filter((name) => !right.includes(name)).length, 0);
  assertGreater(right.length, cases.length / 2);
});

// A form field must not contain the character NUL.
const text = fc.string({ unit: "binary" }).map((each) => each.replaceAll("\0", "0"));
const entries = fc.array(
  fc.oneof(
    fc.record({ name: fc.string({ unit: "grapheme" }), value: text }),
    fc.record({ name: fc.string({ unit: "grapheme" }), filename: fc.constant("f.txt"), value: fc.string() }),
  ),
  { maxLength: 8 },
);
// Parts of delimiters are difficult for a search.
const nasty = fc.array(fc.constantFrom("\r", "\n", "-", "--", "X", "--X", "\r\n--", "\r\n--X", "\r\n--XY", "a", " "))
  .map((pieces) => pieces.join("")).filter((text) =>
    !/^--X(?:--|[ \t]*\r\n|[ \t]*$)|\r\n--X(?:--|[ \t]*\r\n|[ \t]*\r?$|-$)/.test(text)
  );

Deno.test("MultipartReader reads a valid body regardless of how it is split into chunks", async () => {
  await fc.assert(
    fc.asyncProperty(
      entries,
      fc.array(nasty, { maxLength: 4 }),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 }),
      async (list, values, sizes) => {
        const [body, expected] = bodyOf(list, values);
        for (const request of Object.values(ways)) assertEquals(await entriesOf(request(body, plain, sizes)), expected);
      },
    ),
    { numRuns: runs(300) },
  );
});

Deno.test("MultipartReader fails with 400 for a body that is truncated at any byte", async () => {
  await fc.assert(
    fc.asyncProperty(
      entries,
      fc.array(nasty, { maxLength: 4 }),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      async (list, values, sizes, share) => {
        const [body, expected] = bodyOf(list, values);
        const bytes = new TextEncoder().encode(body);
        const kept = bytes.slice(0, Math.floor(share * bytes.length));
        // The last line break is optional.
        const isWhole = kept.length >= bytes.length - 2;
        for (const request of Object.values(ways)) {
          assertEquals(await entriesOf(request(kept, plain, sizes)), isWhole ? expected : 400);
        }
      },
    ),
    { numRuns: runs(300) },
  );
});

Deno.test("MultipartReader reads random bytes or fails with 400, and never fails in another way", async () => {
  const garbage = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.array(
      fc.constantFrom(
        "--X",
        "\r\n",
        "--",
        "X",
        ":",
        ";",
        '"',
        "\\",
        "\0",
        "é",
        "Content-Disposition: form-data",
        'name="a"',
        "filename*=UTF-8''%",
        "%zz",
        "=",
        " ",
        "\r",
        "\n",
      ),
      { maxLength: 40 },
    ).map((pieces) => new TextEncoder().encode(pieces.join(""))),
  );
  await fc.assert(
    fc.asyncProperty(garbage, async (bytes) => {
      const found = await Promise.all(Object.values(ways).map((request) => entriesOf(request(bytes, plain, [7]))));
      for (const one of found) assertEquals(one, found[0]);
      if (typeof found[0] === "number") assertEquals(found[0], 400);
    }),
    { numRuns: runs(1000) },
  );
});

/** Serializes entries as a body and returns the expected result. */
function bodyOf(
  list: readonly { name: string; value: string; filename?: string }[],
  values: readonly string[],
): [string, readonly Entry[]] {
  const named = [...list, ...values.map((value) => ({ name: "nasty", value }))].filter(({ value }) =>
    !value.includes("\r\n--X") || value.includes("\r\n--XY")
  );
  const fields = named.filter((entry) => !("filename" in entry)).map(({ name, value }) =>
    [clean(name), value] as const
  );
  const names = [...new Set(fields.map(([name]) => name))].sort(byPlaceInObject);
  const files = named.filter((entry) => "filename" in entry).map(({ name, value }) => [clean(name), value] as const);
  const text = named.map((entry) =>
    "filename" in entry ? file(clean(entry.name), "f.txt", entry.value) : field(clean(entry.name), entry.value)
  );
  return [
    `${text.join("")}--X--\r\n`,
    [
      ...names.flatMap((name) => fields.filter((entry) => entry[0] === name)),
      ...files.map(([name, value]) => [name, "f.txt", "text/plain", value] as const),
    ],
  ];
}

/** Compares names in object order, in which numeric names come first. */
function byPlaceInObject(a: string, b: string): number {
  const [x, y] = [a, b].map((name) => String(Number(name) >>> 0) === name && name !== "4294967295");
  return x && y ? Number(a) - Number(b) : x === y ? 0 : x ? -1 : 1;
}

function clean(name: string): string {
  return name.replace(/["\\%\p{Cc}]/gu, "");
}

async function nativeEntries(body: Case["body"], type: string): Promise<readonly Entry[] | 400> {
  try {
    const form = await new Request("http://localhost/", { method: "POST", body, headers: { "content-type": type } })
      .formData();
    const found: Entry[] = [];
    for (const name of new Set(form.keys())) {
      for (const value of form.getAll(name)) {
        found.push(typeof value === "string" ? [name, value] : [name, value.name, value.type, await value.text()]);
      }
    }
    return found;
  } catch {
    return 400;
  }
}
