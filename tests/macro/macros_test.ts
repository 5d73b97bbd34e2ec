import { assert, assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { FrameworkError } from "../../src/base/errors.ts";
import { Macros, type ParamFuncBuilder } from "../../src/macro/macros.ts";
import type { ParamType } from "../../src/macro/param_type.ts";
import { type ParamSegment, parseTemplate } from "../../src/macro/template.ts";

function param(source: string, macros: Macros): ParamSegment {
  const segment = parseTemplate(source, macros).segments.at(-1);
  assert(segment?.kind === "param");
  return segment;
}

function accepts(segment: ParamSegment, text: string): boolean {
  return segment.accept(text, 0, text.length);
}

/** A type with state and methods on its prototype, as a user's class has them. */
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

Deno.test("Macros.Register() adds a type that templates find by name and alias", () => {
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

Deno.test("Macros.Register() takes the rank and lets a trailing type come after string", () => {
  const yes = () => true;
  const macros = new Macros()
    .Register({ Name: "a", Rank: 7, Test: yes })
    .Register({ Name: "tail", Trailing: true, Test: yes });
  assertEquals(param("/{x:a}", macros).rank, 7);
  const tail = param("/{x:tail}", macros);
  assertEquals([tail.rank, tail.trailing], [950, true]);
  assertThrows(() => parseTemplate("/{x:tail}/more", macros), FrameworkError, "takes the rest of the path");
});

Deno.test("Macros.Register() keeps a copy that later changes do not reach", () => {
  const type = { Name: "once", Test: () => true };
  const macros = new Macros().Register(type);
  type.Test = () => false;
  assert(accepts(param("/{x:once}", macros), "a"));
});

Deno.test("Macros of one application does not see the types of another", () => {
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

Deno.test("Macros.Register() gives the text functions to a type without Convert, and only to that", () => {
  const macros = new Macros().Register({ Name: "plain", Test: () => true }).Register(new Code());
  assert(!accepts(param("/{x:plain min(2)}", macros), "a"));
  assertThrows(
    () => parseTemplate("/{x:code min(2)}", macros),
    FrameworkError,
    'function "min" is not for type "code"',
  );
});

Deno.test("Macros.RegisterFunc() adds a function to one type, named by alias too", () => {
  const macros = new Macros().RegisterFunc(
    "long",
    "multiple",
    (n = "1") => (value) => BigInt(value) % BigInt(n) === 0n,
  );
  const segment = param("/{x:int64 multiple(3)}", macros);
  assert(accepts(segment, "9"));
  assert(!accepts(segment, "10"));
  assertThrows(() => parseTemplate("/{x:int multiple(3)}", macros), FrameworkError, "is not for type");
});

Deno.test("Macros.RegisterFunc() with * adds a function to every type, also to later ones", () => {
  const macros = new Macros()
    .RegisterFunc("*", "not", (...texts) => (value) => !texts.includes(value))
    .Register(new Code());
  for (const [type, value] of [["string", "abc"], ["int", "123"], ["bool", "true"], ["code", "xyz"]] as const) {
    assert(accepts(param(`/{x:${type} not(q)}`, macros), value));
    assert(!accepts(param(`/{x:${type} not(q, ${value})}`, macros), value));
  }
});

Deno.test("Macros.RegisterFunc() builds once for each template and not for each value", () => {
  let built = 0;
  const macros = new Macros().RegisterFunc("string", "count", () => {
    built++;
    return () => true;
  });
  const segment = param("/{x count()}", macros);
  for (let i = 0; i < 5; i++) accepts(segment, "a");
  assertEquals(built, 1);
});

Deno.test("Macros.RegisterFunc() lets the builder refuse its arguments at the column of the function", () => {
  const macros = new Macros()
    .RegisterFunc("*", "two", (_a: string, _b: string) => () => true)
    .RegisterFunc("*", "throws", () => {
      throw new Error("No such colour");
    })
    .RegisterFunc("*", "nothing", (() => undefined) as unknown as ParamFuncBuilder);
  for (
    const [source, state] of [
      ["/{x two(a)}", 'function "two" takes 2 arguments or more at column 5'],
      ["/{x throws(a)}", 'function "throws" refuses its arguments (No such colour) at column 5'],
      [
        "/{x nothing()}",
        'function "nothing" refuses its arguments (The builder did not return a function) at column 5',
      ],
    ] as const
  ) {
    assertEquals(
      assertThrows(() => parseTemplate(source, macros), FrameworkError).message,
      `Cannot read path template "${source}": ${state}`,
    );
  }
});

const yes = { Test: () => true };
const BAD_NAME = "a name is one or more letters, digits and underscores and does not begin with a digit";
const BAD_TYPES: [name: string, type: unknown, message: string][] = [
  ["an empty name", { Name: "", ...yes }, `Cannot register parameter type "": ${BAD_NAME}`],
  ["a name with a dash", { Name: "a-b", ...yes }, `Cannot register parameter type "a-b": ${BAD_NAME}`],
  ["a name that begins with a digit", { Name: "1a", ...yes }, `Cannot register parameter type "1a": ${BAD_NAME}`],
  ["no name", { ...yes }, `Cannot register parameter type "undefined": ${BAD_NAME}`],
  ["nothing", undefined, `Cannot register parameter type "undefined": ${BAD_NAME}`],
  ["a bad alias", { Name: "a", Aliases: ["b c"], ...yes }, `Cannot register parameter type "b c": ${BAD_NAME}`],
  ["a built-in name", { Name: "int", ...yes }, 'Cannot register parameter type "int": the name is taken'],
  ["a built-in alias", { Name: "long", ...yes }, 'Cannot register parameter type "long": the name is taken'],
  ["an alias that is taken", { Name: "a", Aliases: ["int"], ...yes }, 'parameter type "int": the name is taken'],
  ["itself as alias", { Name: "a", Aliases: ["a"], ...yes }, 'parameter type "a": the name is taken'],
  ["no Test", { Name: "a" }, 'Cannot register parameter type "a": it has no Test function'],
  ["a Convert that is not a function", { Name: "a", ...yes, Convert: 1 }, "its Convert is not a function"],
  ["a Rank that is not a number", { Name: "a", ...yes, Rank: NaN }, 'its Rank "NaN" is not a number'],
];

for (const [name, type, message] of BAD_TYPES) {
  Deno.test(`Macros.Register() refuses ${name}`, () => {
    const error = assertThrows(() => new Macros().Register(type as ParamType), FrameworkError, message);
    assertEquals(error.Code, "FW_MACRO");
  });
}

Deno.test("Macros.Register() refuses a second type of one name and changes nothing", () => {
  const macros = new Macros().Register({ Name: "a", ...yes });
  assertThrows(() => macros.Register({ Name: "b", Aliases: ["a"], ...yes }), FrameworkError, '"a": the name is taken');
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
  ["a built-in function of the type", ["int", "min", build], 'parameter function "min": the name is taken'],
  ["a built-in function for every type", ["*", "regexp", build], 'parameter function "regexp": the name is taken'],
];

for (const [name, args, message] of BAD_FUNCTIONS) {
  Deno.test(`Macros.RegisterFunc() refuses ${name}`, () => {
    const error = assertThrows(
      () => new Macros().RegisterFunc(...args as [string, string, ParamFuncBuilder]),
      FrameworkError,
      message,
    );
    assertEquals(error.Code, "FW_MACRO");
  });
}

Deno.test("Macros.RegisterFunc() refuses a second function of one name for one type, and allows it for another", () => {
  const macros = new Macros().RegisterFunc("int", "odd", build).RegisterFunc("string", "odd", build);
  assertThrows(() => macros.RegisterFunc("number", "odd", build), FrameworkError, "the name is taken");
  assertThrows(() => macros.RegisterFunc("*", "odd", build), FrameworkError, "the name is taken");
  macros.RegisterFunc("bool", "min", build);
});

const macros = new Macros();

function parameter(inside: string): ParamSegment {
  const segment = parseTemplate(`/{${inside}}`, macros).segments[0];
  assert(segment?.kind === "param");
  return segment;
}

const TABLE: [inside: string, accepts: string[], refuses: string[]][] = [
  ["x:int min(1)", ["1", "2", "9007199254740991"], ["0", "-1", "a"]],
  ["x:int max(5)", ["5", "-9007199254740991", "05"], ["6"]],
  ["x:int range(1,5)", ["1", "3", "5", "+5", "005"], ["0", "6", "-3"]],
  ["x:int range(-5,-2)", ["-5", "-2"], ["-6", "-1", "5", "2"]],
  ["x:int range( -1 , +1 )", ["-1", "0", "1"], ["-2", "2"]],
  ["x:int max(99999999999999999999)", ["9007199254740991"], ["9007199254740992"]],
  ["x:int8 min(100)", ["100", "127"], ["99", "128"]],
  ["x:uint64 min(18446744073709551615)", ["18446744073709551615"], ["18446744073709551614"]],
  ["x:long range(9007199254740992,9007199254740993)", ["9007199254740993"], ["9007199254740994", "9007199254740991"]],
  ["x:int min(2) max(4)", ["2", "4"], ["1", "5"]],
  ["x min(3)", ["abc", "äöü", "😀😀😀"], ["ab", "😀😀"]],
  ["x max(2)", ["a", "ab", "😀😀"], ["abc", "😀😀😀"]],
  ["x prefix(user-)", ["user-", "user-1"], ["User-1", "xuser-"]],
  ["x:string suffix(.html)", ["a.html"], ["a.htm", "a.html.zip"]],
  ["x contains(mid)", ["amidb", "mid"], ["mi-d"]],
  ["x eq(one)", ["one"], ["One", "ones", ""]],
  ["x eqor([a,b])", ["a", "b"], ["c", "[a", "a,b"]],
  ["x eqor(a, 'b c' ,\"d,e\")", ["a", "b c", "d,e"], ["b", "d"]],
  ["x eqor([')'])", [")"], ["]"]],
  ["x eq('it\\'s')", ["it's"], ["it"]],
  ['x eq("a\\\\b")', ["a\\b"], ["a\\\\b"]],
  ["x prefix(a}b)", ["a}bc"], ["a"]],
  ["x prefix(a/b)", ["a/bc"], ["a"]],
  ["x regexp([0-9]+)", ["1", "42"], ["a1", "1a", "", "1\n", "\n1"]],
  ["x regexp(^[0-9]+$)", ["1", "42"], ["a1", "1a"]],
  ["x regexp(a|bc)", ["a", "bc"], ["ac", "abc", "b"]],
  ["x regexp((a(b|c)){2},d)", ["abac,d"], ["ab,d", "abac"]],
  ["x regexp([)(]\\)[^\\]]\\})", ["))x}", "()y}"], [")x}"]],
  ["x regexp(a/b)", ["a/b"], ["a"]],
  ["x regexp(^.$)", ["😀", "é"], ["ab"]],
  ['x regexp("[a-z]\\d\\"\\\\")', ['a1"\\'], ["a1", '"a1"']],
  ["x:file regexp([a-z]+\\.txt) min(6)", ["ab.txt"], ["a.txt", "ab.tx!"]],
  ["x:path prefix(docs/)", ["docs/a/b"], ["img/a"]],
  ["x:mail suffix(@example.com)", ["a@example.com"], ["a@example.org", "@example.com"]],
  ["x:alphabetical max(3)", ["abc"], ["abcd", "a1"]],
  ["x:uuid prefix(0)", ["00000000-0000-0000-0000-000000000000"], ["10000000-0000-0000-0000-000000000000"]],
];

for (const [inside, accepts, refuses] of TABLE) {
  Deno.test(`parseTemplate() lets {${inside}} check values`, () => {
    const { accept, checks } = parameter(inside);
    assert(checks.length > 0);
    for (const text of accepts) assert(accept(`/${text}/`, 1, 1 + text.length), `refuses "${text}"`);
    for (const text of refuses) assert(!accept(`/${text}/`, 1, 1 + text.length), `accepts "${text}"`);
  });
}

const BAD_ARGUMENTS: [inside: string, state: string][] = [
  ["x:int min()", 'function "min" takes one integer'],
  ["x:int min(1,2)", 'function "min" takes one integer'],
  ["x:int max(1.5)", 'function "max" takes one integer'],
  ["x:int range(1)", 'function "range" takes two integers, the lower one first'],
  ["x:int range(5,1)", 'function "range" takes two integers, the lower one first'],
  ["x:int range(1,b)", 'function "range" takes two integers, the lower one first'],
  ["x min(-1)", 'function "min" takes one length'],
  ["x max(many)", 'function "max" takes one length'],
  ["x prefix()", 'function "prefix" takes one text'],
  ["x contains(a,b)", 'function "contains" takes one text'],
  ["x eq(a,b)", 'function "eq" takes one text'],
  ["x eqor()", 'function "eqor" takes one text or more'],
  ["x eqor([])", 'function "eqor" takes one text or more'],
  ["x regexp()", 'function "regexp" takes one regular expression'],
  ["x regexp([b-a])", 'function "regexp" refuses its arguments (Invalid regular expression: /[b-a]/u: '],
  ["x:bool min(1)", 'function "min" is not for type "bool"'],
  ["x:date eq(a)", 'function "eq" is not for type "date"'],
  ["x:weekday max(1)", 'function "max" is not for type "weekday"'],
  ["x:int prefix(1)", 'function "prefix" is not for type "int"'],
  ["x range(1,2)", 'function "range" is not for type "string"'],
];

for (const [inside, state] of BAD_ARGUMENTS) {
  Deno.test(`parseTemplate() refuses {${inside}} at the column of its function`, () => {
    const error = assertThrows(() => parameter(inside), FrameworkError);
    assertEquals(error.Code, "FW_TEMPLATE");
    const column = `/{${inside}}`.indexOf(" ") + 2;
    assert(error.message.includes(`: ${state}`), error.message);
    assert(error.message.endsWith(` at column ${column}`), error.message);
  });
}

const SAME: [string, string][] = [
  ["a", "b:string"],
  ["a:long", "b:int64 else 500"],
  ["a:int min(1) max(9)", "a:int max(09)  min(+1)"],
  ["a eqor(x,y)", "a eqor([y, x, y])"],
  ["a eq(x)", 'a eqor("x")'],
  ["a min(1) min(1)", "a min(1)"],
];

for (const [one, other] of SAME) {
  Deno.test(`parseTemplate() gives {${one}} and {${other}} one key and rank`, () => {
    assertEquals(parameter(one).key, parameter(other).key);
    assertEquals(parameter(one).rank, parameter(other).rank);
  });
}

Deno.test("parseTemplate() gives different demands different keys", () => {
  const all = ["x", "x:int", "x min(1)", "x:int min(1)", "x max(1)", 'x eq("a,b")', "x eqor(a,b)", "x prefix(a)"]
    .concat("x suffix(a)", "x regexp(a)", "x:int range(1,12)", "x:int range(11,2222)", "x:path");
  assertEquals(new Set(all.map((inside) => parameter(inside).key)).size, all.length);
});

const NARROWER: [narrow: string, wide: string][] = [
  ["x:int min(5)", "x:int"],
  ["x:int min(6)", "x:int min(5)"],
  ["x:int max(4)", "x:int max(5)"],
  ["x:int max(-100)", "x:int max(5)"],
  ["x:int range(1,5)", "x:int range(1,10)"],
  ["x:int range(-5,5)", "x:int range(-50,5)"],
  ["x:int range(3,3)", "x:int range(3,4)"],
  ["x:int range(1,5)", "x:int min(1)"],
  ["x:int range(1,5)", "x:int max(5)"],
  ["x:int min(1) max(5)", "x:int min(1)"],
  ["x min(3)", "x"],
  ["x min(4)", "x min(3)"],
  ["x max(3)", "x max(4)"],
  ["x prefix(ab)", "x prefix(a)"],
  ["x prefix(ab)", "x contains(b)"],
  ["x suffix(ab)", "x contains(ab)"],
  ["x eq(a)", "x eqor(a,b)"],
  ["x eqor(a,b)", "x prefix(a)"],
  ["x regexp(a+)", "x"],
  ["x:path prefix(a)", "x:path"],
  ["x:int8", "x:uint8 max(5)"],
  ["x:int", "x:int64 range(1,2)"],
  ["x:file", "x eq(a)"],
  ["x", "x:path eq(a)"],
];

for (const [narrow, wide] of NARROWER) {
  Deno.test(`parseTemplate() ranks {${narrow}} before {${wide}}`, () => {
    assert(parameter(narrow).rank < parameter(wide).rank);
  });
}
