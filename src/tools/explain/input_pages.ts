/**
 * The pages of the error codes for input.
 *
 * @module
 */

import type { PageSources } from "./page.ts";

/** Path parameters, fields, bodies, uploads and schemas. */
export const inputPages: PageSources = {
  FW_PARAM: {
    cause:
      "A path parameter does not exist in the route's template, or its value cannot be converted to the requested " +
      "type. Building a URL from a value that the route would not match also fails with this code.",
    remedy: "Give the parameter a type in the template. Other values then result in a 404 before the handler runs.",
    wrong: `const app = fw.New();
app.Get("/teas/{id}", (ctx) => {
  const [id, error] = ctx.Params().GetInt("id");
  if (error !== null) throw error;
  ctx.JSON({ id });
});
await app.fetch(new Request("http://localhost/teas/green"));`,
    right: [["{id}", "{id:int}"], ['green"));', 'green")); // 404']],
    chapter: "Input",
  },
  FW_FIELD: {
    cause: "A form field or query parameter is missing, or its value cannot be converted to a number, a boolean or " +
      "another type. The error is the second value in the result. The response is a 500 only if a handler throws it.",
    remedy:
      "Handle the returned error, use a method with a default value, such as `URLParamIntDefault`, or validate the " +
      "input with a schema, so that invalid values result in a 422.",
    wrong: `const app = fw.New();
app.Get("/brew", (ctx) => {
  const [cups, error] = ctx.URLParamInt("cups");
  if (error !== null) throw error;
  ctx.JSON({ cups });
});
await app.fetch(new Request("http://localhost/brew?cups=two"));`,
    right: `const app = fw.New();
app.Get("/brew", (ctx) => ctx.JSON({ cups: ctx.URLParamIntDefault("cups", 1) }));
await app.fetch(new Request("http://localhost/brew?cups=two"));`,
    chapter: "Input",
  },
  FW_BODY: {
    cause:
      "The request body is empty, truncated, or not valid JSON, XML, YAML, MessagePack or form data, or it has a " +
      "different content type. The client receives a 400 or 415 response.",
    remedy:
      "Send a valid body with the matching `Content-Type`. If the server should accept the body as it is, read it in " +
      "the format that clients send.",
    wrong: `const app = fw.New();
app.Post("/teas", async (ctx) => {
  const [tea, error] = await ctx.ReadJSON(z.object({ name: z.string() }));
  if (error !== null) throw error;
  ctx.JSON(tea);
});
await app.fetch(new Request("http://localhost/teas", { method: "POST", body: "name=Sencha" }));`,
    right: `const app = fw.New();
app.Post("/teas", async (ctx) => {
  const [tea, error] = await ctx.ReadJSON(z.object({ name: z.string() }));
  if (error !== null) throw error;
  ctx.JSON(tea);
});
const headers = { "content-type": "application/json" };
const body = JSON.stringify({ name: "Sencha" });
await app.fetch(new Request("http://localhost/teas", { method: "POST", headers, body }));`,
    chapter: "Input",
  },
  FW_LIMIT: {
    cause: "A request body, or one of its parts, exceeds the limit. The client receives a 413 response.",
    remedy: "Raise the limit with `fw.LimitRequestBodySize` for the routes that need it, or send a smaller body.",
    wrong: `const app = fw.New();
app.Post("/notes", fw.LimitRequestBodySize(10), async (ctx) => {
  const [body, error] = await ctx.GetBody();
  if (error !== null) throw error;
  ctx.Write(body);
});
await app.fetch(new Request("http://localhost/notes", { method: "POST", body: "Tea at four in the kitchen" }));`,
    right: [["LimitRequestBodySize(10)", "LimitRequestBodySize(1024)"]],
    chapter: "Forms and uploads",
  },
  FW_MISSING_FILE: {
    cause: "The request contains no file with the requested field name. Common reasons are that the form lacks " +
      '`enctype="multipart/form-data"`, that the input has no `name`, or that no file was selected.',
    remedy:
      'Add `enctype="multipart/form-data"` to the form. If the file is optional, compare the returned error with ' +
      "`fw.ErrMissingFile`.",
    wrong: `const app = fw.New();
app.Post("/photo", async (ctx) => {
  const [, header, error] = await ctx.FormFile("photo");
  if (error !== null) throw error;
  ctx.WriteString(header?.Filename ?? "");
});
await app.fetch(new Request("http://localhost/photo", { method: "POST", body: new FormData() }));`,
    right: [[
      "  if (error !== null)",
      `  if (error === fw.ErrMissingFile) return ctx.WriteString("No photo");
  if (error !== null)`,
    ]],
    chapter: "Forms and uploads",
  },
  FW_UPLOAD: {
    cause:
      "An uploaded file cannot be written. Either the path is not a folder or is not writable, the disk is full, " +
      "the `--allow-write` permission is missing, or the file name sent by the client cannot be used.",
    remedy: "Create the folder at start-up, and grant `--allow-write` for it.",
    wrong: `const app = fw.New();
app.Post("/photos", async (ctx) => {
  const [bytes, error] = await ctx.UploadFormFiles("./deno.json"); // not a folder
  if (error !== null) throw error;
  ctx.JSON({ bytes });
});
const body = new FormData();
body.set("photo", new File(["tea"], "tea.txt"));
await app.fetch(new Request("http://localhost/photos", { method: "POST", body }));`,
    right: `const folder = await Deno.makeTempDir();
const app = fw.New();
app.Post("/photos", async (ctx) => {
  const [bytes, error] = await ctx.UploadFormFiles(folder);
  if (error !== null) throw error;
  ctx.JSON({ bytes });
});
const body = new FormData();
body.set("photo", new File(["tea"], "tea.txt"));
await app.fetch(new Request("http://localhost/photos", { method: "POST", body }));
await Deno.remove(folder, { recursive: true });`,
    chapter: "Forms and uploads",
  },
  FW_VALIDATION: {
    cause:
      "The input was parsed but does not match its schema. The client receives a 422 response that lists each issue.",
    remedy:
      "Send valid input, or change the schema. `error.Issues` and `error.Fields` contain the details. If clients " +
      "send numbers as strings, convert them in the schema, for example with `z.coerce.number()`.",
    wrong: `const app = fw.New();
app.Post("/brew", async (ctx) => {
  const [order, error] = await ctx.ReadJSON(z.object({ cups: z.number() }));
  if (error !== null) throw error;
  ctx.JSON(order);
});
const headers = { "content-type": "application/json" };
await app.fetch(new Request("http://localhost/brew", { method: "POST", headers, body: '{"cups":"2"}' }));`,
    right: [["z.number()", "z.coerce.number()"]],
    chapter: "Input",
  },
};
