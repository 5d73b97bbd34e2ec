import { assertEquals } from "@std/assert";
import { readDefaults } from "../../../mvc/inject/default_value.ts";
import { readSignature } from "../../../src/base/signature/parameter_list.ts";
import "../../../mvc/mod.ts";

/** Describes the injections in the default value of the last argument. */
function read(list: string): string {
  const found = readDefaults(readSignature(`(${list}) => 0`) ?? []).at(-1);
  if (found === undefined) return "nothing";
  const words = [found.isKnown && "known", found.isWhole && "whole", found.mayInject && "more"];
  return words.filter((word) => word !== false).join(" ");
}

Deno.test("readDefaults() recognizes calls of mvc.Inject and similar functions", () => {
  assertEquals(read("users = mvc.Inject(Users)"), "known whole");
  assertEquals(read("users = mvc.InjectOptional(app.Users)"), "known whole");
  assertEquals(read("users = (0, mvc.Inject)(Users)"), "known whole");
  assertEquals(read("name = mvc.Inject(user).name"), "known");
  assertEquals(read("{ name } = mvc.Inject(user)"), "known whole");
  assertEquals(read("body = mvc.Body(z.object({ name: z.string() }))"), "known whole");
  assertEquals(read("count = 3"), "nothing");
});

Deno.test("readDefaults() ignores methods of other objects, and bare names outside a bundle", () => {
  for (const callee of ["Inject", "other.Inject", "di.mvc.Inject", "mvc.other.Inject", "use", "mvc2.Inject"]) {
    assertEquals(read(`users = ${callee}(Users)`), "more", callee);
  }
  assertEquals(read("body = other.Body(schema)"), "more");
});

Deno.test("readDefaults() ignores default values that depend on other arguments", () => {
  assertEquals(read("id = 0, user = mvc.Inject(id)"), "whole more");
  assertEquals(read("user = mvc.Inject(this.token)"), "whole more");
  assertEquals(read("of, user = mvc.Inject(of.user)"), "whole more");
  assertEquals(read("user = mvc.Inject(users[0])"), "whole more");
});

Deno.test("readDefaults() detects further calls that may inject something", () => {
  assertEquals(read("name = mvc.Inject(user).with(use(other))"), "known more");
  assertEquals(read("now = clock(zone)"), "more");
  assertEquals(read("now = Date.now()"), "");
  assertEquals(read("day = Math.floor(hour)"), "");
});
