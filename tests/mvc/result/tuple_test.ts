import { assert, assertEquals, assertFalse } from "@std/assert";
import { assertType, type IsExact } from "@std/testing/types";
import { isTuple, Tuple } from "../../../mvc/result/tuple.ts";

interface User {
  readonly name: string;
}

Deno.test("Tuple() accepts exactly the supported combinations", () => {
  const user: User = { name: "Ada" };
  const failure = Math.random() > 2 ? new Error("no") : null;
  assertType<IsExact<ReturnType<typeof stringString>, Tuple<string, string>>>(true);
  function stringString() {
    return Tuple("body", "text/html");
  }
  const shapes = [
    Tuple("body", 201),
    Tuple(404, "body"),
    Tuple("body", failure),
    Tuple(404, failure),
    Tuple(user, true),
    Tuple(undefined, false),
    Tuple(user, failure),
    Tuple(user, 201),
    Tuple([user], 201),
    Tuple(user, "text/xml"),
    Tuple(202, user),
    Tuple(202, [user]),
    Tuple(202, { name: "Ada", message: "hello" }),
    Tuple({ Dispatch() {} }, failure),
  ];
  assertEquals(shapes.every(isTuple), true);

  // @ts-expect-error Two numbers: which is the status?
  Tuple(1, 2);
  // @ts-expect-error A boolean has no content type.
  Tuple(true, "text/plain");
  // @ts-expect-error Nor a status.
  Tuple(false, 404);
  // @ts-expect-error The error comes second.
  Tuple(null, "text");
  // @ts-expect-error Go's nil is null here.
  Tuple(user, undefined);
  // @ts-expect-error Two objects.
  Tuple(user, user);
  // @ts-expect-error A bigint has no content type.
  Tuple(1n, "text/plain");
  // @ts-expect-error One value is not a pair.
  Tuple("body");
  // @ts-expect-error Nor are three.
  Tuple("body", "text/html", 200);
});

Deno.test("Tuple() keeps the types of its values", () => {
  const user: User = { name: "Ada" };
  const found = Tuple(user, true);
  const created = Tuple(user, 201);
  const [first, second] = Tuple(user, null);
  assertType<IsExact<typeof found, Tuple<User, boolean>>>(true);
  assertType<IsExact<typeof created, Tuple<User, 201>>>(true);
  assertType<IsExact<typeof first, User>>(true);
  assertType<IsExact<typeof second, Error | null>>(true);

  const accepted = Tuple(202, user);
  const letter = Tuple(202, { name: "Ada", message: "hello" });
  const failed = Tuple(503, new TypeError("busy"));
  assertType<IsExact<typeof accepted, Tuple<202, User>>>(true);
  assertType<IsExact<typeof letter, Tuple<202, { name: string; message: string }>>>(true);
  assertType<IsExact<typeof failed, Tuple<number, Error | null>>>(true);
});

Deno.test("Tuple() creates an array that is distinguishable from other arrays", () => {
  const pair = Tuple("a", "b/c");
  assertEquals([...pair], ["a", "b/c"]);
  assertEquals(pair.length, 2);
  assertEquals(JSON.stringify(pair), '["a","b/c"]');
  assert(Array.isArray(pair));
  assertEquals(pair, Tuple("a", "b/c"));
  assertFalse(isTuple(["a", "b/c"]));
  assertFalse(isTuple(pair.map(String)));
  assertFalse(isTuple(undefined));
  // @ts-expect-error A plain array of two is not a tuple.
  const plain: Tuple<string, string> = ["a", "b/c"];
  assertFalse(isTuple(plain));
});

Deno.test("Tuple() rejects a value that may be undefined next to a status at compile time", () => {
  const found = [{ id: 1 }].find(({ id }) => id === 1);
  // @ts-expect-error The value may be undefined.
  const pair: unknown = Tuple(found, 201);
  assertEquals(Array.isArray(pair), true);
});
