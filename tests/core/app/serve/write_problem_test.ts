import * as fw from "@fw/web";
import * as httptest from "@fw/web/httptest";
import * as mvc from "@fw/web/mvc";
import type { StandardSchema } from "@fw/web";

/** Creates a schema that rejects everything with the given messages. */
function refuses(...messages: string[]): StandardSchema<{ name: string }> {
  return {
    "~standard": {
      version: 1,
      vendor: "test",
      validate: () => ({ issues: messages.map((message) => ({ message, path: ["name"] })) }),
    },
  };
}

function newApp(): fw.Application {
  const app = fw.New();
  app.I18n.LoadKV(
    {
      en: { "name.short": "The name is too short", "field.bad": "{{.field}} is wrong", "only.default": "Only English" },
      de: { "name.short": "Der Name ist zu kurz", "field.bad": "{{.field}} ist falsch" },
    },
    "en",
    "de",
  );
  return app;
}

function problem(...details: string[]): object {
  return {
    type: "about:blank",
    title: "Unprocessable Content",
    status: 422,
    detail: details.length === 1
      ? "Cannot accept the input: 1 value does not match its schema"
      : "Cannot accept the input: 3 values do not match their schema",
    errors: details.map((detail) => ({ in: "body", pointer: "#/name", detail })),
  };
}

Deno.test("a schema message that is a translation key is translated in a 422 response", async () => {
  const app = newApp();
  app.Post("/", async (ctx) => {
    const [, error] = await ctx.ReadJSON(refuses("name.short", "Some words", "only.default"));
    if (error !== null) throw error;
  });
  const test = httptest.New(app);
  const ask = (language: string) => test.POST("/").WithJSON({}).WithHeader("Accept-Language", language).Expect();
  await ask("de").Status(422).JSON(problem("Der Name ist zu kurz", "Some words", "Only English"))
    .Header("vary", "Accept, Accept-Language");
  await ask("en").Status(422).JSON(problem("The name is too short", "Some words", "Only English"));
  await test.POST("/de").WithJSON({}).Expect().Status(422)
    .JSON(problem("Der Name ist zu kurz", "Some words", "Only English"));
});

Deno.test("a translated message can include the field name, even for controller inputs", async () => {
  const app = newApp();
  class NameController {
    Post(_body = mvc.Body(refuses("field.bad"))): string {
      return "";
    }
  }
  mvc.New(app).Handle(NameController);
  await httptest.New(app).POST("/").WithJSON({}).WithHeader("Accept-Language", "de").Expect().Status(422)
    .JSON(problem("name ist falsch"));
});

Deno.test("a message that is not a translation key does not determine the language", async () => {
  const app = newApp();
  app.Post("/", async (ctx) => {
    const [, error] = await ctx.ReadJSON(refuses("Some words"));
    if (error !== null) throw error;
  });
  await httptest.New(app).POST("/").WithJSON({}).Expect().Status(422).JSON(problem("Some words"))
    .Header("vary", "Accept");
});
