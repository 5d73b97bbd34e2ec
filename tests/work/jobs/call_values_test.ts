import * as fw from "@fw/web";
import * as jobs from "@fw/web/jobs";
import * as sqlite from "@fw/web/jobs/sqlite";
import * as httptest from "@fw/web/httptest";
import * as mail from "@fw/web/mail";
import * as requestid from "@fw/web/middleware/requestid";
import * as webhooks from "@fw/web/webhooks";
import * as websocket from "@fw/web/websocket";
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { quiet } from "../../serving.ts";

/** A tenant, which cannot be stored as it is. */
class Tenant {
  readonly name: string;
  readonly since: Date;

  constructor(name: string, since: Date) {
    this.name = name;
    this.since = since;
  }
}

const tenantKey = fw.Key<Tenant>("tenant");
const userKey = fw.Key<Promise<{ id: bigint }>>("user");
const since = new Date(0);

const tenants: fw.Extension = {
  Name: "tenants",
  Install(host) {
    host.Provide(tenantKey, (ctx) => new Tenant(ctx.GetHeader("x-tenant"), since), {
      Encode: ({ name, since }) => ({ name, since }),
      Decode: (data) => {
        const { name, since } = data as Tenant;
        return new Tenant(name, since);
      },
    });
    host.Provide(userKey, () => Promise.resolve({ id: 2n ** 70n }), {
      Encode: ({ id }) => id,
      Decode: (id) => ({ id: id as bigint }),
    });
  },
};

/** Returns what a job sees of the call that has added it. */
async function seenBy(ctx: jobs.Context): Promise<string> {
  const tenant = ctx.Values().Get(tenantKey);
  const user = await ctx.Values().Get(userKey);
  return `${tenant instanceof Tenant} ${tenant?.name} ${tenant?.since.getTime()} ${user?.id}`;
}

function seenFor(tenant: string): string {
  return `true ${tenant} 0 ${2n ** 70n}`;
}

async function ask(app: fw.Application, tenant: string, path = "/"): Promise<Response> {
  const response = await app.fetch(new Request(`http://localhost${path}`, { headers: { "x-tenant": tenant } }));
  await response.body?.cancel();
  return response;
}

/** Creates an application, a queue and the list that its jobs write to. */
function newBench(store: jobs.Store = jobs.NewMemory()) {
  const seen: string[] = [];
  const app = quiet();
  app.Install(tenants);
  async function look(_: undefined, ctx: jobs.Context): Promise<void> {
    seen.push(await seenBy(ctx));
  }
  const queue = jobs.New(store, { Backoff: () => 0 }).Handle(look).RunWith(app);
  return { app, queue, look, seen };
}

Deno.test("Queue.Add() carries the values of the call to the job", async () => {
  const { app, queue, look, seen } = newBench();
  app.Get("/", async () => void await queue.Add(look));
  app.Get("/late", async (ctx) => {
    await Promise.resolve();
    ctx.Values().Set(tenantKey, new Tenant("other", since));
    await queue.Add(look);
  });
  assertEquals((await ask(app, "a")).status, 200);
  assertEquals((await ask(app, "b")).status, 200);
  assertEquals((await ask(app, "c", "/late")).status, 200);
  await queue.Drain();
  assertEquals(seen, [seenFor("a"), seenFor("b"), seenFor("other")]);
  await app.Shutdown();
});

Deno.test("Queue.Add() outside of a call carries nothing", async () => {
  const { app, queue, look, seen } = newBench();
  await app.Build();
  await queue.Add(look);
  await queue.Drain();
  assertEquals(seen, ["false undefined undefined undefined"]);
  await app.Shutdown();
});

Deno.test("Queue.AddAll() and AddBatch() carry the values of the call", async () => {
  const { app, queue, look, seen } = newBench();
  app.Get("/all", async () => void await queue.AddAll(look, [undefined, undefined]));
  app.Get("/batch", async () => void await queue.AddBatch(look, [undefined], look, undefined));
  await ask(app, "a", "/all");
  await ask(app, "b", "/batch");
  await queue.Drain();
  assertEquals(seen, ["a", "a", "b", "b"].map(seenFor));
  await app.Shutdown();
});

Deno.test("a job that a job adds has the same values", async () => {
  const { app, queue, look, seen } = newBench();
  async function first(): Promise<void> {
    await queue.Add(look);
  }
  queue.Handle(first);
  app.Get("/", async () => void await queue.Add(first));
  await ask(app, "a");
  await ask(app, "b");
  await queue.Drain();
  assertEquals(seen, [seenFor("a"), seenFor("b")]);
  await app.Shutdown();
});

Deno.test("schedules carry nothing", async () => {
  const clock = { now: Date.UTC(2026, 0, 1) };
  const app = quiet();
  app.Install(tenants);
  const seen: string[] = [];
  async function tick(_: undefined, ctx: jobs.Context): Promise<void> {
    seen.push(await seenBy(ctx));
  }
  const queue = jobs.New(jobs.NewMemory(), { Clock: () => clock.now }).Handle(tick).RunWith(app);
  app.Get("/", async () => void await queue.Schedule("* * * * *", tick));
  await ask(app, "a");
  clock.now += 60_000;
  await queue.Drain();
  assertEquals(seen, ["false undefined undefined undefined"]);
  await app.Shutdown();
});

Deno.test("SQLite stores the values with the job, and other processes and attempts see them", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const adding = newBench(sqlite.New({ File: `${folder}/jobs.db` }));
    await adding.queue.Store.Migrate?.();
    adding.app.Get("/", async () => void await adding.queue.Add(adding.look));
    await ask(adding.app, "a");
    const [job] = await adding.queue.List();
    assertEquals(job?.Trace, null);
    await adding.app.Shutdown();
    await adding.queue.Store.Close?.();
    const running = newBench(sqlite.New({ File: `${folder}/jobs.db` }));
    let attempts = 0;
    running.queue.Use((_, next) => {
      if (attempts++ === 0) throw new Error("not yet");
      return next();
    });
    await running.app.Build();
    await running.queue.Drain();
    await running.queue.Drain();
    assertEquals(running.seen, [seenFor("a")]);
    await running.app.Shutdown();
    await running.queue.Store.Close?.();
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("mails and webhooks that are sent by jobs carry the values", async () => {
  const app = quiet();
  app.Install(tenants);
  const queue = jobs.New(jobs.NewMemory()).RunWith(app);
  const seen: string[] = [];
  queue.Use(async (ctx, next) => {
    seen.push(`${ctx.Name} ${await seenBy(ctx)}`);
    return await next();
  });
  const outbox = mail.NewMemory();
  const mailer = mail.New({ Transport: outbox, From: "fw@example.com", Queue: queue });
  const hook = webhooks.Send({ Secret: () => `whsec_${btoa("x".repeat(32))}`, Allow: ["127.0.0.0/8"] });
  queue.Handle(hook);
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, () => new Response());
  app.Get("/mail", async () => {
    await mailer.Send.Later({ To: "ada@example.com", Subject: "Hello", Text: "Hello" });
  });
  app.Get("/hook", async () => {
    await queue.Add(hook, { URL: `http://127.0.0.1:${server.addr.port}/`, Data: {} });
  });
  await ask(app, "a", "/mail");
  await ask(app, "b", "/hook");
  await queue.Drain();
  assertEquals(seen, [`mail ${seenFor("a")}`, `${hook.name} ${seenFor("b")}`]);
  await app.Shutdown();
  await server.shutdown();
});

Deno.test("a job that is added in a mounted application has the values of the outer call", async () => {
  const { app, look, seen } = newBench();
  const inner = quiet();
  const queue = jobs.New(jobs.NewMemory()).Handle(look).RunWith(inner);
  inner.Get("/", async () => void await queue.Add(look));
  app.Mount("/inner", inner);
  await ask(app, "a", "/inner");
  await queue.Drain();
  assertEquals(seen, [seenFor("a")]);
  await app.Shutdown();
});

Deno.test("a job that a socket event adds has the values of the handshake", async () => {
  const { app, queue, look, seen } = newBench();
  const server = websocket.New();
  server.On("add", async () => (await queue.Add(look)).IsNew);
  app.Get("/ws", websocket.Handler(server));
  const test = httptest.New(app);
  const socket = await test.WebSocket("/ws", { Headers: { "x-tenant": "a" } });
  assertEquals(await socket.Ask("add", null), true);
  await socket.Close();
  await queue.Drain();
  assertEquals(seen, [seenFor("a")]);
  await app.Shutdown();
});

Deno.test("the values of two parties are decoded by their own extensions", async () => {
  const app = quiet();
  const key = fw.Key<string>("place");
  const seen: string[] = [];
  for (const path of ["/a", "/b"]) {
    const party = app.Party(path);
    party.Install({
      Name: "places",
      Install: (host) => host.Provide(key, () => path, { Encode: () => 0, Decode: () => `decoded for ${path}` }),
    });
    party.Get("/", async () => void await queue.Add(look));
  }
  function look(_: undefined, ctx: jobs.Context): void {
    seen.push(String(ctx.Values().Get(key)));
  }
  const queue = jobs.New(jobs.NewMemory()).Handle(look).RunWith(app);
  await ask(app, "", "/a");
  await ask(app, "", "/b");
  await queue.Drain();
  assertEquals(seen, ["decoded for /a", "decoded for /b"]);
  await app.Shutdown();
});

Deno.test("values are decoded once per attempt, when they are read, and disposed of with it", async () => {
  const steps: string[] = [];
  const key = fw.Key<object>("connection");
  const app = quiet();
  app.Install({
    Name: "connections",
    Install: (host) =>
      host.Provide(key, () => ({}), {
        Encode: () => null,
        Decode: () => {
          steps.push("decoded");
          return { [Symbol.asyncDispose]: () => Promise.resolve(void steps.push("disposed")) };
        },
      }),
  });
  function unused(): void {}
  function used(_: undefined, ctx: jobs.Context): void {
    steps.push(String(ctx.Values().Get(key) === ctx.Values().Get(key)));
  }
  const queue = jobs.New(jobs.NewMemory()).Handle(unused, used).RunWith(app);
  app.Get("/", async () => {
    await queue.Add(unused);
    await queue.Add(used);
  });
  await ask(app, "");
  await queue.Drain();
  assertEquals(steps, ["decoded", "true", "disposed"]);
  await app.Shutdown();
});

Deno.test("a value that is undefined is not carried, and one without Carry is not either", async () => {
  const [none, plain] = [fw.Key<string | undefined>("none"), fw.Key<string>("plain")];
  const app = quiet();
  app.Install({
    Name: "both",
    Install(host) {
      host.Provide(none, () => undefined, { Encode: () => "never", Decode: () => "never" });
      host.Provide(plain, () => "plain");
    },
  });
  const seen: unknown[] = [];
  function look(_: undefined, ctx: jobs.Context): void {
    seen.push(ctx.Values().Get(none), ctx.Values().Get(plain));
  }
  const queue = jobs.New(jobs.NewMemory()).Handle(look).RunWith(app);
  app.Get("/", async () => void await queue.Add(look));
  await ask(app, "");
  await queue.Drain();
  assertEquals(seen, [undefined, undefined]);
  await app.Shutdown();
});

Deno.test("Host.Provide() refuses a second name and a conversion without functions", () => {
  const carry = { Encode: () => 0, Decode: () => "" };
  const app = quiet();
  app.Install({ Name: "one", Install: (host) => host.Provide(fw.Key<string>("same"), () => "", carry) });
  const again = () =>
    app.Install({ Name: "two", Install: (host) => host.Provide(fw.Key<string>("same"), () => "", carry) });
  assertThrows(again, fw.FrameworkError, 'another value with the name "same" is carried to jobs');
  const half = () =>
    app.Install({
      Name: "three",
      Install: (host) => host.Provide(fw.Key<string>("x"), () => "", { Encode: () => 0 } as never),
    });
  assertThrows(half, fw.FrameworkError, "Encode and Decode");
});

Deno.test("Queue.Add() refuses a value that cannot be stored, and names its place", async () => {
  const app = quiet();
  const key = fw.Key<object>("tenant");
  app.Install({
    Name: "tenants",
    Install: (host) =>
      host.Provide(key, () => ({}), {
        Encode: () => ({ items: [1, { at: () => {} }] }),
        Decode: (data) => Object(data),
      }),
  });
  const queue = jobs.New(jobs.NewMemory()).RunWith(app);
  function look(): void {}
  let adding: Promise<unknown> | undefined;
  app.Get("/", async () => void await (adding = queue.Add(look)));
  assertEquals((await ask(app, "")).status, 500);
  await assertRejects(() => adding ?? Promise.resolve(), fw.FrameworkError, "tenant.items[1].at");
  assertEquals(await queue.Drain(), 0);
  await app.Shutdown();
});

Deno.test("Queue.Add() does not wait for a value that never settles", async () => {
  const app = quiet();
  const key = fw.Key<Promise<string>>("endless");
  const value = Promise.withResolvers<string>();
  app.Install({
    Name: "endless",
    Install: (host) => host.Provide(key, () => value.promise, { Encode: (text) => text, Decode: String }),
  });
  const queue = jobs.New(jobs.NewMemory()).RunWith(app);
  function look(): void {}
  let adding: Promise<unknown> | undefined;
  app.Get("/", async () => void await (adding = queue.Add(look)));
  const response = await app.fetch(new Request("http://localhost/"));
  assertEquals(response.status, 500);
  const message = 'the value "endless" of "endless" cannot be carried: It is not available after 5 s';
  await assertRejects(() => adding ?? Promise.resolve(), fw.FrameworkError, message);
  await queue.Add(look);
  value.resolve("late");
  await response.body?.cancel();
  await app.Shutdown();
});

Deno.test("log lines of services have no empty request ID in an application whose values are carried", async () => {
  const { app } = newBench();
  const lines: string[] = [];
  app.Logger().SetLevel("info").SetTimeFormat("").SetOutput((line) => lines.push(line));
  app.Get("/", () => void app.Logger().Info("without"));
  app.Get("/with", requestid.New({ Generator: () => "x" }), () => void app.Logger().Info("with"));
  await ask(app, "a");
  await ask(app, "a", "/with");
  assertEquals(lines, ["[INFO] without", "[INFO] with request_id=x"]);
  await app.Shutdown();
});
