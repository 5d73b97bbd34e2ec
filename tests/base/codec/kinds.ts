/**
 * The kinds of values that can leave a call, and the fate of each. The reference page `values.md` has the same
 * rows.
 *
 * @module
 */

/** The fate of a value: it is restored, becomes another value, or is refused. */
export type Fate = "same" | "refused" | { readonly becomes: unknown };

/** The JSON that a value is written as: for fw itself, for other programs, or in an HTTP response. */
export type Wire = "stored" | "sent" | "response";

/** A kind of value. */
export interface Kind extends Readonly<Record<Wire, Fate>> {
  readonly name: string;
  readonly value: unknown;
}

class Point {
  x = 1;
}

class Money {
  toJSON(): string {
    return "5 EUR";
  }
}

class Secret {
  readonly #text = "x";
  get length(): number {
    return this.#text.length;
  }
}

const loop: { self?: unknown } = {};
loop.self = loop;

const date = new Date(Date.UTC(2026, 0, 2, 3, 4, 5, 678));
const named = JSON.parse('{"__proto__":{"admin":true},"constructor":1}');
const lost = { becomes: undefined };
const empty = { becomes: {} };

/** One row per kind. The value is nested, so that its path is not trivial. */
export const kinds: readonly Kind[] = [
  row("string", "Zoë\0\n\u2028", "same", "same", "same"),
  row("lone surrogate", "a\ud800b", "same", "same", "same"),
  row("number", 1e21, "same", "same", "same"),
  row("boolean and null", [true, false, null], "same", "same", "same"),
  row("nested arrays and objects", [[{ a: [] }], {}], "same", "same", "same"),
  row("property that is undefined", undefined, lost, lost, lost),
  row("object without a prototype", Object.assign(Object.create(null), { a: 1 }), ...each({ becomes: { a: 1 } })),
  row("property named __proto__", named, "same", "same", "same"),
  row("object that looks like a tag", { $date: 1 }, "same", "same", "same"),
  row("bigint", 2n ** 64n + 1n, "same", "same", "same"),
  row("small bigint", 5n, "same", { becomes: 5 }, { becomes: 5 }),
  row("NaN", NaN, "same", "refused", { becomes: null }),
  row("Infinity", -Infinity, "same", "refused", { becomes: null }),
  row("-0", -0, "same", "same", { becomes: 0 }),
  row("undefined in an array", [1, undefined], "same", "refused", { becomes: [1, null] }),
  row("Date", date, "same", ...both({ becomes: date.toJSON() })),
  row("invalid Date", new Date(NaN), "refused", "refused", { becomes: null }),
  row("URL", new URL("https://a.example/b?c#d"), "same", ...both({ becomes: "https://a.example/b?c#d" })),
  row("Uint8Array", new Uint8Array([0, 255]), "same", "refused", { becomes: { 0: 0, 1: 255 } }),
  row("ArrayBuffer", new Uint8Array([1]).buffer, "same", "refused", empty),
  row("other typed array", new Float64Array([1]), "refused", "refused", { becomes: { 0: 1 } }),
  row("Map", new Map([["a", date]]), "same", ...both({ becomes: { a: date.toJSON() } })),
  row("Map with objects as keys", new Map([[{ a: 1 }, 1n]]), "same", "refused", "refused"),
  row("Set", new Set([1, "a"]), "same", ...both({ becomes: [1, "a"] })),
  row("RegExp", /a+/gi, "same", "refused", empty),
  row("Error", new TypeError("x", { cause: { at: date } }), "same", "refused", empty),
  row("Error with properties", Object.assign(new Error("x"), { code: 1 }), "refused", "refused", {
    becomes: { code: 1 },
  }),
  row(
    "Temporal",
    instant("2026-01-02T03:04:05.678901234Z"),
    "same",
    ...both({
      becomes: "2026-01-02T03:04:05.678901234Z",
    }),
  ),
  row("instance of a class", new Point(), "refused", ...both({ becomes: { x: 1 } })),
  row("instance with toJSON", new Money(), "refused", ...both({ becomes: "5 EUR" })),
  row("instance without properties", new Secret(), "refused", "refused", empty),
  row("Blob", new Blob(["x"]), "refused", "refused", empty),
  row("function", () => 1, "refused", "refused", lost),
  row("symbol", Symbol("s"), "refused", "refused", lost),
  row("property whose name is a symbol", { [Symbol("s")]: 1 }, "refused", empty, empty),
  row("circular reference", loop, "refused", "refused", "refused"),
  // deno-lint-ignore no-sparse-arrays
  row("array with holes", [1, , 3], "refused", "refused", { becomes: [1, null, 3] }),
  row("array with properties", Object.assign([1], { a: 1 }), "refused", ...both({ becomes: [1] })),
  row("value nested 1,000 levels deep", nested(1000), "refused", "refused", "same"),
];

function row(name: string, value: unknown, stored: Fate, sent: Fate, response: Fate): Kind {
  return { name, value, stored, sent, response };
}

function both(fate: Fate): [Fate, Fate] {
  return [fate, fate];
}

function each(fate: Fate): [Fate, Fate, Fate] {
  return [fate, fate, fate];
}

function instant(text: string): unknown {
  const { Temporal } = globalThis as unknown as { Temporal: { Instant: { from(text: string): unknown } } };
  return Temporal.Instant.from(text);
}

function nested(depth: number): unknown {
  let value: unknown = 0;
  for (let level = 0; level < depth; level++) value = [value];
  return value;
}
