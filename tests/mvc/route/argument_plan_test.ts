import { assertEquals } from "@std/assert";
import { type NamedPlan, planArguments } from "../../../mvc/route/argument_plan.ts";
import { parseMethodName } from "../../../mvc/reflect/method_parser.ts";
import { readSignature } from "../../../src/signature/parameter_list.ts";

function planOf(method: string, taken: string[] = []): NamedPlan {
  const name = method.slice(0, method.indexOf("("));
  const parsed = parseMethodName(name) ?? { methods: [], parts: [] };
  return planArguments({ owner: `C.${name}`, parameters: readSignature(`${method} {}`) ?? [] }, parsed, taken);
}

Deno.test("planArguments() says for each argument where it comes from", () => {
  assertEquals(planOf("Get(ctx, log = mvc.Inject(Log))").sources, ["context"]);
  assertEquals(planOf("Get(log = mvc.Inject(Log), c)").sources, ["default", "context"]);
  assertEquals(planOf("GetBy(ctx, log = a(b), id = 0n, name, mail = a(c))").sources, ["context", "default", 0, 1]);
  assertEquals(planOf("GetByBy(a, b = 0)").sources, [0, 1]);
});

Deno.test("planArguments() counts path parameters after the party's own and keeps names apart", () => {
  const plan = planOf("GetBy(id = 0n, other)", ["id", "name"]);
  assertEquals(plan, {
    path: "/{id2:long}/{other:string}",
    sources: [2, 3],
    spelled: [{ name: "id2", type: "long" }, { name: "other", type: "string" }],
  });
});
