import { assertEquals, assertInstanceOf } from "@std/assert";
import { z } from "npm:zod@^4";
import * as mvc from "../../../mvc/mod.ts";
import * as client from "../../../src/api/client/mod.ts";
import { overSocket, quiet } from "../../serving.ts";

const userInput = z.object({ name: z.string().min(2), born: z.iso.date().transform((text) => new Date(text)) });
const page = z.object({ limit: z.string().transform(Number).optional(), tag: z.array(z.string()).optional() });
const upload = z.object({ title: z.string(), file: z.instanceof(File) });
const trace = z.object({ "x-trace": z.string() });

class Users {
  Get(query = mvc.Query(page)) {
    return { limit: query.limit, tags: query.tag };
  }
  PutBy(id = 0n, user = mvc.Body(userInput), header = mvc.Header(trace)) {
    return { id, year: user.born.getUTCFullYear(), name: user.name, trace: header["x-trace"] };
  }
  async PostFile(form = mvc.Form(upload)) {
    return { title: form.title, name: form.file.name, text: await form.file.text() };
  }
  Delete(reason = mvc.Body(z.string().optional())) {
    return { reason: reason ?? "none" };
  }
}

type UserClient = client.Client<Users>;

async function calls(users: UserClient): Promise<void> {
  const [none, fine] = await users.Get();
  assertEquals([none?.limit, none?.tags, fine], [undefined, undefined, null]);
  assertEquals(await users.Get({ Query: { limit: "5", tag: ["a", "b"] } }), [{ limit: 5, tags: ["a", "b"] }, null]);
  const [user] = await users.PutBy(7n, {
    Body: { name: "Ada", born: "1815-12-10" },
    Header: { "x-trace": "t" },
  });
  assertEquals(user, { id: 7, year: 1815, name: "Ada", trace: "t" });
  assertEquals(await users.PostFile({ Form: { title: "A", file: new File(["text"], "a.txt") } }), [
    { title: "A", name: "a.txt", text: "text" },
    null,
  ]);
  assertEquals(await users.Delete(), [{ reason: "none" }, null]);

  const [, error] = await users.PutBy(7n, { Body: { name: "A", born: "1815-12-10" }, Header: { "x-trace": "t" } });
  assertInstanceOf(error, client.ResponseError);
  assertEquals([error.Status, error.Problem?.errors?.map((each) => each.pointer)], [422, ["#/name"]]);

  // @ts-expect-error What the schema makes of the body is not what is sent.
  await users.PutBy(7n, { Body: { name: "Ada", born: new Date() }, Header: { "x-trace": "t" } });
  // @ts-expect-error The header is missing.
  await users.PutBy(7n, { Body: { name: "Ada", born: "1815-12-10" } });
  // @ts-expect-error The file is missing.
  await users.PostFile({ Form: { title: "A" } });
}

Deno.test("New() sends typed inputs as their schemas accept them, in process", async () => {
  const app = quiet();
  mvc.New(app.Party("/users")).Handle(Users);
  await calls(client.New<Users>("http://localhost/users", { Fetch: app.fetch }));
});

Deno.test("New() sends typed inputs as their schemas accept them, over a socket", async () => {
  const app = quiet();
  mvc.New(app.Party("/users")).Handle(Users);
  await overSocket(app, (_ask, port) => calls(client.New<Users>(`http://127.0.0.1:${port}/users`)));
});
