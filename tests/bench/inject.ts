/**
 * `deno task bench inject`: measures the cost of dependencies per request in process, and the cost of controllers at
 * start-up.
 *
 * Options: --rounds=N (15), --requests=N per round (2000), --starts=N (5) new processes, --against=FOLDER, another
 * checkout to be measured in turn with this one.
 */

import type * as Web from "../../mod.ts";
import { type Build, load, start, startAfresh } from "./inject_start.ts";
import { Figures, option, printRow } from "./report.ts";

const rounds = Number(option("rounds", "15"));
const requests = Number(option("requests", "2000"));
const starts = Number(option("starts", "5"));
const against = option("against", "");

type Send = () => Promise<void>;

const folders: Readonly<Record<string, string>> = { this: "../..", ...against !== "" && { other: against } };
const builds: readonly Build[] = await Promise.all(
  Object.entries(folders).map(([name, folder]) => load(name, folder)),
);
const figures = new Figures();

/**
 * Creates a function that sends the same request to an application in process. Creating new requests would cost more
 * than everything else.
 */
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

/** Creates a controller whose fields are provided by functions of one kind. */
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

for (let round = 0; round < starts; round++) {
  for (const { name } of builds) {
    const [handled, built] = await startAfresh(folders[name] ?? "");
    figures.add(`${name} cold handle`, handled);
    figures.add(`${name} cold build`, built);
    figures.add(`${name} cold both`, handled + built);
  }
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
for (const act of ["cold handle", "cold build", "cold both", "handle", "build"]) {
  printRow(
    `500 controllers, ${act}`,
    ...builds.map((build) => `${figures.best(`${build.name} ${act}`).toFixed(0)} ms`),
  );
}
