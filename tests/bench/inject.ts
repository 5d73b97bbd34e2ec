/**
 * `deno task bench inject`: what dependencies cost a request in process, and what controllers cost the start.
 *
 * Options: --rounds=N (15), --requests=N a round (2000), --against=FOLDER, another checkout to be measured in turn with
 * this one.
 */

import type * as Web from "../../mod.ts";
import type * as MVC from "../../mvc/mod.ts";
import { Figures, option, printRow } from "./report.ts";

const rounds = Number(option("rounds", "15"));
const requests = Number(option("requests", "2000"));
const against = option("against", "");

/** One checkout. */
interface Build {
  readonly name: string;
  readonly fw: typeof Web;
  readonly mvc: typeof MVC;
}

type Send = () => Promise<void>;

const builds: Build[] = [await load("this", "../..")];
if (against !== "") builds.push(await load("other", against));
const figures = new Figures();

async function load(name: string, folder: string): Promise<Build> {
  return { name, fw: await import(`${folder}/mod.ts`), mvc: await import(`${folder}/mvc/mod.ts`) };
}

/** Sends one and the same request to an application in process: creating requests would cost more than all the rest. */
function sender(app: Web.Application): Send {
  const request = new Request("http://localhost/42");
  return async () => {
    for (let i = 0; i < requests; i++) {
      const response = app.fetch(request);
      if (response instanceof Promise) await response;
    }
  };
}

function plain({ fw }: Build): Send {
  const app = fw.New();
  app.Get("/{id:int}", (ctx) => ctx.WriteString(ctx.Params().Get("id")));
  return sender(app);
}

/** A controller whose fields are created by functions of one kind. */
function controller({ fw, mvc }: Build, count: number, provider: (n: number) => (ctx: Web.Context) => unknown): Send {
  const providers = Array.from({ length: count }, (_, n) => provider(n));
  class Fields {
    constructor() {
      for (const each of providers) mvc.Inject(each);
    }
    GetBy(id = 0): string {
      return String(id);
    }
  }
  const app = fw.New();
  mvc.New(app).Register(...providers).Handle(Fields);
  return sender(app);
}

const scenarios: Readonly<Record<string, (build: Build) => Send>> = {
  "plain handler": plain,
  "controller": (build) => controller(build, 0, singleton),
  "3 singletons": (build) => controller(build, 3, singleton),
  "10 singletons": (build) => controller(build, 10, singleton),
  "3 values per request": (build) => controller(build, 3, perRequest),
  "10 values per request": (build) => controller(build, 10, perRequest),
  "3 asynchronous values": (build) => controller(build, 3, asynchronous),
  "10 asynchronous values": (build) => controller(build, 10, asynchronous),
};

function singleton(n: number): () => unknown {
  return () => ({ n });
}

function perRequest(n: number): (ctx: Web.Context) => unknown {
  return (ctx) => ({ n, path: ctx });
}

function asynchronous(n: number): (ctx: Web.Context) => unknown {
  return async (ctx) => await Promise.resolve({ n, path: ctx });
}

/** Five hundred classes of ten methods, each a class of its own. */
function classes({ mvc }: Build): (new () => Record<never, never>)[] {
  return Array.from({ length: 500 }, (_, n) => {
    const text = `return class C${n} { users = Inject(users); constructor() {} Get() {} GetBy(id = 0n) {} Post() {} ` +
      "PutBy(id = 0n) {} DeleteBy(id = 0n) {} GetByFriends(id = 0n, users = Inject(users)) {} GetSearchBy(text) {} " +
      "GetPageBy(page = 0, size = 20) {} PatchByNameBy(id = 0n, name) {} HeadBy(id = 0n) {} }";
    return new Function("Inject", "users", text)(mvc.Inject, users);
  });
}

function users(): object {
  return {};
}

/** The milliseconds of `Handle` and of `Build` of five hundred controllers. */
function start(build: Build): readonly [number, number] {
  const types = classes(build);
  const app = build.fw.New();
  const began = performance.now();
  for (const [n, type] of types.entries()) build.mvc.New(app.Party(`/c${n}`)).Register(users).Handle(type);
  const handled = performance.now();
  app.Build();
  return [handled - began, performance.now() - handled];
}

for (const build of builds) {
  const [handled, built] = start(build);
  printRow(`${build.name}, cold`, `${handled.toFixed(0)} ms to handle`, `${built.toFixed(0)} ms to build`);
}
const senders = Object.entries(scenarios).flatMap(([name, prepare]) =>
  builds.map((build) => ({ key: `${build.name} ${name}`, send: prepare(build) }))
);
for (let round = -3; round < rounds; round++) {
  for (const { key, send } of senders) {
    const began = performance.now();
    await send();
    if (round >= 0) figures.add(key, (performance.now() - began) / requests * 1e6);
  }
  if (round < 0 || round >= 5) continue;
  for (const build of builds) {
    const [handled, built] = start(build);
    figures.add(`${build.name} handle`, handled);
    figures.add(`${build.name} build`, built);
  }
}

printRow("", ...builds.map((build) => `${build.name} ns`));
for (const name of Object.keys(scenarios)) {
  printRow(name, ...builds.map((build) => String(Math.round(figures.best(`${build.name} ${name}`)))));
}
for (const act of ["handle", "build"]) {
  printRow(
    `500 controllers, ${act}`,
    ...builds.map((build) => `${figures.best(`${build.name} ${act}`).toFixed(0)} ms`),
  );
}
