import { assert, assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import * as fw from "../../../../mod.ts";
import * as mvc from "../../../../mvc/mod.ts";
import { bothWays, logged, overSocket } from "../../../serving.ts";

/** Creates an application that records failures as `ID PATH: MESSAGE`. */
function observed(): { app: fw.Application; lines: string[]; seen: string[]; next: () => Promise<string> } {
  const { app, lines } = logged();
  const seen: string[] = [];
  let waiting = Promise.withResolvers<string>();
  app.OnError((ctx, error) => {
    const told = `${ctx.GetID()} ${ctx.Path()}: ${error.message}`;
    seen.push(told);
    waiting.resolve(told);
    waiting = Promise.withResolvers();
  });
  app.UseRouter((ctx) => {
    ctx.SetID("r1");
    return ctx.Next();
  });
  return { app, lines, seen, next: () => waiting.promise };
}

const failures: Readonly<Record<string, (ctx: fw.Context) => void | Promise<void>>> = {
  "a thrown error": () => {
    throw new Error("boom");
  },
  "a rejection": () => Promise.reject(new Error("boom")),
  "an HTTPError of status 500": () => {
    throw new fw.HTTPError(500, "boom");
  },
  "StopWithError(500)": (ctx) => ctx.StopWithError(500, new Error("boom")),
  "a problem of status 503": (ctx) => ctx.Problem({ Status: 503, Detail: "boom" }),
  "a task of OnSend": (ctx) =>
    ctx.Recorder().OnSend(() => {
      throw new Error("boom");
    }),
  "an error of an error page": (ctx) => ctx.StopWithStatus(418),
  "a task of OnClose": (ctx) =>
    ctx.OnClose(() => {
      throw new Error("boom");
    }),
};

for (const [name, fail] of Object.entries(failures)) {
  let own = observed();
  bothWays(`Application.OnError() observes ${name}, and the log has the request's ID and route`, () => {
    own = observed();
    own.app.Get("/fail/{id:int}", fail);
    own.app.OnErrorCode(418, () => {
      throw new Error("boom");
    });
    return own.app;
  }, async (ask) => {
    const told = own.next();
    await ask("/fail/7");
    assertEquals(await told, "r1 /fail/7: boom");
    assertEquals(own.seen.length, 1);
    assertEquals(own.lines.length, 1);
    assertStringIncludes(own.lines[0] ?? "", "boom request_id=r1 route=/fail/{id:int}");
  });
}

Deno.test("Application.Run() logs a failed stream once, with its request", async () => {
  const { app, lines, next } = observed();
  app.Get("/rows/{id:int}", (ctx) =>
    ctx.Stream(function* () {
      yield "begun";
      throw new Error("boom");
    }));
  const listening = Promise.withResolvers<Deno.Addr>();
  const running = app.Run(":0", fw.WithoutStartupLog, fw.WithOnListen((addr) => listening.resolve(addr)));
  const { port } = await listening.promise as Deno.NetAddr;
  const told = next();
  await assertRejects(async () => await (await fetch(`http://127.0.0.1:${port}/rows/7`)).text());
  await told;
  await app.Shutdown();
  await running;
  assertEquals(lines.filter((line) => line.includes("boom")).length, 1);
});

Deno.test("Application.OnError() does not observe client errors", async () => {
  const { app, lines, seen } = observed();
  app.Get("/missing", () => {
    throw new fw.HTTPError(404, "gone");
  });
  app.Get("/refused", (ctx) => ctx.StopWithError(403, new Error("no")));
  app.Get("/busy", (ctx) => ctx.StopWithStatus(503));
  for (const path of ["/missing", "/refused", "/busy", "/nowhere"]) {
    await (await app.fetch(new Request(`http://localhost${path}`))).body?.cancel();
  }
  assertEquals([seen, lines], [[], []]);
});

const streams: Readonly<Record<string, (ctx: fw.Context) => void>> = {
  "a generator": (ctx) =>
    ctx.Stream(async function* () {
      yield "begun";
      await Promise.resolve();
      throw new Error("boom");
    }),
  "a ReadableStream": (ctx) => {
    let pulled = 0;
    ctx.Stream(
      new ReadableStream({
        pull(controller) {
          if (pulled++ === 0) controller.enqueue(new Uint8Array(1));
          else controller.error(new Error("boom"));
        },
      }),
    );
  },
  "events": (ctx) =>
    ctx.Events(function* () {
      yield "begun";
      throw new Error("boom");
    }),
};

for (const [name, respond] of Object.entries(streams)) {
  Deno.test(`Application.OnError() observes ${name} that fails after the header fields have been sent`, async () => {
    const { app, lines, next } = observed();
    const agents: string[] = [];
    app.OnError((ctx) => void agents.push(ctx.GetHeader("x-agent")));
    app.Get("/rows/{id:int}", respond);
    await overSocket(app, async (ask) => {
      const told = next();
      await assertRejects(() => ask("/rows/7", { headers: { "x-agent": "ada" } }));
      assertEquals(await told, "r1 /rows/7: boom");
    });
    assertEquals(agents, ["ada"]);
    const line = lines.find((each) => each.includes("Cannot finish the response to GET /rows/7: Error: boom"));
    assertStringIncludes(line ?? "", "request_id=r1 route=/rows/{id:int}");
  });
}

Deno.test("Application.OnError() observes failures after a client disconnects, but not the disconnect itself", async () => {
  const { app, seen, next } = observed();
  app.Get("/clean", (ctx) =>
    ctx.Stream(async function* (signal) {
      yield "begun";
      const { promise, reject } = Promise.withResolvers<never>();
      signal.addEventListener("abort", () => reject(signal.reason));
      yield await promise;
    }));
  app.Get("/dirty", (ctx) =>
    ctx.Stream(function* () {
      try {
        for (;;) yield "more";
      } finally {
        // deno-lint-ignore no-unsafe-finally
        throw new Error("boom");
      }
    }));
  for (const path of ["/clean", "/dirty"]) {
    const told = next();
    const response = await app.fetch(new Request(`http://localhost${path}`));
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    if (path === "/dirty") await told;
  }
  assertEquals(seen, ["r1 /dirty: boom"]);
});

Deno.test("Application.OnError() observes a failed disposal", async () => {
  const { app, next } = observed();
  const resource = mvc.Token<object>("resource");
  class FailController {
    resource = mvc.Inject(resource);
    Get() {
      return "ok";
    }
  }
  mvc.New(app).Register(mvc.Provide(
    resource,
    mvc.PerRequest((_ctx: fw.Context) => ({
      [Symbol.dispose]() {
        throw new Error("boom");
      },
    })),
  )).Handle(FailController);
  const told = next();
  await (await app.fetch(new Request("http://localhost/"))).text();
  assertEquals(await told, "r1 /: boom");
});

Deno.test("Application.OnError() continues if an observer fails, and a shutdown waits for observers", async () => {
  const { app, lines } = logged();
  const done: string[] = [];
  const sent = Promise.withResolvers<void>();
  app.OnError(() => {
    throw new Error("tracker down");
  });
  app.OnError(async () => {
    await sent.promise;
    done.push("sent");
  });
  app.Get("/", () => {
    throw new Error("boom");
  });
  const response = await app.fetch(new Request("http://localhost/"));
  assertEquals([response.status, await response.text()], [500, "Internal Server Error"]);
  const stopped = app.Shutdown();
  sent.resolve();
  await stopped;
  assertEquals(done, ["sent"]);
  assert(lines.some((line) => line.includes("Cannot run an error observer: Error: tracker down")));
});

Deno.test("Application.OnError() throws after the application has been built", () => {
  const app = fw.New();
  app.Build();
  assertThrows(() => app.OnError(() => {}), fw.FrameworkError, "Cannot observe errors");
});
