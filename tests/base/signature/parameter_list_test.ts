import { assertEquals } from "@std/assert";
import fc from "npm:fast-check@^4";
import { type DefaultKind, type Parameter, readSignature } from "../../../src/base/signature/parameter_list.ts";
import { runs } from "../../runs.ts";

/** Formats a parameter in a short form: `name`, `name = kind`, `{} = kind`, `...name`. */
function brief(parameter: Parameter): string {
  const name = parameter.form === "pattern"
    ? "{}"
    : parameter.form === "rest"
    ? `...${parameter.name}`
    : parameter.name;
  return parameter.fallback === undefined ? name : `${name} = ${parameter.fallback.kind}`;
}

function briefs(text: string): string[] | undefined {
  return readSignature(text)?.map(brief);
}

Deno.test("readSignature() reads every form of function", () => {
  // These are strings, because the formatter would change the code.
  const texts: [string, string[]][] = [
    ["GetBy(id = 0n) { return id; }", ["id = bigint"]],
    ["async GetBy(id) {}", ["id"]],
    ["*GetBy(id) {}", ["id"]],
    ["async *GetBy(id) {}", ["id"]],
    ["get Name() { return f(1); }", []],
    ["set Name(value) {}", ["value"]],
    ["#hidden(a, b) {}", ["a", "b"]],
    ["'Get(By)'(id) {}", ["id"]],
    ["12(id) {}", ["id"]],
    ["[`Get${(1, 'By')}`](id) {}", ["id"]],
    ["[a[f(x)]](id) {}", ["id"]],
    ["async(a) {}", ["a"]],
    ["get(a) {}", ["a"]],
    ["function (a, b = 1) {}", ["a", "b = number"]],
    ["async function* name(a) {}", ["a"]],
    ["(a, b) => a", ["a", "b"]],
    ["async (a) => a", ["a"]],
    ["a => a", ["a"]],
    ["async a => (a)", ["a"]],
    ["async => async", ["async"]],
    ["() => (a, b)", []],
    ["Get ( /* none */ ) {}", []],
    ["Get(a,) {}", ["a"]],
  ];
  for (const [text, expected] of texts) assertEquals(briefs(text), expected, text);
});

Deno.test("readSignature() returns undefined for bound functions, native functions and classes", () => {
  function named(): void {}
  for (const fn of [named.bind(null), Math.max, Map, class A {}, class {}]) {
    assertEquals(readSignature(Function.prototype.toString.call(fn)), undefined);
  }
  assertEquals(briefs("Get(a) { return '[native code]' }"), ["a"]);
});

Deno.test("readSignature() determines the kind of a default value from its source", () => {
  const cases: Record<DefaultKind, string[]> = {
    number: ["0", "-1", "+1", "1e3", "0x1f", "1_000", ".5", "(0)", "-(1)", "Number(0)"],
    bigint: ["0n", "-1n", "0xffn", "BigInt(0)", "((0n))"],
    boolean: ["true", "false", "!0", "!1", "!''", "Boolean(0)"],
    string: ['""', "'a,b'", "`a`", "`a${b(c)}`", "String(1)"],
    call: [
      "mvc.Inject(Users)",
      "a(b)",
      "a.b.c(d, e)",
      "(0, a.b)(c)",
      "a?.b(c)",
      "a?.(b)",
      "a(function () { return b(c); })",
      "a(b).c",
      "a(b)(c)",
      "a(b)?.c[d].e()",
      "Number(0).toFixed()",
    ],
    other: [
      "a",
      "a.b",
      "null",
      "undefined",
      "void 0",
      "[]",
      "{}",
      "new Date()",
      "new A.B(c)",
      "1 + 1",
      "1/0",
      "'a'.length",
      "() => a(b)",
      "async (a) => b",
      "a`b`",
      "a ? b(c) : d(e)",
      "a(b) + c",
      "a(b) ?? c(d)",
      "a.b[c]",
      "(a(b), c)",
      "a(b)`c`",
      "async (a) => b(c)",
      "() => a(b)(c)",
      "-a",
      "!a",
      "-''",
      "+1n",
      "/a,b/",
      "class { a() {} }",
      "function () {}",
      "(a, b)",
      "a = b(c)",
    ],
  };
  for (const [kind, sources] of Object.entries(cases)) {
    for (const source of sources) {
      const [parameter] = readSignature(`Get(first = ${source}, last) {}`) ?? [];
      assertEquals(parameter?.fallback, { kind: kind as DefaultKind, source }, source);
    }
  }
});

Deno.test("readSignature() is not misled by comments, strings, patterns and code inside default values", () => {
  assertEquals(
    briefs(`Get(
      ctx, // the (request,
      /* id = 1, */ id /* = 2 */ = /* : */ 0n /* ) */,
      { a = ")", b: [c, d = (1, 2)], ...rest } = {},
      [e, , f] = mvc.Inject(Pair),
      g = (x, y = ",") => { if (x) /[)]}/.test(y); return { x, y }; },
      h = \`,\${[1, 2].map((n) => \`\${n})\`)}\`,
      i = "\\",\\\\",
      ...others
    ) { return a(b, c); }`),
    ["ctx", "id = bigint", "{} = other", "{} = call", "g = other", "h = string", "i = string", "...others"],
  );
});

Deno.test("readSignature() reads minified controllers", () => {
  const minified = 'async GetBy(t,e=0n,n=!1,r=1e3,o="",i=(0,s.Inject)(c),{a:l}=u(d),...f){return t}';
  assertEquals(briefs(minified), [
    "t",
    "e = bigint",
    "n = boolean",
    "r = number",
    "o = string",
    "i = call",
    "{} = call",
    "...f",
  ]);
});

Deno.test("readSignature() reads real methods as the engine prints them", () => {
  class Base {
    Get(_ctx: unknown, id = 0n, name: string = "x", { a } = { a: 1 }): unknown {
      return [id, name, a];
    }
  }
  assertEquals(briefs(Base.prototype.Get.toString()), ["_ctx", "id = bigint", "name = string", "{} = other"]);
});

interface Piece {
  readonly source: string;
  readonly kind: DefaultKind;
}

const awkward = fc.string({ unit: fc.constantFrom(..."()[]{}`'\"/\\,=*$ \na") });
const scalar: fc.Arbitrary<Piece> = fc.oneof(
  fc.integer().map((n): Piece => ({ source: String(n), kind: "number" })),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((n): Piece => ({
    source: Object.is(n, -0) ? "-0" : String(n),
    kind: "number",
  })),
  fc.bigInt().map((n): Piece => ({ source: `${n}n`, kind: "bigint" })),
  fc.constantFrom("true", "false", "!0", "!1").map((source): Piece => ({ source, kind: "boolean" })),
  awkward.map((text): Piece => ({ source: JSON.stringify(text), kind: "string" })),
  awkward.map((text): Piece => ({ source: `'${text.replace(/[\\'\n]/g, "\\$&")}'`, kind: "string" })),
  awkward.map((text): Piece => ({ source: `\`${text.replace(/[\\`$]/g, "\\$&")}\``, kind: "string" })),
);
const regexps = fc.constantFrom("/a/", "/[/)\\]]/g", "/\\/,/u", "/(?:})/", "/`/");
const nested: fc.Arbitrary<Piece> = fc.letrec<{ piece: Piece }>((tie) => ({
  piece: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    scalar,
    regexps.map((source): Piece => ({ source, kind: "other" })),
    fc.array(tie("piece"), { maxLength: 3 }).map((of): Piece => ({
      source: `[${of.map((piece) => piece.source).join(", ")}]`,
      kind: "other",
    })),
    fc.array(tie("piece"), { maxLength: 3 }).map((of): Piece => ({
      source: `{ ${of.map((piece, i) => `k${i}: ${piece.source}`).join(", ")} }`,
      kind: "other",
    })),
    tie("piece").map((of): Piece => ({ source: `(x, y = ${of.source}) => { return ${of.source}; }`, kind: "other" })),
    tie("piece").map((of): Piece => ({ source: `mvc.Inject(${of.source})`, kind: "call" })),
    tie("piece").map((of): Piece => ({ source: `\`a\${ ${of.source} }b\``, kind: "string" })),
    tie("piece").map((of): Piece => ({ source: `((${of.source}) / (2 / 3))`, kind: "other" })),
    tie("piece").map((of): Piece => ({ source: `(${of.source})`, kind: of.kind })),
  ),
})).piece;

const gap = fc.constantFrom("", " ", "\n", "/* ), */", "// ( \n", "/**/ /*`*/");
const target = fc.oneof(
  { weight: 4, arbitrary: fc.constant("plain" as const) },
  fc.constantFrom("{ a, b: [c] }", "[d, { e } = {}]", "{ ['f)']: f = ',' }").map((pattern) => pattern),
);
const parameter = fc.record({ target, piece: fc.option(nested, { nil: undefined }), gaps: fc.tuple(gap, gap, gap) });
const wrappers = fc.constantFrom(
  (list: string) => `({ GetBy(${list}) { return [")", /[(]/]; } }).GetBy`,
  (list: string) => `({ async GetBy(${list}) {} }).GetBy`,
  (list: string) => `({ async *["Get" + ")(".length](${list}) {} }).Get2`,
  (list: string) => `(class { static 'a(b'(${list}) {} })['a(b']`,
  (list: string) => `Object.getOwnPropertyDescriptor({ set Name(${list}) {} }, "Name")?.set`,
  (list: string) => `(function (${list}) {})`,
  (list: string) => `((${list}) => ({}))`,
  (list: string) => `(async (${list}) => (0))`,
);

Deno.test("readSignature() agrees with the engine on random parameter lists in random functions", () => {
  fc.assert(
    fc.property(
      fc.array(parameter, { maxLength: 5 }),
      fc.boolean(),
      wrappers,
      (parameters, rest, wrap) => {
        const isSetter = wrap("").includes("set Name");
        const used = isSetter ? parameters.slice(0, 1) : parameters;
        fc.pre(!isSetter || (used.length === 1 && !rest));
        // Patterns bind names, and a name can be bound only once, so the names are numbered.
        const written = used.map(({ target, piece, gaps }, i) => {
          const name = target === "plain" ? `p${i}` : target.replace(/\b[a-f]\b(?!\))/g, (letter) => `${letter}${i}`);
          const value = piece === undefined ? "" : `=${gaps[1]}${piece.source}`;
          return `${gaps[0]}${name} ${gaps[2]}${value}${gaps[0]}`;
        });
        if (rest) written.push("...others");
        const fn = new Function(`return ${wrap(written.join(","))};`)() as (...args: never[]) => unknown;

        const read = readSignature(Function.prototype.toString.call(fn)) ?? [];

        const expected = used.map(({ target, piece }, i) => {
          const name = target === "plain" ? `p${i}` : "{}";
          return piece === undefined ? name : `${name} = ${piece.kind}`;
        });
        if (rest) expected.push("...others");
        assertEquals(read.map(brief), expected);
        assertEquals(read.map((each) => each.fallback?.source), [
          ...used.map(({ piece }) => piece?.source),
          ...(rest ? [undefined] : []),
        ]);
        // The engine counts the parameters before the first one with a default value.
        const required = read.findIndex((each) => each.fallback !== undefined || each.form === "rest");
        assertEquals(required === -1 ? read.length : required, fn.length);
      },
    ),
    { numRuns: runs(3000) },
  );
});

Deno.test("readSignature() returns the same result for simple lists with and without the tokenizer", () => {
  const lists = [
    "",
    " ",
    "id",
    "id, name",
    "id = 0",
    "id = 0n, size = 20",
    "a = -1, b = -1n, c = 1_000, d = true, e = false, f = !0, g = !1",
    `name = "", other = 'x y', third = "a, b) {"`,
    "$a = 0 , _b",
    "id = 0, later = call(id)",
    "id = 0.5",
    "id = 0x10",
    "id = 1e3",
    "{ a } = {}, b",
    "a, ...rest",
    "a,",
    "a = 'it\\'s', b",
    "größe = 1",
    "a = 1 + 1",
  ];
  for (const list of lists) {
    for (const head of ["GetBy", "async GetBy", "async   $b"]) {
      // A comment before the list prevents the fast path.
      const slow = readSignature(`${head}/**/(${list}) { return 1; }`);
      assertEquals(readSignature(`${head}(${list}) { return 1; }`), slow, list);
      assertEquals(readSignature(`${head} ( ${list} ) { return 1; }`), slow, list);
    }
  }
  assertEquals(readSignature("function () { [native code] }"), undefined);
  assertEquals(readSignature("async (id = 0) => id"), [{
    name: "id",
    form: "plain",
    fallback: { kind: "number", source: "0" },
  }]);
});

Deno.test("readSignature() distinguishes lists with a common prefix", () => {
  assertEquals(briefs('Get(a = "{", b = 1) {}'), ["a = string", "b = number"]);
  assertEquals(briefs('Get(a = "{", c = 1n) {}'), ["a = string", "c = bigint"]);
  assertEquals(briefs("Get(a, b = f(c)) {}"), ["a", "b = call"]);
  assertEquals(briefs("Get(a, b = f(d), e) {}"), ["a", "b = call", "e"]);
  assertEquals(briefs("(a) => a"), ["a"]);
  assertEquals(briefs("(a) => { return a; }"), ["a"]);
});
