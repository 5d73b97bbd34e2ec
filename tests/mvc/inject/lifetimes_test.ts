import { assertEquals } from "@std/assert";
import type * as fw from "../../../mod.ts";
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
