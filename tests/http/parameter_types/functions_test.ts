import { assert, assertEquals, assertThrows } from "@std/assert";
import { FrameworkError } from "../../../src/base/errors/errors.ts";
import { Macros } from "../../../src/http/parameter_types/macros.ts";
import { type ParamSegment, parseTemplate } from "../../../src/http/parameter_types/template.ts";

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
  Deno.test(`parseTemplate() validates values with {${inside}}`, () => {
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
  ["x eqor()", 'function "eqor" takes one or more strings'],
  ["x eqor([])", 'function "eqor" takes one or more strings'],
  ["x regexp()", 'function "regexp" takes one regular expression'],
  ["x regexp([b-a])", 'function "regexp" rejects its arguments (Invalid regular expression: /[b-a]/u: '],
  ["x:bool min(1)", 'function "min" is not available for type "bool"'],
  ["x:date eq(a)", 'function "eq" is not available for type "date"'],
  ["x:weekday max(1)", 'function "max" is not available for type "weekday"'],
  ["x:int prefix(1)", 'function "prefix" is not available for type "int"'],
  ["x range(1,2)", 'function "range" is not available for type "string"'],
];

for (const [inside, state] of BAD_ARGUMENTS) {
  Deno.test(`parseTemplate() rejects {${inside}} at the column of its function`, () => {
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
  Deno.test(`parseTemplate() returns the same key and rank for {${one}} and {${other}}`, () => {
    assertEquals(parameter(one).key, parameter(other).key);
    assertEquals(parameter(one).rank, parameter(other).rank);
  });
}

Deno.test("parseTemplate() returns different keys for different conditions", () => {
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
