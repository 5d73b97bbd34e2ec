import { assert, assertEquals } from "@std/assert";
import * as fw from "@fw/web";
import * as compress from "@fw/web/middleware/compress";
import * as etag from "@fw/web/middleware/etag";
import * as timeout from "@fw/web/middleware/timeout";
import * as mvc from "@fw/web/mvc";
import * as sessions from "@fw/web/sessions";
import * as sqlite from "@fw/web/sessions/sqlite";
import * as httptest from "@fw/web/httptest";
import { quiet } from "../../serving.ts";
import { serve, type Server, Visitor } from "./visitor.ts";

/** A promise that the slow handlers wait for. */
let late = Promise.withResolvers<void>();

class PageController {
  Get(): mvc.View {
    return new mvc.View({ Name: "page" });
  }
}

/** Renders the message, with a body that middleware changes afterwards. */
async function minified(ctx: fw.Context): Promise<void> {
  const recorder = ctx.Recorder();
  await ctx.Next();
  recorder.SetBody(new TextDecoder().decode(recorder.Body() ?? undefined).toUpperCase());
}

/** The handlers of requests that show the message. */
const showing: Readonly<Record<string, readonly fw.Handler[]>> = {
  "a view": [(ctx) => ctx.View("page")],
  "a view with text after it": [async (ctx) => {
    await ctx.View("page");
    ctx.WriteString("more");
  }],
  "two views of which only the first reads the messages": [async (ctx) => {
    await ctx.View("page");
    await ctx.View("plain");
  }],
  "a view with a status that is set afterwards": [async (ctx) => {
    await ctx.View("page");
    ctx.StatusCode(404);
  }],
  "a view behind compress": [compress.New({ MinBody: 0 }), (ctx) => ctx.View("page")],
  "a view behind etag": [etag.New(), (ctx) => ctx.View("page")],
  "a view that middleware changes": [minified, (ctx) => ctx.View("page")],
  "an error page": [(ctx) => ctx.StopWithStatus(418)],
  "a view after one that failed": [async (ctx) => {
    await ctx.View("broken")?.catch(() => {});
    await ctx.View("page");
  }],
  "a view with a fallback": [(ctx) => {
    ctx.FallbackView("page");
    return ctx.View("missing");
  }],
  "GetFlash in a handler": [async (ctx) => {
    ctx.WriteString(String(await sessions.Get(ctx)?.GetFlash("notice")));
  }],
  "GetFlash in a handler that fails": [async (ctx) => {
    ctx.StopWithText(500, String(await sessions.Get(ctx)?.GetFlash("notice")));
  }],
};

/** The handlers of requests that do not show it, so that a later request does. */
const keeping: Readonly<Record<string, readonly fw.Handler[]>> = {
  "a view that does not read the messages": [(ctx) => ctx.View("plain")],
  "a view that fails after it has read them": [(ctx) => ctx.View("broken")],
  "a handler that fails after the view": [async (ctx) => {
    await ctx.View("page");
    throw new Error("the database is gone");
  }],
  "a handler that stops after the view": [async (ctx) => {
    await ctx.View("page");
    ctx.StopWithStatus(403);
  }],
  "a handler that writes JSON after the view": [async (ctx) => {
    await ctx.View("page");
    ctx.JSON({ isDone: true });
  }],
  "a handler that redirects after the view": [async (ctx) => {
    await ctx.View("page");
    ctx.Redirect("/elsewhere");
  }],
  "a handler that returns another response after the view": [async (ctx) => {
    await ctx.View("page");
    return new Response("other");
  }],
  "a view that is too late": [timeout.New({ After: 20 }), async (ctx) => {
    await late.promise;
    await ctx.View("page")?.catch(() => {});
  }],
  "a view that has been written when the time is over": [timeout.New({ After: 20 }), async (ctx) => {
    await ctx.View("page");
    await late.promise;
  }],
  "PeekFlash in a handler": [(ctx) => ctx.WriteString(`[${sessions.Get(ctx)?.PeekFlash("other")}]`)],
};

async function withApp(store: sessions.Store, work: (app: fw.Application) => Promise<void>): Promise<void> {
  late = Promise.withResolvers();
  const dir = await Deno.makeTempDir();
  const views: Readonly<Record<string, string>> = {
    page: "<p><%= it.flashes?.notice %></p>",
    plain: "<p>plain</p>",
    broken: "<p><%= it.flashes.notice %></p><%= it.nothing.at.all %>",
  };
  for (const [name, text] of Object.entries(views)) await Deno.writeTextFile(`${dir}/${name}.html`, text);
  const app = quiet();
  try {
    app.RegisterView(fw.HTML(dir));
    app.UseRouter(sessions.New({ Store: store }).Handler());
    app.OnErrorCode(418, (ctx) => ctx.View("page"));
    app.Get("/set", (ctx) => sessions.Get(ctx)?.SetFlash("notice", "saved"));
    app.Get("/show", (ctx) => ctx.View("page"));
    [...Object.values(showing), ...Object.values(keeping)].forEach((handlers, at) => app.Get(`/${at}`, ...handlers));
    mvc.New(app.Party("/controller")).Handle(PageController);
    app.Get("/gone", async (ctx) => {
      await ctx.View("plain");
      sessions.Get(ctx)?.Destroy();
    });
    app.Get("/newer", async (ctx) => {
      await ctx.View("plain");
      sessions.Get(ctx)?.SetFlash("notice", "newer");
    });
    await work(app);
  } finally {
    late.resolve();
    await app.Shutdown();
    await Deno.remove(dir, { recursive: true });
  }
}

/** Visits a path with a message in the session, and then the page that shows messages. */
async function visit(server: Server, origin: string, path: string, method = "GET") {
  const visitor = new Visitor(server, origin);
  await visitor.ask("/set");
  const first = await visitor.ask(path, method);
  const { status } = visitor;
  return { first, status, second: await visitor.ask("/show"), third: await visitor.ask("/show") };
}

async function visitAll(server: Server, origin: string): Promise<void> {
  const names = [...Object.keys(showing), ...Object.keys(keeping)];
  for (const [at, name] of names.entries()) {
    const found = await visit(server, origin, `/${at}`);
    const isShown = at < Object.keys(showing).length;
    assertEquals(found.first.toLowerCase().includes("saved"), isShown, `${name}: ${found.status} ${found.first}`);
    assertEquals(found.second.includes("saved"), !isShown, `${name}, the second page`);
    assertEquals(found.third.includes("saved"), false, `${name}, the third page`);
    // A response to HEAD shows nothing. Only handlers that remove a message do so.
    const head = await visit(server, origin, `/${at}`, "HEAD");
    assertEquals(head.second.includes("saved"), !name.startsWith("GetFlash"), `HEAD of ${name}`);
  }
}

Deno.test("Flash messages in views are used up by the response that shows them, in process", async () => {
  await withApp(sessions.NewMemory(), (app) => visitAll((request) => app.fetch(request), "http://localhost"));
});

Deno.test("Flash messages in views are used up by the response that shows them, over a socket", async () => {
  const dir = await Deno.makeTempDir();
  const store = sqlite.New({ File: `${dir}/sessions.db` });
  await withApp(store, async (app) => {
    await using server = serve((request) => app.fetch(request));
    await visitAll((request) => fetch(request, { redirect: "manual" }), server.origin);
  });
  await store.Close?.();
  await Deno.remove(dir, { recursive: true });
});

Deno.test("Flash messages are used up by the view of a controller, and only one of several requests shows them", async () => {
  await withApp(sessions.NewMemory(), async (app) => {
    const visitor = new Visitor((request) => app.fetch(request));
    await visitor.ask("/set");
    const pages = await Promise.all(["/show", "/controller", "/show", "/controller"].map((path) => visitor.ask(path)));
    assertEquals(pages.filter((page) => page.includes("saved")).length, 1);
  });
});

Deno.test("Flash messages that were not shown do not replace newer ones, nor do they keep a session", async () => {
  await withApp(sessions.NewMemory(), async (app) => {
    const server: Server = (request) => app.fetch(request);
    assert((await visit(server, "http://localhost", "/newer")).second.includes("newer"));
    const gone = await visit(server, "http://localhost", "/gone");
    assertEquals([gone.status, gone.second.includes("saved")], [200, false]);
  });
});

Deno.test("Session.GetFlash() fails after the session was written, instead of losing the message", async () => {
  await withApp(sessions.NewMemory(), async (app) => {
    const outcome = Promise.withResolvers<unknown>();
    app.Get("/late", timeout.New({ After: 20 }), async (ctx) => {
      const session = sessions.Get(ctx);
      await late.promise;
      outcome.resolve(await session?.GetFlash("notice").catch((error) => error));
    });
    const pending = visit((request) => app.fetch(request), "http://localhost", "/late");
    const { second } = await pending;
    late.resolve();
    assert(await outcome.promise instanceof Error);
    assert(second.includes("saved"));
  });
});

Deno.test("Flash messages cross the border of a mounted application in both directions, and are shown once", async () => {
  const newApp = (name: string, next: string) => {
    const app = quiet();
    app.RegisterView(fw.HTML("").ParseTemplate("note.html", "<%= it.flashes?.note ?? 'nothing' %>"));
    app.Get("/set", (ctx) => {
      sessions.Get(ctx)?.SetFlash("note", name);
      ctx.Redirect(next, 303);
    });
    app.Get("/show", (ctx) => ctx.View("note"));
    app.Get("/fail", async (ctx) => {
      await ctx.View("note");
      throw new Error("after the view");
    });
    return app;
  };
  const manager = sessions.New();
  // The inner application uses the session of the outer one, also if it has the same manager.
  for (const own of [[], [manager.Handler()]]) {
    const inner = newApp("from inside", "/show");
    inner.UseGlobal(...own);
    const outer = newApp("from outside", "/inner/show");
    outer.UseGlobal(manager.Handler());
    outer.Mount("/inner", inner);
    const test = httptest.New(outer);
    const read = async (path: string) => (await test.GET(path)).Text;
    await test.GET("/set").Follow().Expect().Body("from outside");
    assertEquals([await read("/inner/show"), await read("/show")], ["nothing", "nothing"]);
    await test.GET("/inner/set").Expect().Header("location", "/inner/show");
    assertEquals([await read("/show"), await read("/show"), await read("/inner/show")], [
      "from inside",
      "nothing",
      "nothing",
    ]);
    await test.GET("/set").Expect().Status(303);
    await test.HEAD("/inner/show").Expect().Status(200);
    await test.GET("/inner/fail").Expect().Status(500);
    assertEquals([await read("/inner/show"), await read("/inner/show")], ["from outside", "nothing"]);
  }
});
