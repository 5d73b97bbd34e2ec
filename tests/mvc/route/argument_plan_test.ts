import { assertEquals, assertThrows } from "@std/assert";
import { FrameworkError } from "../../../src/base/errors.ts";
import { type ArgumentPlan, type PathParameter, planArguments, planForPath } from "../../../mvc/route/argument_plan.ts";
import { parseMethodName } from "../../../mvc/reflect/method_parser.ts";
import { readSignature } from "../../../mvc/reflect/signature.ts";

function planOf(method: string, taken: string[] = []): ArgumentPlan {
  const name = method.slice(0, method.indexOf("("));
  const parsed = parseMethodName(name) ?? { methods: [], parts: [] };
  return planArguments(`C.${name}`, parsed, readSignature(`${method} {}`) ?? [], taken);
}

Deno.test("planArguments() says for each argument where it comes from", () => {
  assertEquals(planOf("Get(ctx, log = mvc.Inject(Log))").sources, ["context"]);
  assertEquals(planOf("Get(log = mvc.Inject(Log), c)").sources, ["default", "context"]);
  assertEquals(planOf("GetBy(ctx, log = a(b), id = 0n, name, mail = a(c))").sources, ["context", "default", 0, 1]);
  assertEquals(planOf("GetByBy(a, b = 0)").sources, [0, 1]);
});

Deno.test("planArguments() counts path parameters after the party's own and keeps names apart", () => {
  const plan = planOf("GetBy(id = 0n, other)", ["id", "name"]);
  assertEquals(plan, { path: "/{id2:long}/{other:string}", sources: [2, 3] });
});

const known: PathParameter[] = [
  { name: "team", type: "string", kind: "string" },
  { name: "id", type: "long", kind: "bigint" },
  { name: "day", type: "date", kind: undefined },
];

function planByHand(parameters: string, own = 1): ArgumentPlan["sources"] {
  return planForPath("C.Custom", "/{id:long}/{day:date}", readSignature(`(${parameters}) => 0`) ?? [], known, own)
    .sources;
}

Deno.test("planForPath() matches by name when all arguments are named after path parameters", () => {
  assertEquals(planByHand("day, team, id = 0n"), [2, 0, 1]);
  assertEquals(planByHand("ctx, day"), ["context", 2]);
  assertEquals(planByHand("team"), [0]);
});

Deno.test("planForPath() matches in the path's own order otherwise, and finds the Context by count", () => {
  assertEquals(planByHand("a, b"), [1, 2]);
  assertEquals(planByHand("a"), [1]);
  assertEquals(planByHand("a, b, c"), ["context", 1, 2]);
  assertEquals(planByHand("a, b = 0n, c = e(f)"), [1, 2]);
  assertEquals(planByHand("a", 3), ["context"]);
  assertEquals(planByHand(""), []);
});

Deno.test("planForPath() refuses an argument without a parameter and one of another type", () => {
  assertThrows(
    () => planByHand("a = 0n, b, c"),
    FrameworkError,
    'Cannot route "C.Custom": path "/{id:long}/{day:date}" has no parameter for argument 3 "c"',
  );
  assertThrows(
    () => planByHand("id = 0"),
    FrameworkError,
    'Cannot route "C.Custom": argument 1 "id" with default value "0" is a number but "{id}" is "long"',
  );
});
