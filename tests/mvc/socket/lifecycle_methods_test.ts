/** Tests that misspelled lifecycle methods are refused, and that a controller types the requests to its client. */

import { assertEquals, assertThrows } from "@std/assert";
import * as mvc from "../../../mvc/mod.ts";
import * as client from "../../../src/api/client/mod.ts";
import { FrameworkError } from "../../../src/base/errors/errors.ts";
import * as websocket from "../../../src/live/websocket/mod.ts";
import { overSocket, quiet } from "../../serving.ts";

/** Misspelled names and the names that were meant. */
const misspelled: Readonly<Record<string, string>> = {
  OnRoomJoind: "OnRoomJoined",
  OnRoomjoin: "OnRoomJoin",
  onRoomJoin: "OnRoomJoin",
  OnroomJoin: "OnRoomJoin",
  OnRoomJion: "OnRoomJoin",
  OnRomJoin: "OnRoomJoin",
  OnRoomLeav: "OnRoomLeave",
  OnRoomLeaft: "OnRoomLeft",
  "On_Room_Left": "OnRoomLeft",
  OnNameSpaceConnect: "OnNamespaceConnect",
  OnNamespaceConnet: "OnNamespaceConnect",
  OnNamspaceConected: "OnNamespaceConnected",
  OnNamespaceDisconnected: "OnNamespaceDisconnect",
  OnAnyEvents: "OnAnyEvent",
  OnNativeMesage: "OnNativeMessage",
};

/** Creates a controller with a method of a name. */
function controllerWith(name: string): new () => object {
  class Controller {}
  Object.defineProperty(Controller.prototype, name, { value: () => true, writable: true, configurable: true });
  Object.defineProperty(Controller.prototype, "OnSay", { value: () => true, writable: true, configurable: true });
  return Controller;
}

for (const [name, meant] of Object.entries(misspelled)) {
  Deno.test(`HandleWebsocket() and Server.On() refuse "${name}" and name "${meant}"`, () => {
    const m = mvc.New(quiet());
    assertThrows(
      () => m.HandleWebsocket(controllerWith(name)),
      FrameworkError,
      `"${name}" is probably a misspelling of "${meant}"`,
    );
    for (const event of [name, `_${name}`]) {
      assertThrows(() => websocket.New().On(event, () => true), FrameworkError, `"websocket.${meant}"`);
    }
  });
}

Deno.test("HandleWebsocket() and Server.On() accept events whose names only resemble lifecycle methods", () => {
  const names = [
    "OnRoomList",
    "OnRoomInfo",
    "OnRooms",
    "OnJoin",
    "OnJoined",
    "OnLeave",
    "OnLeft",
    "OnConnect",
    "OnMessage",
  ];
  for (const name of [...names, "OnNative", "OnAny", "OnEvent", "OnRoomMessage", "Online", "once", "on"]) {
    mvc.New(quiet()).HandleWebsocket(controllerWith(name));
    websocket.New().On(name, () => true);
    websocket.New().On(name.charAt(2).toLowerCase() + name.slice(3) || "x", () => true);
  }
});

class QuizController {
  Conn!: websocket.Conn<QuizController>;
  Emits!: { scored: { points: number } };
  Asks!: { guess: (question: { text: string }) => { answer: number }; ready: () => boolean };

  async OnStart() {
    if (!await this.Conn.Ask("ready")) return "not ready";
    const { answer } = await this.Conn.Ask("guess", { text: "6 x 7" }, { Timeout: 5_000 });
    this.Conn.Emit("scored", { points: answer === 42 ? 1 : 0 });
    return answer.toFixed(1);
  }
}

/** Checks types at compile time. It is never called. */
function checkTypes(
  conn: websocket.Conn<QuizController>,
  any: websocket.Conn,
  old: websocket.Conn<{ a: number }>,
) {
  // @ts-expect-error -- an unknown request
  void conn.Ask("ges", { text: "" });
  // @ts-expect-error -- the data is missing
  void conn.Ask("guess");
  // @ts-expect-error -- the data has another type
  void conn.Ask("guess", { text: 1 });
  // @ts-expect-error -- an unknown event
  conn.Emit("score", { points: 1 });
  // @ts-expect-error -- the reply is an object
  const reply: Promise<string> = conn.Ask("guess", { text: "" });
  void reply;
  void any.Ask("anything", 1, { Timeout: 5 });
  void any.Ask("anything");
  old.Emit("a", 1);
  // A typed connection can be passed wherever any connection is expected.
  void conn.To("tea").Except(conn).Emit("scored", { points: 1 });
  void old.To("tea").Except(old).Emit("a", 1);
  const untyped: websocket.Conn = conn;
  void untyped.ID;
  void old.Ask("anything", { at: 1 });
  // @ts-expect-error -- the data has another type
  old.Emit("a", "1");
  const live = client.Live<QuizController>("ws://localhost");
  // @ts-expect-error -- the reply has another type
  live.On("guess", () => "42");
  // @ts-expect-error -- an unknown request
  live.On("ges", () => ({ answer: 1 }));
}

void checkTypes;

Deno.test("Conn.Ask() has the types of the controller's field Asks, on both sides", async () => {
  const app = quiet();
  mvc.New(app.Party("/ws")).HandleWebsocket(QuizController);
  await overSocket(app, async (_ask, port) => {
    const live = client.Live<QuizController>(`ws://127.0.0.1:${port}/ws`);
    const scored = new Promise<number>((resolve) => live.On("scored", ({ points }) => resolve(points)));
    live.On("ready", () => true);
    live.On("guess", async ({ text }) => await Promise.resolve({ answer: text === "6 x 7" ? 42 : 0 }));
    assertEquals(await live.Ask("start"), "42.0");
    assertEquals(await scored, 1);
    live.Close();
  });
});
