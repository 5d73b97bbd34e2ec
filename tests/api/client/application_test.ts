import { assertEquals, assertInstanceOf } from "@std/assert";
import { z } from "npm:zod@^4";
import type * as fw from "../../../mod.ts";
import * as mvc from "../../../mvc/mod.ts";
import * as client from "../../../src/api/client/mod.ts";
import { quiet } from "../../serving.ts";

class Books {
  BeforeActivation(b: mvc.BeforeActivation) {
    b.Handle("GET", "/{owner:uint64}/book/{id:uint64}", "Show");
    b.Handle("GET", "/files/{rest:path}", "File");
  }
  Show(owner: bigint, id: bigint) {
    return { owner, id };
  }
  File(rest: string) {
    return rest;
  }
  Get() {
    return ["a"];
  }
}

const limits = z.object({ limit: z.coerce.number().int() });
function search(_ctx: fw.Context, query = mvc.Query(limits), where = mvc.Params(z.object({ shelf: z.string() }))) {
  return { limit: query.limit, shelf: where.shelf };
}
function show(ctx: fw.Context) {
  return { id: ctx.Params().Get("id"), name: ctx.Params().Get("name") };
}
function count(_ctx: fw.Context, shelf = "", page = 0, query = mvc.Query(limits)) {
  return { shelf, page, limit: query.limit };
}
function add(_ctx: fw.Context, input = mvc.Body(z.object({ name: z.string() }))) {
  return mvc.Tuple({ name: input.name }, 201);
}

type API = {
  "/books": Books;
  "GET /shelves/{shelf}/search": typeof search;
  "GET /items/{id:int}/{name}": typeof show;
  "GET /count/{shelf}/{page:int}": typeof count;
  "POST /items": typeof add;
};

function newApp(): fw.Application {
  const app = quiet();
  mvc.New(app.Party("/books")).Handle(Books);
  const plain = app.ConfigureContainer();
  plain.Get("/shelves/{shelf}/search", search);
  plain.Get("/items/{id:int}/{name}", show);
  plain.Get("/count/{shelf}/{page:int}", count);
  plain.Post("/items", add);
  return app;
}

Deno.test("Application() calls controllers by their path and handlers by method and path", async () => {
  const api = client.Application<API>("http://localhost/", { Fetch: newApp().fetch });
  assertEquals(await api["/books"].Get(), [["a"], null]);
  assertEquals(await api["GET /shelves/{shelf}/search"]({ Query: { limit: 5 }, Params: { shelf: "a/b" } }), [
    { limit: 5, shelf: "a/b" },
    null,
  ]);
  assertEquals(await api["GET /count/{shelf}/{page:int}"]({ Params: { shelf: "a", page: 2 }, Query: { limit: 1 } }), [
    { shelf: "a", page: 2, limit: 1 },
    null,
  ]);
  assertEquals(await api["GET /items/{id:int}/{name}"]({ Params: { id: 7, name: "x y" } }), [
    { id: "7", name: "x y" },
    null,
  ]);
  const created = await api["POST /items"]({ Body: { name: "Ada" } });
  assertEquals([created, created.Response?.status], [[{ name: "Ada" }, null], 201]);
  // @ts-expect-error A parameter is missing.
  const [, missing] = await api["GET /items/{id:int}/{name}"]({ Params: { id: 7 } });
  assertEquals(missing?.message, 'Cannot call "GET /items/{id:int}/{name}": the path parameter "name" is missing');
  // @ts-expect-error The body is missing.
  assertInstanceOf((await api["POST /items"]())[1], client.ResponseError);
  // @ts-expect-error There is no such route.
  api["GET /nothing"];
});

Deno.test("Routed() calls methods with custom routes", async () => {
  const books = client.Routed<Books, "Show" | "File">("http://localhost/books", {
    Fetch: newApp().fetch,
    Routes: { Show: "GET /{owner:uint64}/book/{id:uint64}", File: "GET /files/{rest:path}" },
  });
  assertEquals(await books.Show(1n, 2n), [{ owner: 1, id: 2 }, null]);
  assertEquals(await books.File("a/b.txt"), ["a/b.txt", null]);
  assertEquals(await books.Get(), [["a"], null]);
  // @ts-expect-error The id is missing.
  const [, error] = await books.Show(1n);
  assertEquals(error?.message, 'Cannot call "Show": the path parameter "id" is missing');
});

class _Flaky {
  Get(): string {
    return "";
  }
  Post(): string {
    return "";
  }
}

/** Creates a fetch function that fails with the given statuses or errors. */
function flaky(failures: (number | Error)[]): { sent: number; Fetch: () => Response } {
  const server = {
    sent: 0,
    Fetch: () => {
      server.sent++;
      const failure = failures.shift();
      if (failure instanceof Error) throw failure;
      return failure === undefined ? new Response("fine") : new Response("no", { status: failure });
    },
  };
  return server;
}

Deno.test("Retry() retries the configured number of times if a retry is possible", async (t) => {
  const Retry = client.Retry({ Times: 2, Delay: 1 });
  await t.step("a status and a lost connection", async () => {
    const server = flaky([503, new TypeError("lost")]);
    assertEquals(await client.New<_Flaky>("http://localhost", { Fetch: server.Fetch, Retry }).Get(), ["fine", null]);
    assertEquals(server.sent, 3);
  });
  await t.step("no more than the maximum", async () => {
    const server = flaky([503, 503, 503, 503]);
    const [, error] = await client.New<_Flaky>("http://localhost", { Fetch: server.Fetch, Retry }).Get();
    assertEquals([error instanceof client.ResponseError && error.Status, server.sent], [503, 3]);
  });
  await t.step("other statuses, and POST, are not retried", async () => {
    const server = flaky([500]);
    assertEquals((await client.New<_Flaky>("http://localhost", { Fetch: server.Fetch, Retry }).Get())[0], undefined);
    assertEquals(server.sent, 1);
    const post = flaky([503]);
    assertEquals((await client.New<_Flaky>("http://localhost", { Fetch: post.Fetch, Retry }).Post())[0], undefined);
    assertEquals(post.sent, 1);
  });
  await t.step("a call says otherwise", async () => {
    const server = flaky([503]);
    const options = { Retry: client.Retry({ Times: 1, Delay: 1, AnyMethod: true }) };
    assertEquals(await client.New<_Flaky>("http://localhost", { Fetch: server.Fetch }).Post(options), ["fine", null]);
  });
  await t.step("a delay that is too long for a timer is not skipped", async () => {
    const delays: [string, client.RetryStrategy][] = [
      ["2000000000", client.Retry(3)],
      [new Date(Date.now() + 2 ** 40).toUTCString(), client.Retry(3)],
      ["", client.Retry({ Times: 3, Delay: 2 ** 40 })],
      ["", () => Infinity],
    ];
    for (const [after, Retry] of delays) {
      const abort = new AbortController();
      let sent = 0;
      const call = client.New<_Flaky>("http://localhost", {
        Fetch: () => {
          sent++;
          return new Response("no", { status: 503, headers: { "retry-after": after } });
        },
        Retry,
      })
        .Get({ Signal: abort.signal });
      setTimeout(() => abort.abort(), 20);
      assertEquals([(await call)[1]?.name, sent], ["AbortError", 1], after);
    }
  });
  await t.step("an abort ends the wait", async () => {
    const abort = new AbortController();
    const server = flaky([503, 503]);
    const call = client.New<_Flaky>("http://localhost", {
      Fetch: server.Fetch,
      Retry: client.Retry({ Times: 1, Delay: 60_000 }),
    })
      .Get({ Signal: abort.signal });
    setTimeout(() => abort.abort());
    assertEquals((await call)[1]?.name, "AbortError");
  });
});

Deno.test("New() ends an aborted in-process call, even if the application ignores the signal", async () => {
  const { promise: arrived, resolve } = Promise.withResolvers<void>();
  const hanging = client.New<_Flaky>("http://localhost", {
    Fetch: () => {
      resolve();
      return new Promise<Response>(() => {});
    },
  });
  const abort = new AbortController();
  const call = hanging.Get({ Signal: abort.signal });
  await arrived;
  abort.abort();
  assertEquals((await call)[1]?.name, "AbortError");
});
