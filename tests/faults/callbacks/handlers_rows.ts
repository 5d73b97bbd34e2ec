/**
 * Handlers, middleware and error handlers.
 *
 * @module
 */

import * as fw from "@fw/web";
import { askOverSocket } from "../../serving.ts";
import type { Fault } from "./faults.ts";
import { serve, type Site } from "./site.ts";
import type { Family, Row } from "./table.ts";

/** Registers a callback as the handler of `/x`, by each method of a party. */
const routes: Readonly<Record<string, (app: fw.Application, handler: fw.Handler) => unknown>> = {
  Any: (app, handler) => app.Any("/x", handler),
  Connect: (app, handler) => [app.Get("/x", handler), app.Connect("/x", handler)],
  Delete: (app, handler) => app.Delete("/x", handler),
  Get: (app, handler) => app.Get("/x", handler),
  Handle: (app, handler) => app.Handle("GET", "/x", handler),
  HandleMany: (app, handler) => app.HandleMany("GET POST", "/x", handler),
  Head: (app, handler) => app.Head("/x", handler),
  Options: (app, handler) => app.Options("/x", handler),
  Patch: (app, handler) => app.Patch("/x", handler),
  Post: (app, handler) => app.Post("/x", handler),
  Put: (app, handler) => app.Put("/x", handler),
  Trace: (app, handler) => [app.Get("/x", handler), app.Trace("/x", handler)],
  Subdomain: (app, handler) => app.Subdomain("s", handler).Get("/x", end),
};

/** Registers a callback as middleware that runs before `/x`. */
const middleware: Readonly<Record<string, (app: fw.Application, handler: fw.Handler) => unknown>> = {
  Party: (app, handler) => app.Party("/x", handler).Get("", end),
  Use: (app, handler) => [app.Use(onlyX(handler)), app.Get("/x", end)],
  UseGlobal: (app, handler) => [app.Get("/x", end), app.UseGlobal(onlyX(handler))],
  UseRouter: (app, handler) => [app.UseRouter(onlyX(handler)), app.Get("/x", end)],
};

/** Registers a callback that runs after the handler of `/x`. */
const afterwards: Readonly<Record<string, (app: fw.Application, handler: fw.Handler) => unknown>> = {
  Done: (app, handler) => [app.Done(onlyX(handler)), app.Get("/x", pass)],
  DoneGlobal: (app, handler) => [app.Get("/x", pass), app.DoneGlobal(onlyX(handler))],
};

/** Registers a callback that writes the body of a 418 response. */
const errors: Readonly<Record<string, (app: fw.Application, handler: fw.Handler) => unknown>> = {
  OnErrorCode: (app, handler) => [app.OnErrorCode(418, handler), app.Get("/x", teapot)],
  OnAnyErrorCode: (app, handler) => [app.OnAnyErrorCode(handler), app.Get("/x", teapot)],
  UseError: (app, handler) => [app.UseError(handler), app.OnErrorCode(418, end), app.Get("/x", teapot)],
};

const verbs: Readonly<Record<string, string>> = {
  Delete: "DELETE",
  Head: "HEAD",
  Options: "OPTIONS",
  Patch: "PATCH",
  Post: "POST",
  Put: "PUT",
};

function onlyX(handler: fw.Handler): fw.Handler {
  return (ctx) => ctx.Path() === "/x" ? handler(ctx) : ctx.Next();
}

function end(ctx: fw.Context): void {
  ctx.WriteString("end");
}

function pass(ctx: fw.Context): void {
  ctx.WriteString("passed");
  ctx.Next();
}

function teapot(ctx: fw.Context): void {
  ctx.StopWithStatus(418);
}

function rowsOf(
  table: Readonly<Record<string, (app: fw.Application, handler: fw.Handler) => unknown>>,
  gives: Row["gives"],
): Row[] {
  return Object.entries(table).map(([name, set]) => ({
    of: [`app/party.Party.${name}(handlers)`],
    run: (fault) =>
      serve(fault, {
        set: (app) => set(app, fault.fn),
        ask: async ({ url }) => {
          if (name !== "Subdomain") return await fetch(`${url}/x`, { method: verbs[name] ?? "GET" });
          const port = Number(new URL(url).port);
          const { status, text } = await askOverSocket(port, "/x", { headers: { host: `s.localhost:${port}` } });
          return new Response(text, { status });
        },
      }),
    gives,
  }));
}

/** Like a handler: what is returned must be a response or nothing. */
const asHandler = {
  throws: "500 logged",
  rejects: "500 logged",
  never: "503 logged",
  values: "500 logged",
  null: "200",
};
/** Like a handler whose response has been written: what is returned is only logged. */
const asLast = { ...asHandler, values: "200 logged" };
/** Like a handler whose return value is written as JSON. */
const asInjected = { ...asHandler, object: "200" };
/** Like a handler whose return value is ignored. */
const asTask = { throws: "500 logged", rejects: "500 logged", never: "503 logged", values: "200" };
/** The application has to return a response. */
const asFetch = { ...asHandler, null: "500 logged" };
/** The events of a handler whose client leaves. */
class Leaving {
  /** Resolved when the handler waits for its client to leave. */
  readonly begun: PromiseWithResolvers<void> = Promise.withResolvers();
  /** Resolved when the handler has noticed that its client is gone. */
  readonly noticed: PromiseWithResolvers<void> = Promise.withResolvers();
}
const leavings = new WeakMap<Fault, Leaving>();

function leavingOf(fault: Fault): Leaving {
  const leaving = leavings.get(fault) ?? new Leaving();
  leavings.set(fault, leaving);
  return leaving;
}

/** The response has been sent. */
const asObserver = { throws: "200 logged", rejects: "200 logged", never: "200", values: "200" };

function row(of: string | readonly string[], site: Site, gives: Row["gives"]): Row {
  return { of: typeof of === "string" ? [of] : of, run: (fault) => serve(fault, site), gives };
}

function getX(handler: (ctx: fw.Context, fault: Fault) => unknown): Site {
  return { set: (app, fault) => app.Get("/x", (ctx) => handler(ctx, fault) as void) };
}

const container: Row[] = [
  "Any",
  "Connect",
  "Delete",
  "Get",
  "Handle",
  "Head",
  "Options",
  "Patch",
  "Post",
  "Put",
  "Trace",
]
  .map((name) => ({
    of: [`app/api_container.APIContainer.${name}(handlers)`],
    run: (fault) =>
      serve(fault, {
        set: (app) =>
          app.ConfigureContainer((api) => {
            if (name === "Handle") api.Handle("GET", "/x", fault.fn);
            else api[name as "Get"]("/x", fault.fn);
            if (["Connect", "Trace"].includes(name)) api.Get("/x", fault.fn);
          }),
        ask: ({ url }) => fetch(`${url}/x`, { method: verbs[name] ?? "GET" }),
      }),
    gives: asInjected,
  }));

class Odd {
  BeforeActivation(b: fw.mvc.BeforeActivation): void {
    b.Handle("GET", "/{v:odd}", "Get");
  }

  Get(v: unknown): string {
    return typeof v;
  }
}

const others: readonly Row[] = [
  row(
    "app/api_container.InjectedHandler",
    { set: (app, { fn }) => app.ConfigureContainer((api) => api.Get("/x", fn)) },
    asInjected,
  ),
  row("app/api_container.APIContainer.Use(handlers)", {
    set: (app, { fn }) => app.ConfigureContainer().Party("/x").Use(fn).Get("", end),
  }, asInjected),
  row("app/api_container.APIContainer.Party(handlers)", {
    set: (app, { fn }) => app.ConfigureContainer().Party("/x", fn).Get("", end),
  }, asInjected),
  row("app/api_container.APIContainer.Done(handlers)", {
    set: (app, { fn }) => app.ConfigureContainer().Party("/x").Done(fn).Get("", pass),
  }, asInjected),
  row([
    "app/api_container.APIContainer.OnError(handler)",
    "app/api_container.InjectedErrorHandler",
    "mvc/result/result_handlers.ErrorHandler",
  ], {
    set: (app, { fn }) =>
      app.ConfigureContainer().OnError(fn).Get("/x", () => {
        throw new Error("first");
      }),
  }, { ...asTask, values: "500" }),
  row([
    "app/api_container.APIContainer.UseResultHandler(handler)",
    "app/api_container.ResultMiddleware",
    "app/api_container.ResultHandler",
  ], {
    set: (app, { fn }) => app.ConfigureContainer().UseResultHandler(() => fn).Get("/x", () => ({ a: 1 })),
  }, asTask),
  row("app/application.Application.WrapRouter(wrapper)", {
    set: (app, { fn }) => app.WrapRouter((request, next) => request.url.endsWith("/x") ? fn() : next(request)),
    // There is no time limit until a route is known, so the client decides.
    ask: ({ url, fault }) =>
      fault.name === "never"
        ? fetch(`${url}/x`, { signal: AbortSignal.timeout(400) }).catch(() => "gone")
        : fetch(`${url}/x`),
  }, { ...asFetch, never: "gone" }),
  row(["app/application.Application.OnError(observer)", "app/record/error_observers.ErrorObserver"], {
    set: (app, { fn }) =>
      app.OnError(fn).Get("/x", () => {
        throw new Error("first");
      }),
  }, { throws: "500 logged", rejects: "500 logged", never: "500 logged", values: "500 logged" }),
  row(
    "app/serve/forward.ForeignFetch",
    { set: (app, { fn }) => app.Mount("/x", fn) },
    asFetch,
  ),
  row("app/mount.FromFetch(fetch)", { set: (app, { fn }) => app.Get("/x", fw.FromFetch(fn)) }, asFetch),
  row(
    "context/context.Context.OnClose(task)",
    getX((ctx, { fn }) => {
      ctx.OnClose(fn);
      ctx.WriteString("x");
    }),
    asObserver,
  ),
  row("context/context.Context.OnConnectionClose(task)", {
    ...getX(async (ctx, fault) => {
      const { begun, noticed } = leavingOf(fault);
      ctx.OnConnectionClose(fault.fn);
      const gone = new Promise((resolve) => ctx.Signal().addEventListener("abort", resolve));
      begun.resolve();
      await gone;
      noticed.resolve();
    }),
    ask: async ({ url, fault }) => {
      const { begun, noticed } = leavingOf(fault);
      const leaving = new AbortController();
      const asked = fetch(`${url}/x`, { signal: leaving.signal }).catch(() => {});
      await begun.promise;
      leaving.abort();
      await asked;
      await noticed.promise;
      await new Promise((resolve) => setTimeout(resolve));
      return "gone";
    },
  }, { throws: "gone logged", rejects: "gone logged", never: "gone", values: "gone" }),
  row(
    "context/context.Context.SetUser(logout)",
    getX(async (ctx, { fn }) => {
      ctx.SetUser({ ID: "1" } as never, fn);
      await ctx.Logout();
      ctx.WriteString("x");
    }),
    asTask,
  ),
  row(["context/context.Context.UploadFormFiles(before)", "context/context.UploadHook"], {
    set: async (app, { fn }) => {
      const folder = await Deno.makeTempDir();
      app.RegisterOnShutdown(() => Deno.remove(folder, { recursive: true }));
      app.Post("/x", async (ctx) => {
        const [, error] = await ctx.UploadFormFiles(folder, fn);
        if (error !== null) throw error;
      });
    },
    ask: ({ url }) => {
      const form = new FormData();
      form.append("f", new File(["abc"], "a.txt"));
      return fetch(`${url}/x`, { method: "POST", body: form });
    },
  }, asTask),
  row(
    "context/recorder.Recorder.OnSend(task)",
    getX((ctx, { fn }) => {
      ctx.Recorder().OnSend(fn);
      ctx.WriteString("x");
    }),
    asTask,
  ),
  row(
    "context/recorder.Recorder.Transform(transform)",
    getX((ctx, { fn }) => {
      ctx.Recorder().Transform(fn);
      ctx.WriteString("x");
    }),
    { throws: "500 logged", rejects: "500 logged", never: "500 logged", values: "500 logged" },
  ),
  row("formats/format.Format.Encode", {
    set: (app, { fn }) => {
      app.RegisterFormat({ Name: "odd", Types: ["application/odd"], Encode: fn });
      app.Get("/x", async (ctx) => {
        ctx.Negotiation().JSON().MIME("application/odd");
        await ctx.Negotiate({ a: 1 });
      });
    },
    ask: ({ url }) => fetch(`${url}/x`, { headers: { accept: "application/odd" } }),
  }, { ...asFetch }),
  row("formats/format.Format.Decode", {
    set: (app, { fn }) => {
      app.RegisterFormat({ Name: "odd", Types: ["application/odd"], Decode: fn });
      app.Post("/x", async (ctx) => {
        const [value, error] = await ctx.ReadBody();
        if (error !== null) return ctx.StopWithStatus(400);
        ctx.WriteString(typeof value);
      });
    },
    ask: ({ url }) =>
      fetch(`${url}/x`, { method: "POST", body: "odd", headers: { "content-type": "application/odd" } }),
  }, { throws: "400", rejects: "400", never: "503 logged", values: "200" }),
  row("accessors/schema.StandardSchema.~standard.validate", {
    set: (app, { fn }) =>
      app.Post("/x", async (ctx) => {
        const [, error] = await ctx.ReadJSON({ "~standard": { version: 1, vendor: "odd", validate: fn } } as never);
        if (error !== null) throw error;
      }),
    ask: ({ url }) =>
      fetch(`${url}/x`, { method: "POST", body: "{}", headers: { "content-type": "application/json" } }),
  }, asFetch),
  row("response/stream.StreamSource", getX((ctx, { fn }) => ctx.Stream(fn)), { ...asFetch, never: "500 logged" }),
  row("response/event_texts.EventsSource", {
    ...getX((ctx, { fn }) => ctx.Events(fn)),
    ask: async ({ url }) => await (await fetch(`${url}/x`)).text().then(() => "complete", () => "cut off"),
  }, { throws: "cut off logged", rejects: "cut off logged", never: "cut off logged", values: "cut off logged" }),
  row("parameter_types/types.ParamType.Test", {
    set: (app, { fn }) => {
      app.Macros().Register({
        Name: "odd",
        Test: (text, start) => text.startsWith("/other", start - 1) ? false : fn(),
      });
      app.Get("/{v:odd}", end);
    },
  }, { ...asFetch, never: "500 logged" }),
  row("parameter_types/types.ParamType.Convert", {
    set: (app, { fn }) => {
      app.Macros().Register({ Name: "odd", Test: (text, start) => !text.startsWith("/other", start - 1), Convert: fn });
      fw.mvc.New(app).Handle(Odd);
    },
  }, { ...asFetch, never: "500 logged", values: "200", null: "200" }),
  row(["parameter_types/macros.ParamFuncBuilder()", "parameter_types/macros.ListFuncBuilder()"], {
    set: (app, { fn }) => {
      app.Macros().RegisterFunc("string", "odd", () => (value) => value === "other" ? false : fn());
      app.Get("/{v:string odd()}", end);
    },
  }, { ...asFetch, never: "500 logged" }),
  row(["parameter_types/macros.RegisteredType.HandleError(handler)", "parameter_types/macros.ParamErrorHandler"], {
    set: (app, { fn }) => {
      app.Macros().Get("int")?.HandleError(fn);
      app.Get("/{v:int}", end);
    },
  }, { ...asHandler, null: "404" }),
  row(["middleware/conditional.Filter", "middleware/conditional.NewConditionalHandler(filter)"], {
    set: (app, { fn }) => app.Get("/x", fw.NewConditionalHandler(fn, end), end),
  }, asFetch),
  row("middleware/conditional.NewConditionalHandler(handlers)", {
    set: (app, { fn }) => app.Get("/x", fw.NewConditionalHandler(() => true, fn), end),
  }, asHandler),
];

export const family: Family = {
  name: "handlers",
  rows: [
    ...rowsOf(routes, asHandler),
    ...rowsOf(middleware, asHandler),
    ...rowsOf(afterwards, asLast),
    ...rowsOf(errors, { ...asHandler, null: "418" }),
    ...container,
    ...others,
  ],
};
