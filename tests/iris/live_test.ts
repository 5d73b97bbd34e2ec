import * as client from "@fw/web/client";
import * as httptest from "@fw/web/httptest";
import * as jwt from "@fw/web/middleware/jwt";
import * as mvc from "@fw/web/mvc";
import * as websocket from "@fw/web/websocket";
import { assertEquals } from "@std/assert";
import { overSocket, quiet } from "../serving.ts";

Deno.test("example mvc/websocket: a controller counts visits for all clients and broadcasts to the others", async () => {
  let visits = 0;
  class PrefixedLogger {
    readonly lines: string[] = [];
    log(text: string): void {
      this.lines.push(`DEV: ${text}`);
    }
  }
  class ChatController {
    static Namespace = "default";
    Conn!: websocket.Conn<ChatController>;
    Emits!: { visit: number; chat: string };
    #logger = mvc.Inject(PrefixedLogger);

    async OnNamespaceConnected() {
      this.#logger.log("Connected");
      await this.Conn.Server().Broadcast(null, "visit", ++visits, { Namespace: this.Conn.Namespace });
    }
    async OnNamespaceDisconnect() {
      this.#logger.log("Disconnected");
      await this.Conn.Broadcast("visit", --visits);
    }
    async OnChat(text = "") {
      await this.Conn.Broadcast("chat", `${this.Conn.Context().RemoteAddr()}: ${text}`);
    }
  }
  const logger = new PrefixedLogger();
  const app = quiet();
  mvc.New(app.Party("/websocket")).Register(logger).HandleWebsocket(ChatController);
  const test = httptest.New(app);
  const [ann, bob] = [await test.WebSocket("/websocket"), await test.WebSocket("/websocket")];
  await ann.Connect("default");
  await ann.ExpectEvent("visit", 1);
  await bob.Connect("default");
  await ann.ExpectEvent("visit", 2);
  await bob.ExpectEvent("visit", 2);
  await ann.Ask("chat", "hello", { Namespace: "default" });
  await bob.ExpectEvent("chat", "127.0.0.1: hello");
  await bob.Close();
  await ann.ExpectEvent("visit", 1);
  await ann.Close();
  assertEquals(logger.lines.slice(0, 3), ["DEV: Connected", "DEV: Connected", "DEV: Disconnected"]);
});

Deno.test("example websocket/basic: clients with a token hear one another, also if they only listen", async () => {
  const app = quiet();
  const verifier = jwt.NewVerifier({ Algorithms: ["HS256"], Key: "My Secret My Secret My Secret My Secret" });
  const signer = jwt.NewSigner({ Algorithm: "HS256", Key: "My Secret My Secret My Secret My Secret", MaxAge: 60_000 });
  const server = websocket.New();
  const listening = Promise.withResolvers<void>();
  let connected = 0;
  server.Namespace("default")
    .On(websocket.OnNamespaceConnected, () => void (++connected === 2 && listening.resolve()))
    .On("chat", (conn, text) => conn.Broadcast("chat", text));
  app.Get("/echo", verifier.Handler(), websocket.Handler(server));
  await overSocket(app, async (ask, port) => {
    assertEquals((await ask("/echo")).status, 401);
    const Token = () => signer.Sign({ sub: "ada" });
    const url = `ws://127.0.0.1:${port}/echo`;
    const [speaker, listener] = [1, 2].map(() => client.Live(url, { Namespace: "default", Token }));
    const heard = new Promise((resolve) => listener?.On("chat", resolve));
    await listening.promise;
    speaker?.Emit("chat", "hello");
    assertEquals(await heard, "hello");
    speaker?.Close();
    listener?.Close();
  });
});
