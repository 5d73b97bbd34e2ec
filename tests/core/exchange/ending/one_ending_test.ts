/**
 * A request ends exactly once. A handler that writes after the response has been decided cannot change it, even if the
 * end of the request takes time.
 */

import { assertEquals, assertStringIncludes } from "@std/assert";
import * as fw from "../../../../mod.ts";
import * as accesslog from "../../../../src/middleware/accesslog/mod.ts";
import * as metrics from "../../../../src/middleware/metrics/mod.ts";
import * as timeout from "../../../../src/middleware/timeout.ts";
import * as sessions from "../../../../src/state/sessions/mod.ts";
import { logged, overSocket } from "../../../serving.ts";

const secret = "SECRET";

/** Actions that a late handler may attempt. */
const acts: Readonly<Record<string, (ctx: fw.Context) => unknown>> = {
  "WriteString()": (ctx) => ctx.WriteString(secret),
  "Write()": (ctx) => ctx.Write(new TextEncoder().encode(secret)),
  "JSON()": (ctx) => ctx.JSON({ secret }),
  "HTML()": (ctx) => ctx.HTML(secret),
  "StatusCode()": (ctx) => ctx.StatusCode(200),
  "Header()": (ctx) => ctx.Header("x-late", secret),
  "AddHeader()": (ctx) => ctx.AddHeader("x-late", secret),
  "ContentType()": (ctx) => ctx.ContentType("text/secret"),
  "SetCookie()": (ctx) => ctx.SetCookie("late", secret),
  "RemoveCookie()": (ctx) => ctx.RemoveCookie("late"),
  "Redirect()": (ctx) => ctx.Redirect("/SECRET"),
  "Stream()": (ctx) => ctx.Stream([secret]),
  "Events()": (ctx) => ctx.Events([secret]),
  "StopExecution()": (ctx) => ctx.StopExecution(),
  "StopWithStatus()": (ctx) => ctx.StopWithStatus(418),
  "StopWithText()": (ctx) => ctx.StopWithText(418, secret),
  "StopWithJSON()": (ctx) => ctx.StopWithJSON(418, { secret }),
  "StopWithError()": (ctx) => ctx.StopWithError(418, new Error(secret)),
  "StopWithProblem()": (ctx) => ctx.StopWithProblem({ Status: 418, Detail: secret }),
  "Problem()": (ctx) => ctx.Problem({ Status: 418, Detail: secret }),
  "SetErr()": (ctx) => ctx.SetErr(new Error(secret)),
  "NotFound()": (ctx) => ctx.NotFound(),
  "ViewData()": (ctx) => ctx.ViewData("late", secret),
  "ServeFile()": (ctx) => ctx.ServeFile(new URL(import.meta.url)),
  "Exec()": (ctx) => ctx.Exec("GET", "/secret"),
  "Recorder.SetBody()": (ctx) => ctx.Recorder().SetBody(secret),
  "Recorder.ResetBody()": (ctx) => ctx.Recorder().ResetBody(),
  "Recorder.ResetHeaders()": (ctx) => ctx.Recorder().ResetHeaders(),
  "Recorder.ReadBody()": (ctx) => ctx.Recorder().ReadBody(),
  "Recorder.Transform()": (ctx) => ctx.Recorder().Transform(() => new Blob([secret]).stream()),
  "Recorder.OnSend()": (ctx) => ctx.Recorder().OnSend((recorder) => recorder.SetBody(secret)),
  "Next()": (ctx) => ctx.Next(),
  "a returned Response": () => new Response(secret, { headers: { "x-late": secret } }),
  "a thrown error": () => Promise.reject(new fw.HTTPError(418, secret)),
};

/** A request whose response is decided while its handler is still running. */
interface Scene {
  readonly app: fw.Application;
  /** Resolves when the response has been decided and the end of the request is waiting. */
  readonly decided: PromiseWithResolvers<void>;
  /** Resolves when the late handler has acted. */
  readonly acted: PromiseWithResolvers<void>;
}

/** The ways in which a response can be decided before its handler has finished. */
const deciders: Readonly<Record<string, (scene: Scene, late: fw.Handler) => void>> = {
  "a timeout": ({ app }, late) => void app.Get("/", timeout.New({ After: 1 }), late),
  "the timeout of the application": ({ app }, late) => void app.Configure(fw.WithHandlerTimeout(1)).Get("/", late),
  "an error": ({ app }, late) => {
    app.Get("/", (ctx) => {
      void Promise.resolve(late(ctx)).catch(() => {});
      throw new fw.HTTPError(503);
    });
  },
  "an error of one of two tasks": ({ app }, late) => {
    app.Get("/", async (ctx) => {
      await Promise.all([late(ctx), Promise.reject(new fw.HTTPError(503))]);
    });
  },
  "a handler that does not await": ({ app }, late) => {
    app.Get("/", (ctx) => {
      void Promise.resolve(late(ctx)).catch(() => {});
      ctx.StopWithText(503, "Service Unavailable");
    });
  },
};

/** Creates an application whose end tasks wait for the late handler. */
function newScene(act: (ctx: fw.Context) => unknown, decide: (scene: Scene, late: fw.Handler) => void) {
  const { app, lines } = logged();
  const scene: Scene = { app, decided: Promise.withResolvers<void>(), acted: Promise.withResolvers<void>() };
  app.UseRouter((ctx) => {
    ctx.Recorder().OnSend(async () => {
      scene.decided.resolve();
      await scene.acted.promise;
      ctx.Header("x-outer", "whole");
    });
    return ctx.Next();
  });
  app.Get("/secret", (ctx) => ctx.WriteString(secret));
  decide(scene, async (ctx) => {
    await scene.decided.promise;
    try {
      return await act(ctx) as Response;
    } finally {
      scene.acted.resolve();
    }
  });
  return { scene, lines };
}

for (const [how, decide] of Object.entries(deciders)) {
  Deno.test(`finish() ignores the writes of a late handler after ${how} has decided the response`, async (test) => {
    for (const [name, act] of Object.entries(acts)) {
      await test.step(name, async () => {
        const { scene, lines } = newScene(act, decide);
        const response = await scene.app.fetch(new Request("http://localhost/"));
        const text = await response.text();
        assertEquals([response.status, text], [503, "Service Unavailable"]);
        assertEquals(response.headers.get("x-outer"), "whole");
        // The default error page depends on the Accept header, but a body written by the handler does not.
        const headers = [...response.headers].map(([header]) => header).filter((header) => header !== "vary").sort();
        assertEquals(headers, ["content-type", "x-outer"]);
        assertEquals(["Accept", null].includes(response.headers.get("vary")), true);
        assertEquals(lines.filter((line) => line.includes("Cannot change the response")).length <= 1, true);
      });
    }
  });
}

Deno.test("finish() ignores a late handler while an asynchronous error page is created", async (test) => {
  for (const [name, act] of Object.entries(acts)) {
    await test.step(name, async () => {
      const { app } = logged();
      const begun = Promise.withResolvers<void>();
      const acted = Promise.withResolvers<void>();
      app.OnErrorCode(503, async (ctx) => {
        ctx.WriteString("Sorry");
        begun.resolve();
        await acted.promise;
        ctx.Header("x-page", "whole");
        await ctx.Next();
      }, (ctx) => ctx.WriteString(", later"));
      app.Get("/secret", (ctx) => ctx.WriteString(secret));
      app.Get("/", timeout.New({ After: 1 }), async (ctx) => {
        await begun.promise;
        try {
          return await act(ctx) as Response;
        } finally {
          acted.resolve();
        }
      });
      await overSocket(app, async (ask) => {
        const response = await ask("/");
        assertEquals([response.status, response.text], [503, "Sorry, later"]);
        assertEquals([response.headers.get("x-page"), response.headers.get("x-late")], ["whole", null]);
        assertEquals(response.headers.get("set-cookie"), null);
      });
    });
  }
});

Deno.test("timeout.New() only affects the handlers after it, even if the middleware before it is slow", async () => {
  const { app, lines } = logged();
  const failed = Promise.withResolvers<void>();
  const acted = Promise.withResolvers<void>();
  app.Use(async (ctx) => {
    try {
      await ctx.Next();
    } finally {
      failed.resolve();
      await acted.promise;
      ctx.Header("x-outer", "whole");
    }
  });
  app.Get("/", timeout.New({ After: 1 }), async (ctx) => {
    await failed.promise;
    ctx.SetCookie("late", secret);
    ctx.WriteString(secret);
    acted.resolve();
  });
  const response = await app.fetch(new Request("http://localhost/"));
  assertEquals([response.status, await response.text()], [503, "Service Unavailable"]);
  assertEquals([response.headers.get("x-outer"), response.headers.get("set-cookie")], ["whole", null]);
  assertEquals(lines, ["[WARN] Cannot change the response to GET /: the request has already failed"]);
});

Deno.test("Application.Shutdown() ends a request exactly once after the timeout and runs its end tasks", async () => {
  const { app } = logged();
  const entries: string[] = [];
  const begun = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<void>();
  app.UseRouter(accesslog.New({ Format: "{Path} {Status}", Output: (line) => void entries.push(line) }).Handler());
  app.Get("/", async (ctx) => {
    begun.resolve();
    await stopped.promise;
    ctx.WriteString(secret);
  });
  app.Configure(fw.WithShutdownTimeout(10));
  const coming = app.fetch(new Request("http://localhost/"));
  await begun.promise;
  await app.Shutdown();
  const response = await coming;
  assertEquals([response.status, await response.text()], [503, "Service Unavailable"]);
  assertEquals(response.headers.get("connection"), "close");
  stopped.resolve();
  await Promise.resolve();
  assertEquals(entries, ["/ 503"]);
});

/** Creates a store whose writes fail, immediately or later. */
function failingStore(fail: () => boolean | Promise<boolean>): sessions.Store {
  return { Load: () => null, Create: fail };
}

const failingStores: Readonly<Record<string, () => boolean | Promise<boolean>>> = {
  "at once": () => {
    throw new Error("disk full");
  },
  "later": () => Promise.reject(new Error("disk full")),
};

for (const [when, fail] of Object.entries(failingStores)) {
  Deno.test(`finish() runs every end task if a session cannot be written, ${when}`, async () => {
    const { app, lines } = logged();
    const entries: string[] = [];
    const counted = metrics.New();
    const session = sessions.New({ Cookie: "id", Store: failingStore(fail) });
    app.UseRouter(
      accesslog.New({ Format: "{Path} {Status}", Output: (line) => void entries.push(line) }).Handler(),
      counted.Handler(),
    );
    app.Use(session.Handler());
    app.Get("/", (ctx) => {
      session.Get(ctx)?.Set("name", secret);
      ctx.WriteString(secret);
      ctx.Recorder().OnSend(() => Promise.reject(new Error("first to fail")));
      ctx.Recorder().OnSend(() => {
        throw new Error("second to fail");
      });
    });
    await overSocket(app, async (ask) => {
      const response = await ask("/");
      assertEquals([response.status, response.text], [503, "Service Unavailable"]);
      assertEquals(response.headers.get("set-cookie"), null);
    });
    assertEquals(entries, ["/ 503"]);
    assertStringIncludes(counted.Text(), "\nhttp_server_active_requests 0\n");
    assertStringIncludes(counted.Text(), 'http_response_status_code="503"');
    for (const text of ["disk full", "first to fail", "second to fail"]) assertStringIncludes(lines.join("\n"), text);
  });
}

Deno.test("Context.OnClose() of a late handler runs immediately, and its failure is logged", async () => {
  const { app, lines } = logged();
  const done: string[] = [];
  const sent = Promise.withResolvers<void>();
  const late = Promise.withResolvers<void>();
  app.Get("/", (ctx) => {
    void sent.promise.then(() => {
      ctx.OnClose(() => void done.push("released"));
      ctx.OnClose(() => Promise.reject(new Error("boom")));
      late.resolve();
    });
    ctx.WriteString("early");
  });
  const response = await app.fetch(new Request("http://localhost/"));
  sent.resolve();
  await late.promise;
  assertEquals([await response.text(), done], ["early", ["released"]]);
  assertStringIncludes(lines.join("\n"), "Cannot run an end task of a request: Error: boom");
});
