import { assertEquals } from "@std/assert";
import { z } from "npm:zod@^4";
import * as fw from "@fw/web";
import * as keys from "@fw/web/keys";
import * as accesslog from "@fw/web/middleware/accesslog";
import * as csrf from "@fw/web/middleware/csrf";
import * as webhooks from "@fw/web/webhooks";
import { type Ask, bothWays, quiet } from "../../../serving.ts";

/** The ways in which fw reads a body before a handler asks for the request. */
const readers: Readonly<Record<string, (ctx: fw.Context) => unknown>> = {
  GetBody: (ctx) => ctx.GetBody(),
  ReadJSON: (ctx) => ctx.ReadJSON(),
  "ReadJSON with a schema": (ctx) => ctx.ReadJSON(z.object({ a: z.string() })),
  "a failed ReadForm": (ctx) => ctx.ReadForm().then(() => ctx.GetBody()),
  "GetBody twice": (ctx) => ctx.GetBody().then(() => ctx.GetBody()),
};

/** The ways in which a handler reads the request. */
const asks: Readonly<Record<string, (request: Request) => Promise<string>>> = {
  text: (request) => request.text(),
  json: async (request) => JSON.stringify(await request.json()),
  bytes: async (request) => new TextDecoder().decode(await request.bytes()),
  arrayBuffer: async (request) => new TextDecoder().decode(await request.arrayBuffer()),
  blob: async (request) => await (await request.blob()).text(),
  body: async (request) =>
    (await Array.fromAsync(request.body ?? [])).map((chunk) => new TextDecoder().decode(chunk)).join(""),
  clone: (request) => request.clone().text(),
  "a copy": (request) => new Request(request, { headers: { "x-a": "b" } }).text(),
};

const sent = '{"a":"ü"}';

function newApp(): fw.Application {
  const app = quiet();
  for (const [at, read] of Object.values(readers).entries()) {
    for (const [name, ask] of Object.entries(asks)) {
      app.Post(`/${at}/${name.replace(" ", "-")}`, async (ctx) => {
        await read(ctx);
        const request = ctx.Request();
        const isSame = request === ctx.Request() && request.method === "POST" &&
          request.url.endsWith(name.replace(" ", "-"));
        ctx.Text(`${await ask(request)} ${isSame} ${request.headers.get("x-sent")} ${request.signal.aborted}`);
      });
    }
  }
  const log = accesslog.New({ Output: () => {}, RequestBody: true });
  app.Post("/log", log.Handler(), async (ctx) => ctx.Text(await ctx.Request().text()));
  app.Post("/form", async (ctx) => {
    const name = await ctx.FormValue("a");
    ctx.Text(`${name} ${(await ctx.Request().formData()).get("a")}`);
  });
  app.Post("/token", csrf.New({ Keys: keys.New("k".repeat(32)) }), async (ctx) => ctx.Text(await ctx.Request().text()));
  app.Post("/limited", fw.LimitRequestBodySize(5), async (ctx) => {
    await ctx.GetBody();
    ctx.Text(await ctx.Request().text());
  });
  app.Get("/empty", async (ctx) => {
    await ctx.GetBody();
    ctx.Text(`[${await ctx.Request().text()}]`);
  });
  return app;
}

bothWays("Context.Request() has a body that fw has already read", newApp, async (ask: Ask) => {
  for (const [at, reader] of Object.keys(readers).entries()) {
    for (const name of Object.keys(asks)) {
      const headers = { "content-type": "application/json", "x-sent": "yes" };
      const { text } = await ask(`/${at}/${name.replace(" ", "-")}`, { method: "POST", headers, body: sent });
      assertEquals(text, `${sent} true yes false`, `${reader}, ${name}`);
    }
  }
  const form = { method: "POST", headers: { "content-type": "application/x-www-form-urlencoded" } };
  assertEquals((await ask("/form", { ...form, body: "a=b+c" })).text, "b c b c");
  assertEquals((await ask("/log", { ...form, body: "a=b+c" })).text, "a=b+c");
  assertEquals((await ask("/limited", { ...form, body: "too long" })).status, 413);
  assertEquals((await ask("/empty")).text, "[]");
});

bothWays("webhooks.Verify() lets handlers read the request", () => {
  const app = quiet();
  app.Post("/", webhooks.Verify({ Secret: "0123456789abcdef", Scheme: "github" }), async (ctx) => {
    ctx.Text(`${await ctx.Request().text()} ${new TextDecoder().decode((await ctx.GetBody())[0])}`);
  });
  return app;
}, async (ask) => {
  const key = await crypto.subtle.importKey(
    "raw",
    new TextEncoder().encode("0123456789abcdef"),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
  const signature = new Uint8Array(await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(sent))).toHex();
  const headers = { "x-hub-signature-256": `sha256=${signature}`, "content-type": "application/json" };
  const { status, text } = await ask("/", { method: "POST", headers, body: sent });
  assertEquals([status, text], [200, `${sent} ${sent}`]);
});
