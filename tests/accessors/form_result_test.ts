import { assert, assertEquals, assertFalse, assertInstanceOf } from "@std/assert";
import { z } from "npm:zod@^4";
import * as fw from "../../mod.ts";

const schema = z.object({ name: z.string().min(2, "Too short"), tags: z.array(z.string().max(3, "Too long")) })
  .refine(({ name }) => name !== "no", "Not this one");

/** Posts a form to a handler, and returns what the handler saw. */
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

Deno.test("Context.FormResult() returns messages by field name, those of array items under their field", async () => {
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

Deno.test("FormState.Values has no files, no passwords and nothing that repeats a password", async () => {
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

Deno.test("Context.FormResult() throws what makes a body unreadable", async () => {
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
