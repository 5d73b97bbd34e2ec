import { assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import * as mvc from "../../../mvc/mod.ts";
import * as client from "../../../src/api/client/mod.ts";
import { FrameworkError } from "../../../src/base/errors/errors.ts";
import * as websocket from "../../../src/live/websocket/mod.ts";
import * as httptest from "../../../src/tools/httptest/mod.ts";
import { overSocket, quiet } from "../../serving.ts";

class NewsController {
  static Namespace = "news";
  Conn!: websocket.Conn<NewsController>;
  Emits!: { said: string; count: number; done: void };

  async OnSay(text = "") {
    await this.Conn.Broadcast("said", text);
    return this.Conn.Server().Connections();
  }

  async OnAll(text = "") {
    await this.Conn.Server().Broadcast(null, "said", text, { Namespace: this.Conn.Namespace });
  }

  async OnWrong() {
    // @ts-expect-error The data of the event is a number.
    await this.Conn.Broadcast("count", "one");
    // @ts-expect-error The event is not declared.
    await this.Conn.Broadcast("other", 1);
    await this.Conn.Broadcast("done");
  }
}

class PostController {
  #server = mvc.Inject(websocket.Server);

  async PostBy(text = "") {
    await this.#server.Broadcast(null, "said", text, { Namespace: "news" });
    return `${this.#server.Connections()}`;
  }
}

Deno.test("Conn.Broadcast() sends an event to the other connections to the namespace", async () => {
  const app = quiet();
  mvc.New(app.Party("/ws")).HandleWebsocket(NewsController);
  const test = httptest.New(app);
  const [one, other, outside] = await Promise.all(["", "", ""].map(() => test.WebSocket("/ws")));
  await one?.Connect("news");
  await other?.Connect("news");
  assertEquals(await one?.Ask("say", "hello", { Namespace: "news" }), 3);
  await one?.Ask("all", "to all", { Namespace: "news" });
  await other?.ExpectEvent("said", "hello");
  await other?.ExpectEvent("said", "to all");
  await one?.ExpectEvent("said", "to all");
  assertEquals(await outside?.Ask("say", "bye", { Namespace: "news" }), 3);
  await one?.ExpectEvent("said", "bye");
  for (const socket of [one, other, outside]) await socket?.Close();
});

Deno.test("HandleWebsocket() creates a server that controllers can inject", async () => {
  const app = quiet();
  const m = mvc.New(app.Party("/ws"));
  // The controller of the inner application is registered first.
  m.Handle(PostController).HandleWebsocket(NewsController);
  m.Party("/inner").Handle(PostController);
  const test = httptest.New(app);
  const socket = await test.WebSocket("/ws");
  await socket.Connect("news");
  await test.POST("/ws/first").Expect().Body("1");
  await test.POST("/ws/inner/second").Expect().Body("1");
  await socket.ExpectEvent("said", "first");
  await socket.ExpectEvent("said", "second");
  await socket.Close();
});

Deno.test("HandleWebsocket() prefers a registered server, even if a party registers it later", async () => {
  const app = quiet();
  const own = websocket.New();
  const seen: unknown[] = [];
  class LookController {
    GetLook(server = mvc.Inject(websocket.Server), base = mvc.Inject(websocket.SocketServer)) {
      seen.push(server, base);
    }
  }
  mvc.New(app.Party("/ws")).HandleWebsocket(NewsController).Handle(LookController);
  app.ConfigureContainer().Register(own);
  await httptest.New(app).GET("/ws/look").Expect().Status(200);
  assertStrictEquals(seen[0], own);
  assertStrictEquals(seen[1], own);
});

Deno.test("HandleWebsocket() creates one server for each application, which others cannot inject", async () => {
  const app = quiet();
  const first = mvc.New(app.Party("/a")).HandleWebsocket(NewsController).Handle(PostController);
  first.Clone(app.Party("/b")).HandleWebsocket(NewsController).Handle(PostController);
  const test = httptest.New(app);
  const socket = await test.WebSocket("/a");
  await socket.Connect("news");
  await test.POST("/a/x").Expect().Body("1");
  await test.POST("/b/x").Expect().Body("0");
  await socket.Close();

  const other = quiet();
  mvc.New(other.Party("/ws")).HandleWebsocket(NewsController);
  mvc.New(other.Party("/posts")).Handle(PostController);
  assertThrows(() => other.Build(), FrameworkError, "not registered");
});

Deno.test("client.Live() enters its namespace although it only listens", async () => {
  for (const listen of ["On", "Once", "OnAny"] as const) {
    const app = quiet();
    const server = websocket.New();
    const entered = Promise.withResolvers<void>();
    server.Namespace("news").On(websocket.OnNamespaceConnected, () => entered.resolve());
    app.Get("/ws", websocket.Handler(server));
    await overSocket(app, async (_ask, port) => {
      const live = client.Live(`http://127.0.0.1:${port}/ws`, { Namespace: "news" });
      const heard = new Promise((resolve) => {
        if (listen === "OnAny") live.OnAny((_event, data) => resolve(data));
        else live[listen]("said", resolve);
      });
      await entered.promise;
      server.Broadcast(null, "said", "hello", { Namespace: "news" });
      assertEquals(await heard, "hello");
      live.Close();
    });
  }
});
