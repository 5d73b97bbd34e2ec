/**
 * The callbacks of views, mails, webhooks, controllers, documents and proxies.
 *
 * @module
 */

import * as fw from "@fw/web";
import * as answers from "@fw/web/answers";
import * as jobs from "@fw/web/jobs";
import * as live from "@fw/web/live";
import * as mail from "@fw/web/mail";
import * as mcp from "@fw/web/mcp";
import * as openapi from "@fw/web/openapi";
import * as versioning from "@fw/web/versioning";
import * as webhooks from "@fw/web/webhooks";
import { type Fault, secret } from "./faults.ts";
import { type Asked, orNothing, serve, type Site, soon } from "./site.ts";
import type { Family, Row } from "./table.ts";

const asHandler = {
  throws: "500 logged",
  rejects: "500 logged",
  never: "503 logged",
  values: "500 logged",
  null: "200",
};
const fails = { ...asHandler, null: "500 logged" };

function row(of: string | readonly string[], site: Site, gives: Row["gives"]): Row {
  return { of: [of].flat(), run: (fault) => serve(fault, site), gives };
}

function end(ctx: fw.Context): void {
  ctx.WriteString("end");
}

/** Returns an engine with one method that fails. */
function engine(name: string, { fn }: Fault): fw.Engine {
  return { Load() {}, Render: () => "page", [name]: fn };
}

const views: readonly Row[] = [
  row("engine/engine.Engine.Render", {
    set: (app, fault) => {
      app.RegisterView(engine("Render", fault));
      app.Get("/x", async (ctx) => void await ctx.View("page"));
    },
  }, fails),
  row("engine/engine.ViewFunc", {
    set: async (app, fault) => {
      const folder = await Deno.makeTempDir();
      app.RegisterOnShutdown(() => Deno.remove(folder));
      const views = fw.HTML(folder, ".html");
      views.AddFunc("odd", fault.fn);
      views.ParseTemplate("page", "<%= odd() %>");
      app.RegisterView(views);
      app.Get("/x", async (ctx) => void await ctx.View("page"));
    },
  }, { ...fails, never: "500 logged", values: "200", null: "200" }),
  row("exchange/compiled_route.Fallback", {
    set: (app, fault) => {
      app.RegisterView(engine("Render", {
        fn: () => {
          throw new fw.ViewNotFound("Cannot find the view", "page", false);
        },
      } as unknown as Fault));
      app.FallbackView(fault.fn);
      app.Get("/x", async (ctx) => void await ctx.View("page"));
    },
  }, asHandler),
];

/** The start fails if an engine cannot be loaded. */
const loading: Row = {
  of: ["engine/engine.Engine.Load"],
  run: async (fault) => {
    const app = fw.New();
    app.RegisterView(engine("Load", fault));
    const built = Promise.try(() => app.Build()).then(() => "built", () => "refused");
    return await orNothing(fault, built, "waiting");
  },
  gives: { throws: "refused", rejects: "refused", never: "waiting", values: "built" },
};

const mails: readonly Row[] = [
  row("mail/message.Transport.Send", {
    set: (app, { fn }) => {
      const mailer = mail.New({ From: "tea@example.com", Transport: { Send: fn } });
      app.Get("/x", async (ctx) => {
        await mailer.Send({ To: "ada@example.com", Subject: "Tea", Text: "Hello" });
        ctx.WriteString("sent");
      });
    },
  }, { ...fails, values: "200", null: "200" }),
];

/** Delivers a webhook by a job. */
async function delivered(options: Partial<webhooks.SendOptions>): Promise<string> {
  const queue = jobs.New(jobs.NewMemory(), {
    Logger: new fw.Logger().SetLevel("disable"),
    Timeout: 150,
    Backoff: () => 60_000,
  });
  const send = webhooks.Send({ Secret: () => "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", ...options });
  queue.Handle(send);
  const { ID } = await queue.Add(send, { URL: "https://hooks.example.com/x", Event: "tea", Data: {} } as never);
  await soon(queue.Drain(), "the attempt");
  const info = await queue.Get(ID);
  return info?.State ?? "lost";
}

const deliveries: readonly Row[] = [
  {
    of: ["webhooks/send.SendOptions.Secret"],
    run: ({ fn }) => delivered({ Secret: fn }),
    gives: { throws: "waiting", rejects: "waiting", never: "waiting", values: "waiting" },
  },
  {
    of: ["webhooks/send.SendOptions.Resolve", "webhooks/public_address.Resolver"],
    run: ({ fn }) => delivered({ Resolve: fn }),
    gives: { throws: "waiting", rejects: "waiting", never: "waiting", values: "waiting" },
  },
];

class Odd {
  value: unknown = undefined;
}
class OddController {
  Get(odd = fw.mvc.Inject(Odd)): string {
    return typeof odd;
  }
}
class PlainController {
  Get(): string {
    return "plain";
  }
}
class ObjectController {
  Get(): object {
    return { a: 1 };
  }
}
class FailingController {
  Get(): string {
    throw new Error("first");
  }
}

const controllers: readonly Row[] = [
  row(["mvc/inject/provision.PerRequest(source)", "mvc/reflect/token.Provider"], {
    set: (app, { fn }) => {
      const m = fw.mvc.New(app.Party("/x"));
      m.Register(fw.mvc.Provide(Odd, fw.mvc.PerRequest(fn)));
      m.Handle(OddController);
    },
  }, { ...fails, never: "500 logged", values: "200", null: "200" }),
  row("mvc/application.HandleOptions.Use", {
    set: (app, { fn }) => fw.mvc.New(app.Party("/x")).Handle(PlainController, { Use: { Get: [fn] } }),
  }, asHandler),
  row("mvc/application.Application.Party(handlers)", {
    set: (app, { fn }) => fw.mvc.New(app).Party("/x", fn).Handle(PlainController),
  }, asHandler),
  row("mvc/application.Application.HandleError(handler)", {
    set: (app, { fn }) => {
      const m = fw.mvc.New(app.Party("/x"));
      m.HandleError(fn);
      m.Handle(FailingController);
    },
  }, { ...asHandler, values: "500", null: "500" }),
  row("mvc/application.Application.UseResultHandler(handler)", {
    set: (app, { fn }) => {
      const m = fw.mvc.New(app.Party("/x"));
      m.UseResultHandler(() => fn);
      m.Handle(ObjectController);
    },
  }, { ...asHandler, values: "200" }),
];

const others: readonly Row[] = [
  row("proxy/options.ReverseProxyOptions.Headers", {
    set: (app, { fn }) => {
      const upstream = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, () => new Response("up"));
      app.RegisterOnShutdown(() => upstream.shutdown());
      app.Get("/x", fw.Proxy(`http://127.0.0.1:${upstream.addr.port}`, { Headers: fn }));
    },
  }, { ...fails, values: "200", null: "200" }),
  row("versioning/selector.NotFoundHandler(handler)", {
    set: (app, { fn }) => {
      app.Use(versioning.NotFoundHandler(fn));
      const group = versioning.NewGroup(app.Party("/x"), "1.0.0");
      group.Get("", end);
    },
    ask: ({ url }) => fetch(`${url}/x`, { headers: { "accept-version": "9.0.0" } }),
  }, { ...asHandler, null: "501" }),
  row("openapi/document_options.Options.Amend", {
    set: (app, { fn }) => {
      app.Get("/x", end);
      openapi.New({ Title: "Odd", Version: "1.0.0", Amend: fn }).Serve(app);
    },
    ask: ({ url }) => fetch(`${url}/openapi.json`),
  }, { ...fails, never: "500 logged", object: "200", null: "200" }),
  row("openapi/document_options.Options.Filter", {
    set: (app, { fn }) => {
      app.Get("/x", end);
      openapi.New({ Title: "Odd", Version: "1.0.0", Filter: fn }).Serve(app);
    },
    ask: ({ url }) => fetch(`${url}/openapi.json`),
  }, { ...fails, never: "500 logged" }),
  row("answers/options.AnswersOptions.Owner", {
    set: (app, { fn }) => {
      const chat = answers.New({ Owner: fn, Hub: live.New() });
      app.Get("/x", (ctx) => chat.Start(ctx, "chat1", () => ["Hello"]));
    },
  }, { ...fails, values: "401", null: "401" }),
  row(
    ["answers/answer.AnswerFunc", "answers/answers.Answers.Start(source)", "answers/answers.Answers.Resume(source)"],
    {
      set: (app, { fn }) => {
        const chat = answers.New({ Owner: () => "ada", Hub: live.New() });
        app.Get("/x", (ctx) => chat.Start(ctx, "chat1", fn));
      },
      ask: answered,
    },
    { throws: "error part logged", rejects: "error part logged", never: "no end", values: "error part logged" },
  ),
  row("answers/options.AnswersOptions.OnEnd", {
    set: (app, { fn }) => {
      const chat = answers.New({ Owner: () => "ada", OnEnd: fn, Hub: live.New() });
      app.Get("/x", (ctx) => chat.Start(ctx, "chat1", () => ["Hello"]));
    },
    ask: answered,
  }, { throws: "complete logged", rejects: "complete logged", never: "no end", values: "complete" }),
];

/** Calls a method of a server for agents. */
function asAgent(method: string, params: object = {}): NonNullable<Site["ask"]> {
  return async ({ url }) => {
    const response = await fetch(`${url}/mcp`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    const text = await response.text();
    return text.includes(secret) ? "details" : text.includes('"error"') ? "error" : `${response.status}`;
  };
}

/** Routes are selected when the application is built, so a failure refuses the start. */
function selection(option: string): Row {
  return {
    of: [`mcp/options.Options.${option}`],
    run: async ({ fn }) => {
      const app = fw.New();
      app.Get("/teas", (ctx) => ctx.JSON(["Assam"])).SetName("teas").Describe({ Summary: "Lists teas" });
      mcp.New(app, { Name: "teas", Sessions: false, Routes: ({ Path }) => Path === "/teas", [option]: fn });
      return await Promise.try(() => app.Build()).then(() => "built", () => "refused");
    },
    gives: { throws: "refused", rejects: "refused", never: "refused", values: "refused" },
  };
}

const agents: readonly Row[] = [
  selection("Routes"),
  selection("Resources"),
  selection("Prompts"),
  row("mcp/options.Options.Guards", {
    set: (app, { fn }) => {
      app.Get("/teas", (ctx) => ctx.JSON(["Assam"])).SetName("teas").Describe({ Summary: "Lists teas" });
      mcp.New(app, { Name: "teas", Sessions: false, Routes: ({ Path }) => Path === "/teas", Guards: [fn] });
    },
    ask: asAgent("tools/list"),
  }, asHandler),
];

/** Reads an answer, but does not wait forever. */
async function answered({ url, fault }: Asked): Promise<string> {
  const stop = new AbortController();
  const reading = (async () => {
    const response = await fetch(`${url}/x`, { signal: stop.signal });
    const text = await response.text();
    if (text.includes(secret)) return "the client received details";
    return text.includes('"type":"error"') ? "error part" : response.status === 200 ? "complete" : `${response.status}`;
  })().catch(() => "cut off");
  const result = await orNothing(fault, reading, "no end");
  stop.abort();
  await reading;
  return result;
}

export const family: Family = {
  name: "features",
  rows: [...views, loading, ...mails, ...deliveries, ...controllers, ...others, ...agents],
};
