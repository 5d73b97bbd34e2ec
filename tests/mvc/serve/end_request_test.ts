import { assertEquals } from "@std/assert";
import * as fw from "../../../mod.ts";
import * as mvc from "../../../mvc/mod.ts";
import { ask, quietApp } from "../serve.ts";

/** Returns the status and error that `EndRequest` sees, and the response that the client receives. */
async function ended(
  method: (ctx: fw.Context) => unknown,
  options: { own?: mvc.ErrorHandler; application?: mvc.ErrorHandler } = {},
): Promise<readonly [seen: string, got: string]> {
  let seen = "";
  class Ending {
    Ctx!: fw.Context;
    Get(): unknown {
      return method(this.Ctx);
    }
    EndRequest(ctx: fw.Context): void {
      seen = `${ctx.GetStatusCode()} ${ctx.GetErr()?.message ?? "-"}`;
    }
  }
  class Handling extends Ending {
    HandleError(ctx: fw.Context, error: Error): void | Promise<void> {
      return options.own?.(ctx, error);
    }
  }
  const app = quietApp();
  const m = mvc.New(app);
  if (options.application !== undefined) m.HandleError(options.application);
  m.Handle(options.own === undefined ? Ending : Handling);
  const { status, body } = await ask(app, "/");
  return [seen, `${status} ${body}`];
}

function taken(): never {
  throw new fw.HTTPError(409, "taken");
}

async function later<T>(act: () => T): Promise<T> {
  await Promise.resolve();
  return act();
}

Deno.test("EndRequest sees the final status and error", async () => {
  assertEquals(await ended(() => "fine"), ["200 -", "200 fine"]);
  assertEquals(await ended(() => 202), ["202 -", "202 "]);
  for (const method of [taken, () => later(taken), () => new fw.HTTPError(409, "taken")]) {
    assertEquals(await ended(method), ["409 taken", "409 taken"]);
  }
  assertEquals(await ended(() => mvc.Tuple(409, new Error("taken"))), ["409 taken", "409 taken"]);
  assertEquals(await ended(() => new Error("bad")), ["400 bad", "400 bad"]);
  assertEquals(
    await ended(() => {
      throw new Error("secret");
    }),
    ["500 secret", "500 Internal Server Error"],
  );
  assertEquals(await ended((ctx) => ctx.StopWithError(422, new Error("odd"))), ["422 odd", "422 odd"]);
  assertEquals(await ended(() => false), ["404 -", "404 Not Found"]);
});

Deno.test("EndRequest sees the error even if HandleError has handled it", async () => {
  const respond: mvc.ErrorHandler = (ctx, error) => ctx.Text(`handled ${error.message}`);
  for (const options of [{ own: respond }, { application: respond }]) {
    for (const method of [taken, () => later(taken), () => new fw.HTTPError(409, "taken")]) {
      assertEquals(await ended(method, options), ["409 taken", "409 handled taken"]);
    }
  }
  const recover: mvc.ErrorHandler = (ctx) => {
    ctx.StatusCode(200);
    ctx.Text("recovered");
  };
  assertEquals(await ended(taken, { own: recover }), ["200 taken", "200 recovered"]);
  assertEquals(await ended(taken, { own: () => {} }), ["409 taken", "409 Conflict"]);
});

Deno.test("EndRequest does not hide errors from middleware that catches them", async () => {
  class Throwing {
    Get(): never {
      return taken();
    }
    EndRequest(): void {}
  }
  const app = quietApp();
  app.Use(async (ctx) => {
    try {
      await ctx.Next();
    } catch (error) {
      ctx.Text(`caught ${(error as Error).message} ${ctx.GetStatusCode()} ${ctx.GetErr()?.message ?? "-"}`);
    }
  });
  mvc.New(app).Handle(Throwing);
  assertEquals(await ask(app, "/"), { status: 200, type: "text/plain;charset=UTF-8", body: "caught taken 200 -" });
});

Deno.test("HandleError receives the error of EndRequest, unless the method has failed as well", async () => {
  const lines: string[] = [];
  class Ending {
    Get(): string {
      return "fine";
    }
    GetThrown(): never {
      return taken();
    }
    EndRequest(): never {
      throw new fw.HTTPError(503, "no commit");
    }
  }
  class Handling extends Ending {
    HandleError(ctx: fw.Context, error: Error): void {
      ctx.Text(`handled ${error.message}`);
    }
  }
  const app = fw.New();
  app.Logger().SetOutput((line: string) => void lines.push(line));
  mvc.New(app).Handle(Ending).Party("/own").Handle(Handling);
  assertEquals((await ask(app, "/")).body, "no commit");
  assertEquals((await ask(app, "/own")).body, "handled no commit");
  assertEquals((await ask(app, "/thrown")).body, "taken");
  app.Logger().Flush();
  assertEquals(lines.some((line) => line.includes('Cannot end the request in "Ending"')), true);
});

Deno.test("EndRequest can commit or roll back a transaction depending on the response", async () => {
  const log: string[] = [];
  class Transaction {
    BeginRequest(): void {
      log.push("begin");
    }
    Post(): string {
      return "stored";
    }
    PostRefused(): never {
      return taken();
    }
    async PostLater(): Promise<Error> {
      await Promise.resolve();
      return new Error("refused");
    }
    EndRequest(ctx: fw.Context): void {
      log.push(ctx.GetErr() === undefined && ctx.GetStatusCode() < 400 ? "commit" : "rollback");
    }
  }
  const app = quietApp();
  mvc.New(app).Handle(Transaction);
  for (const path of ["/", "/refused", "/later"]) await ask(app, path, "POST");
  assertEquals(log, ["begin", "commit", "begin", "rollback", "begin", "rollback"]);
});
