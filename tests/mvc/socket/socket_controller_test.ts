import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { z } from "npm:zod@^4";
import * as fw from "../../../mod.ts";
import * as mvc from "../../../mvc/mod.ts";
import * as client from "../../../src/api/client/mod.ts";
import { FrameworkError } from "../../../src/base/errors/errors.ts";
import * as live from "../../../src/live/hub/mod.ts";
import * as websocket from "../../../src/live/websocket/mod.ts";
import * as httptest from "../../../src/tools/httptest/mod.ts";
import { logged, overSocket, quiet } from "../../serving.ts";

const say = z.object({ room: z.string(), text: z.string().max(10) });

class Rooms {
  may(room: string): boolean {
    return room.startsWith("tea");
  }
}

class Audit {
  static open = 0;
  static closed = 0;
  constructor() {
    Audit.open++;
  }
  [Symbol.dispose](): void {
    Audit.closed++;
  }
}

class ChatController {
  static Namespace = "chat";
  Conn!: websocket.Conn;
  Emits!: { said: { by: string; text: string }; count: number };
  rooms = mvc.Inject(Rooms);
  #count = 0;

  OnRoomJoin(room = "") {
    return this.rooms.may(room);
  }

  async OnSay(message = mvc.Body(say)) {
    await this.Conn.To(message.room).Emit("said", { by: this.Conn.ID, text: message.text });
    return { ok: true, at: new Date(0) };
  }

  OnCount(step = 1) {
    return this.#count += step;
  }

  OnAudit(audit = mvc.Inject(Audit)) {
    return audit instanceof Audit;
  }

  OnFail() {
    throw new Error("secret");
  }

  OnReturned() {
    return new fw.HTTPError(409, "Taken");
  }

  OnTuple() {
    return mvc.Tuple(fw.NewProblem({ Status: 402, Detail: "Pay first", Extensions: { balance: 30 } }), 402);
  }
}

function chat(): { app: fw.Application; lines: string[] } {
  const { app, lines } = logged();
  mvc.New(app.Party("/ws"))
    .Register(new Rooms(), websocket.New({ Hub: live.New() }), mvc.Provide(Audit, mvc.PerRequest(() => new Audit())))
    .HandleWebsocket(ChatController);
  return { app, lines };
}

Deno.test("HandleWebsocket() creates a controller per connection", async () => {
  const { app, lines } = chat();
  const test = httptest.New(app);
  const [one, other] = [await test.WebSocket("/ws"), await test.WebSocket("/ws")];
  assertEquals(
    [await one.Ask("count", 2, { Namespace: "chat" }), await one.Ask("count", null, { Namespace: "chat" })],
    [2, 3],
  );
  assertEquals(await other.Ask("count", 5, { Namespace: "chat" }), 5);
  await assertRejects(() => one.Ask("count", "x", { Namespace: "chat" }), Error, "expects a number");
  await other.Join("tea", { Namespace: "chat" });
  await assertRejects(() => other.Join("beer", { Namespace: "chat" }), Error, "not allowed");
  assertEquals(await one.Ask("say", { room: "tea", text: "hi" }, { Namespace: "chat" }), {
    ok: true,
    at: "1970-01-01T00:00:00.000Z",
  });
  assertEquals((await other.ExpectEvent("said") as { text: string }).text, "hi");
  await assertRejects(
    () => one.Ask("say", { room: "tea", text: "far too long" }, { Namespace: "chat" }),
    Error,
    "Cannot accept",
  );
  await assertRejects(() => one.Ask("fail", null, { Namespace: "chat" }), Error, "Internal Server Error");
  await assertRejects(() => one.Ask("returned", null, { Namespace: "chat" }), Error, "Taken");
  await assertRejects(() => one.Ask("roomJoin", "x", { Namespace: "chat" }), Error, "No handler");
  const refused = await assertRejects(() => one.Ask("tuple", null, { Namespace: "chat" }), Error, "Pay first");
  assertEquals((refused as Error & { Problem: { balance: number } }).Problem.balance, 30);
  assert(lines.some((line) => line.includes("secret")));
  await one.Close();
  await other.Close();
});

Deno.test("HandleWebsocket() creates dependencies per event and disposes of them", async () => {
  const { app } = chat();
  const socket = await httptest.New(app).WebSocket("/ws");
  const before = Audit.closed;
  assertEquals(await socket.Ask("audit", null, { Namespace: "chat" }), true);
  assertEquals(await socket.Ask("audit", null, { Namespace: "chat" }), true);
  assertEquals(Audit.closed - before, 2);
  await socket.Close();
});

Deno.test("HandleWebsocket() rejects missing dependencies and controllers without events", () => {
  const app = quiet();
  mvc.New(app.Party("/ws")).HandleWebsocket(ChatController);
  assertThrows(() => app.Build(), FrameworkError, "Rooms");
  class Silent {
    Get() {}
  }
  assertThrows(() => mvc.New(quiet()).HandleWebsocket(Silent), FrameworkError, 'no method "OnX"');
});

Deno.test("HandleWebsocket() serves plain WebSocket clients if the controller has OnNativeMessage", async () => {
  class Plain {
    Conn!: websocket.Conn;
    OnNativeMessage(data: string | Uint8Array<ArrayBuffer>) {
      this.Conn.Write(typeof data === "string" ? `${data}!` : data);
    }
  }
  class Named extends Plain {
    static Namespace = "chat";
  }
  const app = quiet();
  const m = mvc.New(app.Party("/ws"));
  assertThrows(() => m.HandleWebsocket(Named), FrameworkError, '"OnNativeMessage" requires the default namespace');
  m.HandleWebsocket(Plain);
  const socket = await httptest.New(app).WebSocket("/ws", { Protocols: [] });
  socket.Write("hello");
  await socket.ExpectMessage("hello!");
  socket.Write(new Uint8Array([1, 2]));
  await socket.ExpectMessage(new Uint8Array([1, 2]));
  await socket.Close();
});

Deno.test("HandleWebsocket() rejects two controllers of the same namespace", async () => {
  class One {
    OnA() {}
  }
  class Two {
    OnB() {}
  }
  const m = mvc.New(quiet());
  m.HandleWebsocket(One);
  assertThrows(() => m.HandleWebsocket(Two), FrameworkError, 'Cannot serve "Two": "One" serves the same namespace ""');
  const app = quiet();
  const server = websocket.New();
  mvc.New(app.Party("/one")).Register(server).HandleWebsocket(One);
  mvc.New(app.Party("/two")).Register(server).HandleWebsocket(Two);
  await assertRejects(
    async () => await app.Build(),
    FrameworkError,
    'Cannot serve "Two": the namespace "" already has',
  );
});

Deno.test("HandleWebsocket() rejects a method with several parameters for data", () => {
  class Pairs {
    OnAnyEvent(_data: unknown, _event = "") {}
    OnPair(_name = "", _count = 0) {}
  }
  class Triples {
    OnTriple(_a: string, _b: string, _c: string) {}
  }
  const m = mvc.New(quiet());
  assertThrows(() => m.HandleWebsocket(Pairs), FrameworkError, '"OnPair" has several parameters for data');
  assertThrows(() => m.HandleWebsocket(Triples), FrameworkError, '"OnTriple" has several parameters for data');
});

Deno.test("HandleWebsocket() passes bytes to a method, and its bytes to the client", async () => {
  class Pictures {
    Conn!: websocket.Conn<Pictures["Emits"]>;
    Emits!: { mirrored: Uint8Array<ArrayBuffer> };
    OnMirror(bytes = new Uint8Array()) {
      this.Conn.Emit("mirrored", bytes.toReversed());
      return bytes.length;
    }
    async OnNegate() {
      const bytes = await this.Conn.Ask("pixels") as Uint8Array;
      return bytes.map((each) => 255 - each);
    }
  }
  const app = quiet();
  mvc.New(app.Party("/ws")).HandleWebsocket(Pictures);
  const socket = await httptest.New(app).WebSocket("/ws");
  assertEquals(await socket.Ask("mirror", new Uint8Array([1, 2, 3])), 3);
  assertEquals(await socket.ExpectEvent("mirrored"), new Uint8Array([3, 2, 1]));
  socket.Handle("pixels", () => Promise.resolve(new Uint8Array([0, 255])));
  assertEquals(await socket.Ask("negate"), new Uint8Array([255, 0]));
  await socket.Close();
  await overSocket(app, async (_ask, port) => {
    const connection = client.Live<Pictures>(`http://127.0.0.1:${port}/ws`);
    const mirrored = new Promise<Uint8Array>((resolve) => connection.Once("mirrored", resolve));
    assertEquals(await connection.Ask("mirror", new Uint8Array([1, 2]), { Timeout: 5_000 }), 2);
    assertEquals(await mirrored, new Uint8Array([2, 1]));
    connection.Close();
  });
});

Deno.test("client.Live() uses the types of a controller", async () => {
  const { app } = chat();
  await overSocket(app, async (_ask, port) => {
    const connection = client.Live<ChatController>(`http://127.0.0.1:${port}/ws`, { Namespace: "chat" });
    const said = new Promise<{ by: string; text: string }>((resolve) => connection.On("said", resolve));
    await connection.Join("tea");
    const reply = await connection.Ask("say", { room: "tea", text: "hello" });
    const at: string = reply.at;
    assertEquals([reply.ok, at], [true, "1970-01-01T00:00:00.000Z"]);
    assertEquals((await said).text, "hello");
    assertEquals(await connection.Ask("count", 4) satisfies number, 4);
    // @ts-expect-error the text must be a string
    await assertRejects(() => connection.Ask("say", { room: "tea", text: 5 }));
    // @ts-expect-error there is no such event
    await assertRejects(() => connection.Ask("shout"));
    // @ts-expect-error there is no such event
    connection.On("heard", () => {});
    connection.Close();
  });
});

Deno.test("HandleWebsocket() rejects events with invalid data", async () => {
  const { app } = chat();
  const issues = [
    { pointer: "#/room", detail: "Invalid input: expected string, received number" },
    { pointer: "#/text", detail: "Too big: expected string to have <=10 characters" },
  ];
  const bad = { room: 5, text: "much too long" };
  const socket = await httptest.New(app).WebSocket("/ws");
  const error = await assertRejects(() => socket.Ask("say", bad, { Namespace: "chat" }));
  assert(client.IsLiveError(error));
  assertEquals([error.Status, error.Errors.map(({ pointer, detail }) => ({ pointer, detail }))], [422, issues]);
  await socket.Close();
  await overSocket(app, async (_ask, port) => {
    const connection = client.Live<ChatController>(`ws://127.0.0.1:${port}/ws`, { Namespace: "chat" });
    const invalid = await assertRejects(() => connection.Ask("say", bad as unknown as { room: string; text: string }));
    assert(client.IsLiveError(invalid));
    assertEquals(invalid.Errors.map(({ pointer, detail }) => ({ pointer, detail })), issues);
    const taken = await assertRejects(() => connection.Ask("returned"));
    assert(client.IsLiveError(taken));
    assertEquals([taken.Status, taken.message, taken.Errors], [409, "Taken", []]);
    connection.Close();
  });
});
