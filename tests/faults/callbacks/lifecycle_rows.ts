/**
 * The callbacks around a server: its start, its shutdown and its log.
 *
 * @module
 */

import * as fw from "@fw/web";
import { assertEquals } from "@std/assert";
import type { Fault } from "./faults.ts";
import { serve, soon } from "./site.ts";
import type { Family, Row } from "./table.ts";

/** Runs an application and shuts it down. Other tasks must run, too. */
async function stopped(fault: Fault, name: "RegisterOnShutdown" | "RegisterOnInterrupt"): Promise<string> {
  const app = fw.New();
  const [lines, ran]: [string[], string[]] = [[], []];
  app.Logger().SetTimeFormat("").SetOutput((line) => lines.push(line));
  app[name](() => void ran.push("first"));
  app[name](fault.fn);
  app[name](() => void ran.push("last"));
  const listening = Promise.withResolvers<unknown>();
  const running = app.Run(
    fw.Addr("127.0.0.1:0"),
    fw.WithoutStartupLog,
    fw.WithoutInterruptHandler,
    fw.WithShutdownTimeout(300),
    fw.WithOnListen(listening.resolve),
  );
  await listening.promise;
  await soon(app.Shutdown(), "the shutdown");
  assertEquals(await soon(running, "the end"), null);
  assertEquals(ran, ["last", "first"]);
  return lines.some((line) => /ERRO/.test(line)) ? "stopped logged" : "stopped";
}

const tasks = (["RegisterOnShutdown", "RegisterOnInterrupt"] as const).map((name): Row => ({
  of: [`app/application.Application.${name}(task)`],
  run: (fault) => stopped(fault, name),
  gives: { throws: "stopped logged", rejects: "stopped logged", never: "stopped logged", values: "stopped" },
}));

/** Starts an application, and reports whether it could be started. */
async function started(fault: Fault, configure: (fault: Fault) => fw.Configurator): Promise<string> {
  const app = fw.New();
  const lines: string[] = [];
  app.Logger().SetTimeFormat("").SetOutput((line) => lines.push(line));
  app.Get("/", (ctx) => void ctx.WriteString("up"));
  const running = Promise.try(() =>
    app.Run(fw.Addr("127.0.0.1:0"), fw.WithoutInterruptHandler, fw.WithoutExit, configure(fault))
  );
  const refused = running.then((error) => error === null ? "stopped" : "refused", () => "refused");
  // The line with the address follows the callback.
  const up = (async () => {
    for (; !lines.some((line) => line.includes("Now listening on"));) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (await Promise.race([refused, undefined]) !== undefined) return "refused";
    }
    return "up";
  })();
  const result = await soon(Promise.race([refused, up]), "the start");
  await soon(app.Shutdown(), "the shutdown");
  await soon(refused, "the end");
  return lines.some((line) => /ERRO/.test(line)) ? `${result} logged` : result;
}

const starts: readonly Row[] = [
  {
    of: ["config/config.Configuration.OnListen", "config/configurators.WithOnListen(listen)"],
    run: (fault) => started(fault, ({ fn }) => fw.WithOnListen(fn)),
    gives: { throws: "refused", rejects: "up logged", never: "up", values: "up" },
  },
  {
    of: [
      "config/config.Configurator",
      "app/application.Application.Run(configurators)",
      "app/application.Application.Listen(configurators)",
      "app/application.Application.Configure(configurators)",
    ],
    run: (fault) => started(fault, ({ fn }) => fn),
    gives: { throws: "refused", rejects: "refused", never: "refused", values: "up" },
  },
];

/** Sets up an application with a callback that runs at once, and reports whether that works. */
function setUp(of: readonly string[], set: (app: fw.Application, fault: Fault) => unknown): Row {
  return {
    of,
    run: (fault) => Promise.try(() => set(fw.New(), fault)).then(() => "accepted", () => "refused"),
    gives: { throws: "refused", rejects: "refused", never: "refused", values: "accepted" },
  };
}

const setUps: readonly Row[] = [
  setUp(["app/party.Party.PartyFunc(configure)"], (app, { fn }) => app.PartyFunc("/x", fn)),
  setUp(["app/party.Party.ConfigureContainer(configurators)"], (app, { fn }) => app.ConfigureContainer(fn)),
  setUp(["mvc/application.Application.Configure(configurators)"], (app, { fn }) => fw.mvc.New(app).Configure(fn)),
  setUp(["mvc/application.Configure(configurators)"], (app, { fn }) => fw.mvc.Configure(app, fn)),
  {
    ...setUp(
      [
        "parameter_types/macros.ParamFuncBuilder",
        "parameter_types/macros.ListFuncBuilder",
        "parameter_types/macros.Macros.RegisterFunc(build)",
      ],
      async (app, { fn }) => {
        app.Macros().RegisterFunc("string", "odd", fn);
        app.Get("/{a:string odd()}", () => {});
        await app.Build();
      },
    ),
    gives: { throws: "refused", rejects: "refused", never: "refused", values: "refused" },
  },
];

const logs: readonly Row[] = [
  {
    of: ["log/sink.LogOutput"],
    run: (fault) =>
      serve(fault, {
        set: (app) => {
          app.Logger().SetOutput(fault.fn);
          app.Get("/x", (ctx) => {
            ctx.Logger().Error("a line");
            ctx.WriteString("x");
          });
        },
      }),
    gives: { throws: "200", rejects: "200", never: "200", values: "200" },
  },
  {
    of: ["log/sink.LogWriter.writeSync"],
    run: (fault) =>
      serve(fault, {
        set: (app) => {
          app.Logger().SetOutput({ writeSync: fault.fn });
          app.Get("/x", (ctx) => {
            ctx.Logger().Error("a line");
            ctx.WriteString("x");
          });
        },
      }),
    gives: { throws: "200", rejects: "200", never: "200", values: "200" },
  },
  {
    of: ["log/sink.LogWriter.isTerminal"],
    run: (fault) =>
      serve(fault, {
        set: (app) => {
          app.Logger().SetOutput({ writeSync: (bytes) => bytes.length, isTerminal: fault.fn });
          app.Get("/x", (ctx) => {
            ctx.Logger().Error("a line");
            ctx.WriteString("x");
          });
        },
      }),
    gives: { throws: "200", rejects: "200", never: "200", values: "200" },
  },
  {
    of: ["log/logger.LogTimeFormat"],
    run: (fault) =>
      serve(fault, {
        set: (app) => {
          app.Logger().SetTimeFormat(fault.fn);
          app.Get("/x", (ctx) => {
            ctx.Logger().Error("a line");
            ctx.WriteString("x");
          });
        },
      }),
    gives: { throws: "200 logged", rejects: "200 logged", never: "200 logged", values: "200 logged" },
  },
];

export const family: Family = { name: "lifecycle", rows: [...tasks, ...starts, ...setUps, ...logs] };
