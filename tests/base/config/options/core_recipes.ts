/**
 * Calls the functions of `@fw/web` and `@fw/web/mvc` that take options.
 *
 * @module
 */

import * as fw from "../../../../mod.ts";
import * as mvc from "../../../../mvc/mod.ts";
import { inHandler, type Recipes, withBody } from "./recipe.ts";

const here = import.meta.dirname ?? ".";
const file = `${here}/recipe.ts`;

class Plain {
  Get(): string {
    return "";
  }
}

/** Returns a form with a file. */
function form(): FormData {
  const data = new FormData();
  data.set("a", new File(["x"], "a.txt"));
  return data;
}

async function upload(options: unknown): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await withBody(async (ctx) => {
      const [, error] = await ctx.UploadFormFiles(folder, options as fw.UploadOptions);
      if (error !== null) throw error;
    }, form());
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** The functions of `@fw/web`. */
export const coreRecipes: Recipes = {
  "WithBodyTimeout": fw.WithBodyTimeout,
  "WithConfiguration": [fw.WithConfiguration, {}, { BodyTimeout: { MinRate: 1, Grace: 1, Total: 1 } }],
  "WithProxy": [fw.WithProxy, { Trust: [] }],
  "RedirectToHTTPS": fw.RedirectToHTTPS,
  "Proxy": (options) => fw.Proxy("http://127.0.0.1:1", options),
  "Unix": (options) => fw.Unix("/tmp/x.sock", options),
  "NewProblem": fw.NewProblem,
  "Problem.constructor": (options) => new fw.Problem(options),
  "NewEvent": (options) => fw.NewEvent(1, options),
  "ServerEvent.constructor": (options) => new fw.ServerEvent(1, options),
  "Env": [(options) => fw.Env(envSchema, options), { Names: ["FW_TEST_UNSET"] }],
  "Party.HandleDir": (options) => fw.New().HandleDir("/", here, options),
  "Route.Describe": [(options) => fw.New().Get("/", () => {}).Describe(options), {}],
  "Context.GetCookie": (options) => inHandler((ctx) => ctx.GetCookie("a", options)),
  "Context.SetCookie": (options) => inHandler((ctx) => ctx.SetCookie("a", "b", options)),
  "Context.AddCookieOptions": (options) => inHandler((ctx) => ctx.AddCookieOptions(options)),
  "Context.RemoveCookie": (options) => inHandler((ctx) => ctx.RemoveCookie("a", options)),
  "Context.JSON": (options) => inHandler((ctx) => ctx.JSON({}, options)),
  "Context.JSONP": [(options) => inHandler((ctx) => ctx.JSONP({}, options)), { Callback: "f" }],
  "Context.XML": (options) => inHandler((ctx) => ctx.XML({}, options)),
  "Context.Markdown": (options) => inHandler((ctx) => ctx.Markdown("x", options)),
  "Context.Stream": (options) => inHandler((ctx) => ctx.Stream([], options)),
  "Context.Events": (options) => inHandler((ctx) => ctx.Events([], options)),
  "Context.ServeFile": (options) => inHandler((ctx) => ctx.ServeFile(file, options)),
  "Context.SendFileWithRate": (options) => inHandler((ctx) => ctx.SendFileWithRate(file, 1e9, options)),
  "Context.Problem": (options) => inHandler((ctx) => ctx.Problem(options)),
  "Context.StopWithProblem": (options) => inHandler((ctx) => ctx.StopWithProblem(options)),
  "Context.UploadFormFiles": upload,
  "Context.ReadJSON": (options) => withBody(async (ctx) => thrown(await ctx.ReadJSON(undefined, options)), "{}", json),
  "Context.ReadXML": (options) => withBody(async (ctx) => thrown(await ctx.ReadXML(undefined, options)), "<a/>", xml),
  "Context.ReadYAML": (options) =>
    withBody(async (ctx) => thrown(await ctx.ReadYAML(undefined, options)), "a: 1", yaml),
  "Context.ReadMsgPack": (options) =>
    withBody(async (ctx) => thrown(await ctx.ReadMsgPack(undefined, options)), new Uint8Array([0x80]), msgpack),
  "Context.ReadJSONStream": (options) =>
    withBody(
      async (ctx) => {
        for await (const _ of ctx.ReadJSONStream(undefined, options));
      },
      "[]",
      json,
    ),
  "Context.ReadForm": (options) => withBody(async (ctx) => thrown(await ctx.ReadForm(undefined, options)), form()),
  "Context.FormResult": (options) => withBody((ctx) => ctx.FormResult(envSchema, options), form()),
  "Host.Errors": [(text) => onHost((host) => host.Errors({ TEA: text })), { Meaning: "a", Remedy: "b" }],
  "Host.Label": (use) => onHost((host) => host.Label("tea", () => "", use)),
  "Host.Run": (options) => onHost((host) => host.Run(() => {}, options)),
  "mvc Application.Handle": (options) => mvc.New(fw.New()).Handle(Plain, options),
  "mvc Response.constructor": (options) => new mvc.Response(options),
  "mvc View.constructor": [(options) => new mvc.View(options), { Name: "a" }],
};

const [json, xml, yaml, msgpack] = ["json", "xml", "yaml", "msgpack"].map((name) => `application/${name}`);

/** Calls a method of the host of an extension. */
function onHost(use: (host: fw.Host) => unknown): void {
  fw.New().Install({ Name: "tea", Install: (host) => void use(host) });
}

/** Throws the error of a result. */
function thrown([, error]: fw.Result<unknown>): void {
  if (error !== null) throw error;
}

const envSchema: fw.StandardSchema<object> = {
  "~standard": { version: 1, vendor: "test", validate: (value) => ({ value: Object(value) }) },
};
