import { assertEquals } from "@std/assert";
import { routeByName } from "../../../mvc/route/route_by_name.ts";
import { RoutedMethod, type Routing } from "../../../mvc/route/routed_method.ts";
import { parseMethodName } from "../../../mvc/reflect/method_parser.ts";
import { readSignature } from "../../../src/base/signature/parameter_list.ts";

function routingOf(method: string, taken: string[] = []): Routing {
  const name = method.slice(0, method.indexOf("("));
  const parsed = parseMethodName(name) ?? { methods: [], parts: [] };
  return routeByName(new RoutedMethod(`C.${name}`, readSignature(`${method} {}`) ?? []), parsed, taken);
}

Deno.test("routeByName() returns the source of each argument", () => {
  assertEquals(routingOf("Get(ctx, log = mvc.Inject(Log))").sources, ["context"]);
  assertEquals(routingOf("Get(log = mvc.Inject(Log), c)").sources, ["default", "context"]);
  assertEquals(routingOf("GetBy(ctx, log = a(b), id = 0n, name, mail = a(c))").sources, ["context", "default", 0, 1]);
  assertEquals(routingOf("GetByBy(a, b = 0)").sources, [0, 1]);
});

Deno.test("routeByName() numbers path parameters after the party's and renames duplicates", () => {
  const routing = routingOf("GetBy(id = 0n, other)", ["id", "name"]);
  assertEquals(routing, {
    path: "/{id2:long}/{other:string}",
    sources: [2, 3],
  });
});
