import { assertEquals } from "@std/assert";
import * as fw from "../../../mod.ts";
import * as mvc from "../../../mvc/mod.ts";
import { ask, quietApp } from "../serve.ts";

/** A resource that records when it is closed. */
class Resource {
  readonly #log: string[];
  readonly #name: string;

  constructor(log: string[], name: string) {
    this.#log = log;
    this.#name = name;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.resolve();
    this.#log.push(`closed ${this.#name}`);
  }
}

Deno.test("Shutdown() disposes of singletons in reverse order, after the application's tasks", async () => {
  const log: string[] = [];
  class Database extends Resource {
    constructor() {
      super(log, "database");
    }
  }
  class Service {
    database = mvc.Inject(Database);
    [Symbol.dispose](): void {
      log.push("closed service");
    }
  }
  async function cache(): Promise<Resource> {
    return await Promise.resolve(new Resource(log, "cache"));
  }
  function perRequest(_ctx: fw.Context): Resource {
    return new Resource(log, "value of a request");
  }
  const registered = new (class extends Resource {})(log, "registered instance");
  class Using {
    service = mvc.Inject(Service);
    Get(_cache = mvc.Inject(cache), _own = mvc.Inject(perRequest)): string {
      return "body";
    }
    [Symbol.dispose](): void {
      log.push("closed a controller of a request");
    }
  }
  class Single {
    Get(): string {
      return "single";
    }
    [Symbol.dispose](): void {
      log.push("closed singleton");
    }
  }
  const app = quietApp();
  app.RegisterOnShutdown(() => void log.push("task"));
  const m = mvc.New(app).Register(Database, Service, cache, perRequest, registered);
  m.Handle(Using).Party("/single").Handle(mvc.Singleton(Single));
  m.Clone(app.Party("/clone")).Handle(Using);
  for (const path of ["/", "/single", "/clone"]) assertEquals((await ask(app, path)).status, 200);
  assertEquals(log, []);
  await app.Shutdown();
  assertEquals(log, ["task", "closed cache", "closed singleton", "closed service", "closed database"]);
  await app.Shutdown();
  assertEquals(log.length, 5);
});

Deno.test("Shutdown() logs the error of a singleton and disposes of the others", async () => {
  const log: string[] = [];
  const lines: string[] = [];
  class Fine extends Resource {
    constructor() {
      super(log, "fine");
    }
  }
  class Broken {
    [Symbol.dispose](): void {
      throw new Error("cannot close");
    }
  }
  class Using {
    Get(_fine = mvc.Inject(Fine), _broken = mvc.Inject(Broken)): string {
      return "body";
    }
  }
  const app = quietApp();
  app.Logger().SetLevel("error").SetOutput((line: string) => void lines.push(line));
  mvc.New(app).Register(Fine, Broken).Handle(Using);
  await ask(app, "/");
  await app.Shutdown();
  assertEquals(log, ["closed fine"]);
  assertEquals(lines.some((line) => line.includes("cannot close")), true);
});

Deno.test("Application.Party() and Clone() inherit an error handler that is registered later", async () => {
  class Throwing {
    Get(): never {
      throw new Error("boom");
    }
  }
  const app = quietApp();
  const m = mvc.New(app);
  m.Party("/party").Handle(Throwing);
  const clone = m.Clone(app.Party("/clone")).Handle(Throwing);
  const own = clone.Party("/own").Handle(Throwing);
  m.HandleError((ctx, error) => ctx.Text(`parent ${error.message}`));
  own.HandleError((ctx, error) => ctx.Text(`own ${error.message}`));
  assertEquals((await ask(app, "/party")).body, "parent boom");
  assertEquals((await ask(app, "/clone")).body, "parent boom");
  assertEquals((await ask(app, "/clone/own")).body, "own boom");
});

Deno.test("Shutdown() and PerRequest() also dispose of functions", async () => {
  const log: string[] = [];
  const client = mvc.Token<() => string>("client");
  const transaction = mvc.Token<() => string>("transaction");
  const app = quietApp();
  const api = app.ConfigureContainer();
  api.Register(
    mvc.Provide(
      client,
      mvc.Singleton(() => Object.assign(() => "a", { [Symbol.asyncDispose]: async () => await log.push("client") })),
    ),
    mvc.Provide(
      transaction,
      mvc.PerRequest(() => Object.assign(() => "b", { [Symbol.dispose]: () => log.push("transaction") })),
    ),
  );
  api.Get(
    "/",
    (_ctx, a = mvc.Inject(client), b = mvc.Inject(transaction)) => (a as () => string)() + (b as () => string)(),
  );
  assertEquals((await ask(app, "/")).body, "ab");
  assertEquals(log, ["transaction"]);
  await app.Shutdown();
  assertEquals(log, ["transaction", "client"]);
});

Deno.test("Shutdown() disposes of an asynchronous singleton that is created too late", async () => {
  const log: string[] = [];
  const connected = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  async function database(): Promise<Disposable> {
    await connected.promise;
    return {
      [Symbol.dispose]() {
        log.push("closed");
        closed.resolve();
      },
    };
  }
  const app = quietApp();
  app.Configure(fw.WithShutdownTimeout(80));
  app.ConfigureContainer().Register(database).Get("/", (_ctx, _database = mvc.Inject(database)) => "body");
  await app.Build();
  const response = app.fetch(new Request("http://localhost/"));
  await app.Shutdown();
  assertEquals((await response).status, 503);
  connected.resolve();
  await closed.promise;
  assertEquals(log, ["closed"]);
});

Deno.test("Application.Run() after Shutdown() creates the disposed singletons again, and those that depend on them", async () => {
  const log: string[] = [];
  let count = 0;
  function database(): { name: string } & Disposable {
    const name = `database ${++count}`;
    return { name, [Symbol.dispose]: () => void log.push(`closed ${name}`) };
  }
  class Service {
    database = mvc.Inject(database) as ReturnType<typeof database>;
  }
  class Counter {
    value = 0;
  }
  const app = quietApp();
  app.ConfigureContainer().Register(database, Service, Counter).Get(
    "/",
    (_ctx, { database } = mvc.Inject(Service), counter = mvc.Inject(Counter)) => `${database.name} ${++counter.value}`,
  );
  let listening = Promise.withResolvers<Deno.NetAddr>();
  app.Configure(
    fw.WithoutStartupLog,
    fw.WithoutInterruptHandler,
    fw.WithOnListen((address) => listening.resolve(address as Deno.NetAddr)),
  );
  for (let run = 1; run <= 2; run++) {
    listening = Promise.withResolvers();
    const running = app.Run("127.0.0.1:0");
    const { port } = await listening.promise;
    assertEquals(await (await fetch(`http://127.0.0.1:${port}/`)).text(), `database ${run} ${run}`);
    await app.Shutdown();
    assertEquals(await running, null);
    assertEquals(log.splice(0), [`closed database ${run}`]);
  }
});

Deno.test("Register() constructs a singleton without dependencies once", async () => {
  const log: string[] = [];
  class Database {
    constructor() {
      log.push("opened");
    }
    [Symbol.dispose](): void {
      log.push("closed");
    }
  }
  const app = quietApp();
  app.ConfigureContainer().Register(Database).Get("/", (_ctx, _database = mvc.Inject(Database)) => "body");
  assertEquals((await ask(app, "/")).body, "body");
  await app.Shutdown();
  assertEquals(log, ["opened", "closed"]);
});

Deno.test("Parallel() keeps the values of a request until the last dependency has been created, even if one fails", async () => {
  const log: string[] = [];
  const released = Promise.withResolvers<void>();
  function connection(): Resource {
    return new Resource(log, "connection");
  }
  async function fails(_ctx: fw.Context): Promise<never> {
    await Promise.resolve();
    throw new fw.HTTPError(403);
  }
  async function slow(_ctx: fw.Context, _connection = mvc.Inject(connection)): Promise<Resource> {
    await released.promise;
    log.push("used connection");
    return new Resource(log, "slow");
  }
  const app = quietApp();
  const api = app.ConfigureContainer();
  api.Register(mvc.PerRequest(connection), mvc.Parallel(mvc.PerRequest(fails)), mvc.Parallel(mvc.PerRequest(slow)));
  api.Get("/", (_ctx, _a = mvc.Inject(fails), _b = mvc.Inject(slow)) => "body");
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, app.fetch);
  const response = await fetch(`http://127.0.0.1:${server.addr.port}/`);
  await response.text();
  assertEquals([response.status, ...log], [403]);
  released.resolve();
  await server.shutdown();
  await app.Shutdown();
  assertEquals(log, ["used connection", "closed slow", "closed connection"]);
});

Deno.test("PerRequest() values are disposed of after a handler that a shutdown has cut off, whose signal is aborted", async () => {
  const log: string[] = [];
  const begun = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  function connection(): Disposable {
    return {
      [Symbol.dispose]() {
        log.push("closed");
        closed.resolve();
      },
    };
  }
  const app = quietApp();
  app.ConfigureContainer().Register(mvc.PerRequest(connection)).Get(
    "/",
    async (ctx, _connection = mvc.Inject(connection)) => {
      begun.resolve();
      const signal = ctx.Signal();
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      await Promise.resolve();
      log.push("rolled back");
    },
  );
  const listening = Promise.withResolvers<Deno.NetAddr>();
  const running = app.Run(
    "127.0.0.1:0",
    fw.WithoutStartupLog,
    fw.WithoutInterruptHandler,
    fw.WithShutdownTimeout(200),
    fw.WithOnListen((address) => listening.resolve(address as Deno.NetAddr)),
  );
  const response = fetch(`http://127.0.0.1:${(await listening.promise).port}/`);
  await begun.promise;
  await app.Shutdown();
  await running;
  assertEquals((await response).status, 503);
  await (await response).text();
  await closed.promise;
  assertEquals(log, ["rolled back", "closed"]);
});
