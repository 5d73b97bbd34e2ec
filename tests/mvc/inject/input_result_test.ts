import { assertEquals } from "@std/assert";
import { z } from "npm:zod@^4";
import * as fw from "../../../mod.ts";
import * as mvc from "../../../mvc/mod.ts";
import { quietApp } from "../serve.ts";

const schema = z.object({ name: z.string().min(2, "Too short") });

async function post(controller: new () => object, fields: Record<string, string>, query = ""): Promise<unknown[]> {
  const app = quietApp();
  mvc.New(app.Party("/teas")).Handle(controller);
  const body = new URLSearchParams(fields);
  const response = await app.fetch(new Request(`http://localhost/teas${query}`, { method: "POST", body }));
  return [response.status, await response.json()];
}

Deno.test("FormResult() passes the errors of an invalid form to the method", async () => {
  class Teas {
    Post(form = mvc.FormResult(schema)): unknown {
      return form.IsValid ? { made: form.Value.name } : mvc.Tuple({ errors: form.Errors, values: form.Values }, 422);
    }
  }
  assertEquals(await post(Teas, { name: "Assam" }), [200, { made: "Assam" }]);
  assertEquals(await post(Teas, { name: "A" }), [422, { errors: { name: ["Too short"] }, values: { name: "A" } }]);
});

Deno.test("FormResult() accepts an inline schema, together with inputs that throw", async () => {
  class Teas {
    Post(
      query = mvc.Query(z.object({ page: z.coerce.number() })),
      form = mvc.FormResult(z.object({ name: z.string().min(2) })),
    ): unknown {
      return [query.page, form.IsValid];
    }
  }
  assertEquals(await post(Teas, { name: "A" }, "?page=2"), [200, [2, false]]);
  assertEquals((await post(Teas, { name: "A" }, "?page=x"))[0], 422);
});

Deno.test("FormResult() is listed as a form input of the route", () => {
  class Teas {
    Post(form = mvc.FormResult(schema)): unknown {
      return form.IsValid;
    }
  }
  const app = quietApp();
  mvc.New(app.Party("/teas")).Handle(Teas);
  assertEquals(app.Routes().map(({ Inputs }) => Inputs), [[{ Kind: "Form", Schema: schema }]]);
});

Deno.test("Form() passes the errors by field name and the submitted values to HandleError", async () => {
  class Teas {
    Post(form = mvc.Form(schema)): unknown {
      return form.name;
    }
    HandleError(ctx: fw.Context, error: Error): void {
      if (error instanceof fw.ValidationError) ctx.JSON({ fields: error.Fields, values: error.Values });
    }
  }
  const [, body] = await post(Teas, { name: "A", password: "hush" });
  assertEquals(body, { fields: { name: ["Too short"] }, values: { name: "A" } });
});
