import { assert, assertEquals, assertRejects } from "@std/assert";
import * as fw from "../../../mod.ts";
import * as mvc from "../../../mvc/mod.ts";
import * as live from "../../../src/live/hub/mod.ts";
import { Live } from "../../../src/live/websocket/client/live.ts";
import * as websocket from "../../../src/live/websocket/mod.ts";
import * as jwt from "../../../src/middleware/jwt/mod.ts";
import * as auth from "../../../src/middleware/login/mod.ts";
import * as sessions from "../../../src/state/sessions/mod.ts";
import * as httptest from "../../../src/tools/httptest/mod.ts";
import { overSocket, quiet } from "../../serving.ts";

const secret = "at least 32 bytes that are hard to guess";
function sign(sub: string, seconds: number): Promise<string> {
  return jwt.NewSigner({ Algorithm: "HS256", Key: secret, MaxAge: seconds * 1000 }).Sign({ sub });
}

function guarded(): { app: fw.Application; server: websocket.Server } {
  const app = quiet();
  const server = websocket.New({ Hub: live.New() });
  server.On("who", (conn) => conn.User()?.ID);
  const party = app.Party("/live", jwt.New({ Algorithms: ["HS256"], Key: secret }));
  party.Get("/ws", websocket.Handler(server));
  return { app, server };
}

Deno.test("Handler() accepts a bearer token as a subprotocol and does not send it back", async () => {
  const { app } = guarded();
  const test = httptest.New(app);
  await assertRejects(() => test.WebSocket("/live/ws"), Error, "status 401");
  const token = await sign("ada", 60);
  const socket = await test.WebSocket("/live/ws", { Protocols: ["fw.live.1", `bearer.${token}`] });
  await socket.ExpectReply("who", null, "ada");
  await socket.Close();
});

Deno.test("Server asks a client for a new token before the old one expires, and closes with 4401 without one", async () => {
  const { app } = guarded();
  const socket = await httptest.New(app).WebSocket("/live/ws", {
    Protocols: ["fw.live.1", `bearer.${await sign("ada", 3)}`],
  });
  const expiring = await socket.ExpectEvent("expiring") as { In: number };
  assert(expiring.In <= 3000);
  await socket.ExpectReply("who", null, "ada");
  await socket.ExpectClose(4401);
});

Deno.test("Server renews an identity with a valid token of the same user only", async () => {
  const { app } = guarded();
  const test = httptest.New(app);
  const open = async () =>
    await test.WebSocket("/live/ws", { Protocols: ["fw.live.1", `bearer.${await sign("ada", 5)}`] });
  const socket = await open();
  const renewed = await socket.Renew(await sign("ada", 600)) as { In: number };
  assert(renewed.In > 500_000);
  await assertRejects(() => socket.Renew("nonsense"), Error, "could not be renewed");
  await socket.ExpectReply("who", null, "ada");
  await socket.Close();
  const other = await open();
  await assertRejects(async () => await other.Renew(await sign("eve", 600)));
  await other.ExpectClose(4401);
});

Deno.test("Live fetches a new token before the old one expires", async () => {
  const { app } = guarded();
  await overSocket(app, async (_ask, port) => {
    let tokens = 0;
    const client = new Live(`http://127.0.0.1:${port}/live/ws`, { Token: () => sign("ada", ++tokens === 1 ? 3 : 600) });
    assertEquals(await client.Ask("who"), "ada");
    while (tokens < 2) await new Promise((resolve) => setTimeout(resolve, 10));
    // The new token has been sent, and later requests are handled after it.
    await new Promise((resolve) => setTimeout(resolve, 50));
    assertEquals(await client.Ask("who"), "ada");
    client.Close();
  });
});

Deno.test("Server closes the connections of a destroyed session", async () => {
  const app = quiet();
  const manager = sessions.New();
  const server = websocket.New({ Hub: live.New(), Sessions: manager });
  server.On("name", (conn) => conn.Session()?.GetString("name"));
  app.Use(manager.Handler());
  app.Get("/login", (ctx) => void manager.Get(ctx)?.Set("name", "Ada"));
  app.Get("/logout", (ctx) => manager.Destroy(ctx));
  app.Get("/ws", websocket.Handler(server));
  const [ada, bob] = [httptest.New(app), httptest.New(app)];
  await ada.GET("/login").Expect().Status(200);
  await bob.GET("/login").Expect().Status(200);
  const [one, other] = [await ada.WebSocket("/ws"), await bob.WebSocket("/ws")];
  await one.ExpectReply("name", null, "Ada");
  await ada.GET("/logout").Expect().Status(200);
  await one.ExpectClose(4401);
  await other.ExpectReply("name", null, "Ada");
  await other.Close();
});

Deno.test("Server closes the connections of an expired session with 4401", async () => {
  const app = quiet();
  const manager = sessions.New({ Expires: 1_500 });
  const server = websocket.New({ Hub: live.New(), Sessions: manager });
  app.Use(manager.Handler());
  app.Get("/login", (ctx) => void manager.Get(ctx)?.Set("name", "Ada"));
  app.Get("/ws", websocket.Handler(server));
  const ada = httptest.New(app);
  await ada.GET("/login").Expect().Status(200);
  const socket = await ada.WebSocket("/ws");
  await socket.ExpectEvent("expiring");
  await socket.ExpectClose(4401);
});

/** Creates an application whose sockets use its sessions. */
function withSessions(): { app: fw.Application; server: websocket.Server } {
  const app = quiet();
  const manager = sessions.New();
  const server = websocket.New({ Hub: live.New(), Sessions: manager });
  server.On("change", (conn, act) => {
    const session = conn.Session();
    if (act === "set") session?.Set("name", "Eve");
    if (act === "regenerate") session?.Regenerate();
    if (act === "destroy") session?.Destroy();
  });
  server.On("echo", (_conn, data) => data);
  app.UseGlobal(manager.Handler());
  app.Get("/login", (ctx) => void manager.Get(ctx)?.Set("name", "Ada"));
  app.Get("/rotate", (ctx) => void manager.Get(ctx)?.Regenerate());
  app.Get("/logout", (ctx) => manager.Destroy(ctx));
  app.Get("/name", (ctx) => void ctx.WriteString(manager.Get(ctx)?.GetString("name") ?? ""));
  app.Get("/ws", websocket.Handler(server));
  app.Get("/first", (ctx) => {
    manager.Get(ctx)?.Set("name", "Ada");
    return ctx.Next();
  }, websocket.Handler(server));
  return { app, server };
}

Deno.test("Server closes the connections of a session with 4409 when its ID changes", async () => {
  const { app, server } = withSessions();
  const [ada, bob] = [httptest.New(app), httptest.New(app)];
  await ada.GET("/login").Expect().Status(200);
  await bob.GET("/login").Expect().Status(200);
  const [before, other] = [await ada.WebSocket("/ws"), await bob.WebSocket("/ws")];
  await ada.GET("/rotate").Expect().Status(200);
  await before.ExpectClose(4409);
  const after = await ada.WebSocket("/ws");
  await ada.GET("/logout").Expect().Status(200);
  await after.ExpectClose(4401);
  await other.ExpectReply("echo", 1, 1);
  await other.Close();
  assertEquals(server.Connections(), 0);
});

Deno.test("Server closes the connection of a destroyed session that began with the handshake", async () => {
  const { app } = withSessions();
  const ada = httptest.New(app);
  const socket = await ada.WebSocket("/first");
  await socket.ExpectReply("echo", 1, 1);
  await ada.GET("/logout").Expect().Status(200);
  await socket.ExpectClose(4401);
});

Deno.test("Conn.Session() returns a session that cannot be changed", async () => {
  const { app } = withSessions();
  const ada = httptest.New(app);
  await ada.GET("/login").Expect().Status(200);
  const socket = await ada.WebSocket("/ws");
  for (const act of ["set", "regenerate", "destroy"]) {
    await assertRejects(() => socket.Ask("change", act), Error, "Internal Server Error");
  }
  await ada.GET("/name").Expect().Body("Ada");
  await socket.Close();
});

Deno.test("Server refuses to renew an identity after its session has ended", async () => {
  const app = quiet();
  const store = sessions.NewMemory();
  const manager = sessions.New({ Store: store });
  const server = websocket.New({ Hub: live.New(), Sessions: manager });
  app.UseGlobal(manager.Handler());
  app.Get("/login", (ctx) => void manager.Get(ctx)?.Set("name", "Ada"));
  app.Get("/ws", websocket.Handler(server));
  const ada = httptest.New(app);
  await ada.GET("/login").Expect().Status(200);
  const socket = await ada.WebSocket("/ws");
  await socket.Renew();
  // The session ends in the store, as if it had expired, so that the connection is not closed.
  await (await store.Load(ada.Cookie("fwsessionid")))?.Destroy();
  await assertRejects(() => socket.Renew(), Error, "could not be renewed");
  await assertRejects(() => socket.Renew(), Error, "could not be renewed");
  await socket.Close();
});

Deno.test("Conn.User() and the context of events have the user of the handshake, after a login in a session", async () => {
  const manager = sessions.New({ Cookie: "sid" });
  const app = quiet();
  const Load = (ID: string) => ({ ID, Name: ID, Roles: [], Method: "session" });
  app.Use(auth.Session({ Sessions: manager, Load }));
  app.Post("/visit", async (ctx) => void (await manager.Start(ctx)).Set("cart", 1));
  app.Post("/login", async (ctx) => void await auth.Login(ctx, { ID: "ada" }));
  app.Post("/logout", (ctx) => auth.Logout(ctx));
  class WhoController {
    readonly #ctx = mvc.Inject(fw.Context);
    Conn!: websocket.Conn;
    OnWho() {
      return [this.Conn.User()?.ID ?? "", this.#ctx.User()?.ID ?? "", this.Conn.Context().User()?.ID ?? ""].join();
    }
  }
  mvc.New(app.Party("/who")).HandleWebsocket(WhoController);
  const server = websocket.New({ Sessions: manager });
  server.On("who", (conn) => conn.Context().User()?.ID ?? "");
  app.Get("/ws", websocket.Handler(server));
  const test = httptest.New(app);
  // Nothing connects it with the login, so it has no user until the page opens a new connection.
  const stranger = await test.WebSocket("/ws");
  await test.POST("/visit").Expect().Status(200);
  const visitor = await test.WebSocket("/ws");
  await visitor.ExpectReply("who", null, "");
  await test.POST("/login").Expect().Status(200);
  // Clients connect again after this code.
  await visitor.ExpectClose(4409);
  await stranger.ExpectReply("who", null, "");
  const [controller, user] = [await test.WebSocket("/who"), await test.WebSocket("/ws")];
  await controller.ExpectReply("who", null, "ada,ada,ada");
  await user.ExpectReply("who", null, "ada");
  await test.POST("/logout").Expect().Status(200);
  await user.ExpectClose(4401);
  await stranger.Close();
  await controller.Close();
});
