import { assert, assertEquals } from "@std/assert";
import * as fw from "../../../../mod.ts";
import * as timeout from "../../../../src/middleware/timeout.ts";
import { bothWays, logged, quiet } from "../../../serving.ts";

/** Waits for a turn of the event loop, which is longer than a microtask. */
function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1));
}

async function failLater(text = "below"): Promise<never> {
  await turn();
  throw new Error(text);
}

bothWays("Context.Next() returns undefined if all later handlers are synchronous", () => {
  const app = quiet();
  app.Use((ctx) => {
    const rest = ctx.Next();
    ctx.WriteString(rest === undefined ? " nothing" : " a promise");
  });
  app.Get("/", (ctx) => ctx.WriteString("main"));
  return app;
}, async (ask) => {
  assertEquals((await ask("/")).text, "main nothing");
});

Deno.test("Application.fetch() returns a Response instead of a promise if all handlers are synchronous", async () => {
  const app = quiet();
  app.UseRouter((ctx) => ctx.Next());
  app.UseGlobal((ctx) => ctx.Next());
  app.Use((ctx) => ctx.Next());
  app.Done((ctx) => ctx.Header("x-done", "1"));
  app.Get("/a", (ctx) => ctx.WriteString("a"));
  app.Get("/fail", () => {
    throw new Error("no");
  });
  await app.Build();
  for (const path of ["/a", "/fail", "/nowhere", "/a/", "/%zz"]) {
    assert(app.fetch(new Request(`http://localhost${path}`)) instanceof Response, path);
  }
});

bothWays("Context.Next() returns a promise if a later handler is asynchronous", () => {
  const app = quiet();
  app.Use(async (ctx) => {
    const rest = ctx.Next();
    assert(rest !== undefined);
    await rest;
    ctx.WriteString(" after");
  });
  app.Use((ctx) => ctx.Next());
  app.Get("/", async (ctx) => {
    await turn();
    ctx.WriteString("main");
  });
  return app;
}, async (ask) => {
  assertEquals((await ask("/")).text, "main after");
});

bothWays("Context.Next() delays the response until all handlers have finished, even if it is not awaited", () => {
  const app = quiet();
  app.Use((ctx) => {
    ctx.Next();
  });
  app.Use(async (ctx) => {
    await turn();
    ctx.Next();
    ctx.WriteString("b");
  });
  app.Get("/", async (ctx) => {
    await turn();
    await turn();
    ctx.StatusCode(201);
    ctx.WriteString("c");
  });
  return app;
}, async (ask) => {
  const response = await ask("/");
  assertEquals([response.status, response.text], [201, "bc"]);
});

bothWays("Context.Next() passes later errors to the request if it is not awaited", () => {
  const app = quiet();
  app.Use((ctx) => {
    ctx.Next();
  });
  app.Get("/sync", () => {
    throw new fw.HTTPError(409, "sync");
  });
  app.Get("/async", async () => {
    await turn();
    throw new fw.HTTPError(409, "async");
  });
  app.Get("/private", () => failLater());
  return app;
}, async (ask) => {
  for (const name of ["sync", "async"]) {
    const response = await ask(`/${name}`);
    assertEquals([response.status, response.text], [409, name]);
  }
  const hidden = await ask("/private");
  assertEquals([hidden.status, hidden.text], [500, "Internal Server Error"]);
});

bothWays("Context.Next() throws the error of a later handler, which try and catch can handle", () => {
  const app = quiet();
  app.Use(async (ctx) => {
    try {
      await ctx.Next();
    } catch (error) {
      ctx.StatusCode(418);
      ctx.WriteString(`caught ${error instanceof Error ? error.message : error}`);
    }
  });
  app.Use((ctx) => ctx.Next());
  app.Use(async (ctx) => await ctx.Next());
  app.Get("/sync", () => {
    throw new Error("sync");
  });
  app.Get("/async", () => failLater("async"));
  app.Get("/text", () => {
    // deno-lint-ignore no-throw-literal -- third-party code may throw any value
    throw "text";
  });
  app.Get("/http", () => {
    throw new fw.HTTPError(404, "http");
  });
  return app;
}, async (ask) => {
  for (const name of ["sync", "async", "text", "http"]) {
    const response = await ask(`/${name}`);
    assertEquals([response.status, response.text], [418, `caught ${name}`]);
  }
});

bothWays("Context.Next() returns a promise whose catch() middleware without async can use", () => {
  const app = quiet();
  app.Use((ctx) => ctx.Next()?.catch((error: Error) => ctx.WriteString(`caught ${error.message}`)));
  app.Get("/", () => failLater("async"));
  return app;
}, async (ask) => {
  const response = await ask("/");
  assertEquals([response.status, response.text], [200, "caught async"]);
});

bothWays("Context.Next() rejects with the error even if it is awaited later", () => {
  const app = quiet();
  app.Use(async (ctx) => {
    const rest = ctx.Next();
    await turn();
    await turn();
    await turn();
    try {
      await rest;
    } catch (error) {
      ctx.WriteString(`late ${(error as Error).message}`);
    }
  });
  app.Get("/", () => failLater());
  return app;
}, async (ask) => {
  const response = await ask("/");
  assertEquals([response.status, response.text], [200, "late below"]);
});

bothWays("Context.Next() runs finally blocks and passes on the error", () => {
  const app = quiet();
  app.Use((ctx) => ctx.Next()?.finally(() => ctx.Header("x-finally", "1")));
  app.Get("/", () => failLater());
  return app;
}, async (ask) => {
  const response = await ask("/");
  assertEquals([response.status, response.headers.get("x-finally")], [500, "1"]);
});

bothWays("Context.Next() treats an error as handled regardless of how a handler observes it", () => {
  const app = quiet();
  app.Get("/then", (ctx) => {
    ctx.Next()?.then(undefined, () => ctx.WriteString("seen"));
  }, () => failLater());
  app.Get("/catch", (ctx) => {
    ctx.Next()?.catch(() => ctx.WriteString("seen"));
  }, () => failLater());
  app.Get("/finally", (ctx) => {
    ctx.Next()?.finally(() => ctx.WriteString("seen")).catch(() => {});
  }, () => failLater());
  return app;
}, async (ask) => {
  for (const path of ["/then", "/catch", "/finally"]) {
    const response = await ask(path);
    assertEquals([response.status, response.text], [200, "seen"], path);
  }
});

Deno.test("Context.Next() returns a value that every caller can use as a promise", async () => {
  const app = quiet();
  let told: unknown;
  app.Get("/", async (ctx) => {
    const rest = ctx.Next();
    told = [Object.prototype.toString.call(rest), await Promise.all([rest])];
  }, async () => await turn());
  await app.fetch(new Request("http://localhost/"));
  assertEquals(told, ["[object Promise]", [undefined]]);
});

bothWays("Context.Next() allows middleware to respond instead of an error that it catches", () => {
  const { app, lines } = logged();
  app.Use(async (ctx) => {
    try {
      await ctx.Next();
    } catch {
      // The page is created elsewhere.
    }
  });
  app.Get("/", async (ctx) => {
    ctx.WriteString("half");
    await failLater();
  });
  app.Get("/lines", (ctx) => ctx.JSON(lines));
  return app;
}, async (ask) => {
  const response = await ask("/");
  assertEquals([response.status, response.text], [200, "half"]);
  assertEquals((await ask("/lines")).text, "[]");
});

bothWays("Context.Next() responds with the error that catching middleware throws, not the original one", () => {
  const app = quiet();
  app.Use(async (ctx) => {
    try {
      await ctx.Next();
    } catch {
      throw new fw.HTTPError(502, "above");
    }
  });
  app.Get("/", () => failLater());
  return app;
}, async (ask) => {
  const response = await ask("/");
  assertEquals([response.status, response.text], [502, "above"]);
});

/** The promises of handlers that fail after the response, so that a test can wait for them. */
let failing: Promise<void>[] = [];

function failed(promise: Promise<void>): Promise<void> {
  failing.push(promise);
  return promise;
}

bothWays("Context.Next() causes no unhandled rejection if the calling middleware throws", () => {
  const app = quiet();
  failing = [];
  app.Get("/sync", (ctx) => {
    ctx.Next();
    throw new fw.HTTPError(409, "above");
  }, () => failed(failLater()));
  app.Get("/async", async (ctx) => {
    ctx.Next();
    await turn();
    throw new fw.HTTPError(409, "above");
  }, () => failed(turn().then(turn).then(() => failLater())));
  return app;
}, async (ask) => {
  for (const path of ["/sync", "/async"]) {
    const response = await ask(path);
    assertEquals([response.status, response.text], [409, "above"], path);
  }
  // An unhandled rejection would be reported in the turn after the failure.
  await Promise.allSettled(failing);
  await turn();
});

bothWays("Context.Next() at the end of the chain does nothing", () => {
  const app = quiet();
  app.Get("/", (ctx) => {
    ctx.Next();
    ctx.Next();
    ctx.WriteString("end");
  });
  return app;
}, async (ask) => {
  assertEquals((await ask("/")).text, "end");
});

bothWays("Context.Next() called twice runs the handler after the next one, and waits for it", () => {
  const app = quiet();
  app.Get(
    "/sync",
    (ctx) => {
      ctx.Next();
      ctx.Next();
    },
    (ctx) => ctx.WriteString("a"),
    (ctx) => ctx.WriteString("b"),
  );
  app.Get(
    "/async",
    (ctx) => {
      ctx.Next();
      ctx.Next();
    },
    (ctx) => ctx.WriteString("a"),
    async (ctx) => {
      await turn();
      ctx.WriteString("b");
    },
  );
  app.Get("/both", async (ctx) => {
    ctx.Next();
    await turn();
    ctx.Next();
  }, async (ctx) => {
    await turn();
    ctx.WriteString("a");
  }, async (ctx) => {
    await turn();
    await turn();
    ctx.WriteString("b");
  });
  app.Get(
    "/error",
    (ctx) => {
      ctx.Next();
      ctx.Next();
    },
    () => {},
    () => failLater(),
  );
  return app;
}, async (ask) => {
  assertEquals((await ask("/sync")).text, "ab");
  assertEquals((await ask("/async")).text, "ab");
  assertEquals((await ask("/both")).text, "ab");
  assertEquals((await ask("/error")).status, 500);
});

bothWays("Context.StopExecution() prevents later handlers from running", () => {
  const app = quiet();
  app.Use((ctx) => {
    ctx.WriteString(`${ctx.IsStopped()} `);
    ctx.StopExecution();
    ctx.WriteString(`${ctx.IsStopped()} `);
    return ctx.Next();
  });
  app.Get("/", (ctx) => ctx.WriteString("main"));
  return app;
}, async (ask) => {
  assertEquals((await ask("/")).text, "false true ");
});

bothWays("Context.StopWithStatus() and similar methods stop the chain and respond", () => {
  const app = quiet();
  app.Get("/status", (ctx) => (ctx.StopWithStatus(403), ctx.Next()), (ctx) => ctx.WriteString("main"));
  app.Get("/text", (ctx) => (ctx.StopWithText(409, "text"), ctx.Next()), (ctx) => ctx.WriteString("main"));
  app.Get("/json", (ctx) => (ctx.StopWithJSON(422, { a: 1n }), ctx.Next()), (ctx) => ctx.WriteString("main"));
  app.Get("/error", (ctx) => (ctx.StopWithError(400, new Error("for all eyes")), ctx.Next()), () => {});
  app.OnErrorCode(403, (ctx) => ctx.WriteString(`page ${ctx.IsStopped()}`));
  app.OnErrorCode(409, (ctx) => ctx.WriteString("page"));
  return app;
}, async (ask) => {
  const responses = await Promise.all(["/status", "/text", "/json", "/error"].map((path) => ask(path)));
  assertEquals(responses.map(({ status, text }) => [status, text]), [
    [403, "page false"],
    [409, "text"],
    [422, '{"a":1}'],
    [400, "for all eyes"],
  ]);
  assertEquals(responses[2]?.headers.get("content-type"), "application/json");
});

bothWays("Context.StopWithError() passes its error to error handlers", () => {
  const app = quiet();
  app.OnAnyErrorCode((ctx) => ctx.JSON({ error: ctx.GetErr()?.message ?? null }));
  app.Get("/error", (ctx) => ctx.StopWithError(400, new Error("why")));
  app.Get("/none", (ctx) => ctx.StatusCode(400));
  app.Get("/thrown", () => {
    throw new Error("secret");
  });
  return app;
}, async (ask) => {
  assertEquals((await ask("/error")).text, '{"error":"why"}');
  assertEquals((await ask("/none")).text, '{"error":null}');
  assertEquals((await ask("/thrown")).text, '{"error":"secret"}', "a handler of the application's own may look");
});

bothWays("Context.SetErr() provides the body of an error status without a body", () => {
  const app = quiet();
  app.Get("/set", (ctx) => {
    ctx.SetErr(new Error("told"));
    ctx.StatusCode(409);
  });
  app.Get("/fine", (ctx) => ctx.SetErr(new Error("not told")));
  return app;
}, async (ask) => {
  assertEquals((await ask("/set")).text, "told");
  const fine = await ask("/fine");
  assertEquals([fine.status, fine.text], [200, ""]);
});

bothWays("Context.NotFound() sets the status and does not stop the chain", () => {
  const app = quiet();
  app.Get("/", (ctx) => (ctx.NotFound(), ctx.Next()), (ctx) => ctx.Header("x-went-on", "1"));
  return app;
}, async (ask) => {
  const response = await ask("/");
  assertEquals([response.status, response.text, response.headers.get("x-went-on")], [404, "Not Found", "1"]);
});

bothWays("Handler can return nothing, a Response, or a promise for either", () => {
  const app = quiet();
  app.Get("/response", () => new Response("a", { status: 201 }));
  app.Get("/promise", () => Promise.resolve(new Response("b", { status: 202 })));
  app.Get("/async", async (ctx) => {
    await turn();
    ctx.WriteString("c");
  });
  app.Get("/thenable", () => {
    return { then: (done: (value: Response) => void) => done(new Response("d")) } as unknown as Promise<Response>;
  });
  return app;
}, async (ask) => {
  assertEquals((await ask("/response")).text, "a");
  assertEquals((await ask("/promise")).status, 202);
  assertEquals((await ask("/async")).text, "c");
  assertEquals((await ask("/thenable")).text, "d");
});

bothWays("Handler that does not return a Response responds through its context", () => {
  const app = quiet();
  app.Get(
    "/",
    ((ctx: fw.Context) => {
      ctx.WriteString("written");
      return "returned";
    }) as unknown as fw.Handler,
  );
  app.Get("/null", ((ctx: fw.Context) => (ctx.WriteString("written"), null)) as unknown as fw.Handler);
  return app;
}, async (ask) => {
  assertEquals((await ask("/")).text, "written");
  assertEquals((await ask("/null")).text, "written");
});

bothWays("Handler chain with fifty synchronous and asynchronous layers responds once and in order", () => {
  const app = quiet();
  for (let i = 0; i < 50; i++) {
    const before = i % 3;
    if (before === 0) app.Use((ctx) => ctx.Next());
    else if (before === 1) {
      app.Use(async (ctx) => {
        await ctx.Next();
        ctx.WriteString(`${i} `);
      });
    } else {
      app.Use((ctx) => {
        ctx.Next();
      });
    }
  }
  app.Get("/", async (ctx) => {
    await turn();
    ctx.WriteString("main ");
  });
  return app;
}, async (ask) => {
  const expected = Array.from({ length: 50 }, (_, i) => i).filter((i) => i % 3 === 1).reverse().join(" ");
  assertEquals((await ask("/")).text, `main ${expected} `);
});

bothWays("Context.Next() of synchronous middleware returns the same promise", () => {
  const app = quiet();
  const seen: unknown[] = [];
  app.Use(async (ctx) => {
    const rest = ctx.Next();
    seen.push(rest);
    await rest;
    ctx.WriteString(` ${seen.length} ${new Set(seen).size}`);
  });
  for (let layer = 0; layer < 3; layer++) {
    app.Use((ctx) => {
      const rest = ctx.Next();
      seen.push(rest);
      return rest;
    });
  }
  app.Get("/", async (ctx) => {
    await turn();
    ctx.WriteString("main");
  });
  return app;
}, async (ask) => {
  assertEquals((await ask("/")).text, "main 4 1");
});

bothWays("Context.Next() is waited for by all earlier handlers even if it is not awaited", () => {
  const app = quiet();
  app.Use(async (ctx) => {
    await ctx.Next();
    ctx.WriteString(" outer");
  });
  app.Use((ctx) => ctx.Next());
  app.Use(async (ctx) => {
    void ctx.Next();
    await Promise.resolve();
    ctx.WriteString("forgetful ");
  });
  app.Get("/", async (ctx) => {
    await turn();
    ctx.WriteString("main");
  });
  return app;
}, async (ask) => {
  assertEquals((await ask("/")).text, "forgetful main outer");
});

bothWays("Context.Next() called twice waits for both, even if only the second is returned", () => {
  const app = quiet();
  app.Use(async (ctx) => {
    await ctx.Next();
    ctx.WriteString(" done");
  });
  app.Use((ctx) => {
    void ctx.Next();
    return ctx.Next();
  });
  app.Use(async (ctx) => {
    await turn();
    await turn();
    ctx.WriteString("slow");
  });
  app.Get("/", async (ctx) => {
    await turn();
    ctx.WriteString("fast ");
  });
  return app;
}, async (ask) => {
  assertEquals((await ask("/")).text, "fast slow done");
});

/** Ways to ignore an error of a later handler. The error must be neither lost nor unhandled. */
const careless: Readonly<Record<string, fw.Handler>> = {
  "is called after an await": async (ctx) => {
    await turn();
    void ctx.Next();
    await turn();
    await turn();
  },
  "is only looked at": async (ctx) => {
    const rest = ctx.Next();
    assert(typeof rest === "object");
    await turn();
    await turn();
  },
  "is called by a handler that is not async": (ctx) => {
    void ctx.Next();
  },
};

for (const [name, handler] of Object.entries(careless)) {
  bothWays(`Context.Next() passes later errors to the request if it ${name}`, () => {
    const app = quiet();
    app.Use(handler);
    app.Get("/soon", () => Promise.reject(new fw.HTTPError(418, "soon")));
    app.Get("/late", () => failLater());
    return app;
  }, async (ask) => {
    assertEquals((await ask("/soon")).status, 418);
    assertEquals((await ask("/late")).status, 500);
  });
}

bothWays(
  "Context.Next() does not cause unhandled rejections if it is called after an await and throws",
  () => {
    const app = quiet();
    app.Use(async (ctx) => {
      await turn();
      await ctx.Next();
    });
    app.Use((ctx) => {
      void ctx.Next();
      throw new fw.HTTPError(409, "thrown");
    });
    app.Get("/", () => failLater());
    return app;
  },
  async (ask) => {
    const response = await ask("/");
    assertEquals([response.status, response.text], [409, "thrown"]);
    await turn();
    await turn();
  },
);

bothWays("Context.Next() treats a promise-like object as a promise", () => {
  const app = quiet();
  app.Use(async (ctx) => {
    await ctx.Next();
    ctx.WriteString(" after");
  });
  // Some query builders are objects that start working when their `then` method is called.
  app.Get(
    "/",
    ((ctx: fw.Context) => ({
      then(done: () => void) {
        ctx.WriteString("main");
        setTimeout(done, 1);
      },
    })) as unknown as fw.Handler,
  );
  return app;
}, async (ask) => {
  assertEquals((await ask("/")).text, "main after");
});

bothWays("Context.Next() passes its value or error to every listener", () => {
  const app = quiet();
  app.Use(async (ctx) => {
    const rest = ctx.Next();
    const heard = await Promise.all([
      rest?.then(() => "done", () => "failed"),
      rest?.catch(() => "caught"),
      rest?.finally(() => ctx.WriteString("finally ")).catch(() => "passed"),
    ]);
    ctx.WriteString(JSON.stringify(heard));
  });
  app.Get("/good", async () => await turn());
  app.Get("/bad", () => failLater());
  return app;
}, async (ask) => {
  assertEquals((await ask("/good")).text, 'finally ["done",null,null]');
  assertEquals((await ask("/bad")).text, 'finally ["failed","caught","passed"]');
});

for (
  const [name, ...middleware] of [
    ["an error of a handler that did not await Next()", (ctx: fw.Context) => {
      ctx.Next();
      throw new Error("failed");
    }],
    ["a later error", async (ctx: fw.Context) => {
      ctx.Next();
      await null;
      throw new Error("failed");
    }],
    ["an error around other middleware", (ctx: fw.Context) => {
      ctx.Next();
      throw new Error("failed");
    }, (ctx: fw.Context) => ctx.Next()],
    ["a timeout", timeout.New({ After: 5 })],
    ["a timeout around a handler that does not await Next()", timeout.New({ After: 5 }), (ctx: fw.Context) => {
      ctx.Next();
    }],
  ] as [string, ...fw.Handler[]][]
) {
  Deno.test(`a response that is returned after ${name} is canceled`, async () => {
    const app = quiet();
    const [sent, canceled] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    app.Get("/", ...middleware, async () => {
      await sent.promise;
      return new Response(new ReadableStream({ cancel: () => canceled.resolve() }));
    });
    const response = await app.fetch(new Request("http://localhost/"));
    assert(response.status >= 500);
    await response.body?.cancel();
    sent.resolve();
    await canceled.promise;
  });
}
