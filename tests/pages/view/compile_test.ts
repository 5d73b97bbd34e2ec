import { assertEquals, assertInstanceOf, assertStringIncludes, assertThrows } from "@std/assert";
import { FrameworkError } from "../../../src/base/errors/errors.ts";
import { builtins, Compiler, replaceable } from "../../../src/pages/view/compile.ts";
import { reservedNames } from "../../../src/pages/engine/template_parts.ts";

/** Invalid templates: the source, the line of the mistake, and words in the reason. */
const broken: readonly (readonly [string, number, string])[] = [
  ["<p>\n<% let a b %>\n</p>", 2, "Unexpected identifier 'b'"],
  ["a\n\n<%= it.a b %> <b>x</b>", 3, "Unexpected identifier 'b'"],
  ["a\n<%= foo( %>\nb", 2, "Unexpected token"],
  ["<%= 1 %>\n<%\n\n  const x = 1;\n  const y = ;\n%>", 5, "Unexpected token ';'"],
  ["<p>\n<% if (it.x) { %>\n<p>hi</p>\n", 2, "this bracket is not closed"],
  ["\n<% it.list.forEach((x) => { %>\n'}'\n<% } %>\n", 4, "missing ) after argument list"],
  ["a\n<% } %>\nb\n", 2, '"}" has no matching opening bracket'],
  ["<% if (it.a) { %>\n<% } %>\n<% } %>\n\n", 3, '"}" has no matching opening bracket'],
  ["<% const a = 1; %>\n<% const a = 2; %>\n", 2, "Identifier 'a' has already been declared"],
  ["x\n<% await it.x %>", 2, "await is only valid in async functions"],
  ["x\n<% /* a\n b */ %>\n<% foo bar %>\n", 4, "Unexpected identifier 'bar'"],
  ["x\n<% let y = `\na\n${b c}` %>\n", 4, "Missing } in template expression"],
  ["a\nb <%= 'x", 2, "unclosed string"],
  ["a\nb\n  <%= x", 3, "unclosed tag"],
  ["a\n<% /* x %>", 2, "unclosed comment"],
];

for (const [source, line, reason] of broken) {
  Deno.test(`Compiler.compile() reports the line and the reason for ${JSON.stringify(source)}`, () => {
    const compiler = new Compiler(["<%", "%>"], new Map());
    const error = assertThrows(() => compiler.compile("views/x.html", "x.html", source), FrameworkError);
    assertEquals(error.Code, "FW_VIEW");
    assertStringIncludes(error.message, `Cannot compile template "views/x.html" at line ${line}: `);
    assertStringIncludes(error.message, reason);
    assertStringIncludes(error.message, `\n> ${line} | ${source.split("\n")[line - 1]}`);
    assertInstanceOf(error.cause, Error);
  });
}

Deno.test("Compiler.compile() compiles templates with a thousand tags", () => {
  const source = "<% if (it.x) { %>\n<%= it.x %>\n<% } %>\n".repeat(1000);
  const compiler = new Compiler(["<%", "%>"], new Map());
  assertEquals(typeof compiler.compile("x.html", "x.html", source).run, "function");
  const error = assertThrows(() => compiler.compile("x.html", "x.html", `${source}<% a b %>`), FrameworkError);
  assertStringIncludes(error.message, "at line 3001: ");
});

Deno.test("reservedNames lists the built-in functions and keywords of templates", () => {
  assertEquals([...reservedNames], Object.keys(builtins).filter((name) => !replaceable.has(name)));
});
