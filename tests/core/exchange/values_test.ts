import { assertEquals, assertThrows } from "@std/assert";
import * as fw from "../../../mod.ts";
import { bothWays, quiet } from "../../serving.ts";

interface User {
  readonly name: string;
}

bothWays("Values passes typed values between handlers, but not to the next request", () => {
  const user = fw.Key<User>("user");
  const app = quiet();
  app.Use((ctx) => {
    if (ctx.GetHeader("x-user") !== "") ctx.Values().Set(user, { name: ctx.GetHeader("x-user") });
    return ctx.Next();
  });
  app.Get("/", (ctx) => {
    const found: User | undefined = ctx.Values().Get(user);
    ctx.WriteString(found?.name ?? "nobody");
  });
  return app;
}, async (ask) => {
  assertEquals((await ask("/", { headers: { "x-user": "ada" } })).text, "ada");
  assertEquals((await ask("/")).text, "nobody");
});

Deno.test("Values distinguishes keys with the same name from each other and from the plain name", () => {
  const one = fw.Key<number>("count");
  const two = fw.Key<number>("count");
  const values = new fw.Values();
  values.Set(one, 1);
  values.Set(two, 2);
  values.Set("count", 3);
  assertEquals([values.Get(one), values.Get(two), values.Get("count"), values.Len()], [1, 2, 3, 3]);
  assertEquals(one.Name, "count");
});

Deno.test("Values.GetDefault() returns the default only if the key is absent", () => {
  const key = fw.Key<string | undefined>("key");
  const values = new fw.Values();
  assertEquals(values.GetDefault(key, "fallback"), "fallback");
  values.Set(key, undefined);
  assertEquals(values.GetDefault(key, "fallback"), undefined);
  assertEquals(values.Has(key), true);
});

Deno.test("Values.MustGet() returns a value, or throws an error with the name of the key", () => {
  const key = fw.Key<string | undefined>("transaction");
  const values = new fw.Values();
  const error = assertThrows(() => values.MustGet(key), fw.FrameworkError, 'Cannot read the value "transaction"');
  assertEquals(error.Code, "FW_STATE");
  values.Set(key, undefined);
  assertEquals(values.MustGet(key), undefined);
  values.Set(key, "open");
  assertEquals(values.MustGet(key), "open");
});

Deno.test("Values.Remove() removes a value and reports whether it existed", () => {
  const key = fw.Key<number>("key");
  const values = new fw.Values();
  values.Set(key, 1);
  values.Set("__proto__", 1);
  assertEquals([values.Remove(key), values.Remove(key), values.Has(key), values.Has("__proto__")], [
    true,
    false,
    false,
    true,
  ]);
  assertEquals([values.Has("toString"), values.Len()], [false, 1]);
});

Deno.test("Key cannot be changed", () => {
  assertEquals(Object.isFrozen(fw.Key<number>("key")), true);
});
