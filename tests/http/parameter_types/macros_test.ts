import { assert, assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { FrameworkError } from "../../../src/base/errors/errors.ts";
import { Macros, type ParamFuncBuilder } from "../../../src/http/parameter_types/macros.ts";
import type { ParamType } from "../../../src/http/parameter_types/types.ts";
import { type ParamSegment, parseTemplate } from "../../../src/http/parameter_types/template.ts";

function param(source: string, macros: Macros): ParamSegment {
  const segment = parseTemplate(source, macros).segments.at(-1);
  assert(segment?.kind === "param");
  return segment;
}

function accepts(segment: ParamSegment, text: string): boolean {
  return segment.accept(text, 0, text.length);
}

/** A type with state and prototype methods, like a user-defined class. */
class Code implements ParamType {
  readonly Name = "code";
  readonly Aliases = ["cd"];
  #length = 3;
  Test(_text: string, start: number, end: number): boolean {
    return end - start === this.#length;
  }
  Convert(text: string): string {
    return text.toUpperCase() + this.#length;
  }
}

Deno.test("Macros.Register() adds a type that templates can refer to by name or alias", () => {
  const macros = new Macros().Register(new Code());
  for (const name of ["code", "cd"]) {
    const segment = param(`/{x:${name}}`, macros);
    assert(accepts(segment, "abc"));
    assert(!accepts(segment, "abcd"));
    assertEquals(segment.type.Convert?.("abc"), "ABC3");
    assertEquals(segment.rank, 500);
    assertEquals(segment.key, "code");
  }
});

Deno.test("Macros.Register() accepts a rank and orders a trailing type after string", () => {
  const yes = () => true;
  const macros = new Macros()
    .Register({ Name: "a", Rank: 7, Test: yes })
    .Register({ Name: "tail", Trailing: true, Test: yes });
  assertEquals(param("/{x:a}", macros).rank, 7);
  const tail = param("/{x:tail}", macros);
  assertEquals([tail.rank, tail.trailing], [950, true]);
  assertThrows(() => parseTemplate("/{x:tail}/more", macros), FrameworkError, "matches the rest of the path");
});

Deno.test("Macros.Register() stores a copy, so that later changes have no effect", () => {
  const type = { Name: "once", Test: () => true };
  const macros = new Macros().Register(type);
  type.Test = () => false;
  assert(accepts(param("/{x:once}", macros), "a"));
});

Deno.test("Macros of one application are independent of another application's", () => {
  new Macros().Register(new Code()).RegisterFunc("*", "odd", () => () => true);
  const other = new Macros();
  assertEquals(other.Get("code"), undefined);
  assertThrows(() => parseTemplate("/{x odd()}", other), FrameworkError, 'unknown function "odd"');
});

Deno.test("Macros.Get() returns the type or undefined", () => {
  const macros = new Macros();
  assertEquals(macros.Get("int")?.Name, "int");
  for (const name of ["nope", "", "constructor", "__proto__"]) assertStrictEquals(macros.Get(name), undefined);
});

Deno.test("Macros.Register() adds the string functions only to a type without Convert", () => {
  const macros = new Macros().Register({ Name: "plain", Test: () => true }).Register(new Code());
  assert(!accepts(param("/{x:plain min(2)}", macros), "a"));
  assertThrows(
    () => parseTemplate("/{x:code min(2)}", macros),
    FrameworkError,
    'function "min" is not available for type "code"',
  );
});

Deno.test("Macros.RegisterFunc() adds a function to a type, which may be given by its alias", () => {
  const macros = new Macros().RegisterFunc(
    "long",
    "multiple",
    (n = "1") => (value) => BigInt(value) % BigInt(n) === 0n,
  );
  const segment = param("/{x:int64 multiple(3)}", macros);
  assert(accepts(segment, "9"));
  assert(!accepts(segment, "10"));
  assertThrows(() => parseTemplate("/{x:int multiple(3)}", macros), FrameworkError, "is not available for type");
});

Deno.test("Macros.RegisterFunc() with * adds a function to all existing and future types", () => {
  const macros = new Macros()
    .RegisterFunc("*", "not", (...texts) => (value) => !texts.includes(value))
    .Register(new Code());
  for (const [type, value] of [["string", "abc"], ["int", "123"], ["bool", "true"], ["code", "xyz"]] as const) {
    assert(accepts(param(`/{x:${type} not(q)}`, macros), value));
    assert(!accepts(param(`/{x:${type} not(q, ${value})}`, macros), value));
  }
});

Deno.test("Macros.RegisterFunc() calls the builder once per template, not per value", () => {
  let built = 0;
  const macros = new Macros().RegisterFunc("string", "count", () => {
    built++;
    return () => true;
  });
  const segment = param("/{x count()}", macros);
  for (let i = 0; i < 5; i++) accepts(segment, "a");
  assertEquals(built, 1);
});

Deno.test("Macros.RegisterFunc() lets the builder reject its arguments at the column of the function", () => {
  const macros = new Macros()
    .RegisterFunc("*", "two", (_a: string, _b: string) => () => true)
    .RegisterFunc("*", "throws", () => {
      throw new Error("No such color");
    })
    .RegisterFunc("*", "nothing", (() => undefined) as unknown as ParamFuncBuilder);
  for (
    const [source, state] of [
      ["/{x two(a)}", 'function "two" takes 2 or more arguments at column 5'],
      ["/{x throws(a)}", 'function "throws" rejects its arguments (No such color) at column 5'],
      [
        "/{x nothing()}",
        'function "nothing" rejects its arguments (The builder did not return a function) at column 5',
      ],
    ] as const
  ) {
    assertEquals(
      assertThrows(() => parseTemplate(source, macros), FrameworkError).message,
      `Cannot parse path template "${source}": ${state}`,
    );
  }
});

const yes = { Test: () => true };
const BAD_NAME = "a name consists of letters, digits and underscores and does not start with a digit";
const BAD_TYPES: [name: string, type: unknown, message: string][] = [
  ["an empty name", { Name: "", ...yes }, `Cannot register parameter type "": ${BAD_NAME}`],
  ["a name with a dash", { Name: "a-b", ...yes }, `Cannot register parameter type "a-b": ${BAD_NAME}`],
  ["a name that begins with a digit", { Name: "1a", ...yes }, `Cannot register parameter type "1a": ${BAD_NAME}`],
  ["no name", { ...yes }, `Cannot register parameter type "undefined": ${BAD_NAME}`],
  ["nothing", undefined, `Cannot register parameter type "undefined": ${BAD_NAME}`],
  ["a bad alias", { Name: "a", Aliases: ["b c"], ...yes }, `Cannot register parameter type "b c": ${BAD_NAME}`],
  ["a built-in name", { Name: "int", ...yes }, 'Cannot register parameter type "int": the name is already in use'],
  ["a built-in alias", { Name: "long", ...yes }, 'Cannot register parameter type "long": the name is already in use'],
  [
    "an alias that is taken",
    { Name: "a", Aliases: ["int"], ...yes },
    'parameter type "int": the name is already in use',
  ],
  ["itself as alias", { Name: "a", Aliases: ["a"], ...yes }, 'parameter type "a": the name is already in use'],
  ["no Test", { Name: "a" }, 'Cannot register parameter type "a": it has no Test function'],
  ["a Convert that is not a function", { Name: "a", ...yes, Convert: 1 }, "its Convert is not a function"],
  ["a Rank that is not a number", { Name: "a", ...yes, Rank: NaN }, 'its Rank must be a number, not "NaN"'],
];

for (const [name, type, message] of BAD_TYPES) {
  Deno.test(`Macros.Register() rejects ${name}`, () => {
    const error = assertThrows(() => new Macros().Register(type as ParamType), FrameworkError, message);
    assertEquals(error.Code, "FW_MACRO");
  });
}

Deno.test("Macros.Register() rejects a second type with the same name and changes nothing", () => {
  const macros = new Macros().Register({ Name: "a", ...yes });
  assertThrows(
    () => macros.Register({ Name: "b", Aliases: ["a"], ...yes }),
    FrameworkError,
    '"a": the name is already in use',
  );
  assertEquals(macros.Get("b"), undefined);
});

function build(): () => boolean {
  return () => true;
}

const BAD_FUNCTIONS: [name: string, args: [unknown, unknown, unknown], message: string][] = [
  ["a bad name", ["int", "a b", build], `Cannot register parameter function "a b": ${BAD_NAME}`],
  ["the word else", ["int", "else", build], `Cannot register parameter function "else": ${BAD_NAME}`],
  ["no name", ["int", undefined, build], 'parameter function "undefined"'],
  ["no builder", ["int", "a", undefined], 'parameter function "a": its builder is not a function'],
  ["an unknown type", ["nope", "a", build], 'parameter function "a": there is no parameter type "nope"'],
  ["a built-in function of the type", ["int", "min", build], 'parameter function "min": the name is already in use'],
  [
    "a built-in function for every type",
    ["*", "regexp", build],
    'parameter function "regexp": the name is already in use',
  ],
];

for (const [name, args, message] of BAD_FUNCTIONS) {
  Deno.test(`Macros.RegisterFunc() rejects ${name}`, () => {
    const error = assertThrows(
      () => new Macros().RegisterFunc(...args as [string, string, ParamFuncBuilder]),
      FrameworkError,
      message,
    );
    assertEquals(error.Code, "FW_MACRO");
  });
}

Deno.test("Macros.RegisterFunc() rejects a second function with the same name for one type, and allows it for another", () => {
  const macros = new Macros().RegisterFunc("int", "odd", build).RegisterFunc("string", "odd", build);
  assertThrows(() => macros.RegisterFunc("number", "odd", build), FrameworkError, "the name is already in use");
  assertThrows(() => macros.RegisterFunc("*", "odd", build), FrameworkError, "the name is already in use");
  macros.RegisterFunc("bool", "min", build);
});
