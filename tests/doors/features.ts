/**
 * The features that have to work in all surroundings. Each check sees what a client sees.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import * as fw from "@fw/web";
import * as answers from "@fw/web/answers";
import * as jobs from "@fw/web/jobs";
import * as jobsPage from "@fw/web/jobs/page";
import * as mail from "@fw/web/mail";
import * as mcp from "@fw/web/mcp";
import * as health from "@fw/web/middleware/health";
import * as metrics from "@fw/web/middleware/metrics";
import * as monitor from "@fw/web/middleware/monitor";
import * as mvc from "@fw/web/mvc";
import * as openapi from "@fw/web/openapi";
import * as sessions from "@fw/web/sessions";
import * as webhooks from "@fw/web/webhooks";
import * as websocket from "@fw/web/websocket";
import * as socketio from "@fw/web/websocket/socketio";
import { z } from "npm:zod@^4";
import { keyFeature, loginFeature } from "./login_features.ts";
import { extensionFeature, operationsFeature, policyFeature, tokenFeature, versionFeature } from "./newer_features.ts";
import type { Add } from "./surroundings.ts";

/** A client of the application. */
export interface Client {
  /** The part of the path before that of the feature. */
  readonly prefix: string;
  readonly isVersioned: boolean;
  /** Requests a path of the feature. */
  ask(path: string, init?: RequestInit): Promise<Response>;
}

/** A feature. */
export interface Feature {
  readonly add: Add;
  readonly check: (client: Client) => Promise<void>;
  readonly end?: () => unknown;
}

const sameSite = { "sec-fetch-site": "same-origin" };
const json = { ...sameSite, "content-type": "application/json" };

function jobsFeature(): Feature {
  const queue = jobs.New(jobs.NewMemory());
  return {
    add: (party) => jobsPage.New(queue).Register(party.Party("/jobs")),
    async check({ ask }) {
      const page = await ask("/jobs");
      assertEquals(page.status, 200);
      assertStringIncludes(await page.text(), "<h1>Jobs</h1>");
      const body = new URLSearchParams({ queue: queue.Name, id: "" });
      const sent = await ask("/jobs", { method: "POST", headers: sameSite, body });
      assertEquals([sent.status, sent.headers.get("location")], [303, "?retried=0"]);
      const crossSite = await ask("/jobs", { method: "POST", headers: { "sec-fetch-site": "cross-site" }, body });
      await crossSite.body?.cancel();
      assertEquals(crossSite.status, 403);
    },
  };
}

function monitorFeature(): Feature {
  const watch = monitor.New();
  return {
    add: (party) => {
      party.UseRouter(watch.Handler());
      watch.Register(party.Party("/watch"));
    },
    async check({ ask }) {
      const page = await ask("/watch");
      assertStringIncludes(await page.text(), "<title>Monitor</title>");
      const stats = await (await ask("/watch/stats")).json();
      assertEquals(typeof stats.Requests, "number", JSON.stringify(stats));
    },
  };
}

function metricsFeature(): Feature {
  const collected = metrics.New();
  return {
    add: (party) => {
      party.UseRouter(collected.Handler());
      party.Get("/metrics", collected.Page());
      party.Get("/counted", (ctx) => ctx.WriteString("x"));
      health.New().Register(party);
    },
    async check({ ask }) {
      await (await ask("/counted")).text();
      assertStringIncludes(await (await ask("/metrics")).text(), "http_server_request_duration_seconds");
      for (const path of ["/livez", "/readyz"]) {
        const response = await ask(path);
        assertEquals([response.status, response.headers.get("cache-control")], [200, "no-store"], path);
        assert("status" in await response.json());
      }
    },
  };
}

function openapiFeature(): Feature {
  return {
    add: (party) => {
      party.Get("/teas/{id:int}", (ctx) => ctx.JSON({ id: 1 })).Describe({ Summary: "Finds a tea" });
      openapi.New({ Title: "Teas", Version: "1.0.0" }).Serve(party, "/docs");
    },
    async check({ ask, prefix }) {
      // A document describes the paths that work in all languages, and only the application knows its rewritten paths.
      const ownPrefix = prefix === "/de" || prefix === "/old" ? "" : prefix;
      const document = await (await ask("/docs.json")).json();
      const [server] = document.servers;
      const [path] = Object.keys(document.paths);
      assertEquals((server.url + path).replace("//", "/"), `${ownPrefix}/teas/{id}`, JSON.stringify(document.servers));
      const page = await (await ask("/docs")).text();
      const link = /docs\.json/.exec(page);
      assert(link !== null, page.slice(0, 500));
      assertStringIncludes(await (await ask("/docs.yaml")).text(), "Finds a tea");
    },
  };
}

function mailFeature(): Feature {
  const box = mail.NewMemory();
  const mails = mail.New({ Transport: box, From: "tea@example.com" });
  return {
    add: (party) => {
      box.Register(party.Party("/mails"));
      party.Post("/send", async (ctx) => {
        await mails.Send({ To: "ann@example.com", Subject: "Tea time", Text: "Now" });
        ctx.StatusCode(204);
      });
    },
    async check({ ask }) {
      const sent = await ask("/send", { method: "POST", headers: sameSite });
      assertEquals(sent.status, 204, await sent.text());
      const page = await (await ask("/mails")).text();
      assertStringIncludes(page, "Tea time");
      const link = /href="(\?mail=[^"]+)"/.exec(page)?.[1]?.replaceAll("&amp;", "&") ?? "";
      assertStringIncludes(await (await ask(`/mails${link}`)).text(), "Now");
    },
  };
}

async function signature(secret: string, id: string, time: string, body: string): Promise<string> {
  const raw = Uint8Array.fromBase64(secret.slice("whsec_".length));
  const key = await crypto.subtle.importKey("raw", raw, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const signed = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(`${id}.${time}.${body}`));
  return `v1,${new Uint8Array(signed).toBase64()}`;
}

function webhookFeature(): Feature {
  const Secret = "whsec_c2VjcmV0IG9mIHRoZSBzZW5kZXI=";
  return {
    add: (party) => {
      party.Post("/hook", webhooks.Verify({ Secret }), async (ctx) => {
        const [data] = await ctx.ReadJSON<{ paid: boolean }>();
        ctx.JSON({ data, id: ctx.GetHeader("webhook-id") });
      });
    },
    async check({ ask }) {
      const body = '{"paid":true}';
      const time = String(Math.floor(Date.now() / 1000));
      const headers = (id: string, signature: string) => ({
        ...json,
        "webhook-id": id,
        "webhook-timestamp": time,
        "webhook-signature": signature,
      });
      const right = await signature(Secret, "m1", time, body);
      const accepted = await ask("/hook", { method: "POST", headers: headers("m1", right), body });
      assertEquals([accepted.status, await accepted.json()], [200, { data: { paid: true }, id: "m1" }]);
      const forged = await ask("/hook", { method: "POST", headers: headers("m2", right), body });
      await forged.body?.cancel();
      assertEquals(forged.status, 401);
    },
  };
}

function proxyFeature(): Feature {
  const upstream = fw.New();
  upstream.Logger().SetLevel("disable");
  upstream.Configure(fw.WithProxy({ Trust: ["127.0.0.1"] }));
  upstream.Any("/echo", async (ctx) => {
    const [body] = await ctx.GetBody();
    ctx.JSON({
      method: ctx.Method(),
      body: new TextDecoder().decode(body),
      prefix: ctx.GetHeader("x-forwarded-prefix"),
    });
  });
  upstream.Get("/set", (ctx) => {
    ctx.SetCookie("up", "1");
    ctx.WriteString("set");
  });
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, upstream.fetch);
  return {
    add: (party) => party.Party("/up").Any("/{path:path}", fw.Proxy(`http://127.0.0.1:${server.addr.port}`)),
    async check({ ask, prefix }) {
      const got = await (await ask("/up/echo")).json();
      // Behind a rewritten path, the prefix is the rewritten one.
      const meant = prefix === "/old" ? "" : prefix;
      assertEquals([got.method, got.prefix], ["GET", `${meant}/up`]);
      const posted = await ask("/up/echo", {
        method: "POST",
        headers: { ...sameSite, "content-type": "text/plain" },
        body: "tea",
      });
      assertEquals((await posted.json()).body, "tea");
      const head = await ask("/up/echo", { method: "HEAD" });
      assertEquals([head.status, await head.text()], [200, ""]);
      const set = await ask("/up/set");
      await set.body?.cancel();
      const line = set.headers.getSetCookie().find((each) => each.startsWith("up=")) ?? "";
      assertEquals(/path=([^;]*)/i.exec(line)?.[1], `${meant}/up`, line);
    },
    end: () => server.shutdown(),
  };
}

function toolsFeature(): Feature {
  return {
    add: (party, app) => {
      party.Get("/tool/{id:int}", (ctx) => ctx.JSON({ id: ctx.Params().GetIntDefault("id", 0) })).SetName("find");
      mcp.New(app, { Name: "teas", Routes: ({ Name }) => Name === "find", Party: party, Sessions: false });
    },
    async check({ ask }) {
      const call = async (method: string, params: object = {}) => {
        const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
        const response = await ask("/mcp", { method: "POST", headers: json, body });
        return (await response.json()).result;
      };
      assertEquals((await call("tools/list")).tools?.map((tool: { name: string }) => tool.name), ["find"]);
      const result = await call("tools/call", { name: "find", arguments: { id: 7 } });
      assertEquals(result.structuredContent ?? JSON.parse(result.content?.[0]?.text ?? "null"), { id: 7 });
      assertEquals(JSON.parse((await call("resources/list")).resources?.length ?? "0"), 0);
    },
  };
}

function answersFeature(): Feature {
  const chat = answers.New({ Owner: () => "ada" });
  return {
    add: (party) => {
      party.Post("/chat/{id}", (ctx) =>
        chat.Start(ctx, ctx.Params().Get("id"), async function* () {
          yield "You asked: ";
          yield "why";
        }));
      party.Get("/chat/{id}", (ctx) => chat.Resume(ctx, ctx.Params().Get("id")));
    },
    async check({ ask }) {
      const started = await ask("/chat/one", { method: "POST", headers: sameSite });
      const text = await started.text();
      assertStringIncludes(text, '"delta":"You asked: "');
      assert(text.endsWith("data: [DONE]\n\n"), text.slice(-100));
      const again = await ask("/chat/none");
      await again.body?.cancel();
      assertEquals(again.status, 204);
    },
    end: () => chat.Close(),
  };
}

function pollingFeature(): Feature {
  const server = websocket.New();
  server.On("say", (_conn, text) => `you said ${text}`);
  return {
    add: (party) => party.Any("/io", socketio.Handler(server)),
    async check({ ask }) {
      const opened = await ask("/io?EIO=4&transport=polling");
      const text = await opened.text();
      assertEquals([opened.status, text[0]], [200, "0"], text);
      const { sid } = JSON.parse(text.slice(1));
      const send = async (body: string) => {
        const headers = { ...sameSite, "content-type": "text/plain;charset=UTF-8" };
        return await (await ask(`/io?EIO=4&transport=polling&sid=${sid}`, { method: "POST", headers, body })).text();
      };
      const poll = async () => await (await ask(`/io?EIO=4&transport=polling&sid=${sid}`)).text();
      assertEquals(await send("40"), "ok");
      assertStringIncludes(await poll(), "40{");
      assertEquals(await send('421["say","hi"]'), "ok");
      assertStringIncludes(await poll(), '431["you said hi"]');
      assertEquals(await send("1"), "ok");
    },
    end: () => server.Close(),
  };
}

function eventsFeature(): Feature {
  return {
    add: (party) => {
      party.Get("/events", (ctx) => ctx.Events(["ready"]));
    },
    async check({ ask }) {
      const response = await ask("/events");
      assertEquals(response.headers.get("content-type")?.split(";")[0], "text/event-stream");
      assertStringIncludes(await response.text(), "data: ");
    },
  };
}

class TeaController {
  Ctx!: fw.Context;
  Get(): string[] {
    return ["Assam"];
  }
  GetBy(id = 0): unknown {
    return mvc.Tuple({ id }, id < 100);
  }
  Post(form = mvc.FormResult(z.object({ name: z.string().min(2, "Too short"), reset_token: z.string() }))): unknown {
    return form.IsValid ? new mvc.Response({ Path: "/teas" }) : mvc.Tuple({ ...form.Values }, 422);
  }
}

function controllerFeature(): Feature {
  return {
    add: (party) => mvc.New(party.Party("/teas")).Handle(TeaController),
    async check({ ask }) {
      assertEquals(await (await ask("/teas")).json(), ["Assam"]);
      assertEquals(await (await ask("/teas/7")).json(), { id: 7 });
      const missing = await ask("/teas/100");
      await missing.body?.cancel();
      assertEquals(missing.status, 404);
      const send = (name: string) => {
        const body = new URLSearchParams({ name, reset_token: "abc" });
        return ask("/teas", { method: "POST", headers: sameSite, body });
      };
      const wrong = await send("A");
      assertEquals([wrong.status, await wrong.json()], [422, { name: "A", reset_token: "abc" }]);
      const right = await send("Assam");
      await right.body?.cancel();
      assertEquals(right.status, 303);
    },
  };
}

function injectedFeature(): Feature {
  class Box {
    count = 0;
  }
  return {
    add: (party) => {
      party.ConfigureContainer((api) => {
        api.Register(new Box());
        api.Get("/count", (_ctx, box = mvc.Inject(Box)) => ({ count: ++box.count }));
        api.Post("/sum", (_ctx, body = mvc.Body(z.object({ a: z.int(), b: z.int() }))) => ({ sum: body.a + body.b }));
      });
    },
    async check({ ask }) {
      const head = await ask("/count", { method: "HEAD" });
      assertEquals([head.status, await head.text()], [200, ""]);
      const summed = await ask("/sum", { method: "POST", headers: json, body: '{"a":1,"b":2}' });
      assertEquals(await summed.json(), { sum: 3 });
      const wrong = await ask("/sum", {
        method: "POST",
        headers: { ...json, accept: "application/json" },
        body: '{"a":1}',
      });
      assertEquals([wrong.status, (await wrong.json()).errors?.[0]?.pointer], [422, "#/b"]);
      const allowed = await ask("/sum", { method: "OPTIONS" });
      await allowed.body?.cancel();
      assert(allowed.status === 204 || allowed.status === 200, String(allowed.status));
    },
  };
}

function flashFeature(): Feature {
  const manager = sessions.New({ Cookie: "flash" });
  return {
    add: (party, app) => {
      app.RegisterView(fw.HTML("").ParseTemplate("flash.html", "<p><%= it.flashes?.notice %></p>"));
      const own = party.Party("/flash", manager.Handler());
      own.Post("/set", (ctx) => {
        sessions.Get(ctx)?.SetFlash("notice", "saved");
        ctx.Redirect("/flash/page", 303);
      });
      own.Get("/page", (ctx) => ctx.View("flash"));
    },
    async check({ ask }) {
      const set = await ask("/flash/set", { method: "POST", headers: sameSite });
      await set.body?.cancel();
      assertEquals(set.status, 303);
      const cookie = set.headers.getSetCookie().map((line) => line.split(";", 1)[0]).join("; ");
      const headers = { cookie };
      const head = await ask("/flash/page", { method: "HEAD", headers });
      assertEquals([head.status, await head.text()], [200, ""]);
      assertStringIncludes(await (await ask("/flash/page", { headers })).text(), "saved");
      assert(!(await (await ask("/flash/page", { headers })).text()).includes("saved"));
    },
  };
}

function formatFeature(): Feature {
  return {
    add: (party, app) => {
      app.RegisterFormat({
        Name: "tea",
        Types: ["application/x-tea"],
        Decode: (bytes) => ({ tea: new TextDecoder().decode(bytes) }),
        Encode: (value) => `tea:${JSON.stringify(value)}`,
      });
      party.Post("/format", async (ctx) => {
        const [value, error] = await ctx.ReadBody<{ tea: string }>();
        if (error !== null) throw error;
        ctx.JSON(value);
      });
    },
    async check({ ask }) {
      const headers = { ...sameSite, "content-type": "application/x-tea", accept: "application/json" };
      const response = await ask("/format", { method: "POST", headers, body: "Assam" });
      assertEquals([response.status, await response.json()], [200, { tea: "Assam" }]);
    },
  };
}

/** The features by name. */
export const features: Readonly<Record<string, () => Feature>> = {
  "the page of jobs": jobsFeature,
  "the monitor": monitorFeature,
  "metrics and health": metricsFeature,
  "the API document": openapiFeature,
  "mails": mailFeature,
  "webhooks.Verify": webhookFeature,
  "fw.Proxy": proxyFeature,
  "tools": toolsFeature,
  "answers": answersFeature,
  "polling": pollingFeature,
  "event streams": eventsFeature,
  "controllers": controllerFeature,
  "ConfigureContainer": injectedFeature,
  "flash messages": flashFeature,
  "formats": formatFeature,
  "logins": loginFeature,
  "API keys": keyFeature,
  "extensions": extensionFeature,
  "policies": policyFeature,
  "links with tokens": tokenFeature,
  "operations on jobs": operationsFeature,
  "cached versions": versionFeature,
};
