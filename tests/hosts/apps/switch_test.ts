import * as fw from "@fw/web";
import * as apps from "@fw/web/apps";
import * as jobs from "@fw/web/jobs";
import * as sessions from "@fw/web/sessions";
import { assertEquals, assertThrows } from "@std/assert";

function site(name: string): fw.Application {
  const app = fw.New();
  app.Get("/", (ctx) => ctx.WriteString(`${name} ${ctx.Host()}`));
  return app;
}

async function textOf(app: fw.Application, url: string, init?: RequestInit): Promise<string> {
  const response = await app.fetch(new Request(url, init));
  return `${response.status} ${response.headers.get("location") ?? await response.text()}`;
}

Deno.test("Switch() treats a name as a name, and compares hosts without case and port", async () => {
  const app = apps.Switch([
    { Pattern: "a.com", Target: site("a") },
    { Pattern: "b.com:81", Target: site("b") },
    { Pattern: /^c\.com$/g, Target: site("c") },
    { Pattern: "^(www\\.)?d\\.com$", Target: site("d") },
  ]);
  const other = "404 Not Found";
  for (
    const [host, body] of [
      ["A.com", "200 a a.com"],
      ["a.com:8080", "200 a a.com:8080"],
      ["a.com.evil.org", other],
      ["xa.com", other],
      ["b.com:81", "200 b b.com:81"],
      ["b.com", other],
      ["c.com", "200 c c.com"],
      ["c.com:9", "200 c c.com:9"],
      ["WWW.D.com", "200 d www.d.com"],
      ["d.com", "200 d d.com"],
    ] as const
  ) assertEquals(await textOf(app, `http://${host}/`), body, host);
});

Deno.test("Switch() uses the first host of the list that matches, be it a name or an expression", async () => {
  const named = apps.Switch([
    { Pattern: "a.com", Target: site("name") },
    { Pattern: /a\.com/, Target: site("expression") },
    { Pattern: "a.com", Target: site("same name") },
    { Pattern: "a.com:81", Target: site("port") },
  ]);
  const matched = apps.Switch([
    { Pattern: /^a\./, Target: site("first") },
    { Pattern: "a.com", Target: site("name") },
    { Pattern: /^b\./, Target: site("second") },
  ]);
  for (
    const [app, host, body] of [
      [named, "a.com", "200 name a.com"],
      [named, "a.com:81", "200 name a.com:81"],
      [named, "x.a.com", "200 expression x.a.com"],
      [matched, "a.com", "200 first a.com"],
      [matched, "b.com", "200 second b.com"],
    ] as const
  ) assertEquals(await textOf(app, `http://${host}/`), body, host);
});

Deno.test("Switch() redirects to a host with the path and the query string, and keeps the method of a POST request", async () => {
  const app = apps.Switch([{ Pattern: "www.a.com", Target: "a.com" }]);
  assertEquals(await textOf(app, "http://www.a.com/x%20y//z/?q=1&r"), "301 http://a.com/x%20y/z/?q=1&r");
  assertEquals(await textOf(app, "http://www.a.com//evil.org"), "301 http://a.com/evil.org");
  assertEquals(await textOf(app, "https://www.a.com/form", { method: "POST", body: "x" }), "308 https://a.com/form");
});

Deno.test("Switch() rejects empty lists, other targets, URLs, circular redirects and malformed expressions", () => {
  const refused: readonly (readonly [apps.Host[], string])[] = [
    [[], "there are none"],
    [[{ Pattern: "a.com", Target: "http://b.com" }], "neither an application nor a host name"],
    [[{ Pattern: "a.com", Target: 5 as unknown as string }], '"Target" of Switch.hosts[0]'],
    [[{ Pattern: "", Target: "b.com" }], '"Pattern" of Switch.hosts[0]'],
    [[{ Patern: "a.com", Target: "b.com" } as unknown as apps.Host], 'did you mean "Pattern"?'],
    [[{ Pattern: "^my.*$", Target: "mydomain.com" }], "redirect to itself"],
    [[{ Pattern: "a(", Target: "b.com" }], "not a regular expression"],
  ];
  for (const [hosts, message] of refused) assertThrows(() => apps.Switch(hosts), fw.FrameworkError, message);
  assertThrows(() => apps.SetHost("a b"), fw.FrameworkError, 'Cannot set the host "a b"');
});

Deno.test("Switch() uses its own routes, middleware and error pages for other hosts, and its middleware for all", async () => {
  const app = apps.Switch([{ Pattern: "a.com", Target: site("a") }]);
  app.UseRouter((ctx) => {
    ctx.Header("x-seen", "yes");
    return ctx.Next();
  });
  app.Get("/", (ctx) => ctx.WriteString("own"));
  app.OnErrorCode(404, (ctx) => ctx.WriteString(`no ${ctx.Host()}`));
  assertEquals(await textOf(app, "http://b.com/"), "200 own");
  assertEquals(await textOf(app, "http://b.com/x"), "404 no b.com");
  assertEquals(await textOf(app, "http://a.com/x"), "404 Not Found");
  assertEquals((await app.fetch(new Request("http://a.com/"))).headers.get("x-seen"), "yes");
});

Deno.test("SetHost() sets the host that applications and their subdomains see", async () => {
  const target = site("a");
  target.Subdomain("www").Get("/", (ctx) => ctx.WriteString("subdomain"));
  target.Get("/links", (ctx) => ctx.WriteString(ctx.AbsoluteURI("/x")));
  const app = apps.Switch([{ Pattern: "^(www\\.)?a\\.com", Target: target }], apps.SetHost("a.com"));
  assertEquals(await textOf(app, "https://www.a.com/"), "200 a a.com");
  assertEquals(await textOf(app, "https://www.a.com/links"), "200 https://a.com/x");
});

Deno.test("Switch() builds and shuts down its applications with itself, in order", async () => {
  const seen: string[] = [];
  const target = site("a");
  target.RegisterOnInterrupt(() => void seen.push("inner interrupt"));
  target.RegisterOnShutdown(() => void seen.push("inner shutdown"));
  const app = apps.Switch([{ Pattern: "a.com", Target: target }, { Pattern: "b.com", Target: target }]);
  app.RegisterOnShutdown(() => void seen.push("outer shutdown"));
  await app.Build();
  assertThrows(() => target.Get("/late", () => {}), fw.FrameworkError, "already been built");
  assertEquals(await textOf(app, "http://a.com/"), "200 a a.com");
  await app.Shutdown();
  assertEquals(seen, ["inner interrupt", "outer shutdown", "inner shutdown"]);
});

Deno.test("Switch() reports a faulty application when it is built", async () => {
  const target = fw.New();
  target.Get("/a", () => {}).SetName("x");
  target.Get("/b", () => {}).SetName("x");
  const app = apps.Switch([{ Pattern: "a.com", Target: target }]);
  const error = await Promise.resolve(app.Build()).catch((error) => error);
  assertEquals(error.Code, "FW_ROUTE");
});

Deno.test("Switch() ends the event streams of its applications when it shuts down", async () => {
  const target = fw.New();
  target.Get("/events", (ctx) =>
    ctx.Events(async function* () {
      yield fw.NewEvent("first");
      await new Promise(() => {});
    }));
  const app = apps.Switch([{ Pattern: /^127\./, Target: target }]);
  const listening = Promise.withResolvers<number>();
  const running = app.Run(
    fw.Addr("127.0.0.1:0"),
    fw.WithoutExit,
    fw.WithoutStartupLog,
    fw.WithoutInterruptHandler,
    fw.WithOnListen((addr) => listening.resolve((addr as Deno.NetAddr).port)),
  );
  const response = await fetch(`http://127.0.0.1:${await listening.promise}/events`);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  await reader?.read();
  const stopped = app.Shutdown();
  while (!(await reader?.read())?.done);
  await stopped;
  assertEquals(await running, null);
});

Deno.test("Switch() × languages, sessions and mounts: a switched application shares the call and builds right links", async () => {
  const manager = sessions.New();
  const inner = fw.New();
  inner.Get("/go", (ctx) => ctx.Redirect("/there"));
  const target = fw.New();
  target.I18n.LoadKV({ en: { hi: "Hi" }, el: { hi: "Γεια" } }, "en", "el");
  target.Use(manager.Handler());
  target.Get("/hi", async (ctx) => {
    const session = await manager.Start(ctx);
    ctx.WriteString(`${ctx.Tr("hi")} ${session.Increment("visits")}`);
  });
  target.Get("/away", (ctx) => ctx.Redirect("/hi"));
  target.Mount("/inner", inner.fetch);
  const app = apps.Switch([{ Pattern: "a.com", Target: target }]);
  app.UseRouter(manager.Handler());
  const outer = fw.New();
  outer.Mount("/sites", app.fetch);
  for (const [root, prefix] of [[app, ""], [outer, "/sites"]] as const) {
    const first = await root.fetch(new Request(`http://a.com${prefix}/el/hi`));
    assertEquals(await first.text(), "Γεια 1");
    assertEquals(first.headers.getSetCookie().length, 1);
    const cookie = first.headers.get("set-cookie")?.split(";")[0] ?? "";
    assertEquals(await textOf(root, `http://a.com${prefix}/hi`, { headers: { cookie } }), "200 Hi 2");
    assertEquals(await textOf(root, `http://a.com${prefix}/el/away`), `302 ${prefix}/el/hi`);
    assertEquals(await textOf(root, `http://a.com${prefix}/inner/go`), `302 ${prefix}/inner/there`);
  }
});

/** Runs an application on a free port while a function runs, and shuts it down. */
async function whileRunning(app: fw.Application, use: (url: string) => Promise<void>): Promise<void> {
  const running = app.Run("127.0.0.1:0");
  try {
    await use(await nextURL(app));
  } finally {
    await app.Shutdown();
    assertEquals(await running, null);
  }
}

const addresses = new WeakMap<fw.Application, PromiseWithResolvers<string>>();

function nextURL(app: fw.Application): Promise<string> {
  const next = addresses.get(app) ?? Promise.withResolvers<string>();
  addresses.set(app, next);
  return next.promise.finally(() => addresses.delete(app));
}

function switchTo(target: fw.Application): fw.Application {
  const app = apps.Switch([{ Pattern: /^127\./, Target: target }]);
  app.Logger().SetLevel("disable");
  return app.Configure(
    fw.WithoutExit,
    fw.WithoutStartupLog,
    fw.WithoutInterruptHandler,
    fw.WithShutdownTimeout(400),
    fw.WithOnListen((address) => {
      const next = addresses.get(app) ?? Promise.withResolvers<string>();
      addresses.set(app, next);
      next.resolve(`http://127.0.0.1:${(address as Deno.NetAddr).port}`);
    }),
  );
}

Deno.test("Switch() can be run again with its applications", async () => {
  const seen: string[] = [];
  const target = fw.New();
  target.RegisterOnInterrupt(() => void seen.push("interrupt"));
  target.RegisterOnShutdown(() => void seen.push("shutdown"));
  target.Get("/events", (ctx) =>
    ctx.Events(async function* () {
      yield "a";
      await Promise.resolve();
      yield "b";
    }));
  const app = switchTo(target);
  for (let i = 0; i < 2; i++) {
    await whileRunning(app, async (url) => {
      assertEquals(await (await fetch(`${url}/events`)).text(), ":\n\ndata: a\n\ndata: b\n\n");
    });
    assertEquals(seen.splice(0), ["interrupt", "shutdown"]);
  }
});

Deno.test("Switch() runs the job queues of its applications, and finishes their jobs before they shut down", async () => {
  const steps: string[] = [];
  const begun = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  async function work(_data: { id: number }): Promise<void> {
    begun.resolve();
    await released.promise;
    steps.push("job");
  }
  const target = fw.New();
  const queue = jobs.New(jobs.NewMemory()).Handle(work).RunWith(target);
  target.RegisterOnInterrupt(() => released.resolve());
  target.RegisterOnShutdown(() => void steps.push("shutdown"));
  await whileRunning(switchTo(target), async () => {
    await queue.Add(work, { id: 1 });
    await begun.promise;
  });
  assertEquals(steps, ["job", "shutdown"]);
});

Deno.test("Switch() cuts off the requests and streams of its applications, and waits for what they leave behind", async () => {
  const steps: string[] = [];
  const begun = Promise.withResolvers<void>();
  const target = fw.New();
  target.Logger().SetLevel("disable");
  target.Get("/hang", (ctx) => {
    ctx.OnClose(() => void steps.push("closed"));
    begun.resolve();
    return new Promise(() => {});
  });
  target.Get("/stream", (ctx) =>
    ctx.Stream(async function* () {
      yield "a";
      await new Promise(() => {});
    }));
  target.RegisterOnShutdown(() => void steps.push("shutdown"));
  const app = switchTo(target);
  app.RegisterOnShutdown(() => void steps.push("outer shutdown"));
  const begin = performance.now();
  await whileRunning(app, async (url) => {
    const hanging = fetch(`${url}/hang`).then(async (response) => {
      await response.text();
      steps.push(String(response.status));
    });
    await begun.promise;
    const reader = (await fetch(`${url}/stream`)).body?.getReader();
    await reader?.read();
    reader?.read().catch(() => steps.push("broken off"));
    void hanging;
  });
  assertEquals(steps.toSorted(), ["503", "broken off", "closed", "outer shutdown", "shutdown"]);
  assertEquals(steps.indexOf("closed") < steps.indexOf("outer shutdown"), true);
  assertEquals(performance.now() - begin < 4_000, true);
});
