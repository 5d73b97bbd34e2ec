import { assert, assertEquals } from "@std/assert";
import type * as fw from "../../../mod.ts";
import * as mvc from "../../../mvc/mod.ts";
import * as live from "../../../src/live/hub/mod.ts";
import * as websocket from "../../../src/live/websocket/mod.ts";
import * as httptest from "../../../src/tools/httptest/mod.ts";
import { logged } from "../../serving.ts";

/** Throws an error that clients must not see. */
function fail(place: string): never {
  throw new Error(`secret ${place}`);
}

function schemaOf(validate: () => never | Promise<never>): fw.StandardSchema<string> {
  return { "~standard": { version: 1, vendor: "test", validate } };
}

const broken = schemaOf(() => fail("validation"));
const brokenLater = schemaOf(async () => await Promise.resolve().then(() => fail("late validation")));

class Unavailable {}
class Undisposable {
  [Symbol.dispose](): void {
    fail("disposal");
  }
}

class FailingController {
  static Namespace = "failing";

  OnRoomJoin(room = "") {
    return room === "join" ? fail("join") : true;
  }

  OnRoomJoined(room = "") {
    if (room === "joined") fail("joined");
  }

  OnRoomLeave(room = "") {
    if (room === "leave") fail("leave");
  }

  OnRoomLeft(room = "") {
    if (room === "left") fail("left");
  }

  OnNamespaceDisconnect() {
    fail("disconnect");
  }

  OnValidation(_data = mvc.Body(broken)) {}

  OnLateValidation(_data = mvc.Body(brokenLater)) {}

  OnDependency(_dependency = mvc.Inject(Unavailable)) {}

  OnDisposal(_dependency = mvc.Inject(Undisposable)) {
    return "done";
  }

  OnRejected() {
    return Promise.reject({ toString: () => fail("conversion") });
  }

  OnProxy() {
    return new Proxy({}, { get: () => fail("proxy") });
  }

  OnThenable() {
    return { then: () => fail("thenable") };
  }
}

Deno.test("HandleWebsocket() logs errors of handlers, dependencies and schemas, and sends clients nothing about them", async () => {
  const { app, lines } = logged();
  const server = websocket.New({ Hub: live.New() });
  const ended = Promise.withResolvers<void>();
  server.OnDisconnect(() => fail("end"));
  server.OnDisconnect(() => ended.resolve());
  const connecting = server.Namespace("connecting");
  connecting.On(websocket.OnNamespaceConnect, () => fail("connect"));
  mvc.New(app.Party("/ws"))
    .Register(server, mvc.Provide(Unavailable, mvc.PerRequest(() => fail("dependency"))))
    .Register(mvc.Provide(Undisposable, mvc.PerRequest(() => new Undisposable())))
    .HandleWebsocket(FailingController);
  const socket = await httptest.New(app).WebSocket("/ws");
  const received: string[] = [];
  const receive = socket.received.bind(socket);
  socket.received = (message) => {
    received.push(String(message));
    receive(message);
  };
  const outcomeOf = (asked: Promise<unknown>) => asked.then((value) => value ?? "done", ({ message }) => message);
  const outcomes: Record<string, unknown> = {};
  const events = [
    "validation",
    "lateValidation",
    "dependency",
    "disposal",
    "rejected",
    "proxy",
    "thenable",
  ];
  for (const event of events) outcomes[event] = await outcomeOf(socket.Ask(event, "x", { Namespace: "failing" }));
  for (const room of ["join", "joined", "leave", "left"]) {
    const joined = await outcomeOf(socket.Join(room, { Namespace: "failing" }).then(() => "joined"));
    outcomes[room] = joined === "joined" ? await outcomeOf(socket.Leave(room, { Namespace: "failing" })) : joined;
  }
  outcomes["connect"] = await outcomeOf(socket.Connect("connecting"));
  assertEquals(Object.entries(outcomes).filter(([, outcome]) => outcome !== "Internal Server Error"), [
    ["disposal", "done"],
  ]);
  assertEquals(received.filter((message) => message.includes("secret")), []);
  await socket.Close();
  await ended.promise;
  for (const place of [...Object.keys(outcomes), "disconnect", "end"]) {
    const name = { rejected: "not an Error", lateValidation: "late validation" }[place] ?? `secret ${place}`;
    assert(lines.some((line) => line.includes(name)), `${place} is not in the log:\n${lines.join("\n")}`);
  }
});
