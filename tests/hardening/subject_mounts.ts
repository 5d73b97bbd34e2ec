/**
 * The part of the subject with mounted applications that share a call with the application around them, and with
 * generators that hold a value of the request.
 *
 * @module
 */

import * as fw from "@fw/web";
import * as auth from "@fw/web/middleware/auth";
import * as cache from "@fw/web/middleware/cache";
import * as csrf from "@fw/web/middleware/csrf";
import * as timeout from "@fw/web/middleware/timeout";
import * as keys from "@fw/web/keys";
import * as mvc from "@fw/web/mvc";
import { secret } from "./expect.ts";

/** The features that this part adds to the subject. */
export const mountFeatures: readonly string[] = ["held generators", "mounted calls"];

/** Adds the routes. */
export function addMounts(app: fw.Application): void {
  const inner = newInner();
  const shelf = fw.New();
  shelf.Mount("/deep", inner.fetch);
  app.Party("/called", cache.New({ MaxAge: 60_000 })).Mount("/shelf", shelf.fetch);
  app.Party("/hurried", timeout.New({ After: 50 })).Mount("/", inner.fetch);
  app.Party("/known", byHeader).Mount("/", inner.fetch);
  addGenerators(app.Party("/generators"));
}

function newInner(): fw.Application {
  const app = fw.New();
  app.Logger().SetLevel("disable");
  let running = 0;
  app.Get("/slow", async (ctx) => {
    running++;
    await new Promise((resolve) => ctx.Signal().addEventListener("abort", resolve));
    running--;
  });
  app.Get("/running", (ctx) => ctx.WriteString(String(running)));
  app.Get("/go", (ctx) => ctx.Redirect("/login"));
  app.Get("/members", auth.Allow(), (ctx) => ctx.WriteString(`hello ${ctx.User()?.ID}`));
  const shop = app.Party("/shop", byHeader);
  shop.Get("/page", (ctx) => ctx.WriteString(ctx.User() === undefined ? "nobody" : secret));
  shop.Party("/form", csrf.New({ Keys: keys.New(keys.Generate()) })).Get(
    "/",
    (ctx) => ctx.WriteString(csrf.Token(ctx)),
  );
  return app;
}

/** Sets the user that a header names. No cache knows that the header is a credential. */
function byHeader(ctx: fw.Context): void | Promise<void> {
  const ID = ctx.GetHeader("x-user");
  if (ID !== "") ctx.SetUser({ ID, Name: ID, Roles: [], Method: "header" });
  return ctx.Next();
}

function addGenerators(party: fw.Party): void {
  let open = 0;
  let misused = 0;
  class Handle implements Disposable {
    isDisposed = false;
    use(): void {
      if (this.isDisposed) misused++;
    }
    [Symbol.dispose](): void {
      this.isDisposed = true;
    }
  }
  class RowController {
    readonly handle: Handle = mvc.Inject(Handle);

    async *Get(): AsyncGenerator<string> {
      open++;
      try {
        while (true) {
          yield "row\n";
          await new Promise((resolve) => setTimeout(resolve, 5));
          this.handle.use();
        }
      } finally {
        this.handle.use();
        open--;
      }
    }
  }
  party.Get("/open", (ctx) => ctx.WriteString(String(open)));
  party.Get("/misused", (ctx) => ctx.WriteString(String(misused)));
  mvc.New(party.Party("/rows")).Register(mvc.PerRequest(Handle)).Handle(RowController);
}
