/**
 * The pages of the error codes for input.
 *
 * @module
 */

import type { Page } from "./page.ts";

type Code =
  | "FW_PARAM"
  | "FW_FIELD"
  | "FW_BODY"
  | "FW_LIMIT"
  | "FW_MISSING_FILE"
  | "FW_UPLOAD"
  | "FW_VALIDATION";

/** Path parameters, fields, bodies, uploads and schemas. */
export const inputPages: Readonly<Record<Code, Page>> = {
  FW_PARAM: {
    cause:
      "A path parameter does not exist in the route's template, or its value cannot be converted to the requested " +
      "type. Building a URL with a value that the route would not match has the same code.",
    remedy: "Give the parameter a type in the template, so that other values get 404 before the handler runs.",
    wrong: `const app = fw.New();
app.Get("/teas/{id}", (ctx) => {
  const [id, error] = ctx.Params().GetInt("id");
  if (error !== null) throw error;
  ctx.JSON({ id });
});
await app.fetch(new Request("http://localhost/teas/green"));`,
    right: `const app = fw.New();
app.Get("/teas/{id:int}", (ctx) => {
  const [id, error] = ctx.Params().GetInt("id");
  if (error !== null) throw error;
  ctx.JSON({ id });
});
await app.fetch(new Request("http://localhost/teas/green")); // 404`,
    chapter: "Input",
  },
  FW_FIELD: {
    cause: "A form field or query parameter is missing, or its value cannot be converted to a number, a boolean or " +
      "another type. The error is returned as the second value, and it becomes a 500 only if a handler throws it.",
    remedy:
      "Handle the returned error, use a method with a default, such as `URLParamIntDefault`, or validate the input " +
      "with a schema, which responds with 422.",
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
      "The request body is empty, truncated or not valid JSON, XML, YAML, MessagePack or form data, or its content " +
      "type is a different one. The client receives 400 or 415.",
    remedy:
      "Send a valid body with the matching `Content-Type`. If the server should accept it, read the body in the " +
      "format that clients send.",
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
    cause: "A request body, or one of its parts, is larger than the limit. The client receives 413.",
    remedy: "Raise the limit for the routes that need it with `fw.LimitRequestBodySize`, or send less.",
    wrong: `const app = fw.New();
app.Post("/notes", fw.LimitRequestBodySize(10), async (ctx) => {
  const [body, error] = await ctx.GetBody();
  if (error !== null) throw error;
  ctx.Write(body);
});
await app.fetch(new Request("http://localhost/notes", { method: "POST", body: "Tea at four in the kitchen" }));`,
    right: `const app = fw.New();
app.Post("/notes", fw.LimitRequestBodySize(1024), async (ctx) => {
  const [body, error] = await ctx.GetBody();
  if (error !== null) throw error;
  ctx.Write(body);
});
await app.fetch(new Request("http://localhost/notes", { method: "POST", body: "Tea at four in the kitchen" }));`,
    chapter: "Forms and uploads",
  },
  FW_MISSING_FILE: {
    cause: "The request contains no file under the requested name. Often the form lacks " +
      '`enctype="multipart/form-data"`, the input has no `name`, or no file was chosen.',
    remedy:
      'Add `enctype="multipart/form-data"` to the form, and compare the returned error with `fw.ErrMissingFile` if ' +
      "the file is optional.",
    wrong: `const app = fw.New();
app.Post("/photo", async (ctx) => {
  const [, header, error] = await ctx.FormFile("photo");
  if (error !== null) throw error;
  ctx.WriteString(header?.Filename ?? "");
});
await app.fetch(new Request("http://localhost/photo", { method: "POST", body: new FormData() }));`,
    right: `const app = fw.New();
app.Post("/photo", async (ctx) => {
  const [, header, error] = await ctx.FormFile("photo");
  if (error === fw.ErrMissingFile) return ctx.WriteString("No photo");
  if (error !== null) throw error;
  ctx.WriteString(header?.Filename ?? "");
});
await app.fetch(new Request("http://localhost/photo", { method: "POST", body: new FormData() }));`,
    chapter: "Forms and uploads",
  },
  FW_UPLOAD: {
    cause: "An uploaded file cannot be written: the path is not a folder or is not writable, the disk is full, the " +
      "permission `--allow-write` is missing, or the client's file name cannot be used.",
    remedy: "Create the folder at start-up and grant `--allow-write` for it.",
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
    cause: "Input could be parsed, but does not match its schema. The client receives 422 with one entry per issue.",
    remedy:
      "Send valid input, or change the schema. `error.Issues` and `error.Fields` contain the details. If clients " +
      "send numbers as strings, let the schema convert them, for example with `z.coerce.number()`.",
    wrong: `const app = fw.New();
app.Post("/brew", async (ctx) => {
  const [order, error] = await ctx.ReadJSON(z.object({ cups: z.number() }));
  if (error !== null) throw error;
  ctx.JSON(order);
});
const headers = { "content-type": "application/json" };
await app.fetch(new Request("http://localhost/brew", { method: "POST", headers, body: '{"cups":"2"}' }));`,
    right: `const app = fw.New();
app.Post("/brew", async (ctx) => {
  const [order, error] = await ctx.ReadJSON(z.object({ cups: z.coerce.number() }));
  if (error !== null) throw error;
  ctx.JSON(order);
});
const headers = { "content-type": "application/json" };
await app.fetch(new Request("http://localhost/brew", { method: "POST", headers, body: '{"cups":"2"}' }));`,
    chapter: "Input",
  },
};
