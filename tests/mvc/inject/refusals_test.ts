import { assertEquals } from "@std/assert";
import { captive, circular, takesTime, withoutContext } from "../../../mvc/inject/refusals.ts";

Deno.test("circular(), captive() and takesTime() describe the path or the fix", () => {
  assertEquals(circular(["A", "B", "A"]).message, 'Cannot create "A": circular dependency (A → B → A)');
  assertEquals(
    captive("Service", "user", ["Controller", "Service"]).message,
    'Cannot create the singleton "Service": it depends on "user", which is created per request ' +
      '(Controller → Service → user); register mvc.PerRequest(Service), or pass "user" to its methods',
  );
  assertEquals(
    takesTime("Users.Get", "db").message,
    'Cannot inject "db" here in "Users.Get": it is asynchronous and could not be awaited before "Users.Get" ran; inject ' +
      "it unconditionally and before other dependencies are used, in a field, in a constructor or as a default " +
      "argument written as mvc.Inject(...)",
  );
  assertEquals(withoutContext("user").Code, "FW_DEPENDENCY");
});
