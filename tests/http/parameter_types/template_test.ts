import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "npm:fast-check@^4";
import { FrameworkError } from "../../../src/base/errors/errors.ts";
import { Macros } from "../../../src/http/parameter_types/macros.ts";
import { parseBelow, parseTemplate, type Template } from "../../../src/http/parameter_types/template.ts";
import { runs } from "../../runs.ts";

const macros = new Macros();

/** Returns the segments in a short form: a string, or `{name key code}`. */
function shape(source: string): string[] {
  return parseTemplate(source, macros).segments.map((segment) =>
    segment.kind === "static" ? segment.text : `{${segment.name} ${segment.key} ${segment.elseCode}}`
  );
}

const SHAPES: [source: string, shape: string[]][] = [
  ["/", []],
  ["", []],
  ["///", []],
  ["/a", ["a"]],
  ["a", ["a"]],
  ["//a///b//", ["a", "b"]],
  ["/caf%C3%A9/naïve/%F0%9F%98%80", ["café", "naïve", "😀"]],
  ["/a%2Fb/c%7Bd%7D", ["a/b", "c{d}"]],
  ["/100%25", ["100%"]],
  ["/a b/:id/*", ["a b", ":id", "*"]],
  ["/{id}", ["{id string 404}"]],
  ["{id}", ["{id string 404}"]],
  ["/{ id : int }/", ["{id int 404}"]],
  ["/user/{id:long}/posts/{slug}", ["user", "{id int64 404}", "posts", "{slug string 404}"]],
  ["/{id:int else 400}", ["{id int 400}"]],
  ["/{id:int else 404}", ["{id int 404}"]],
  ["/{id else 599}", ["{id string 599}"]],
  ["/{id:int min(1) max(5) else 422}", ["{id int max(5) min(1) 422}"]],
  ["/{id:int min(1)max(5)}", ["{id int max(5) min(1) 404}"]],
  ["/{name prefix(a)}", ['{name string prefix("a") 404}']],
  ["/{rest:path}", ["{rest path 404}"]],
  ["/a/{rest:path}//", ["a", "{rest path 404}"]],
  ["/{x regexp(a//b)}/c", ['{x string regexp("a//b") 404}', "c"]],
  ["/{user_id2}/{größe}", ["{user_id2 string 404}", "{größe string 404}"]],
];

for (const [source, expected] of SHAPES) {
  Deno.test(`parseTemplate() reads "${source}"`, () => {
    assertEquals(shape(source), expected);
    assertEquals(parseTemplate(source, macros).source, source);
  });
}

Deno.test("parseTemplate() lists the parameter names in order", () => {
  assertEquals(parseTemplate("/{b}/x/{a:int}/{c:path}", macros).names, ["b", "a", "c"]);
});

Deno.test("parseTemplate() describes parameters", () => {
  const [plain, tail] = parseTemplate("/{id:number}/{rest:path}", macros).segments;
  assert(plain?.kind === "param" && tail?.kind === "param");
  assertEquals([plain.type.Name, plain.rank, plain.trailing, plain.checks], ["int", 24, false, []]);
  assertEquals([tail.type.Name, tail.rank, tail.trailing], ["path", 1000, true]);
  assert(plain.accept("/7/a/b", 1, 2));
  assert(tail.accept("/7/a/b", 3, 6));
});

const ERRORS: [source: string, state: string, column: number][] = [
  ["/user/{id:nope}", 'unknown parameter type "nope"', 11],
  ["/{id:Int}", 'unknown parameter type "Int" (did you mean "int"?)', 6],
  ["/{id:itn}", 'unknown parameter type "itn" (did you mean "int"?)', 6],
  ["/{id:nubmer}", 'unknown parameter type "nubmer" (did you mean "number"?)', 6],
  ["/{id:}", 'a parameter type must follow ":"', 6],
  ["/a/{}", "a parameter needs a name", 5],
  ["/a/{:int}", "a parameter needs a name", 5],
  ["/{a-b}", 'expected "}" but found "-"', 4],
  ["/{a/b}", 'expected "}" but found "/"', 4],
  ["/{a:int:int}", 'expected "}" but found ":"', 8],
  ["/{id}/{id:int}", 'parameter "id" occurs twice', 8],
  ["/{id", '"{" is not closed', 2],
  ["/a/{", '"{" is not closed', 4],
  ["/{id:", '"{" is not closed', 2],
  ["/{id:int ", '"{" is not closed', 2],
  ["/{id:int min(1)", '"{" is not closed', 2],
  ["/{id:int else 400", '"{" is not closed', 2],
  ["/a}", '"}" without "{"', 3],
  ["/}", '"}" without "{"', 2],
  ["/{id}}", '"}" without "{"', 6],
  ["/{id}-x{name}", "a segment can have only one parameter", 8],
  ["/{p:path}.x", 'nothing may follow "{p}", which matches the rest of the path,', 10],
  ["/{id}.x#", 'a path cannot contain "#"', 8],
  ["/{id}{name}", "a segment can have only one parameter", 6],
  ["/x-{id}", "a parameter must fill its whole segment: text comes before it", 4],
  ["/{p:path}/x", 'nothing may follow "{p}", which matches the rest of the path,', 11],
  ["/{p:path}/{q}", 'nothing may follow "{p}", which matches the rest of the path,', 11],
  ["/{id:int nope(1)}", 'unknown function "nope"', 10],
  ["/{id:int regexp(1)}", 'function "regexp" is not available for type "int"', 10],
  ["/{id:int min}", 'function "min" must be followed by "("', 13],
  ["/{id:int min(x)}", 'function "min" takes one integer', 10],
  ["/{id:int min(1}", '"(" is not closed', 13],
  ["/{id regexp((a)}", '"(" is not closed', 12],
  ["/{id regexp([)]}", '"(" is not closed', 12],
  ["/{id regexp(\\)}", '"(" is not closed', 12],
  [
    "/{id regexp(*)}",
    'function "regexp" rejects its arguments (Invalid regular expression: /*/u: Nothing to repeat)',
    6,
  ],
  ["/{id:int range(1,)}", "expected an argument", 18],
  ["/{id eqor([a,b)}", '"(" is not closed', 10],
  ["/{id eqor([a,'b'x])}", 'expected "]"', 17],
  ["/{id eqor('a'b)}", 'expected ")" but found "b"', 14],
  ["/{id eq('a)}", "a quote is not closed", 9],
  ["/{id regexp('a'b)}", 'expected ")" but found "b"', 16],
  ["/{id:int else}", 'a status from 400 to 599 must follow "else"', 14],
  ["/{id:int else 399}", 'a status from 400 to 599 must follow "else"', 15],
  ["/{id:int else 600}", 'a status from 400 to 599 must follow "else"', 15],
  ["/{id:int else 4e2}", 'a status from 400 to 599 must follow "else"', 15],
  ["/{id:int else 404 min(1)}", 'expected "}" but found "m"', 19],
  ["/a/%zz", 'malformed escape "%zz"', 4],
  ["/a%2", 'malformed escape "%2"', 3],
  ["/ok%20/%C3%28", 'malformed escape "%C3%28"', 8],
  ["/a?b=1", 'a path cannot contain "?"', 3],
  ["/a#b", 'a path cannot contain "#"', 3],
];

for (const [source, state, column] of ERRORS) {
  Deno.test(`parseTemplate() rejects "${source}" at column ${column}`, () => {
    const error = assertThrows(() => parseTemplate(source, macros), FrameworkError);
    assertEquals(error.message, `Cannot parse path template "${source}": ${state} at column ${column}`);
    assertEquals(error.Code, "FW_TEMPLATE");
  });
}

Deno.test("parseTemplate() rejects values that are not strings", () => {
  for (const source of [undefined, null, 5, {}]) {
    assertThrows(() => parseTemplate(source as unknown as string, macros), FrameworkError, "it is not a string");
  }
});

Deno.test("parseTemplate() throws only FrameworkError for any string", () => {
  const piece = fc.oneof(
    fc.constantFrom(..."/{}():[]'\"\\,%- ", "int", "path", "else", "404", "min(", "range(", "regexp(", "eqor([", "a"),
    fc.string({ unit: "binary", maxLength: 5 }),
  );
  const text = fc.oneof(fc.string(), fc.array(piece, { maxLength: 25 }).map((pieces) => pieces.join("")));
  const inside = fc.array(piece, { maxLength: 8 }).map((pieces) => `/{x:string ${pieces.join("")}}`);
  let read = 0;
  fc.assert(
    fc.property(fc.oneof(text, inside), (source) => {
      try {
        const template = parseTemplate(source, macros);
        read++;
        assertEquals(template.names.length, template.segments.filter((segment) => segment.kind === "param").length);
      } catch (error) {
        assert(error instanceof FrameworkError, String(error));
        assertEquals(error.Code, "FW_TEMPLATE");
        const column = Number(/ at column (\d+)$/.exec(error.message)?.[1]);
        assert(column >= 1 && column <= source.length + 1, error.message);
      }
    }),
    { numRuns: runs(3000) },
  );
  assert(read > runs(100), `only ${read} templates were read`);
});

Deno.test("parseTemplate() reads back any static segment that was escaped", () => {
  const segment = fc.string({ minLength: 1, unit: "grapheme" });
  fc.assert(fc.property(fc.array(segment), (texts) => {
    assertEquals(shape(texts.map((text) => `/${encodeURIComponent(text)}`).join("")), texts);
  }));
});

Deno.test("parseBelow() parses a path below a prefix like the whole template, and reports columns in the whole template", () => {
  const macros = new Macros();
  const rows: [string, string, string][] = [
    ["/", "/users/{id:int}", "/users/{id:int}"],
    ["/users/{id:int}", "/posts/{post:long min(1)}", "/users/{id:int}/posts/{post:long min(1)}"],
    ["/users", "/", "/users"],
    ["/users", "posts", "/users/posts"],
  ];
  for (const [prefix, path, whole] of rows) {
    const read = parseBelow(parseTemplate(prefix, macros), path, whole, macros);
    const expected = parseTemplate(whole, macros);
    assertEquals([read.source, read.names], [expected.source, expected.names]);
    assertEquals(inShort(read), inShort(expected));
  }
  for (
    const [prefix, path, state] of [
      ["/users/{id:int}", "/{id:int}", 'parameter "id" occurs twice at column 18'],
      ["/files/{rest:path}", "/more", "matches the rest of the path"],
      ["/users", "/{id:nonsense}", 'unknown parameter type "nonsense" at column 12'],
    ] as const
  ) {
    const whole = `${prefix}${path}`;
    assertThrows(() => parseBelow(parseTemplate(prefix, macros), path, whole, macros), FrameworkError, state);
  }
});

function inShort({ segments }: Template): unknown[] {
  return segments.map((segment) =>
    segment.kind === "static" ? segment.text : [segment.name, segment.key, segment.rank, segment.trailing]
  );
}
