import * as fw from "@fw/web";
import * as mvc from "@fw/web/mvc";
import { assertEquals } from "@std/assert";
import { z } from "npm:zod@^4";

const texts = {
  en: { name: { missing: "{{.field}} is missing", taken: "The name is taken" } },
  de: { name: { missing: "{{.field}} fehlt", taken: "Der Name ist vergeben" } },
};
const schema = z.object({ name: z.string().min(1, "name.missing"), age: z.coerce.number("not a key") });

class Signup {
  PostForm(form = mvc.FormResult(schema)) {
    return form.WithError("name", "name.taken").Errors;
  }

  PostBody(_body = mvc.Body(schema)) {}
}

function newApp(): fw.Application {
  const app = fw.New();
  app.Logger().SetLevel("disable");
  app.I18n.LoadKV(texts, "en", "de");
  app.Post("/form-result", async (ctx) => {
    const form = await ctx.FormResult(schema);
    ctx.JSON({ ...form.WithError("name", "name.taken").Errors });
  });
  const reads: Record<string, (ctx: fw.Context) => Promise<fw.Result<unknown>>> = {
    "/form": (ctx) => ctx.ReadForm(schema),
    "/json": (ctx) => ctx.ReadJSON(schema),
    "/query": (ctx) => ctx.ReadQuery(schema),
    "/body": (ctx) => ctx.ReadBody(schema),
    "/yaml": (ctx) => ctx.ReadYAML(schema, { AnyType: true }),
  };
  for (const [path, read] of Object.entries(reads)) {
    app.Post(path, async (ctx) => {
      const [, error] = await read(ctx);
      if (error instanceof fw.ValidationError) ctx.JSON({ fields: error.Fields, message: error.Issues[0]?.Message });
    });
  }
  app.Post("/stream", async (ctx) => {
    try {
      for await (const _ of ctx.ReadJSONStream(schema)) ctx.WriteString("valid");
    } catch (error) {
      if (error instanceof fw.ValidationError) ctx.JSON({ fields: error.Fields, message: error.Issues[0]?.Message });
    }
  });
  mvc.New(app.Party("/mvc")).Handle(Signup);
  const own = app.Party("/own");
  own.OnErrorCode(422, (ctx) => {
    const error = ctx.GetErr();
    if (error instanceof fw.ValidationError) ctx.JSON(error.Fields);
  });
  own.Post("/thrown", () => {
    throw new fw.ValidationError([{ Path: ["name"], Message: "name.taken" }]);
  });
  mvc.New(own.Party("/mvc")).Handle(Signup);
  return app;
}

async function post(path: string, body: BodyInit, type: string): Promise<unknown> {
  const headers = { "content-type": type };
  const response = await newApp().fetch(new Request(`http://localhost${path}`, { method: "POST", body, headers }));
  return await response.json();
}

const form = "application/x-www-form-urlencoded";
const json = "application/json";

for (
  const [prefix, missing, taken] of [["", "name is missing", "The name is taken"], [
    "/de",
    "name fehlt",
    "Der Name ist vergeben",
  ]]
) {
  Deno.test(`FormResult has messages in the language of the path "${prefix}"`, async () => {
    assertEquals(await post(`${prefix}/form-result`, "name=&age=1", form), { name: [missing, taken] });
    assertEquals(await post(`${prefix}/mvc/form`, "name=&age=1", form), { name: [missing, taken] });
    assertEquals(await post(`${prefix}/form-result`, "name=a&age=x", form), { name: [taken], age: ["not a key"] });
  });

  Deno.test(`ValidationError.Fields has messages in the language of the path "${prefix}"`, async () => {
    const fields = { fields: { name: [missing] }, message: "name.missing" };
    assertEquals(await post(`${prefix}/form`, "name=&age=1", form), fields);
    assertEquals(await post(`${prefix}/body`, "name=&age=1", form), fields);
    assertEquals(await post(`${prefix}/json`, '{"name":"","age":1}', json), fields);
    assertEquals(await post(`${prefix}/stream`, '{"name":"","age":1}\n', "application/x-ndjson"), fields);
    assertEquals(await post(`${prefix}/yaml`, 'name: ""\nage: 1', "text/plain"), fields);
    assertEquals(await post(`${prefix}/query?name=&age=1`, "", json), fields);
    assertEquals(await post(`${prefix}/own/thrown`, "", json), { name: [taken] });
    assertEquals(await post(`${prefix}/own/mvc/body`, '{"name":"","age":1}', json), { name: [missing] });
  });
}
