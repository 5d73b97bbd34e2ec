import { assert, assertEquals, assertThrows } from "@std/assert";
import * as fw from "../../../mod.ts";
import {
  bytes,
  count,
  either,
  flag,
  func,
  group,
  list,
  methods,
  oneOf,
  record,
  required,
  text,
  texts,
  timeLimit,
} from "../../../src/base/config/option_kinds.ts";
import { orFalse } from "../../../src/base/config/option_shapes.ts";
import { optionTable, readOptions } from "../../../src/base/config/option_table.ts";
import * as websocket from "../../../src/live/websocket/mod.ts";
import * as accesslog from "../../../src/middleware/accesslog/mod.ts";
import * as csrf from "../../../src/middleware/csrf/mod.ts";
import * as etag from "../../../src/middleware/etag.ts";
import * as health from "../../../src/middleware/health/mod.ts";
import * as jwt from "../../../src/middleware/jwt/mod.ts";
import * as sessions from "../../../src/state/sessions/mod.ts";
import * as store from "../../../src/state/store/mod.ts";

interface Tea {
  Name?: string;
  Size?: number;
  Sugar?: number;
  Minutes?: number;
  On?: boolean;
  Do?: (cups: number) => string;
  Box?: object;
  List?: readonly unknown[];
  Tags?: readonly string[];
  Either?: string | readonly string[];
  Mode?: "evict" | "refuse";
  Store?: { Get(key: string): string; Set(key: string): void };
  Origin?: string | false;
  Shelf?: { readonly Rows: number; readonly Color?: string };
}

const table = optionTable<Tea>("tea.Options", "tea")({
  Name: text("Assam"),
  Size: bytes(1024),
  Sugar: count(2, { from: 0, to: 9 }),
  Minutes: timeLimit(),
  On: flag(false),
  Do: func(),
  Box: record(),
  List: list(),
  Tags: texts(["black"]),
  Either: either(undefined, text(), texts()),
  Mode: oneOf("evict", "evict", "refuse"),
  Store: methods("Get", "Set"),
  Origin: orFalse(text("India")),
  Shelf: group({ Rows: required(count()), Color: text("red") }),
});

function read(options: unknown): object {
  return readOptions(table, options as Tea);
}

Deno.test("readOptions() accepts values of the declared type, and returns them with the defaults", () => {
  const none = read({});
  const given = { Name: "", Size: 0.5, Minutes: 2 ** 31 - 1, On: true, Do: read, Box: {}, List: [1], Tags: ["a"] };
  const store = { Get: read, Set: read };
  const shelf = { Rows: 3, Color: "red" };
  const all = { ...given, Sugar: 9, Either: ["a"], Mode: "refuse", Store: store, Origin: false, Shelf: shelf };
  assertEquals(read({ ...all, Shelf: { Rows: 3 } }), all);
  assertEquals(read(Object.fromEntries(Object.keys(table.rows).map((name) => [name, undefined]))), none);
  assertEquals(Object.entries(none).filter(([, value]) => value !== undefined), [
    ["Name", "Assam"],
    ["Size", 1024],
    ["Sugar", 2],
    ["On", false],
    ["Tags", ["black"]],
    ["Mode", "evict"],
    ["Origin", "India"],
  ]);
});

Deno.test("readOptions() returns types without undefined for options with a default", () => {
  const settings = readOptions(table, {} as Tea);
  const name: string = settings.Name;
  // @ts-expect-error -- There is no default.
  const minutes: number = settings.Minutes;
  assertEquals([name, minutes], ["Assam", undefined]);
});

Deno.test("optionTable() reports missing, additional and mistyped rows to the compiler", () => {
  const declare = optionTable<{ Name?: string; Do?: () => void; After: number }>("declared.Options", "declared");
  // @ts-expect-error -- Do is missing.
  void (() => declare({ Name: text(), After: required(count()) }));
  // @ts-expect-error -- There is no such option.
  void (() => declare({ Name: text(), Do: func(), After: required(count()), Before: count() }));
  // @ts-expect-error -- Name is a string.
  void (() => declare({ Name: count(), Do: func(), After: required(count()) }));
  // @ts-expect-error -- Do is a function.
  void (() => declare({ Name: text(), Do: flag(), After: required(count()) }));
  // @ts-expect-error -- After is required.
  void (() => declare({ Name: text(), Do: func(), After: count() }));
  // @ts-expect-error -- The default is not a string.
  void (() => declare({ Name: text(5), Do: func(), After: required(count()) }));
});

for (
  const [options, message] of [
    [{ Nmae: "x" }, 'the option "Nmae" of tea: there is no such option; its options are: Name, Size, Sugar, '],
    [{ Nmae: "x" }, 'Shelf; did you mean "Name"?'],
    [{ name: "x" }, 'did you mean "Name"?'],
    [{ MODE: "x" }, 'did you mean "Mode"?'],
    [{ toString: 1 }, 'the option "toString" of tea: there is no such option'],
    [{ Name: 5 }, 'the option "Name" of tea: it must be a string, not 5'],
    [{ Size: "5" }, 'the option "Size" of tea: it must be a non-negative number, not a string'],
    [{ Size: -1 }, 'the option "Size" of tea: it must be a non-negative number, not -1'],
    [{ Size: NaN }, 'the option "Size" of tea: it must be a non-negative number, not NaN'],
    [{ Size: Infinity }, 'the option "Size" of tea: it must be a non-negative number, not Infinity'],
    [{ Sugar: 10 }, 'the option "Sugar" of tea: it must be a non-negative integer up to 9, not 10'],
    [{ Sugar: 0.5 }, 'the option "Sugar" of tea: it must be a non-negative integer up to 9, not 0.5'],
    [{ Minutes: 0 }, "of tea: it must be a positive number of milliseconds up to 2147483647, not 0"],
    [{ Minutes: 2 ** 31 }, "it must be a positive number of milliseconds up to 2147483647, not 2147483648"],
    [{ On: "yes" }, 'the option "On" of tea: it must be a boolean, not a string'],
    [{ Do: {} }, 'the option "Do" of tea: it must be a function, not an object'],
    [{ Box: [] }, 'the option "Box" of tea: it must be an object, not an empty array'],
    [{ Box: null }, 'the option "Box" of tea: it must be an object, not null'],
    [{ List: {} }, 'the option "List" of tea: it must be an array, not an object'],
    [{ Tags: "a" }, 'the option "Tags" of tea: it must be an array of strings, not a string'],
    [{ Tags: ["a", 1] }, 'the option "Tags" of tea: it must be an array of strings, not an array with 1'],
    [{ Either: 1 }, 'the option "Either" of tea: it must be a string or an array of strings, not 1'],
    [{ Mode: "evcit" }, 'the option "Mode" of tea: it must be "evict" or "refuse", not "evcit"'],
    [{ Origin: true }, 'the option "Origin" of tea: it must be a string or false, not true'],
    [
      { Shelf: { Row: 1 } },
      'the option "Row" of tea.Shelf: there is no such option; its options are: Rows, Color; did',
    ],
    [{ Shelf: { Rows: -1 } }, 'the option "Rows" of tea.Shelf: it must be a positive integer, not -1'],
    [{ Shelf: {} }, 'the options of tea.Shelf: "Rows" is missing; it must be a positive integer'],
    [
      { Store: new Map() },
      'the option "Store" of tea: it must be an object with the methods "Get", "Set", not an object',
    ],
    ["abc", "the options of tea: they must be an object, not a string"],
    [null, "the options of tea: they must be an object, not null"],
  ] as const
) {
  const given = JSON.stringify(options, (_, value) => typeof value === "number" ? String(value) : value);
  Deno.test(`readOptions() rejects ${given}: ${message.slice(0, 60)}`, () => {
    const error = assertThrows(() => read(options), fw.FrameworkError, message);
    assert(error.message.startsWith("Cannot use the option"));
    assertEquals(error.Code, "FW_CONFIG");
  });
}

Deno.test("csrf, sessions, jwt, store and websocket reject options that the compiler would reject", () => {
  // deno-lint-ignore no-explicit-any
  const any = (value: unknown): any => value;
  for (
    const [create, message] of [
      [() => csrf.New({ Keys: any("abc") }), '"Keys" of csrf: it must be an object with the methods "Sign", "Verify"'],
      [
        () => sessions.New(any({ Expiry: 1 })),
        '"Expiry" of sessions: there is no such option; its options are: Cookie',
      ],
      [
        () => sessions.New({ Store: any(store.NewMemory()) }),
        '"Store" of sessions: it must be an object with the methods',
      ],
      [() => jwt.New(any({ Algorithm: "HS256" })), '"Algorithm" of jwt: there is no such option'],
      [
        () => store.NewMemory({ WhenFull: any("evcit") }),
        '"WhenFull" of store.NewMemory: it must be "evict" or "refuse"',
      ],
      [() => etag.New({ MaxBody: -1 }), '"MaxBody" of etag: it must be a non-negative number, not -1'],
      [() => accesslog.New({ MaxAge: NaN }), '"MaxAge" of accesslog: it must be a non-negative number, not NaN'],
      [() => health.New({ MaxAge: -1 }), '"MaxAge" of health: it must be a non-negative number, not -1'],
      [
        () => fw.WithProxy({ Trust: any("10.0.0.0/8") }),
        '"Trust" of WithProxy: it must be an array of strings, not a string',
      ],
      [() => fw.WithProxy(any({})), 'the options of WithProxy: "Trust" is missing; it must be an array of strings'],
      [
        () => fw.WithProxy(any({ Trust: [], Takes: ["Forwarded"] })),
        '"Takes" of WithProxy: there is no such option; its options are: Trust, Take; did you mean "Take"?',
      ],
      [
        () => fw.RedirectToHTTPS({ Skip: any(["/"]) }),
        '"Skip" of RedirectToHTTPS: it must be a function, not an array',
      ],
      [() => websocket.New({ Rooms: any({ Histroy: 5 }) }), '"Histroy" of websocket.Rooms: there is no such option'],
    ] as const
  ) assertThrows(create, fw.FrameworkError, message);
});
