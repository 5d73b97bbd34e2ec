/**
 * Keys, files, singletons and handlers of further features.
 *
 * @module
 */

import * as fw from "@fw/web";
import * as sessions from "@fw/web/sessions";
import * as versioning from "@fw/web/versioning";
import { serve, type Site } from "./site.ts";
import type { Family, Row } from "./table.ts";

const asHandler = {
  throws: "500 logged",
  rejects: "500 logged",
  never: "503 logged",
  values: "500 logged",
  null: "200",
};
/** A value that must be returned at once. */
const asValue = { ...asHandler, never: "500 logged", null: "500 logged" };

function row(of: string | readonly string[], site: Site, gives: Row["gives"]): Row {
  return { of: [of].flat(), run: (fault) => serve(fault, site), gives };
}

function end(ctx: fw.Context): void {
  ctx.WriteString("end");
}

class Odd {
  value: unknown = undefined;
}
class OddController {
  Get(odd = fw.mvc.Inject(Odd)): string {
    return typeof odd;
  }
}
let isArmed: fw.Handler | undefined = undefined;
class ActivatedController {
  BeforeActivation(b: fw.mvc.BeforeActivation): void {
    b.Handle("GET", "/", "Odd", ...isArmed === undefined ? [] : [isArmed]);
  }

  Odd(): string {
    return "odd";
  }
}

/** The other methods of keys. They are not called. */
const keys = { Sign: String, Verify: String, Encrypt: String, Decrypt: String };

const cookies = ["Sign", "Encrypt"].map((name): Row =>
  row(`response/sealed_cookies.CookieKeys.${name}`, {
    set: (app, { fn }) => {
      app.Get("/x", (ctx) => {
        ctx.SetCookie("tea", "assam", { [name]: { ...keys, [name]: fn } } as never);
        ctx.WriteString("x");
      });
    },
  }, asValue)
);

const opened = [["Verify", "Sign"], ["Decrypt", "Encrypt"]].map(([name = "", seal = ""]): Row =>
  row(`response/sealed_cookies.CookieKeys.${name}`, {
    set: (app, { fn }) => {
      app.Get("/x", (ctx) => void ctx.WriteString(ctx.GetCookie("tea", { [seal]: { ...keys, [name]: fn } } as never)));
    },
    ask: ({ url }) => fetch(`${url}/x`, { headers: { cookie: "tea=assam" } }),
  }, asValue)
);

const others: readonly Row[] = [
  row("mvc/inject/provision.Singleton(source)", {
    set: (app, { fn }) => {
      const m = fw.mvc.New(app.Party("/x"));
      m.Register(fw.mvc.Provide(Odd, fw.mvc.Singleton(fn)));
      m.Handle(OddController);
    },
  }, { ...asHandler, never: "500 logged", values: "200" }),
  ...["Handle", "HandleMany"].map((name) =>
    row(
      `mvc/route/activation.AfterActivation.${name}(middleware)`,
      {
        set: (app, { fn }) => {
          isArmed = fn;
          fw.mvc.New(app.Party("/x")).Handle(ActivatedController);
        },
      },
      asHandler,
    )
  ),
  row("versioning/deprecation.Deprecated(handler)", {
    set: (app, { fn }) => app.Get("/x", versioning.Deprecated(fn), end),
  }, asHandler),
  row("static/options.DirOptions.Cache", {
    set: async (app, { fn }) => {
      const folder = await Deno.makeTempDir();
      await Deno.writeTextFile(`${folder}/a.txt`, "a");
      app.RegisterOnShutdown(() => Deno.remove(folder, { recursive: true }));
      app.HandleDir("/x", folder, { Cache: fn });
    },
    ask: ({ url }) => fetch(`${url}/x/a.txt`),
  }, asValue),
  row("sessions/store.Store.DestroyAll", {
    set: (app, { fn }) => {
      const whole = sessions.NewMemory();
      const Store: sessions.Store = {
        Load: (id) => whole.Load(id),
        Create: (...args) => whole.Create(...args),
        DestroyAll: fn,
      };
      const manager = sessions.New({ Store });
      app.Get("/x", async (ctx) => {
        await manager.DestroyAll();
        ctx.WriteString("x");
      });
    },
  }, { throws: "503", rejects: "503", never: "503 logged", values: "503" }),
];

export const family: Family = { name: "further", rows: [...cookies, ...opened, ...others] };
