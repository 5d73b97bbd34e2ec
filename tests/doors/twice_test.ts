import { createHmac } from "node:crypto";
import type * as fw from "@fw/web";
import * as apikeys from "@fw/web/apikeys";
import * as auth from "@fw/web/auth";
import * as cache from "@fw/web/middleware/cache";
import * as compress from "@fw/web/middleware/compress";
import * as cors from "@fw/web/middleware/cors";
import * as csrf from "@fw/web/middleware/csrf";
import * as etag from "@fw/web/middleware/etag";
import * as ratelimit from "@fw/web/middleware/ratelimit";
import * as requestid from "@fw/web/middleware/requestid";
import * as secure from "@fw/web/middleware/secure";
import * as timeout from "@fw/web/middleware/timeout";
import * as sessions from "@fw/web/sessions";
import * as webhooks from "@fw/web/webhooks";
import { assert, assertEquals } from "@std/assert";
import { quiet } from "../serving.ts";

/** Builds an application that uses a middleware twice for one request. */
type Build = (handler: fw.Handler, add: (party: fw.Party) => void) => fw.Application;

function inParty(use: "Use" | "UseRouter"): Build {
  return (handler, add) => {
    const app = quiet();
    app[use](handler);
    add(app.Party("/inner", handler));
    return app;
  };
}

function mounted(use: "Use" | "UseRouter"): Build {
  return (handler, add) => {
    const [app, inner] = [quiet(), quiet()];
    app[use](handler);
    inner[use](handler);
    add(inner);
    app.Mount("/inner", inner);
    return app;
  };
}

const places: Readonly<Record<string, Build>> = {
  "in a party and around it": inParty("Use"),
  "before routing and in a party": inParty("UseRouter"),
  "in a mounted application and around it": mounted("Use"),
  "before routing in a mounted application and around it": mounted("UseRouter"),
};

const secret = "whsec_c2VjcmV0IG9mIHRoZSBzZW5kZXI=";
const body = "a=1";
const page = "tea ".repeat(100);

/** Returns the headers of a signed webhook. */
function signed(): Record<string, string> {
  const [id, time] = ["webhook", String(Math.floor(Date.now() / 1000))];
  const key = Uint8Array.fromBase64(secret.slice("whsec_".length));
  const signature = createHmac("sha256", key).update(`${id}.${time}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": `v1,${signature}` };
}

function load(ID: string): fw.User {
  return { ID, Name: ID, Roles: [], Method: "session" };
}

const keys = apikeys.New({ Store: apikeys.NewMemory() });
const { Key } = await keys.Create({ Owner: "ada", Name: "script", Scopes: ["read"] });

/** A middleware, and the headers that it needs. */
interface Row {
  readonly handler: fw.Handler;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Creates a middleware that is used twice. */
const rows: Readonly<Record<string, () => Row>> = {
  "apikeys": () => ({ handler: keys.Require("read"), headers: { authorization: `Bearer ${Key}` } }),
  "auth.Session": () => ({ handler: auth.Session({ Sessions: sessions.New({ Cookie: "sid" }), Load: load }) }),
  "cache": () => ({ handler: cache.New({ MaxAge: 60_000 }) }),
  "compress": () => ({ handler: compress.New({ MinBody: 0 }) }),
  "cors": () => ({ handler: cors.New(), headers: { origin: "https://tea.example" } }),
  "csrf": () => ({ handler: csrf.New(), headers: { "sec-fetch-site": "same-origin" } }),
  "etag": () => ({ handler: etag.New() }),
  "ratelimit": () => ({ handler: ratelimit.New({ Limit: 2, Period: 60_000 }) }),
  "requestid": () => ({ handler: requestid.New() }),
  "secure": () => ({ handler: secure.New() }),
  "sessions": () => ({ handler: sessions.New().Handler() }),
  "timeout": () => ({ handler: timeout.New({ After: 60_000 }) }),
  "webhooks": () => ({ handler: webhooks.Verify({ Secret: secret }), headers: signed() }),
};

/** The headers of which a response must not have two. */
const single = ["access-control-allow-origin", "etag", "ratelimit", "x-content-type-options", "x-request-id"];

for (const [name, newRow] of Object.entries(rows)) {
  for (const [place, build] of Object.entries(places)) {
    Deno.test(`${name} can be used ${place}, with the effect of one`, async () => {
      const { handler, headers = {} } = newRow();
      let runs = 0;
      const app = build(handler, (party) => {
        party.Get("/page", (ctx) => ctx.WriteString(page));
        party.Post("/form", async (ctx) => {
          runs++;
          ctx.WriteString(`got ${await ctx.PostValue("a")}`);
        });
      });
      const type = "application/x-www-form-urlencoded";
      const posted = await app.fetch(
        new Request("http://localhost/inner/form", {
          method: "POST",
          headers: { ...headers, "content-type": type },
          body,
        }),
      );
      assertEquals([posted.status, await posted.text(), runs], [200, "got 1", 1]);
      for (const each of single) assert(!posted.headers.get(each)?.includes(","), each);
      assert(posted.headers.getSetCookie().length <= 1);
      if (name === "webhooks") return;
      const shown = await app.fetch(new Request("http://localhost/inner/page", { headers }));
      assertEquals([shown.status, await shown.text()], [200, page]);
      for (const each of single) assert(!shown.headers.get(each)?.includes(","), each);
    });
  }
}

for (const [place, build] of Object.entries(places)) {
  Deno.test(`webhooks refuse a replay, and ratelimit the next request, if they are used ${place}`, async () => {
    const statuses: number[] = [];
    const add = (party: fw.Party) => void party.Post("/form", (ctx) => ctx.WriteString("got it"));
    const limited = build(ratelimit.New({ Limit: 1, Period: 60_000 }), add);
    const verified = build(webhooks.Verify({ Secret: secret }), add);
    const headers = signed();
    for (const app of [limited, limited, verified, verified]) {
      const request = new Request("http://localhost/inner/form", { method: "POST", headers, body });
      const response = await app.fetch(request);
      await response.body?.cancel();
      statuses.push(response.status);
    }
    assertEquals(statuses, [200, 429, 200, 409]);
  });
}
