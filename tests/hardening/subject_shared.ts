/**
 * The part of the subject in which guards, caches and responses interact. A response meant for one client must not
 * reach another.
 *
 * @module
 */

import type * as fw from "@fw/web";
import { StaticCache } from "@fw/web";
import * as keys from "@fw/web/keys";
import * as basicauth from "@fw/web/middleware/basicauth";
import * as cache from "@fw/web/middleware/cache";
import * as csrf from "@fw/web/middleware/csrf";
import * as etag from "@fw/web/middleware/etag";
import * as jwt from "@fw/web/middleware/jwt";
import * as ratelimit from "@fw/web/middleware/ratelimit";
import * as requestid from "@fw/web/middleware/requestid";
import * as secure from "@fw/web/middleware/secure";
import * as store from "@fw/web/store";
import { endless } from "./endless.ts";
import { secret } from "./expect.ts";

/** The features that this part adds to the subject. */
export const sharedFeatures: readonly string[] = [
  "cache keys",
  "cache stores",
  "cached users",
  "csrf multipart",
  "error pages by Accept",
  "etags",
  "hashed passwords",
  "jwt types",
  "lifetimes",
  "own etags",
  "rate limited cache",
  "shared cache",
  "token pairs",
];

const tokenKey = "the key of the pairs, which has more than 32 bytes";

/** Adds the routes. */
export function addShared(app: fw.Application): void {
  addPages(app);
  addStores(app);
  addResponses(app);
  addPairs(app);
  addForms(app);
  const hashed = app.Party("/hashed");
  hashed.Use(basicauth.New({
    Users: [
      { Name: "plain", Password: "sesame" },
      { Name: "bcrypt", Password: "$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy" },
    ],
    MaxTries: 0,
  }));
  hashed.Get("/", (ctx) => ctx.WriteString(secret));
}

/** Adds pages behind a cache, with outer middleware that sets something specific to each client. */
function addPages(app: fw.Application): void {
  const shared = app.Party("/shared");
  shared.Use(
    requestid.New({ IgnoreRequest: true }),
    secure.New({ Nonce: true }),
    ratelimit.New({ Limit: 1000, Period: 60_000 }),
  );
  shared.Use((ctx) => {
    ctx.SetCookie("visitor", crypto.randomUUID());
    return ctx.Next();
  });
  const cached = shared.Party("/");
  cached.Use(cache.New({ MaxAge: 60_000 }));
  cached.Get("/page", (ctx) => ctx.WriteString("page"));
  cached.Get("/nonce", (ctx) => ctx.HTML(`<script nonce="${secure.Nonce(ctx)}"></script>`));
  const users = app.Party("/shared-users");
  users.Use((ctx) => {
    const id = ctx.GetHeader("x-api-key");
    if (id === "") return ctx.StopWithStatus(401);
    ctx.SetUser({ ID: id, Name: id, Roles: [], Method: "key" });
    return ctx.Next();
  }, cache.New({ MaxAge: 60_000 }));
  users.Get("/", (ctx) => ctx.WriteString(`hello ${ctx.User()?.ID}`));
}

/** Adds caches whose store is down or returns invalid data, and a cache whose first page never completes. */
function addStores(app: fw.Application): void {
  function fail(): never {
    throw new Error(secret);
  }
  const stores: Record<string, cache.Store> = {
    down: { Get: fail, Set: fail, Delete: fail },
    nonsense: { Get: () => ({ Status: 999 }) as cache.CachedResponse, Set() {}, Delete() {} },
  };
  for (const [name, Store] of Object.entries(stores)) {
    const party = app.Party(`/stored/${name}`);
    party.Use(cache.New({ MaxAge: 60_000, Store }));
    party.Get("/", (ctx) => ctx.WriteString("page"));
    party.Post("/", (ctx) => ctx.WriteString("done"));
  }
  let runs = 0;
  app.Get("/stored/hangs", cache.New({ MaxAge: 60_000, MaxWait: 100 }), async (ctx) => {
    if (++runs === 1) await new Promise(() => {});
    ctx.WriteString("page");
  });
  app.Get("/stored/never", cache.New(), (ctx) => ctx.WriteString("page"));
}

function addResponses(app: fw.Application): void {
  app.Get("/known", etag.New(), (ctx) => {
    ctx.Header("content-language", "de");
    ctx.WriteString("known");
  });
  app.Get("/pieces", etag.New(), () => new Response(endless(), { headers: { "content-type": "text/plain" } }));
  app.Get("/own-tag", (ctx) => {
    ctx.Header("etag", '"own"');
    return ctx.ServeFile("public/a.txt");
  });
  app.Get("/for-an-hour", StaticCache(3_600_000), (ctx) => ctx.StopWithStatus(500));
}

function addPairs(app: fw.Application): void {
  const Store = store.NewMemory({ WhenFull: "refuse", MaxKeys: 50 });
  const Verification = { Algorithms: ["HS256"], Key: tokenKey } as const;
  const signer = jwt.NewSigner({ Algorithm: "HS256", Key: tokenKey });
  const pairs = jwt.NewPairs({ Signer: signer, Verification, Store });
  app.Get("/pairs/login", async (ctx) => ctx.JSON(await pairs.Issue({ sub: "ann" })));
  app.Post("/pairs/refresh", async (ctx) => {
    const [pair, error] = await pairs.Refresh(await ctx.PostValue("token"));
    if (error !== null) return ctx.StopWithStatus(401);
    ctx.JSON(pair);
  });
  app.Post("/pairs/revoke", async (ctx) => {
    await pairs.Revoke(await ctx.PostValue("token"));
    ctx.WriteString("revoked");
  });
  app.Get("/pairs/me", jwt.New({ ...Verification, Blocklist: Store }), (ctx) => ctx.WriteString(secret));
  app.Get("/pairs/typed", jwt.New({ ...Verification, Type: "at+jwt" }), (ctx) => ctx.WriteString(secret));
  app.Get("/pairs/optional", jwt.New({ ...Verification, Optional: true }), (ctx) => {
    ctx.WriteString(`hello ${ctx.User()?.ID ?? "stranger"}`);
  });
}

function addForms(app: fw.Application): void {
  app.Party("/csrf").Use(csrf.New()).Get("/socket", (ctx) => ctx.WriteString(secret));
  const tokens = app.Party("/multipart");
  tokens.Use(csrf.New({ Keys: keys.New("a secret of the test that has more than 32 bytes") }));
  tokens.Get("/", (ctx) => ctx.WriteString(csrf.Token(ctx)));
  tokens.Post("/", async (ctx) => ctx.WriteString(`done ${await ctx.PostValue("x")}`));
}
