import { assertEquals, assertStringIncludes } from "@std/assert";
import { z } from "npm:zod@^4";
import * as fw from "../../../mod.ts";
import * as mvc from "../../../mvc/mod.ts";
import { ask } from "../serve.ts";

/** Returns the response and the log of a request whose method throws. */
async function served(
  handle: (ctx: fw.Context, error: Error) => unknown,
  at: "controller" | "application" | "container",
) {
  const app = fw.New();
  const lines: string[] = [];
  app.Logger().SetOutput((line: string) => void lines.push(line));
  class Plain {
    Get(): never {
      throw new Error("the first error");
    }
  }
  class Own extends Plain {
    HandleError(ctx: fw.Context, error: Error): unknown {
      return handle(ctx, error);
    }
  }
  if (at === "container") {
    const api = app.ConfigureContainer().OnError((ctx, error) => handle(ctx, error) as void);
    api.Get("/", () => new Plain().Get());
  } else {
    const m = mvc.New(app);
    if (at === "application") m.HandleError((ctx, error) => handle(ctx, error) as void).Handle(Plain);
    else m.Handle(Own);
  }
  const { status, body } = await ask(app, "/");
  app.Logger().Flush();
  return { response: `${status} ${body}`, log: lines.join("") };
}

const failures: Record<string, readonly [handle: () => unknown, response: string]> = {
  "throws": [() => {
    throw new TypeError("the second error");
  }, "500 Internal Server Error"],
  "rejects": [() => Promise.reject(new TypeError("the second error")), "500 Internal Server Error"],
  "throws an error with a cause": [() => {
    throw new Error("outer", { cause: new Error("the second error") });
  }, "500 Internal Server Error"],
  "throws an HTTPError": [() => {
    throw new fw.HTTPError(409, "the second error");
  }, "409 the second error"],
};

for (const at of ["controller", "application", "container"] as const) {
  for (const [name, [handle, response]] of Object.entries(failures)) {
    Deno.test(`Both errors are logged if HandleError of the ${at} ${name}`, async () => {
      const result = await served(handle, at);
      assertEquals(result.response, response);
      assertStringIncludes(result.log, "the first error");
      assertStringIncludes(result.log, "the second error");
    });
  }
}

Deno.test("HandleError can rethrow the error", async () => {
  const { response, log } = await served((_ctx, error) => {
    throw error;
  }, "controller");
  assertEquals(response, "500 Internal Server Error");
  assertEquals(log.match(/the first error/g)?.length, 1);
});

Deno.test("HandleError that throws a constant error does not accumulate causes", async () => {
  const constant = Object.freeze(new Error("constant"));
  const { response, log } = await served(() => {
    throw constant;
  }, "controller");
  assertEquals(response, "500 Internal Server Error");
  assertStringIncludes(log, "the first error");
});

/** Returns the response and the log of a request for a controller with the method and the input of a field. */
async function translated(handle: (error: Error) => unknown, path: string) {
  const app = fw.New();
  const lines: string[] = [];
  app.Logger().SetOutput((line: string) => void lines.push(line));
  const page = z.object({ page: z.number("Enter a page") });
  class Method {
    HandleError(_ctx: fw.Context, error: Error): unknown {
      return handle(error);
    }
    Get(_query = mvc.Query(page)): void {}
    GetBroken(): never {
      throw new Error("the first error");
    }
  }
  class Field {
    query = mvc.Query(page);
    HandleError(_ctx: fw.Context, error: Error): unknown {
      return handle(error);
    }
    Get(): void {}
  }
  mvc.New(app.Party("/method")).Handle(Method);
  mvc.New(app.Party("/field")).Handle(Field);
  mvc.New(app.Party("/singleton")).Handle(mvc.Singleton(Method));
  const { status, body } = await ask(app, path);
  app.Logger().Flush();
  return { response: `${status} ${body}`, log: lines.join("") };
}

for (const path of ["/method", "/field", "/singleton"]) {
  Deno.test(`HandleError can replace an error of the client without a log line (${path})`, async () => {
    const handle = () => {
      throw new fw.HTTPError(400, "Try another page");
    };
    assertEquals(await translated(handle, path), { response: "400 Try another page", log: "" });
  });

  Deno.test(`HandleError can throw a response (${path})`, async () => {
    const handle = () => {
      throw new Response("No such page", { status: 404 });
    };
    assertEquals(await translated(handle, path), { response: "404 No such page", log: "" });
  });

  Deno.test(`HandleError can rethrow an error of the client without a log line (${path})`, async () => {
    const { response, log } = await translated((error) => {
      throw error;
    }, path);
    assertEquals([response.slice(0, 3), log], ["422", ""]);
  });
}

Deno.test("HandleError can replace any error with one for the client if it names the cause", async () => {
  const handle = (error: Error) => {
    throw new fw.HTTPError(409, "Taken", { cause: error });
  };
  assertEquals(await translated(handle, "/method/broken"), { response: "409 Taken", log: "" });
});

Deno.test("HandleError receives the messages of any validation error in the language of the request", async () => {
  const app = fw.New();
  app.I18n.LoadKV({ en: { name: { missing: "Enter a name" } }, de: { name: { missing: "Name fehlt" } } }, "en", "de");
  const own = () => new fw.ValidationError([{ Path: ["name"], Message: "name.missing" }]);
  class Own {
    HandleError(ctx: fw.Context, error: Error): void {
      if (error instanceof fw.ValidationError) ctx.JSON(error.Fields);
    }
    GetThrown(): never {
      throw own();
    }
    GetReturned(): Error {
      return own();
    }
    GetInput(_query = mvc.Query(z.object({ name: z.string("name.missing") }))): void {}
  }
  mvc.New(app).Handle(Own);
  for (const path of ["/thrown", "/returned", "/input"]) {
    assertEquals((await ask(app, `/de${path}`)).body, '{"name":["Name fehlt"]}', path);
    assertEquals((await ask(app, path)).body, '{"name":["Enter a name"]}', path);
  }
});
