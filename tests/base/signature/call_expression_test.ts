import { assertEquals } from "@std/assert";
import { calleesOfNames, mentions, readCall } from "../../../src/base/signature/call_expression.ts";

Deno.test("readCall() splits a call into callee, argument and rest", () => {
  assertEquals(readCall("mvc.Inject(users)"), { callee: "mvc.Inject", argument: "users", isPath: true, rest: "" });
  assertEquals(readCall("(0, mvc.Inject)(app.users).name"), {
    callee: "mvc.Inject",
    argument: "app.users",
    isPath: true,
    rest: ".name",
  });
  const body = readCall("mvc.Body(z.object({ a: [')'] }))");
  assertEquals([body?.argument, body?.isPath, body?.rest], ["z.object({ a: [')'] })", false, ""]);
  assertEquals([readCall("3 + f(x)"), readCall("'f(x)'")], [undefined, undefined]);
});

Deno.test("calleesOfNames() finds calls with a name as their argument", () => {
  assertEquals(calleesOfNames("use(users)"), ["use"]);
  assertEquals(calleesOfNames("a.b(1) + clock.at(zone)"), ["clock.at"]);
  assertEquals(calleesOfNames("use(users[0])"), ["use"]);
  assertEquals(calleesOfNames("now() + later(3, 'x')"), []);
});

Deno.test("mentions() finds names, but not members or keys with the same name", () => {
  const names = new Set(["id"]);
  assertEquals(["id", "id.x", "f(id)", "`${1}`"].map((each) => mentions(each, names)), [true, true, true, true]);
  assertEquals(["a.id", "f({ id: 1 })", "f('id')"].map((each) => mentions(each, names)), [false, false, false]);
});
