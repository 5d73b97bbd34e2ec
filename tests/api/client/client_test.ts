import { assertEquals, assertInstanceOf, assertStringIncludes } from "@std/assert";
import * as fw from "../../../mod.ts";
import * as mvc from "../../../mvc/mod.ts";
import * as client from "../../../src/api/client/mod.ts";
import { overSocket, quiet } from "../../serving.ts";
import { freePort } from "../../free_port.ts";

class Echo {
  Ctx!: fw.Context;
  Get() {
    return { method: "GET", query: this.Ctx.Request().url.split("?")[1] ?? "" };
  }
  GetBy(id = 0n) {
    return { id, type: typeof id };
  }
  GetByFriendsBy(ctx: fw.Context, id = 0n, friend = "", ok = false) {
    return { id, friend, ok, team: ctx.Params().Get("team") };
  }
  GetFilesByWildcard(path = "") {
    return path;
  }
  async Post() {
    const [body] = await this.Ctx.GetBody();
    return { type: this.Ctx.GetHeader("content-type"), body: new TextDecoder().decode(body) };
  }
  async PutForm() {
    const [form] = await this.Ctx.ReadForm<{ tag?: unknown; file?: unknown }>();
    const file = form?.file;
    return { tags: form?.tag as string[], file: file instanceof File ? [file.name, await file.text()] : null };
  }
  GetHeader() {
    return [this.Ctx.GetHeader("x-base"), this.Ctx.GetHeader("x-call"), this.Ctx.GetHeader("x-input")];
  }
  GetText() {
    return "text";
  }
  GetBytes() {
    return new Uint8Array([1, 2]);
  }
  GetStatus() {
    return 204;
  }
  GetFound() {
    return true;
  }
  GetDates() {
    return mvc.Tuple({ at: new Date(0), big: 5n }, null);
  }
  AnyThing() {
    return this.Ctx.Method();
  }
  HeadThing() {
    return true;
  }
  GetMissing() {
    return false;
  }
  GetTeapot() {
    return new fw.HTTPError(418, "Short and stout");
  }
  GetDetails() {
    return mvc.Tuple(409, { why: "taken" });
  }
  GetInvalid() {
    return new fw.ValidationError([{ Path: ["age"], Message: "Expected a number" }]);
  }
  GetBroken() {
    return mvc.Tuple("{", "application/json");
  }
  GetMoved() {
    return mvc.Tuple("", 304);
  }
}

function newApp(): fw.Application {
  const app = quiet();
  mvc.New(app.Party("/echo/{team}")).Handle(Echo);
  return app;
}

type EchoClient = client.Client<Echo>;

/** Runs a test in process and over a socket. */
function bothWays(name: string, run: (echo: EchoClient) => Promise<void>, options: client.ClientOptions = {}): void {
  Deno.test(`${name}, in process`, async () => {
    await run(client.New<Echo>("http://localhost/echo/red", { ...options, Fetch: newApp().fetch }));
  });
  Deno.test(`${name}, over a socket`, async () => {
    await overSocket(
      newApp(),
      (_ask, port) => run(client.New<Echo>(new URL(`http://127.0.0.1:${port}/echo/red/`), options)),
    );
  });
}

bothWays("New() creates a client whose methods build the path that the server expects", async (echo) => {
  assertEquals(await echo.Get(), [{ method: "GET", query: "" }, null]);
  assertEquals(await echo.GetBy(9007199254740991n), [{ id: 9007199254740991, type: "bigint" }, null]);
  assertEquals(await echo.GetByFriendsBy(1n, "a/b ü?#", true), [
    { id: 1, friend: "a/b ü?#", ok: true, team: "red" },
    null,
  ]);
  assertEquals(await echo.GetFilesByWildcard("a/b c.txt"), ["a/b c.txt", null]);
});

bothWays("New() sends queries, JSON and forms with files", async (echo) => {
  const [got] = await echo.Get({ Query: { a: "1 2", list: [1, 2n, true], gone: undefined, at: new Date(0) } });
  assertEquals(got?.query, "a=1+2&list=1&list=2&list=true&at=1970-01-01T00%3A00%3A00.000Z");
  assertEquals(await echo.Post({ Body: { id: 9007199254740993n, name: "Ada" } }), [
    { type: "application/json", body: '{"id":9007199254740993,"name":"Ada"}' },
    null,
  ]);
  assertEquals(await echo.Post({ Form: { a: "1 2", b: [1, 2] } }), [
    { type: "application/x-www-form-urlencoded;charset=UTF-8", body: "a=1+2&b=1&b=2" },
    null,
  ]);
  assertEquals(await echo.PutForm({ Form: { tag: ["a", "b"], file: new File(["text"], "a.txt") } }), [
    { tags: ["a", "b"], file: ["a.txt", "text"] },
    null,
  ]);
});

bothWays("New() sends headers of the client, of the call and of typed inputs", async (echo) => {
  const [headers] = await echo.GetHeader({ Headers: { "x-call": "call" }, Header: { "x-input": 3 } });
  assertEquals(headers, ["base", "call", "3"]);
  assertEquals(await echo.GetHeader({ Headers: { "x-base": "other" } }), [["other", "", ""], null]);
}, { Headers: () => Promise.resolve({ "x-base": "base" }) });

bothWays("New() resolves to the value of the response", async (echo) => {
  assertEquals(await echo.GetText(), ["text", null]);
  assertEquals(await echo.GetStatus(), [undefined, null]);
  assertEquals(await echo.GetFound(), [undefined, null]);
  assertEquals(await echo.HeadThing(), [undefined, null]);
  assertEquals(await echo.GetDates(), [{ at: "1970-01-01T00:00:00.000Z", big: 5 }, null]);
  assertEquals(await echo.AnyThing(), ["GET", null]);
  assertEquals(await echo.AnyThing({ Body: 1 }), ["POST", null]);
  const [bytes] = await echo.GetBytes();
  assertEquals(await bytes?.bytes(), new Uint8Array([1, 2]));
});

bothWays("New() resolves to a ResponseError with status, body and problem", async (echo) => {
  const [value, missing] = await echo.GetMissing();
  assertInstanceOf(missing, client.ResponseError);
  assertEquals([value, missing.Status, missing.message], [undefined, 404, "Not Found"]);
  assertEquals(missing.Problem, { type: "about:blank", title: "Not Found", status: 404 });
  const [, teapot] = await echo.GetTeapot();
  assertInstanceOf(teapot, fw.HTTPError);
  assertEquals([teapot.Status, teapot.message], [418, "Short and stout"]);
  const [, details] = await echo.GetDetails();
  assertInstanceOf(details, client.ResponseError);
  assertEquals([details.Status, details.Body, details.Problem], [409, { why: "taken" }, undefined]);
  assertStringIncludes(details.Headers.get("content-type") ?? "", "application/json");
  const [, invalid] = await echo.GetInvalid();
  assertInstanceOf(invalid, client.ResponseError);
  assertEquals(invalid.Status, 422);
  assertEquals(invalid.Problem?.errors, [{ pointer: "#/age", detail: "Expected a number" }]);
  assertEquals(invalid.message, invalid.Problem?.detail);
});

bothWays("New() resolves to an error if the response has no value", async (echo) => {
  const [, broken] = await echo.GetBroken();
  assertEquals(broken?.message, 'Cannot call "GetBroken": the response is not valid JSON');
  const [, moved] = await echo.GetMoved();
  assertEquals(moved?.message, 'Cannot call "GetMoved": unexpected status "304"');
});

Deno.test("New() resolves to an error for arguments that cannot be sent in a path, form or query", async () => {
  let sent = 0;
  const echo = client.New<Echo>("http://localhost", { Fetch: () => new Response(String(sent++)) });
  const calls: [call: () => Promise<client.CallResult<unknown>>, words: string][] = [
    [() => echo.GetByFriendsBy(1n, "..", true), '"GetByFriendsBy": ".." is not a valid path segment'],
    [() => echo.GetByFriendsBy(1n, "", true), '"GetByFriendsBy": "" is not a valid path segment'],
    [() => echo.GetByFriendsBy(1n, "a/../b", true), '"GetByFriendsBy": "a/../b" is not a valid path segment'],
    [() => echo.GetByFriendsBy(1n, "a/.", true), '"GetByFriendsBy": "a/." is not a valid path segment'],
    [() => echo.GetByFriendsBy(1n, "\ud800", true), '"GetByFriendsBy": "\ufffd" is not a valid path segment'],
    [() => echo.GetFilesByWildcard("a/../../b"), '"GetFilesByWildcard": ".." is not a valid path segment'],
    [
      () => (echo.GetBy as unknown as () => ReturnType<typeof echo.GetBy>)(),
      '"GetBy": wrong number of path arguments: expected 1, got 0',
    ],
    [() => echo.Post({ Body: 1, Form: {} }), '"Post": Body and Form cannot be combined'],
    [
      () => echo.Post({ Form: { a: [[1]] } }),
      '"Post": the field "a" cannot be sent: it is a list in a list, a file or binary data',
    ],
    [() => echo.Post({ Form: { a: () => 1 } }), '"Post": the field "a" cannot be sent: it is a function'],
    [() => echo.Get({ Query: { a: [Symbol("b")] } }), '"Get": the field "a" cannot be sent: it is a symbol'],
    [() => echo.Get({ Query: 1 }), '"Get": Query must be an object'],
  ];
  for (const [call, words] of calls) {
    const [value, error] = await call();
    assertInstanceOf(error, fw.FrameworkError);
    assertEquals([value, error.Code, error.message], [undefined, "FW_CLIENT", `Cannot call ${words}`]);
  }
  assertEquals(sent, 0);
});

Deno.test("New() resolves to an error if the call is canceled or the server is unreachable", async () => {
  const slow = client.New<Echo>("http://localhost", {
    Fetch: (request) =>
      new Promise((_, reject) => {
        request.signal.addEventListener("abort", () => reject(request.signal.reason));
        controller.abort();
      }),
  });
  const controller = new AbortController();
  const call = slow.Get({ Signal: controller.signal });
  const [, canceled] = await call;
  assertEquals(canceled?.name, "AbortError");
  const [, early] = await slow.Get({ Signal: AbortSignal.abort() });
  assertEquals(early?.name, "AbortError");
  const [, reason] = await client.New<Echo>("http://localhost", {
    Signal: AbortSignal.abort("why"),
    Fetch: newApp().fetch,
  })
    .Get({ Signal: new AbortController().signal });
  assertEquals([reason?.message, reason?.cause], ['Cannot call "Get": the request was canceled', "why"]);

  const [, gone] = await client.New<Echo>(`http://127.0.0.1:${freePort()}`).Get();
  assertInstanceOf(gone, TypeError);
});

Deno.test("New() creates an object without other members, so that it can be awaited and inspected", async () => {
  const echo = client.New<Echo>("http://localhost", { Fetch: newApp().fetch });
  assertEquals(await Promise.resolve(echo), echo);
  const members = echo as unknown as Record<PropertyKey, unknown>;
  assertEquals([members.then, members.Getter, members[Symbol.iterator]], [undefined, undefined, undefined]);
  assertEquals(["GetBy" in echo, "then" in echo], [true, false]);
  assertEquals(echo.GetBy, echo.GetBy);
});

class Moving {
  Ctx!: fw.Context;
  Get() {
    return "here";
  }
  GetOld() {
    return this.Ctx.Redirect("/moving");
  }
  GetAway() {
    return this.Ctx.Redirect("https://elsewhere.example/");
  }
  Post() {
    return this.Ctx.Redirect("/moving/kept", 307);
  }
  async PostKept() {
    return new TextDecoder().decode((await this.Ctx.GetBody())[0]);
  }
}

Deno.test("New() with app.fetch follows redirects within the application, as over a connection", async () => {
  const app = quiet();
  mvc.New(app.Party("/moving")).Handle(Moving);
  const check = async (moving: client.Client<Moving>) => {
    assertEquals(await moving.GetOld() as unknown, ["here", null]);
    assertEquals(await moving.Post({ Body: "four" } as never) as unknown, ['"four"', null]);
  };
  await check(client.New<Moving>("http://localhost/moving", { Fetch: app.fetch }));
  const alone = client.New<Moving>("http://localhost/moving", {
    Fetch: app.fetch,
    Signal: new AbortController().signal,
  });
  await check(alone);
  const [, error] = await alone.GetAway();
  assertEquals(error?.message, 'Cannot call "GetAway": unexpected status "302"');
  await overSocket(app, (_, port) => check(client.New<Moving>(`http://127.0.0.1:${port}/moving`)));
});

Deno.test("ResponseError.RetryAfter is the time in the Retry-After header", async () => {
  const answer = (value: string) => () => new Response("slow down", { status: 429, headers: { "retry-after": value } });
  const call = (value: string) => client.New<Moving>("http://localhost", { Fetch: answer(value) }).Get();
  const delays = [];
  for (const value of ["3", new Date(0).toUTCString(), "soon"]) {
    const [, error] = await call(value);
    assertInstanceOf(error, client.ResponseError);
    delays.push(error.RetryAfter);
  }
  assertEquals(delays, [3000, undefined, undefined]);
});
