import { assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { type } from "npm:arktype@^2";
import * as v from "npm:valibot@^1";
import { z } from "npm:zod@^4";
import * as fw from "../../../mod.ts";
import * as mvc from "../../../mvc/mod.ts";
import { quietApp } from "../serve.ts";

interface Reply {
  readonly status: number;
  readonly type: string;
  // deno-lint-ignore no-explicit-any -- what a test reads of it is what it expects.
  readonly body: any;
}

async function send(app: fw.Application, path: string, init: RequestInit = {}): Promise<Reply> {
  const response = await app.fetch(new Request(`http://localhost${path}`, init));
  const text = await response.text();
  const contentType = response.headers.get("content-type") ?? "";
  return { status: response.status, type: contentType, body: contentType.includes("json") ? JSON.parse(text) : text };
}

function json(value: unknown, contentType = "application/json"): RequestInit {
  return { method: "POST", body: JSON.stringify(value), headers: { "content-type": contentType } };
}

/** One schema in three libraries. */
const schemas = {
  zod: z.object({ name: z.string().min(1), age: z.number() }),
  valibot: v.object({ name: v.pipe(v.string(), v.minLength(1)), age: v.number() }),
  arktype: type({ name: "string >= 1", age: "number" }),
};

for (const [library, schema] of Object.entries(schemas)) {
  Deno.test(`Body() validates with schemas of ${library} and reports problems with JSON pointers`, async () => {
    class Users {
      Post(user = mvc.Body(schema)): unknown {
        return [user.name, user.age];
      }
    }
    const app = quietApp();
    mvc.New(app).Handle(Users);
    assertEquals(await send(app, "/", json({ name: "Ada", age: 36 })), {
      status: 200,
      type: "application/json",
      body: ["Ada", 36],
    });
    const refused = await send(app, "/", json({ name: "", age: "36" }));
    assertEquals([refused.status, refused.type], [422, "application/problem+json"]);
    assertEquals(refused.body.errors.map((each: { pointer: string }) => each.pointer).toSorted(), ["#/age", "#/name"]);
  });
}

Deno.test("Body() responds with 400, 413 and 415 problem details for bodies that cannot be read", async () => {
  class Users {
    Post(user = mvc.Body(schemas.zod)): string {
      return user.name;
    }
  }
  const app = quietApp();
  mvc.New(app).Handle(Users);
  mvc.New(app.Party("/small", fw.LimitRequestBodySize(5))).Handle(Users);
  const rows: [string, RequestInit, number][] = [
    ["/", { method: "POST", body: "{", headers: { "content-type": "application/json" } }, 400],
    ["/", { method: "POST", body: "", headers: { "content-type": "application/json" } }, 400],
    ["/", { method: "POST" }, 400],
    ["/", { method: "POST", body: "{}" }, 415],
    ["/", { method: "POST", body: new URLSearchParams({ name: "Ada" }) }, 415],
    ["/", json({ name: "Ada", age: 1 }, "text/jsonp; charset=utf-8"), 415],
    ["/small", json({ name: "Ada", age: 1 }), 413],
  ];
  for (const [path, init, status] of rows) {
    const { body, ...head } = await send(app, path, init);
    assertEquals(head, { status, type: "application/problem+json" }, JSON.stringify(init));
    assertEquals([body.status, typeof body.title, typeof body.detail], [status, "string", "string"]);
  }
  for (const type of ["application/json; charset=utf-8", "APPLICATION/JSON", "text/json", "application/vnd.api+json"]) {
    assertEquals((await send(app, "/", json({ name: "Ada", age: 1 }, type))).status, 200);
  }
});

Deno.test("Body() accepts a request without a body if the schema is optional", async () => {
  class Users {
    Post(user = mvc.Body(schemas.zod.optional())): string {
      return user?.name ?? "nobody";
    }
  }
  const app = quietApp();
  mvc.New(app).Handle(Users);
  assertEquals((await send(app, "/", { method: "POST" })).body, "nobody");
  assertEquals((await send(app, "/", json({ name: "Ada", age: 1 }))).body, "Ada");
});

Deno.test("HandleError receives the ValidationError of an input with its issues", async () => {
  const nested = z.object({ users: z.array(z.object({ name: z.string() })) });
  const seen: unknown[] = [];
  class Users {
    Post(_input = mvc.Body(nested)): void {}
    HandleError(ctx: fw.Context, error: Error): void {
      if (error instanceof fw.ValidationError) seen.push(...error.Issues.map((issue) => issue.Path));
      ctx.Text(`${ctx.GetStatusCode()}`);
    }
  }
  const app = quietApp();
  mvc.New(app).Handle(Users);
  assertEquals((await send(app, "/", json({ users: [{ name: "Ada" }, { name: 1 }] }))).body, "422");
  assertEquals(seen, [["users", 1, "name"]]);
});

Deno.test("Query(), Header() and Params() validate synchronously", async () => {
  const page = z.object({ page: z.coerce.number().int().default(1), tag: z.array(z.string()).default([]) });
  class Posts {
    Get(query = mvc.Query(page), head = mvc.Header(z.object({ "x-user": z.string() }))): unknown {
      return [query.page, query.tag, head["x-user"]];
    }
    GetComments(params = mvc.Params(z.object({ post: z.coerce.number().positive() }))): unknown {
      return [params.post];
    }
  }
  const app = quietApp();
  mvc.New(app.Party("/{post}")).Handle(Posts);
  const headers = { "X-User": "Ada" };
  assertEquals((await send(app, "/7?page=3&tag=a&tag=b", { headers })).body, [3, ["a", "b"], "Ada"]);
  assertEquals((await send(app, "/7?tag[]=a", { headers })).body, [1, ["a"], "Ada"]);
  assertEquals((await send(app, "/7", { headers })).body, [1, [], "Ada"]);
  assertEquals((await send(app, "/7")).body.errors[0].pointer, "#/x-user");
  assertEquals((await send(app, "/7?page=x", { headers })).status, 422);
  assertEquals((await send(app, "/7/comments")).body, [7]);
  assertEquals((await send(app, "/0/comments")).status, 422);
  assertEquals(app.fetch(new Request("http://localhost/7", { headers })) instanceof Promise, false);
});

Deno.test("Form() validates urlencoded and multipart forms and rejects other bodies", async () => {
  const upload = z.object({ title: z.string(), file: z.instanceof(File).optional() });
  class Uploads {
    async Post(form = mvc.Form(upload)): Promise<unknown> {
      return [form.title, form.file?.name, await form.file?.text()];
    }
  }
  const app = quietApp();
  mvc.New(app).Handle(Uploads);
  const multipart = new FormData();
  multipart.set("title", "A letter");
  multipart.set("file", new File(["Dear"], "letter.txt"));
  assertEquals((await send(app, "/", { method: "POST", body: multipart })).body, ["A letter", "letter.txt", "Dear"]);
  const urlencoded = new URLSearchParams({ title: "A note" });
  assertEquals((await send(app, "/", { method: "POST", body: urlencoded })).body, ["A note", null, null]);
  assertEquals((await send(app, "/", { method: "POST", body: new URLSearchParams() })).status, 422);
  assertEquals((await send(app, "/", { method: "POST" })).status, 422);
  for (const init of [json({ title: "x" }), { method: "POST", body: "title=x" }]) {
    const { status, type } = await send(app, "/", init);
    assertEquals([status, type], [415, "application/problem+json"]);
  }
});

Deno.test("Form() stores large files in temporary files that are removed at the end of the request", async () => {
  const size = 3 << 20;
  const upload = z.object({ file: z.instanceof(File) });
  let kept: File | undefined;
  class Uploads {
    async Post(form = mvc.Form(upload)): Promise<unknown> {
      kept = form.file;
      return [form.file.size, (await form.file.bytes()).length];
    }
  }
  const app = quietApp();
  app.Configure(fw.WithPostMaxMemory(64 << 10));
  mvc.New(app).Handle(Uploads);
  const body = new FormData();
  body.set("file", new File([new Uint8Array(size)], "large.bin"));
  assertEquals((await send(app, "/", { method: "POST", body })).body, [size, size]);
  await assertRejects(async () => await kept?.bytes());
});

Deno.test("Inputs are read after preceding guards, and the body is read only once", async () => {
  let reads = 0;
  const counted = schemas.zod.transform((user) => ({ ...user, reads: ++reads }));
  function guard(ctx: fw.Context): string {
    if (ctx.GetHeader("x-key") === "") ctx.StopWithStatus(401);
    return ctx.GetHeader("x-key");
  }
  class Users {
    Post(
      key = mvc.Inject(guard),
      user = mvc.Body(counted),
      again = mvc.Body(counted),
      raw = mvc.Body(z.unknown()),
    ): unknown {
      return [key, user === again, raw];
    }
  }
  const app = quietApp();
  mvc.New(app).Register(guard).Handle(Users);
  assertEquals((await send(app, "/", json({}))).status, 401);
  assertEquals(reads, 0);
  const init = json({ name: "Ada", age: 1 });
  const headers = { "content-type": "application/json", "x-key": "sesame" };
  assertEquals((await send(app, "/", { ...init, headers })).body, ["sesame", true, { name: "Ada", age: 1 }]);
  assertEquals(reads, 1);
});

Deno.test("Inputs work in fields, in functions and with asynchronous schemas", async () => {
  const slow = z.object({ name: z.string().refine(async (name) => await Promise.resolve(name !== "Eve")) });
  function author(_ctx: fw.Context, body = mvc.Body(slow)): string {
    return body.name;
  }
  class Posts {
    query = mvc.Query(z.object({ draft: z.stringbool().default(false) }));
    Post(name = mvc.Inject(author)): unknown {
      return [name, this.query.draft];
    }
  }
  const app = quietApp();
  mvc.New(app).Register(author).Handle(Posts);
  assertEquals((await send(app, "/?draft=yes", json({ name: "Ada" }))).body, ["Ada", true]);
  assertEquals((await send(app, "/", json({ name: "Eve" }))).status, 422);
  assertEquals((await send(app, "/?draft=perhaps", json({ name: "Ada" }))).status, 422);
});

Deno.test("Route.Inputs lists the inputs of a controller method, with those of fields first", () => {
  const [body, page, head] = [schemas.zod, z.object({}), v.object({})];
  class Users {
    head = mvc.Header(head);
    GetBy(id = 0n): string {
      return String(id);
    }
    PostBy(id = 0n, query = mvc.Query(page), user = mvc.Body(body)): unknown {
      return [id, query, user];
    }
    PutInline(user = mvc.Body(z.object({ name: z.string() }))): string {
      return user.name;
    }
  }
  const app = quietApp();
  mvc.New(app).Handle(Users);
  const inputs = new Map(app.Routes().map((route) => [route.Action, route.Inputs]));
  assertEquals(inputs.get("GetBy"), [{ Kind: "Header", Schema: head }]);
  assertEquals(inputs.get("PostBy"), [
    { Kind: "Header", Schema: head },
    { Kind: "Query", Schema: page },
    { Kind: "Body", Schema: body },
  ]);
  assertEquals(inputs.get("PutInline")?.map((each) => each.Kind), ["Header", "Body"]);
});

Deno.test("Inputs under an alias work if they are synchronous, and fail the request otherwise", async () => {
  const { Body: body, Header: header, Query: query } = mvc;
  const head = z.object({ "content-type": z.string() });
  class Users {
    Get(first = header(head), second = query(z.object({ page: z.string().optional() }))): unknown {
      return [first["content-type"], second.page ?? "none"];
    }
    Post(_first = header(head), user = mvc.Body(schemas.zod)): string {
      return user.name;
    }
    Put(user = body(schemas.zod)): string {
      return user.name;
    }
  }
  const lines: string[] = [];
  const app = fw.New();
  app.Logger().SetOutput((line: string) => void lines.push(line));
  mvc.New(app).Handle(Users);
  assertEquals((await send(app, "/", { headers: { "content-type": "text/plain" } })).body, ["text/plain", "none"]);
  // The call before `mvc.Body` may inject something, so the body cannot be read in advance.
  assertEquals((await send(app, "/", json({ name: "Ada", age: 1 }))).status, 500);
  assertEquals((await send(app, "/", { ...json({ name: "Ada", age: 1 }), method: "PUT" })).status, 500);
  app.Logger().Flush();
  assertEquals(lines.join("").match(/Cannot inject "mvc\.Body" here in "Users\.\w+"/g), [
    'Cannot inject "mvc.Body" here in "Users.Post"',
    'Cannot inject "mvc.Body" here in "Users.Put"',
  ]);
});

Deno.test("An inline schema is evaluated once, not for every request", async () => {
  let created = 0;
  function newSchema() {
    created++;
    return z.object({ name: z.string() });
  }
  class Users {
    Post(user = mvc.Body(newSchema())): string {
      return user.name;
    }
  }
  const app = quietApp();
  mvc.New(app).Handle(Users);
  for (let i = 0; i < 3; i++) assertEquals((await send(app, "/", json({ name: "Ada" }))).body, "Ada");
  assertEquals(created, 1);
});

Deno.test("Body() throws outside code that fw calls, and rejects values that are not schemas", () => {
  assertThrows(() => mvc.Body(schemas.zod), fw.FrameworkError, 'Cannot inject "mvc.Body"');
  class Users {
    // @ts-expect-error A string is not a schema.
    Post(_user = mvc.Body("name")): void {}
  }
  const m = mvc.New(quietApp());
  const message = assertThrows(() => m.Handle(Users), fw.FrameworkError).message;
  assertStringIncludes(message, 'Cannot use "mvc.Body"');
});

Deno.test("Inputs have the output types of their schemas", () => {
  const schema = z.object({ at: z.coerce.date(), n: z.string().transform(Number) });
  class Users {
    Post(input = mvc.Body(schema)): [Date, number] {
      // @ts-expect-error The schema gives a number.
      const wrong: string = input.n;
      return [input.at, Number(wrong)];
    }
  }
  assertEquals(typeof Users.prototype.Post, "function");
});
