/**
 * Stores that an application implements, and the drivers that it passes to fw's own stores.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import type * as fw from "@fw/web";
import * as basicauth from "@fw/web/middleware/basicauth";
import * as cache from "@fw/web/middleware/cache";
import * as jwt from "@fw/web/middleware/jwt";
import * as ratelimit from "@fw/web/middleware/ratelimit";
import * as sessions from "@fw/web/sessions";
import * as store from "@fw/web/store";
import * as webhooks from "@fw/web/webhooks";
import type { Fault } from "./faults.ts";
import { serve, type Site } from "./site.ts";
import type { Family, Row } from "./table.ts";

const secretKey = new Uint8Array(32).fill(7);
const webhookSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/** Replaces a method of an object. */
function broken<T extends object>(whole: T, method: string, fault: Fault): T {
  return new Proxy(whole, {
    get(target, name) {
      if (name === method) return fault.fn;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
    has: (target, name) => name === method || Reflect.has(target, name),
  });
}

/** A failure of a store: the request gets 503, and the log has the reason. */
const outage = { throws: "503 logged", rejects: "503 logged", never: "503 logged", values: "503 logged" };

function end(ctx: fw.Context): void {
  ctx.WriteString("end");
}

async function signed({ url }: { readonly url: string }): Promise<Response> {
  const text = await jwt.NewSigner({ Algorithm: "HS256", Key: secretKey }).Sign({ sub: "ada" }, { MaxAge: 60_000 });
  return await fetch(`${url}/x`, { headers: { authorization: `Bearer ${text}` } });
}

/** The middleware that calls each method of a shared store. */
const shared: Readonly<Record<string, Site>> = {
  Take: {
    set: (app, fault) => {
      const Store = broken(store.NewMemory(), "Take", fault);
      app.Get("/x", ratelimit.New({ Limit: 9, Period: 1_000, Store }), end);
    },
  },
  Increment: {
    set: (app, fault) => {
      const Store = broken(store.NewMemory(), "Increment", fault);
      app.Get("/x", basicauth.New({ Users: [{ Name: "ada", Password: "engine" }], Store }), end);
    },
    ask: ({ url }) => fetch(`${url}/x`, { headers: { authorization: `Basic ${btoa("ada:wrong")}` } }),
  },
  Get: {
    set: (app, fault) => {
      const Blocklist = broken(store.NewMemory({ WhenFull: "refuse" }), "Get", fault);
      app.Get("/x", jwt.New({ Algorithms: ["HS256"], Key: secretKey, Blocklist }), end);
    },
    ask: signed,
  },
  Evicts: {
    set: (app, fault) => {
      const Blocklist = broken(store.NewMemory({ WhenFull: "refuse" }), "Evicts", fault);
      app.Get("/x", jwt.New({ Algorithms: ["HS256"], Key: secretKey, Blocklist }), end);
    },
    ask: signed,
  },
  Set: {
    set: (app, fault) => {
      const Blocklist = broken(store.NewMemory({ WhenFull: "refuse" }), "Set", fault);
      app.Get("/x", jwt.New({ Algorithms: ["HS256"], Key: secretKey, Blocklist }), async (ctx) => {
        await ctx.Logout();
        ctx.WriteString("out");
      });
    },
    ask: signed,
  },
  Create: {
    set: (app, fault) => {
      const Store = broken(store.NewMemory(), "Create", fault);
      app.Post("/x", webhooks.Verify({ Secret: webhookSecret, Store }), end);
    },
    ask: sendWebhook,
  },
  Delete: {
    set: (app, fault) => {
      const Store = broken(store.NewMemory(), "Delete", fault);
      app.Post("/x", webhooks.Verify({ Secret: webhookSecret, Store }), (ctx) => ctx.StopWithStatus(400));
    },
    ask: sendWebhook,
  },
};

async function sendWebhook({ url }: { readonly url: string }): Promise<Response> {
  const body = "{}";
  const [id, time] = ["msg_1", `${Math.floor(Date.now() / 1000)}`];
  const key = createHmac("sha256", Buffer.from(webhookSecret.slice("whsec_".length), "base64"));
  const signature = key.update(`${id}.${time}.${body}`).digest("base64");
  const headers = { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": `v1,${signature}` };
  return await fetch(`${url}/x`, { method: "POST", body, headers });
}

const sharedResults: Readonly<Record<string, object>> = {
  // The token is not blocked.
  Get: { null: "200" },
  // Nothing is returned.
  Set: { values: "200" },
  Delete: { values: "400" },
  // A counter that has expired is negative after an attempt.
  Increment: { "-1": "401" },
};

const sharedRows = Object.entries(shared).map(([name, site]): Row => ({
  of: [`store/store.Store.${name}`],
  run: (fault) => serve(fault, site),
  gives: { ...outage, ...sharedResults[name] },
}));

/** The handlers that call each method of a session store. */
const sessionSteps: Readonly<Record<string, (ctx: fw.Context, manager: sessions.Sessions) => unknown>> = {
  Load: async (ctx, manager) => ctx.WriteString(`${(await manager.Start(ctx)).Get("a")}`),
  Create: async (ctx, manager) => (await manager.Start(ctx)).Set("a", 1),
  Commit: async (ctx, manager) => (await manager.Start(ctx)).Set("a", 2),
  Take: async (ctx, manager) => ctx.WriteString(`${await (await manager.Start(ctx)).GetFlash("f")}`),
  Destroy: async (ctx, manager) => await manager.Destroy(ctx),
};

function sessionSite(name: string): Site {
  return {
    set: (app, fault) => {
      const whole = sessions.NewMemory();
      const isStored = ["Commit", "Take", "Destroy"].includes(name);
      let isArmed = false;
      const Store: sessions.Store = new Proxy(whole, {
        get(target, key) {
          const member: unknown = Reflect.get(target, key, target);
          if (!isArmed || typeof member !== "function") {
            return typeof member === "function" ? member.bind(target) : member;
          }
          if (key === name) return fault.fn;
          if (key !== "Load" || !isStored) return member.bind(target);
          return async (id: string) => {
            const stored = await target.Load(id);
            return stored === null ? null : broken(stored, name, fault);
          };
        },
      });
      const manager = sessions.New({ Store });
      app.Get("/seed", async (ctx) => {
        const session = await manager.Start(ctx);
        session.Set("a", 1);
        session.SetFlash("f", "hello");
      });
      app.Get("/x", async (ctx) => {
        isArmed = true;
        await sessionSteps[name]?.(ctx, manager);
      });
    },
    ask: async ({ url }) => {
      if (name === "Create") return await fetch(`${url}/x`);
      const seed = await fetch(`${url}/seed`);
      await seed.text();
      const cookie = seed.headers.getSetCookie().map((each) => each.split(";")[0]).join("; ");
      return await fetch(`${url}/x`, { headers: { cookie } });
    },
  };
}

const sessionRows = Object.keys(sessionSteps).map((name): Row => ({
  of: [`sessions/store.${["Load", "Create"].includes(name) ? "Store" : "Stored"}.${name}`],
  run: (fault) => serve(fault, sessionSite(name)),
  gives: { ...outage, ...["Load", "Take"].includes(name) && { null: "200" } },
}));

const listeners = ["OnDestroy", "OnRegenerate"].map((name): Row => ({
  of: [`sessions/manager.Sessions.${name}(listener)`, `websocket/options.SessionSource.${name}`],
  run: (fault) => {
    let isTold = false;
    return serve(fault, {
      set: (app) => {
        const manager = sessions.New();
        manager[name as "OnDestroy"](fault.fn);
        manager[name as "OnDestroy"](() => void (isTold = true));
        app.Get("/seed", async (ctx) => void (await manager.Start(ctx)).Set("a", 1));
        app.Get("/x", async (ctx) => {
          const session = await manager.Start(ctx);
          if (name === "OnDestroy") await manager.Destroy(ctx);
          else await session.Regenerate();
        });
      },
      ask: async ({ url }) => {
        const seed = await fetch(`${url}/seed`);
        await seed.text();
        const cookie = seed.headers.getSetCookie().map((each) => each.split(";")[0]).join("; ");
        const response = await fetch(`${url}/x`, { headers: { cookie } });
        return isTold ? response : "the other listener was not called";
      },
    });
  },
  gives: { throws: "500 logged", rejects: "500 logged", never: "503 logged", values: "200" },
}));

const generator: Row = {
  of: ["sessions/config.Config.Generator"],
  run: (fault) =>
    serve(fault, {
      set: (app) => {
        const manager = sessions.New({ Generator: fault.fn });
        app.Get("/x", async (ctx) => void (await manager.Start(ctx)).Set("a", 1));
      },
    }),
  gives: { throws: "500 logged", rejects: "500 logged", never: "500 logged", values: "500 logged" },
};

/** A cache works without its store. */
const cacheRows = ["Get", "Set", "Delete"].map((name): Row => ({
  of: [`middleware/cache/store.Store.${name}`],
  run: (fault) =>
    serve(fault, {
      set: (app) => {
        const Store = broken(cache.NewMemory(), name, fault);
        app.Any("/x", cache.New({ MaxAge: 60_000, Store }), end);
      },
      ask: ({ url }) => fetch(`${url}/x`, { method: name === "Delete" ? "DELETE" : "GET" }),
      // A store that does not respond within a second is not used.
      limit: 5_000,
    }),
  gives: {
    throws: "200 logged",
    rejects: "200 logged",
    never: "200 logged",
    values: name === "Get" ? "200 logged" : "200",
    ...name === "Get" && { null: "200" },
  },
}));

export const family: Family = {
  name: "stores",
  rows: [...sharedRows, ...sessionRows, ...listeners, generator, ...cacheRows],
};
