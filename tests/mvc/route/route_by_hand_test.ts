import { assertEquals, assertThrows } from "@std/assert";
import { readSignature } from "../../../src/base/signature/parameter_list.ts";
import { type HandParameter, routeByHand } from "../../../mvc/route/route_by_hand.ts";
import { RoutedMethod, type Routing } from "../../../mvc/route/routed_method.ts";
import { FrameworkError } from "../../../src/base/errors/errors.ts";

const team: HandParameter = { name: "team", type: "string", kind: "string" };
const id: HandParameter = { name: "id", type: "long", kind: "bigint" };
const owner: HandParameter = { name: "owner", type: "uint64", kind: "bigint" };
const day: HandParameter = { name: "day", type: "date", kind: undefined };

/** Returns the sources of a method's arguments. The first `own` of the known path parameters belong to the party. */
function sourcesOf(parameters: string, known: readonly HandParameter[], own = 0): Routing["sources"] {
  const path = known.slice(own).map((each) => `/{${each.name}}`).join("") || "/";
  return routeByHand(new RoutedMethod("C.Show", readSignature(`(${parameters}) => 0`) ?? []), { path, known, own })
    .sources;
}

function refuses(parameters: string, known: readonly HandParameter[], words: string, own = 0): void {
  assertThrows(() => sourcesOf(parameters, known, own), FrameworkError, `Cannot route "C.Show": ${words}`, parameters);
}

Deno.test("routeByHand() binds arguments to parameters by name, in any order", () => {
  assertEquals(sourcesOf("day, team, id = 0n", [team, id, day], 1), [2, 0, 1]);
  assertEquals(sourcesOf("ctx, day", [team, id, day], 1), ["context", 2]);
  assertEquals(sourcesOf("team", [team, id, day], 1), [0]);
  assertEquals(sourcesOf("id = 0n", [owner, id]), [1]);
  assertEquals(sourcesOf("", [owner, id]), []);
});

Deno.test("routeByHand() binds by position if no name matches and the numbers are equal", () => {
  assertEquals(sourcesOf("first, second", [owner, id]), [0, 1]);
  assertEquals(sourcesOf("first = 0n, second = 0n, log = e(f)", [owner, id]), [0, 1]);
  assertEquals(sourcesOf("ctx, first, second", [team, id, day], 1), ["context", 1, 2]);
  refuses("book = 0n", [owner, id], 'path "/{owner}/{id}" has 2 parameters of its own for 1 argument');
  refuses("first, second, third", [owner, id], 'path "/{owner}/{id}" has 2 parameters of its own for 3 arguments');
  refuses("first, second", [team, id], 'path "/{id}" has 1 parameter of its own for 2 arguments', 1);
});

Deno.test("routeByHand() rejects arguments if only some names match", () => {
  refuses(
    "book = 0n, id = 0n",
    [owner, id],
    'argument 1 "book" with default value "0n" is not named after a parameter',
  );
  refuses("request, id = 0n", [owner, id], 'argument 1 "request" may be meant as the Context or as a path parameter');
});

Deno.test("routeByHand() passes the Context to the only required argument if the path has no parameters", () => {
  assertEquals(sourcesOf("anything", []), ["context"]);
  assertEquals(sourcesOf("t, e = u(n)", []), ["context"]);
  assertEquals(sourcesOf("anything", [team], 1), ["context"]);
});

Deno.test("routeByHand() accepts short names only if the types are unambiguous", () => {
  assertEquals(sourcesOf("t = 0n", [id]), [0]);
  assertEquals(sourcesOf("t = 0n", [team, id], 1), [1]);
  assertEquals(sourcesOf("t = 0n, e = ''", [id, team]), [0, 1]);
  assertEquals(sourcesOf("t = '', e = 0n", [id, team]), [1, 0]);
  assertEquals(sourcesOf("t, e = 0n", [id]), ["context", 0]);
  assertEquals(sourcesOf("t, e", [id]), ["context", 0]);
  const unclear = "cannot match the arguments";
  refuses("t", [id], unclear);
  refuses("t = 0n, e = 0n", [owner, id], unclear);
  refuses("t = 0n", [owner, id], unclear);
  refuses("t = 0n", [owner, id], unclear, 1);
  refuses("t, e = 0n", [team, id], unclear, 1);
  refuses("t", [team], unclear, 1);
  refuses("t = 0", [id], unclear);
});

Deno.test("routeByHand() accepts short names only in the order of the path", () => {
  const x: HandParameter = { name: "x", type: "int", kind: "number" };
  const y: HandParameter = { name: "y", type: "int", kind: "number" };
  assertEquals(sourcesOf("x = 0, y = 0", [x, y]), [0, 1]);
  refuses("y = 0, x = 0", [x, y], 'cannot match the arguments "y", "x" to the parameters of "/{x}/{y}"');
});

Deno.test("routeByHand() rejects an argument whose type differs from its parameter", () => {
  refuses("id = 0", [id], 'argument 1 "id" with default value "0" is a number but "{id}" is "long"');
});
