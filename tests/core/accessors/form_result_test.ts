import { assert, assertEquals, assertFalse, assertInstanceOf } from "@std/assert";
import { z } from "npm:zod@^4";
import * as fw from "../../../mod.ts";

const schema = z.object({ name: z.string().min(2, "Too short"), tags: z.array(z.string().max(3, "Too long")) })
  .refine(({ name }) => name !== "no", "Not this one");

/** Posts a form to a handler and returns the handler's result. */
async function seen<T>(body: BodyInit, look: (ctx: fw.Context) => Promise<T>): Promise<T> {
  const app = fw.New();
  app.Logger().SetLevel("disable");
  let found: T | undefined;
  app.Post("/", async (ctx) => {
    found = await look(ctx);
  });
  const response = await app.fetch(new Request("http://localhost/", { method: "POST", body }));
  assertEquals(response.status, 200);
  return found as T;
}

function form(...entries: [string, string | File][]): FormData {
  const data = new FormData();
  for (const [name, value] of entries) data.append(name, value);
  return data;
}

Deno.test("Context.FormResult() returns the schema's output and the submitted values of a valid form", async () => {
  const result = await seen(form(["name", "Ada"], ["tags", "a"]), (ctx) => ctx.FormResult(schema));
  assert(result.IsValid);
  const value: { name: string; tags: string[] } = result.Value;
  assertEquals(value, { name: "Ada", tags: ["a"] });
  assertEquals([result.Values, result.Errors], [{ name: "Ada", tags: ["a"] }, {}]);
});

Deno.test("Context.FormResult() returns messages by field name, also for array items", async () => {
  const body = form(["name", "A"], ["tags", "long"], ["tags", "ok"], ["tags", "longer"], ["__proto__", "x"]);
  const result = await seen(body, (ctx) => ctx.FormResult(schema));
  assertFalse(result.IsValid);
  assertEquals(result.Value, undefined);
  assertEquals(result.Errors, { name: ["Too short"], tags: ["Too long", "Too long"] });
  assertEquals([result.Text("name"), result.Text("tags"), result.Text("toString")], ["A", "long", ""]);
  assertEquals([result.Includes("tags", "ok"), result.Includes("tags", "o"), result.Includes("tags")], [
    true,
    false,
    true,
  ]);
  assertEquals([result.Error("tags"), result.Error("constructor"), result.Error()], ["Too long", "", ""]);
  assertEquals(result.Text("__proto__"), "x");
});

Deno.test("Context.FormResult() returns messages about the whole form under the empty name", async () => {
  const result = await seen(form(["name", "no"], ["tags", "a"]), (ctx) => ctx.FormResult(schema));
  assertEquals([result.Errors[""], result.Error()], [["Not this one"], "Not this one"]);
});

Deno.test("FormState.WithError() adds an error and keeps the values", async () => {
  const valid = await seen(form(["name", "Ada"], ["tags", "a"]), (ctx) => ctx.FormResult(schema));
  const first = valid.WithError("name", "Taken");
  const second = first.WithError("name", "Reserved").WithError("", "Try later");
  assertEquals([first.IsValid, first.Value, first.Text("name")], [false, undefined, "Ada"]);
  assertEquals([valid.Errors, first.Errors], [{}, { name: ["Taken"] }]);
  assertEquals(second.Errors, { name: ["Taken", "Reserved"], "": ["Try later"] });
});

Deno.test("FormState.Values contains no files and no fields whose value is a password", async () => {
  const secrets = ["password", "new_password", "userPassword", "PASSWD", "passphrase", "pwd", "cardPin", "cvv", "otp"];
  const body = form(
    ["name", "A"],
    ["shipping", "fast"],
    ["passport", "X1"],
    ["repeat", "hush"],
    ["empty", ""],
    ["csrf_token", "t"],
    ["photo", new File(["x"], "x.png")],
    ...secrets.map((name): [string, string] => [name, "hush"]),
  );
  const result = await seen(body, (ctx) => ctx.FormResult(schema));
  assertEquals(result.Values, { name: "A", shipping: "fast", passport: "X1", empty: "" });
});

Deno.test("Context.FormResult() throws if the body cannot be read", async () => {
  const app = fw.New();
  app.Logger().SetLevel("disable");
  app.Post("/", fw.LimitRequestBodySize(8), async (ctx) => void await ctx.FormResult(schema));
  const body = new URLSearchParams({ name: "a long name" });
  assertEquals((await app.fetch(new Request("http://localhost/", { method: "POST", body }))).status, 413);
});

Deno.test("Context.ReadForm() returns an error with messages by field name and the submitted values", async () => {
  const body = form(["name", "A"], ["tags", "long"], ["password", "hush"]);
  const [, error] = await seen(body, (ctx) => ctx.ReadForm(schema));
  assertInstanceOf(error, fw.ValidationError);
  assertEquals(error.Fields, { name: ["Too short"], tags: ["Too long"] });
  assertEquals(error.Values, { name: "A", tags: ["long"] });
  assertFalse(Deno.inspect(error).includes("Values"));
});

Deno.test("NewForm() has its initial values and no errors", () => {
  const state = fw.NewForm({ name: "Ada", tags: ["a", "b"] });
  assertEquals([state.Text("name"), state.Includes("tags", "b"), state.Error("name")], ["Ada", true, ""]);
  assertEquals(fw.NewForm().Text("constructor"), "");
});

Deno.test("NewForm() accepts the values of a record: numbers, bigints, booleans, dates, arrays and missing ones", () => {
  interface Issue {
    readonly id: number;
    readonly votes: bigint;
    readonly title: string;
    readonly isOpen: boolean;
    readonly isPinned: boolean;
    readonly due: Date;
    readonly closed: Date | null;
    readonly assignee?: string | undefined;
    readonly labels: readonly number[];
  }
  const issue: Issue = {
    id: 7,
    votes: 2n ** 60n,
    title: "Tea",
    isOpen: true,
    isPinned: false,
    due: new Date("2026-01-02T03:04:05Z"),
    closed: null,
    labels: [1, 2],
  };
  for (const form of [fw.NewForm(issue), fw.NewForm({ ...issue })]) {
    assertEquals(["id", "votes", "title", "due", "closed", "assignee"].map((name) => form.Text(name)), [
      "7",
      "1152921504606846976",
      "Tea",
      "2026-01-02T03:04:05.000Z",
      "",
      "",
    ]);
    assertEquals([form.Includes("isOpen"), form.Includes("isPinned"), form.Includes("labels", "2")], [
      true,
      false,
      true,
    ]);
  }
  assertEquals(fw.NewForm({ due: new Date(NaN) }).Text("due"), "");
});

for (const type of ["application/json", "text/plain", "application/octet-stream"]) {
  Deno.test(`Context.FormResult() and Context.ReadForm() respond with 415 to a body of type ${type}`, async () => {
    const app = fw.New();
    app.Post("/result", async (ctx) => ctx.JSON((await ctx.FormResult(z.object({}))).IsValid));
    app.Post("/read", async (ctx) => {
      const [form, error] = await ctx.ReadForm();
      if (error !== null) throw error;
      ctx.JSON(form);
    });
    const headers = { "content-type": type };
    for (const path of ["/result", "/read"]) {
      const request = new Request(`http://localhost${path}`, { method: "POST", headers, body: "{}" });
      assertEquals((await app.fetch(request)).status, 415, path);
    }
  });
}

Deno.test("Context.ReadForm() reads an empty form from a request without a body", async () => {
  const app = fw.New();
  app.Any("/", async (ctx) => ctx.JSON(await ctx.ReadForm()));
  const post = { method: "POST" };
  const empty = { method: "POST", body: new Uint8Array() };
  for (const init of [{}, post, empty]) {
    const response = await app.fetch(new Request("http://localhost/", init));
    assertEquals([response.status, await response.json()], [200, [{}, null]]);
  }
  const unnamed = await app.fetch(new Request("http://localhost/", { ...post, body: new TextEncoder().encode("a=1") }));
  const [value, error] = await unnamed.json();
  assertEquals([value ?? null, error !== null], [null, true]);
});
