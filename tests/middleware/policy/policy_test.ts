import { assert, assertEquals, assertInstanceOf, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import * as fw from "@fw/web";
import * as policy from "@fw/web/policy";

interface Post {
  readonly id: number;
  readonly author: string;
  readonly isPublic?: boolean;
}

const ada: fw.User = { ID: "ada", Name: "Ada", Roles: [], Method: "test" };
const bob: fw.User = { ID: "bob", Name: "Bob", Roles: [], Method: "test" };
const post: Post = { id: 7, author: "ada" };

class PostPolicy {
  static Guests = ["view"];

  view(user: fw.User | undefined, { isPublic, author }: Post) {
    return isPublic === true || author === user?.ID;
  }

  viewWhere(user: fw.User | undefined) {
    return { SQL: "is_public = 1 OR author = ?", Values: [user?.ID ?? ""] };
  }

  edit(user: fw.User, { author }: Post) {
    return author === user.ID || policy.Deny("only the author may edit a post");
  }

  async remove(user: fw.User, { author }: Post) {
    await Promise.resolve();
    return author === user.ID;
  }

  hide(_user: fw.User, _post: Post) {
    return policy.Deny("the post is a secret", { Status: 404 });
  }

  create(user: fw.User) {
    return user.ID === "ada";
  }
}

class SecretPolicy {
  static Status = 404;

  view(user: fw.User) {
    return user.ID === "ada";
  }
}

/** Runs a function and returns the log lines of policies. */
async function logged(run: () => unknown): Promise<string[]> {
  const lines: string[] = [];
  const before = policy.Logger();
  const logger = fw.New().Logger().SetTimeFormat("").SetOutput((line: string) => void lines.push(line.trimEnd()));
  policy.SetLogger(logger);
  try {
    await run();
  } finally {
    policy.SetLogger(before);
  }
  return lines;
}

/** Returns the status of the error that a function throws. */
async function statusOf(run: () => unknown): Promise<number> {
  try {
    await run();
    return 200;
  } catch (error) {
    assertInstanceOf(error, fw.HTTPError);
    assertEquals(error.Code, "FW_AUTH");
    return error.Status;
  }
}

Deno.test("policy.Check() returns nothing if the method returns true", () => {
  assertEquals(policy.Check(ada, PostPolicy, "edit", post), undefined);
});

Deno.test("policy.Check() throws 403 and logs one line with the user, the action and the reason", async () => {
  const lines = await logged(async () => {
    assertEquals(await statusOf(() => policy.Check(bob, PostPolicy, "edit", post)), 403);
  });
  assertEquals(lines, ['[WARN] Denied PostPolicy.edit to user "bob": only the author may edit a post']);
});

Deno.test("policy.Check() does not send the reason to the client", async () => {
  const app = fw.New();
  app.Get("/", () => policy.Check(bob, PostPolicy, "edit", post));
  await logged(async () => {
    const response = await app.fetch(new Request("http://localhost/"));
    assertEquals([response.status, await response.text()], [403, "Forbidden"]);
  });
});

Deno.test("policy.Check() returns a promise if the method is asynchronous", async () => {
  await policy.Check(ada, PostPolicy, "remove", post);
  await logged(() => assertRejects(async () => await policy.Check(bob, PostPolicy, "remove", post), fw.HTTPError));
});

Deno.test("policy.Check() responds with 404 if the denial or the policy says so", async () => {
  await logged(async () => {
    assertEquals(await statusOf(() => policy.Check(ada, PostPolicy, "hide", post)), 404);
    assertEquals(await statusOf(() => policy.Check(bob, SecretPolicy, "view")), 404);
    assertEquals(await statusOf(() => policy.Check(ada, SecretPolicy, "view")), 200);
  });
});

Deno.test("policy.Check() refuses clients without a user with 401, unless the policy lists the action in Guests", async () => {
  class Careless {
    edit(_user: fw.User, _post: Post) {
      return true;
    }
  }
  const lines = await logged(async () => {
    for (const user of [undefined, null]) {
      assertEquals(await statusOf(() => policy.Check(user, Careless, "edit", post)), 401);
    }
    assertEquals(await statusOf(() => policy.Check(undefined, PostPolicy, "view", { ...post, isPublic: true })), 200);
    assertEquals(await statusOf(() => policy.Check(undefined, PostPolicy, "view", post)), 403);
  });
  assertEquals(lines.slice(1), [
    "[WARN] Denied Careless.edit to a guest: no user is logged in",
    "[WARN] Denied PostPolicy.view to a guest: the policy does not allow it",
  ]);
});

const nonsense: Readonly<Record<string, unknown>> = {
  "undefined": undefined,
  "null": null,
  "1": 1,
  '"yes"': "yes",
  "an object": {},
  "new Boolean(false)": new Boolean(false),
  "a function": () => true,
  "a promise for undefined": Promise.resolve(),
  "a promise for an object": Promise.resolve({}),
};

for (const [name, value] of Object.entries(nonsense)) {
  Deno.test(`policy.Check() and policy.Allows() deny if the method returns ${name}, and log an error`, async () => {
    class Broken {
      edit(_user: fw.User): boolean {
        return value as boolean;
      }
    }
    const lines = await logged(async () => {
      assertEquals(await statusOf(() => policy.Check(ada, Broken, "edit")), 403);
      assertEquals(await policy.Allows(ada, Broken, "edit"), false);
    });
    assertEquals(lines.length, 2);
    assertStringIncludes(lines[0] ?? "", '[ERRO] Denied Broken.edit to user "ada": the policy must return a boolean');
  });
}

Deno.test("policy.Check() denies if the method throws or rejects, and logs the error with its stack", async () => {
  class Broken {
    edit(_user: fw.User): boolean {
      throw new Error("no table");
    }

    remove(_user: fw.User): Promise<boolean> {
      return Promise.reject(new Error("no table"));
    }
  }
  const lines = await logged(async () => {
    assertEquals(await statusOf(() => policy.Check(ada, Broken, "edit")), 403);
    assertEquals(await statusOf(() => policy.Check(ada, Broken, "remove")), 403);
    assertEquals(policy.Allows(ada, Broken, "edit"), false);
  });
  assertEquals(lines.length, 3);
  assertStringIncludes(lines[0] ?? "", "policy_test.ts");
});

Deno.test("policy.Check() keeps the status of an HTTPError, such as that of a store that is down", async () => {
  class Down {
    edit(_user: fw.User): boolean {
      throw new fw.HTTPError(503);
    }
  }
  await logged(() => {
    assertEquals(assertThrows(() => policy.Check(ada, Down, "edit"), fw.HTTPError).Status, 503);
    assertEquals(policy.Allows(ada, Down, "edit"), false);
  });
});

Deno.test("policy.Check() denies actions that the class does not have, and those that all objects have", async () => {
  const lines = await logged(async () => {
    for (const action of ["publish", "toString", "constructor", "__proto__", "hasOwnProperty", "valueOf", ""]) {
      assertEquals(await statusOf(() => policy.Check(ada, PostPolicy, action as "edit", post)), 403, action);
    }
  });
  assertStringIncludes(lines[0] ?? "", "PostPolicy.publish");
  assertStringIncludes(lines[0] ?? "", "the policy has no such method");
});

Deno.test("policy.Check(), Allows() and Where() deny everything if the policy is not a class or an object", async () => {
  const lines = await logged(async () => {
    for (const value of [undefined, null, 5, "x", true, Symbol("x"), Object.create(null)]) {
      const other = value as typeof PostPolicy;
      assertEquals(await statusOf(() => policy.Check(ada, other, "edit", post)), 403, String(typeof value));
      assertEquals(policy.Allows(ada, other, "edit", post), false);
      assertEquals(await statusOf(() => policy.Where(ada, other as never, "view" as never)), 403);
      assertEquals(await statusOf(() => policy.Check(ada, other, Symbol("edit") as never)), 403);
    }
  });
  assertStringIncludes(lines[0] ?? "", "the policy is undefined, not a class or an object");
});

Deno.test("policy.Check() accepts an instance with dependencies, and inherited methods", () => {
  class Base {
    readonly #owner: string;
    constructor(owner: string) {
      this.#owner = owner;
    }
    edit(user: fw.User) {
      return user.ID === this.#owner;
    }
  }
  class Derived extends Base {}
  assertEquals(policy.Allows(ada, new Derived("ada"), "edit"), true);
  assertEquals(policy.Allows(bob, new Derived("ada"), "edit"), false);
});

Deno.test("policy.Allows() does not log refusals", async () => {
  assertEquals(await logged(() => assertEquals(policy.Allows(bob, PostPolicy, "edit", post), false)), []);
});

Deno.test("policy.Check() has types for actions, arguments and results", () => {
  if (false as boolean) {
    // @ts-expect-error There is no such action.
    policy.Check(ada, PostPolicy, "publish", post);
    // @ts-expect-error The post is missing.
    policy.Check(ada, PostPolicy, "edit");
    // @ts-expect-error The post has another type.
    policy.Check(ada, PostPolicy, "edit", { id: "7" });
    // @ts-expect-error The user has another type.
    policy.Check({ name: "ada" }, PostPolicy, "edit", post);
    // @ts-expect-error The method returns a condition and not a decision.
    policy.Check(ada, PostPolicy, "viewWhere");
    // @ts-expect-error The policy has no condition for this action.
    policy.Where(ada, PostPolicy, "edit");
    // @ts-expect-error The action needs a post.
    policy.Require(PostPolicy, "edit");
    policy.Require(PostPolicy, "create");
    const later: Promise<void> = policy.Check(ada, PostPolicy, "remove", post);
    const now: void = policy.Check(ada, PostPolicy, "edit", post);
    const isAllowed: boolean = policy.Allows(ada, PostPolicy, "edit", post);
    const willBe: Promise<boolean> = policy.Allows(ada, PostPolicy, "remove", post);
    void [later, now, isAllowed, willBe];
  }
});

Deno.test("policy.Where() returns the condition of the policy", () => {
  const { SQL, Values } = policy.Where(ada, PostPolicy, "view");
  assertEquals([SQL, Values], ["is_public = 1 OR author = ?", ["ada"]]);
});

Deno.test("policy.Where() throws instead of returning nothing, because a query without a condition lists everything", async () => {
  for (const value of [undefined, null, "", " ", false, true, 0, policy.Deny("no lists"), Promise.resolve("")]) {
    class Broken {
      view(_user: fw.User) {
        return true;
      }

      viewWhere(_user: fw.User): string {
        return value as string;
      }
    }
    await logged(async () => {
      assertEquals(await statusOf(async () => await policy.Where(ada, Broken, "view")), 403, String(value));
      assertEquals(await statusOf(async () => await policy.Where(undefined, Broken, "view")), 401);
    });
  }
});

Deno.test("policy.Compare() accepts lists that agree with the policy, and names the rows that do not", async () => {
  const rows: Post[] = [{ id: 1, author: "ada" }, { id: 2, author: "bob" }, { id: 3, author: "eve", isPublic: true }];
  const agree = ({ Values }: { Values: string[] }) =>
    rows.filter(({ author, isPublic }) => isPublic || author === Values[0]);
  await policy.Compare(PostPolicy, "view", { Users: [ada, bob, undefined], Rows: rows, List: agree });
  const error = await assertRejects(
    () =>
      policy.Compare(PostPolicy, "view", {
        Users: [ada],
        Rows: rows,
        List: () => Promise.resolve([...rows.slice(1)]),
        Key: ({ id }) => id,
      }),
    fw.FrameworkError,
  );
  assertStringIncludes(error.message, 'PostPolicy.view allows row "1" to user "ada", but the list lacks it');
  assertStringIncludes(error.message, 'PostPolicy.view denies row "2" to user "ada", but the list contains it');
  assert(!error.message.includes('row "3"'));
});

Deno.test("policy.Require() asks the policy before the handler runs", async () => {
  const app = fw.New();
  app.Logger().SetLevel("disable");
  app.Use((ctx) => {
    const ID = ctx.GetHeader("x-user");
    if (ID !== "") ctx.SetUser({ ID, Name: ID, Roles: [], Method: "test" });
    return ctx.Next();
  });
  app.Post("/posts", policy.Require(PostPolicy, "create"), (ctx) => ctx.WriteString("created"));
  const send = async (user: string) => {
    const response = await app.fetch(
      new Request("http://localhost/posts", { method: "POST", headers: { "x-user": user } }),
    );
    return [response.status, await response.text()];
  };
  await logged(async () => {
    assertEquals(await send("ada"), [200, "created"]);
    assertEquals(await send("bob"), [403, "Forbidden"]);
    assertEquals(await send(""), [401, "Unauthorized"]);
  });
});
