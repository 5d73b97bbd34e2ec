import { assertEquals, assertStringIncludes } from "@std/assert";
import { Container } from "../../../mvc/inject/container.ts";
import { inputToken } from "../../../mvc/reflect/token.ts";
import * as mvc from "../../../mvc/mod.ts";
import { Context } from "../../../src/core/context/context.ts";
import type { StandardSchema } from "../../../src/core/accessors/schema.ts";
import { containerOf } from "./task_work.ts";

class Users {}
const name = mvc.Token<string>("name");

Deno.test("Container.find() looks in the container, then in its parent, then in the values of every request", () => {
  const below = containerOf(mvc.Provide(name, "below"), new Users());
  const above = new Container("above", below);
  above.add(mvc.Provide(name, "first"), mvc.Provide(name, "second"));
  assertEquals(above.find(name)?.value, "second");
  assertEquals(above.find(Users)?.value instanceof Users, true);
  assertEquals(above.find(Context)?.lifetime, "transient");
  assertEquals(above.find(Container), undefined);
});

Deno.test("Container.remove() hides a dependency of the container and its parents", () => {
  const below = containerOf(mvc.Provide(name, "below"));
  const above = new Container("above", below);
  assertEquals([above.remove(name), above.find(name), below.find(name)?.value], [true, undefined, "below"]);
  assertEquals(above.remove(Users), false);
});

Deno.test("Container.copy() creates an independent container with the same dependencies", () => {
  const first = containerOf(new Users());
  const copy = first.copy("copy");
  copy.add(mvc.Provide(name, "Ada"));
  assertEquals([copy.find(Users) === first.find(Users), first.find(name)], [true, undefined]);
});

Deno.test("Container.undecided() lists singletons without a token only if the token is a class", () => {
  const container = containerOf(() => new Users(), mvc.Provide(name, () => "Ada"), (_ctx: Context) => 1);
  assertEquals(container.undecided(Users).length, 1);
  assertEquals(container.undecided(name).length, 0);
});

Deno.test("Container.lookup() finds only the inputs registered with declare()", () => {
  const schema: StandardSchema<unknown> = {
    "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) },
  };
  const container = containerOf();
  const token = inputToken("Body", schema);
  assertEquals(container.lookup(token), undefined);
  container.declare(token);
  assertEquals([container.lookup(token)?.isInput, container.lookup(token)?.isAsync], [true, true]);
  assertEquals(container.lookup(inputToken("Query", schema)), undefined);
});

Deno.test("Container.missing() lists the registered dependencies", () => {
  assertStringIncludes(containerOf().missing(name).message, "nothing is registered");
  assertStringIncludes(containerOf(new Users()).missing(name).message, 'the registered dependencies are "Users"');
});
