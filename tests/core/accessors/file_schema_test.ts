import { assertEquals, assertStringIncludes } from "@std/assert";
import { toStandardJsonSchema } from "npm:@valibot/to-json-schema@^1";
import { type } from "npm:arktype@^2";
import * as v from "npm:valibot@^1";
import { z } from "npm:zod@^4";
import * as mvc from "../../../mvc/mod.ts";
import * as openapi from "../../../src/api/openapi/mod.ts";
import type { StandardSchema } from "../../../src/core/accessors/schema.ts";
import { quiet } from "../../serving.ts";

const image = z.file().max(10).mime(["image/png"]);

const forms: Readonly<Record<string, StandardSchema<unknown>>> = {
  zod: z.object({ name: z.string(), cover: image.optional(), photos: z.array(image).max(2) }),
  valibot: toStandardJsonSchema(v.object({
    name: v.string(),
    cover: v.optional(v.pipe(v.file(), v.mimeType(["image/png"]), v.maxSize(10))),
    photos: v.pipe(v.array(v.pipe(v.file(), v.mimeType(["image/png"]), v.maxSize(10))), v.maxLength(2)),
  })),
};

function show(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_, each) => each instanceof File ? `${each.name} ${each.size}` : each));
}

function png(name: string, size = 3): File {
  return new File(["x".repeat(size)], name, { type: "image/png" });
}

function form(...fields: readonly (readonly [string, string | File])[]): FormData {
  const data = new FormData();
  for (const [name, value] of fields) data.append(name, value as string);
  return data;
}

for (const [library, schema] of Object.entries(forms)) {
  Deno.test(`ReadForm() and mvc.Form() read files with a schema of ${library}`, async () => {
    const app = quiet();
    app.Post("/read", async (ctx) => {
      const [value, error] = await ctx.ReadForm(schema);
      if (error !== null) throw error;
      ctx.JSON(show(value));
    });
    class Teas {
      Post(sent = mvc.Form(schema)) {
        return show(sent);
      }
      PutResult(sent = mvc.FormResult(schema)) {
        return sent.IsValid ? show(sent.Value) : [422, show(sent.Errors)];
      }
    }
    mvc.New(app.Party("/teas")).Handle(Teas);
    await using server = Deno.serve({ port: 0, onListen() {} }, app.fetch);
    const post = async (path: string, body: FormData) => {
      const method = path.endsWith("result") ? "PUT" : "POST";
      const response = await fetch(`http://localhost:${server.addr.port}${path}`, { method, body });
      const text = await response.text();
      return response.status === 200 ? JSON.parse(text) : response.status;
    };
    for (const path of ["/read", "/teas"]) {
      const name = ["name", "Assam"] as const;
      const whole = { name: "Assam", cover: "a.png 3", photos: ["b.png 3"] };
      assertEquals(await post(path, form(name, ["cover", png("a.png")], ["photos", png("b.png")])), whole);
      const two = form(name, ["photos[]", png("a.png")], ["photos[]", png("b.png")]);
      assertEquals(await post(path, two), { name: "Assam", photos: ["a.png 3", "b.png 3"] });
      assertEquals(await post(path, form(name)), { name: "Assam", photos: [] });
      // A browser sends a nameless file without content if none was selected.
      const blank = form(name, ["cover", new File([], "")], ["photos", new File([], "")]);
      assertEquals(await post(path, blank), { name: "Assam", photos: [] });
      assertEquals(await post(path, form(name, ["cover", png("a.png", 11)])), 422);
      assertEquals(await post(path, form(name, ["cover", new File(["x"], "a.txt", { type: "text/plain" })])), 422);
      assertEquals(await post(path, form(name, ["cover", "text"])), 422);
      assertEquals(await post(path, form(["name", png("a.png")])), 422);
    }
    const [status, errors] = await post("/teas/result", form(["name", "Assam"], ["cover", png("a.png", 11)]));
    assertEquals([status, Object.keys(errors)], [422, ["cover"]]);
  });
}

Deno.test("Document.Build() describes files in forms as multipart", async () => {
  for (const [library, schema] of Object.entries(forms)) {
    class Teas {
      Post(sent = mvc.Form(schema)) {
        return show(sent);
      }
    }
    const app = quiet();
    mvc.New(app).Handle(Teas);
    const document = JSON.parse(JSON.stringify(await openapi.New({ Title: "T", Version: "1" }).Build(app)));
    const { content } = document.paths["/"].post.requestBody;
    assertEquals(Object.keys(content), ["multipart/form-data"], library);
    const { properties, required } = content["multipart/form-data"].schema;
    assertEquals([properties.cover.format, properties.photos.items.format], ["binary", "binary"]);
    assertEquals(required, ["name"]);
  }
});

Deno.test("ReadForm() reads files with arktype", async () => {
  const app = quiet();
  const schema = type({ cover: "File", "photos?": "File[]" });
  app.Post("/", async (ctx) => {
    const [value, error] = await ctx.ReadForm(schema);
    if (error !== null) throw error;
    ctx.JSON(show(value));
  });
  const body = form(["cover", png("a.png")], ["photos", png("b.png")]);
  const response = await app.fetch(new Request("http://localhost/", { method: "POST", body }));
  assertStringIncludes(await response.text(), '"photos":["b.png 3"]');
});
