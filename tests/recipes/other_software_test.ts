import { assertEquals, assertStringIncludes } from "@std/assert";
import { Hono } from "npm:hono@^4";
import { pino } from "npm:pino@^10";
import Stripe from "npm:stripe@^23";
import { initTRPC } from "npm:@trpc/server@^11";
import { fetchRequestHandler } from "npm:@trpc/server@^11/adapters/fetch";
import { createSchema, createYoga } from "npm:graphql-yoga@^5";
import { createElement } from "npm:react@^19";
import { renderToReadableStream } from "npm:react-dom@^19/server";
import * as fw from "../../mod.ts";

function quiet(): fw.Application {
  const app = fw.New();
  app.Logger().SetLevel("disable");
  return app;
}

interface Served {
  fetch(request: Request): Response | Promise<Response>;
}

async function ask(app: Served, path: string, init?: RequestInit): Promise<readonly [number, string]> {
  const response = await app.fetch(new Request(`http://localhost${path}`, init));
  return [response.status, await response.text()];
}

Deno.test("Mount() serves a Hono application inside fw", async () => {
  const hono = new Hono().get("/teas/:id", (c) => c.json({ id: c.req.param("id") }));
  const app = quiet();
  app.Mount("/hono", (request) => hono.fetch(request));
  assertEquals(await ask(app, "/hono/teas/7"), [200, '{"id":"7"}']);
});

Deno.test("Application.fetch serves fw inside a Hono application", async () => {
  const app = quiet();
  app.Get("/teas/{id:int}", (ctx) => ctx.JSON({ id: ctx.Params().GetIntDefault("id", 0) }));
  const hono = new Hono().mount("/fw", (request) => app.fetch(request));
  assertEquals(await ask(hono, "/fw/teas/7"), [200, '{"id":7}']);
});

Deno.test("FromFetch() serves tRPC", async () => {
  const t = initTRPC.create();
  const router = t.router({ hello: t.procedure.query(() => "tea") });
  const app = quiet();
  app.Any("/trpc/{path:path}", fw.FromFetch((req) => fetchRequestHandler({ endpoint: "/trpc", req, router })));
  const [status, text] = await ask(app, "/trpc/hello");
  assertEquals([status, JSON.parse(text)], [200, { result: { data: "tea" } }]);
});

Deno.test("Context.GetBody() returns the raw body for Stripe's signature", async () => {
  const stripe = new Stripe("sk_test_none");
  const app = quiet();
  app.Post("/stripe", async (ctx) => {
    const [body, error] = await ctx.GetBody();
    if (error !== null) throw error;
    const signature = ctx.GetHeader("stripe-signature");
    try {
      const event = await stripe.webhooks.constructEventAsync(new TextDecoder().decode(body), signature, "whsec_x");
      ctx.JSON({ type: event.type });
    } catch {
      ctx.StopWithText(400, "Wrong signature");
    }
  });
  const body = '{ "type":  "invoice.paid", "id": "evt_1", "object": "event" }';
  const signature = await stripe.webhooks.generateTestHeaderStringAsync({ payload: body, secret: "whsec_x" });
  const post = (text: string) =>
    ask(app, "/stripe", { method: "POST", body: text, headers: { "stripe-signature": signature } });
  assertEquals(await post(body), [200, '{"type":"invoice.paid"}']);
  assertEquals(await post(body.replace("paid", "void")), [400, "Wrong signature"]);
});

Deno.test("Logger.SetOutput() sends records to pino", () => {
  const lines: string[] = [];
  const sink = pino({ base: null, timestamp: false }, { write: (line: string) => void lines.push(line) });
  const levels = { fatal: "fatal", error: "error", warn: "warn", info: "info", debug: "debug" } as const;
  const app = fw.New();
  app.Logger().SetOutput((_line, { Level, Message, Fields, Error }) => {
    sink[levels[Level as keyof typeof levels] ?? "info"]({ ...Fields, err: Error }, Message);
  });
  app.Logger().Warn("low on tea");
  assertStringIncludes(lines.join(""), '"msg":"low on tea"');
  assertEquals(JSON.parse(lines[0] ?? "{}").level, 40);
});

Deno.test("FromFetch() streams React", async () => {
  const app = quiet();
  app.Get(
    "/",
    fw.FromFetch(async ({ signal }) => {
      const stream = await renderToReadableStream(createElement("h1", null, "Tea & more"), { signal });
      return new Response(stream, { headers: { "content-type": "text/html; charset=utf-8" } });
    }),
  );
  assertEquals(await ask(app, "/"), [200, "<h1>Tea &amp; more</h1>"]);
});

Deno.test("FromFetch() serves graphql-yoga", async () => {
  const yoga = createYoga({
    schema: createSchema({ typeDefs: "type Query { tea: String }", resolvers: { Query: { tea: () => "Assam" } } }),
    logging: false,
  });
  const app = quiet();
  app.Any("/graphql", fw.FromFetch((request) => yoga.fetch(request)));
  const headers = { "content-type": "application/json" };
  const sent = await ask(app, "/graphql", { method: "POST", headers, body: '{"query":"{ tea }"}' });
  assertEquals(sent, [200, '{"data":{"tea":"Assam"}}']);
});
