import { assertEquals } from "@std/assert";
import fc from "npm:fast-check@^4";
import { Macros } from "../../../src/http/parameter_types/macros.ts";
import { parseTemplate, type Template } from "../../../src/http/parameter_types/template.ts";
import { Router } from "../../../src/http/router/router.ts";
import { Linear } from "./linear.ts";
import { runs } from "../../runs.ts";

const macros = new Macros();
macros.Register({ Name: "vowels", Rank: 30, Test: (text, start, end) => /^[aeiou]+$/.test(text.slice(start, end)) });
macros.Register({ Name: "plain", Test: (text, start, end) => !/\W/.test(text.slice(start, end)) });
macros.Register({
  Name: "tail",
  Rank: 1,
  Trailing: true,
  Test: (text, start, end) => text.slice(start, end).length > 2,
});

const uuid = "123e4567-e89b-12d3-a456-426614174000";
const statics = [
  "a",
  "b",
  "ab",
  "abc",
  "abd",
  "b",
  "1",
  "12",
  "-1",
  "true",
  "é",
  "éa",
  "😀",
  "😁",
  "a b",
  "a.b",
  ".",
  "Monday",
];
const types = [
  ..."string int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 bool alphabetical file uuid mail date".split(
    " ",
  ),
  ..."weekday long vowels plain".split(" "),
];
const withFunctions = [
  "int min(0)",
  "int max(10)",
  "int range(1,20)",
  "uint8 max(9)",
  "int64 min(100)",
  "string min(2)",
  "string max(2)",
  "string prefix(a)",
  "string suffix(b)",
  "string prefix(a) suffix(b)",
  "string contains(é)",
  "string eq(ab)",
  "string eqor([a,b,1])",
  "string regexp([ab]+)",
  "string regexp(\\d\\d)",
  "file suffix(.b)",
  "alphabetical max(1)",
  "plain min(3)",
];
const rests = ["path", "path suffix(b)", "path min(4)", "tail", "tail contains(a)"];
const codes = ["", "", "", " else 400", " else 422"];
const suffixes = ["", "", "", "", ".b", "b", "a.b", "é", "😀"];
const values = [
  ...statics,
  ...["", "0", "2", "7", "10", "+5", "007", "200", "300", "70000", "9007199254740993", "18446744073709551615"],
  ...["f", "aei", "x", "zz", "a@b.c", "2024-02-29", "2023-02-29", uuid, "a-b_c", "abb", "..", "Monda", "6"],
];

const staticText = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...statics) },
  { weight: 1, arbitrary: fc.string({ unit: fc.constantFrom("a", "b", "1", "é", "😀"), minLength: 1, maxLength: 4 }) },
);
const typed = fc.tuple(fc.constantFrom(...types, ...withFunctions), fc.constantFrom(...codes)).map((parts) =>
  parts.join("")
);
const rest = fc.tuple(fc.constantFrom(...rests), fc.constantFrom(...codes)).map((parts) => parts.join(""));

const param = fc.tuple(typed, fc.constantFrom(...suffixes)).map(([type, suffix]) => `{:${type}}${suffix}`);

const template = fc.tuple(
  fc.array(fc.oneof(staticText, param), { maxLength: 4 }),
  fc.option(rest.map((type) => `{:${type}}`), { nil: undefined, freq: 4 }),
).map(([segments, last]) => {
  const all = last === undefined ? segments : [...segments, last];
  return `/${all.map((segment, i) => segment.replace(/^\{:/, `{p${i}:`)).join("/")}`;
});

const table = fc.uniqueArray(fc.tuple(fc.constantFrom("GET", "POST"), template), {
  minLength: 1,
  maxLength: 14,
  selector: ([method, source]) => `${method} ${identity(parseTemplate(source, macros))}`,
});

/** Returns a key that is equal for templates that no request can distinguish. */
function identity(read: Template): string {
  return JSON.stringify(read.segments.map((segment) => segment.kind === "static" ? [segment.text] : segment.key));
}

/**
 * Generates a path that almost matches one of the templates: its static parts may be changed, and its values are
 * arbitrary.
 */
function nearly(templates: readonly string[]): fc.Arbitrary<string> {
  const value = fc.constantFrom(...values);
  return fc.constantFrom(...templates).chain((source) => {
    const parts = parseTemplate(source, macros).segments.map((segment) => {
      if (segment.kind === "static") return fc.oneof({ weight: 5, arbitrary: fc.constant(segment.text) }, value);
      if (segment.trailing) return fc.array(value, { maxLength: 3 }).map((each) => each.join("/"));
      return fc.oneof({ weight: 3, arbitrary: value.map((text) => text + segment.suffix) }, value);
    });
    return fc.tuple(fc.tuple(...parts), fc.constantFrom("", "", "", "/", "/a", "//a"));
  }).map(([parts, end]) => `/${parts.join("/")}${end}`.replace(/^\/\/$/, "/"));
}

const scene = table.chain((routes) =>
  fc.record({
    routes: fc.constant(routes),
    shuffled: fc.shuffledSubarray(routes, { minLength: routes.length }),
    paths: fc.array(nearly(routes.map(([, source]) => source)), { minLength: 1, maxLength: 12 }),
  })
);

type Routes = readonly (readonly [method: string, source: string])[];

/** Returns all results of the tree for a path. */
function askTree(router: Router<Template>, method: string, path: string): unknown {
  const text = `http://h${path}?/`;
  const end = 8 + path.length;
  const found = router.find(method, text, 8, end);
  const spans = router.spans.slice(0, 2 * (found?.names.length ?? 0));
  return {
    winner: found?.source,
    values: found?.names.map((_, i) => text.slice(spans[2 * i], spans[2 * i + 1])),
    methods: router.methodsAt(text, 8, end),
    code: found === undefined ? router.refusal(method, text, 8, end)?.code ?? 404 : undefined,
  };
}

/** Returns all results of the reference router for a path. */
function askLinear(router: Linear<Template>, method: string, path: string): unknown {
  const found = router.find(method, path);
  return {
    winner: found?.payload.source,
    values: found?.values,
    methods: router.methodsAt(path),
    code: found === undefined ? router.elseCode(method, path) : undefined,
  };
}

function grow<R extends { add(method: string, template: Template, payload: Template): unknown }>(
  router: R,
  routes: Routes,
): R {
  for (const [method, source] of routes) {
    const read = parseTemplate(source, macros);
    router.add(method, read, read);
  }
  return router;
}

Deno.test("Router agrees with the reference on random tables, in any order of registration", () => {
  fc.assert(
    fc.property(scene, ({ routes, shuffled, paths }) => {
      const linear = grow(new Linear<Template>(), routes);
      const tree = grow(new Router<Template>(), routes);
      const other = grow(new Router<Template>(), shuffled);
      for (const path of paths) {
        for (const method of ["GET", "POST"]) {
          const expected = askLinear(linear, method, path);
          assertEquals(askTree(tree, method, path), expected, `${method} ${path}`);
          assertEquals(askTree(other, method, path), expected, `${method} ${path}, shuffled`);
        }
      }
    }),
    { numRuns: runs(400) },
  );
});

Deno.test("Router returns the same result for repeated lookups", () => {
  fc.assert(
    fc.property(scene, ({ routes, paths }) => {
      const tree = grow(new Router<Template>(), routes);
      const first = paths.map((path) => askTree(tree, "GET", path));
      for (const path of paths.toReversed()) askTree(tree, "POST", path);
      assertEquals(paths.map((path) => askTree(tree, "GET", path)), first);
    }),
    { numRuns: runs(200) },
  );
});

Deno.test("Router.add() replaces a route exactly if both templates match the same requests", () => {
  fc.assert(
    fc.property(fc.array(template, { minLength: 2, maxLength: 10 }), (sources) => {
      const tree = new Router<string>();
      const known = new Map<string, string>();
      for (const source of sources) {
        const read = parseTemplate(source, macros);
        assertEquals(tree.add("GET", read, source), known.get(identity(read)));
        known.set(identity(read), source);
      }
    }),
    { numRuns: runs(300) },
  );
});
