import { assertEquals } from "@std/assert";
import * as v from "npm:valibot@^1";
import { z } from "npm:zod@^4";
import type * as fw from "@fw/web";
import * as keys from "@fw/web/keys";
import * as csrf from "@fw/web/middleware/csrf";
import * as jwt from "@fw/web/middleware/jwt";
import * as methodoverride from "@fw/web/middleware/methodoverride";
import * as mvc from "@fw/web/mvc";
import * as versioning from "@fw/web/versioning";
import { bothWays, quiet } from "../../serving.ts";

const strict = z.strictObject({ n: z.number() });

class StrictController {
  Get(query = mvc.Query(strict)): unknown {
    return query;
  }

  Put(form = mvc.Form(strict)): unknown {
    return form;
  }
}

/** Creates an application in which fw reads a parameter and two fields of every request, with strict schemas. */
function newApp(): fw.Application {
  const app = quiet();
  app.I18n.LoadKV({ en: { hi: "Hello" }, de: { hi: "Hallo" } }, "en", "de");
  app.WrapRouter(methodoverride.New({ FormField: "_method" }));
  app.Use(csrf.New({ Keys: keys.New("k".repeat(32)) }));
  register(app);
  const inner = quiet();
  register(inner);
  app.Mount("/inner", inner.fetch);
  app.Get("/named", async (ctx) => answer(ctx, await ctx.ReadQuery(z.strictObject({ lang: z.string() }))));
  app.Get("/any", async (ctx) => answer(ctx, await ctx.ReadQuery(z.record(z.string(), z.string()))));
  app.Get("/raw", async (ctx) => answer(ctx, await ctx.ReadQuery()));
  const verifier = jwt.NewVerifier({
    Key: new TextEncoder().encode("k".repeat(32)),
    Algorithms: ["HS256"],
    From: [jwt.FromQuery("token")],
    Optional: true,
  });
  app.Get("/token", verifier.Handler(), async (ctx) => answer(ctx, await ctx.ReadQuery(strict)));
  app.Get("/version", versioning.FromQuery("v"), async (ctx) => answer(ctx, await ctx.ReadQuery(strict)));
  return app;
}

function register(app: fw.Application): void {
  app.Get("/query", async (ctx) => answer(ctx, await ctx.ReadQuery(strict)));
  app.Get("/valibot", async (ctx) => answer(ctx, await ctx.ReadQuery(v.strictObject({ n: v.number() }))));
  app.Get("/body", async (ctx) => answer(ctx, await ctx.ReadBody(strict)));
  app.Put("/form", async (ctx) => answer(ctx, await ctx.ReadForm(strict)));
  app.Put("/form-body", async (ctx) => answer(ctx, await ctx.ReadBody(strict)));
  app.Put("/result", async (ctx) => {
    const form = await ctx.FormResult(strict);
    ctx.JSON(form.IsValid ? form.Value : form.Errors);
  });
  mvc.New(app.Party("/mvc")).Handle(StrictController);
}

function answer(ctx: fw.Context, [value, error]: fw.Result<unknown>): void {
  if (error !== null) throw error;
  ctx.JSON(value);
}

bothWays("a strict schema does not see the query parameters that fw reads itself", newApp, async (ask) => {
  for (const path of ["/query", "/valibot", "/body", "/mvc", "/inner/query", "/inner/mvc"]) {
    assertEquals((await ask(`${path}?n=1&lang=de`)).text, '{"n":1}', path);
    assertEquals((await ask(`${path}?n=1&lang=de&other=x`)).status, 422, path);
  }
  assertEquals((await ask("/version?n=1&v=1.0.0&lang=de")).text, '{"n":1}');
  assertEquals((await ask("/token?n=1&token=&lang=de")).text, '{"n":1}');
  assertEquals((await ask("/query?n=1&v=1.0.0")).status, 422, "only if fw reads the parameter");
  assertEquals((await ask("/named?lang=de")).text, '{"lang":"de"}');
  assertEquals((await ask("/any?lang=de&a=b")).text, '{"lang":"de","a":"b"}');
  assertEquals((await ask("/raw?lang=de&a=b")).text, '{"lang":"de","a":"b"}');
});

bothWays("a strict schema does not see the form fields that fw reads itself", newApp, async (ask) => {
  const headers = { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin" };
  for (const path of ["/form", "/form-body", "/result", "/mvc", "/inner/form", "/inner/result", "/inner/mvc"]) {
    const post = (body: string) => ask(path, { method: "POST", headers, body });
    assertEquals((await post("_method=PUT&csrf_token=abc&n=1")).text, '{"n":1}', path);
    assertEquals((await post("_method=PUT&n=1&other=x")).text === '{"n":1}', false, path);
  }
});
