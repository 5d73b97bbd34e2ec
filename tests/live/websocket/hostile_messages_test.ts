/** Messages of hostile clients. No message may affect the process or other connections. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import * as fw from "../../../mod.ts";
import * as httptest from "../../../src/tools/httptest/mod.ts";
import * as live from "../../../src/live/hub/mod.ts";
import { Op } from "../../../src/live/websocket/wire/packet.ts";
import * as socketio from "../../../src/live/websocket/socketio.ts";
import * as websocket from "../../../src/live/websocket/mod.ts";
import { logged } from "../../serving.ts";

function site(options: websocket.Options = {}): { test: httptest.Client; server: websocket.Server; lines: string[] } {
  const { app, lines } = logged();
  const server = websocket.New({ Hub: live.New(), MaxMessage: 1 << 20, ...options });
  server.On("echo", (_conn, data) => data);
  server.On("late", async (_conn, data) => await Promise.resolve(data));
  server.On("ask", (conn) => conn.Ask("question", null, { Timeout: 5_000 }));
  server.On(websocket.OnRoomJoin, () => true);
  app.Get("/ws", websocket.Handler(server));
  app.Get("/io", socketio.Handler(server));
  return { test: httptest.New(app), server, lines };
}

/** An object that throws when it is converted to a string or a number. */
const stubborn = '{"toString":1,"valueOf":1}';
const deep = "[".repeat(40_000) + "]".repeat(40_000);
const hostile = [stubborn, deep, `[${stubborn}]`, "null", "true", "-1", "1.5", "1e400", "9007199254740993", '""', "{}"];

Deno.test("Link closes only its own connection if a field of a packet has the wrong type", async () => {
  const { test, server, lines } = site();
  const witness = await test.WebSocket("/ws");
  const valid = ["1", '""', '"echo"', "null", '"key"'];
  for (const op of [...Object.values(Op), 16, 0.5, 1e9]) {
    for (let field = 0; field < valid.length; field++) {
      for (const value of hostile) {
        const socket = await test.WebSocket("/ws");
        socket.Write(`[${[op, ...valid.with(field, value)].join()}]`);
        await socket.Close();
      }
    }
  }
  await witness.ExpectReply("echo", 1, 1);
  await witness.Close();
  assertEquals([server.Connections(), lines], [0, []]);
});

Deno.test("Link closes the connection with 1007 if a name or an ID is not of its type", async () => {
  const { test } = site();
  for (const value of [stubborn, deep, "null", "true", "[]"]) {
    const packets = [
      `[1,${value},"","echo",1]`,
      `[1,1,${value},"echo",1]`,
      `[1,1,"",${value},1]`,
      `[3,${value},1]`,
      `[4,${value},1]`,
      `[5,1,${value},{}]`,
      `[6,1,${value}]`,
      `[7,1,"",${value}]`,
      `[8,1,"",${value}]`,
      `[9,1,${value}]`,
      `[14,1,"","echo",1,${value}]`,
    ];
    for (const packet of packets) {
      const socket = await test.WebSocket("/ws");
      socket.Write(packet);
      await socket.ExpectClose(1007);
    }
  }
});

Deno.test("Link reads binary messages with the same checks", async () => {
  const { test } = site();
  for (const head of [`[1,1,"",${stubborn}]`, `[1,${stubborn},"","echo"]`, '[7,1,"","room"]', "[1]", "5", ""]) {
    const bytes = new TextEncoder().encode(head);
    const socket = await test.WebSocket("/ws");
    socket.Write(new Uint8Array([bytes.length >> 8, bytes.length & 255, ...bytes]));
    await socket.ExpectClose(1007);
  }
});

Deno.test("Conn.Ask() rejects if the client replies with an error of any shape", async () => {
  const { test, lines } = site();
  const failures = [`{"Message":${stubborn}}`, stubborn, deep, "null", "5", '"x"', '{"Message":"No"}'];
  for (const failure of failures) {
    const socket = await test.WebSocket("/ws");
    const asked = assertRejects(() => socket.Ask("ask"), Error, "Internal Server Error");
    await socket.ExpectEvent("question");
    socket.Write(`[4,1,${failure}]`);
    // The reply has already been received, so a second one is ignored, like replies to other questions.
    socket.Write("[[3,1,1],[3,2,1],[3,999,1],[4,0,1]]");
    await asked;
    await socket.ExpectReply("echo", 1, 1);
    await socket.Close();
  }
  assertEquals(lines.filter((line) => line.includes("Cannot handle the event")).length, failures.length);
});

Deno.test("Server.On() replies with an error if the return value cannot be serialized", async () => {
  const { test, server, lines } = site();
  const values: Record<string, () => unknown> = {
    getter: () => ({
      get name() {
        throw new Error("secret getter");
      },
    }),
    toJSON: () => ({
      toJSON() {
        throw new Error("secret toJSON");
      },
    }),
    circular: () => {
      const value: Record<string, unknown> = { secret: 1 };
      return value["self"] = value;
    },
  };
  for (const [name, create] of Object.entries(values)) {
    server.On(name, create);
    server.On(`${name} later`, () => Promise.resolve(create()));
    server.On(`${name} once`, create);
    server.On(`${name} emitted`, (conn) => conn.Emit("x", create()));
    server.On(`${name} asked`, (conn) => conn.Ask("x", create(), { Timeout: 50 }));
  }
  const socket = await test.WebSocket("/ws");
  await socket.Ask("echo");
  for (const name of Object.keys(values)) {
    for (const kind of ["", " later", " emitted", " asked"]) {
      await assertRejects(() => socket.Ask(name + kind), Error, "Internal Server Error");
      assert(lines.pop()?.includes(`Cannot handle the event "${name}${kind}"`));
    }
  }
  // Nothing is left waiting for a reply that cannot come.
  await new Promise((resolve) => setTimeout(resolve, 100));
  await socket.ExpectReply("echo", 1, 1);
  await socket.Close();
  assertEquals(lines, []);
});

Deno.test("Link refuses to renew an identity with tokens that cannot be part of a header field", async () => {
  const { test, lines } = site();
  const socket = await test.WebSocket("/ws");
  for (const token of ["a\nb", "a\r\nx: y", "\u{1f375}", "a b", "\0"]) {
    await assertRejects(() => socket.Renew(token), Error, "could not be renewed");
  }
  await socket.Close();
  assertEquals(lines, []);
});

Deno.test("Handler() of socketio closes only the connection that sends malformed packets", async () => {
  const { test, lines } = site();
  const malformed: (string | Uint8Array<ArrayBuffer>)[][] = [
    [`451-["echo",${deep}]`, new Uint8Array([1])],
    ...["-1", "1", "0.5", '"0"', "null", stubborn, deep, '"length"', '"__proto__"', "1e400"].map((num) => [
      `451-["echo",{"_placeholder":true,"num":${num}}]`,
      new Uint8Array([1]),
    ]),
    ['450-["echo"]'],
    ['4511-["echo"]'],
    ['4599999999-["echo"]'],
    ['45-["echo"]'],
    ['452-["echo",{"_placeholder":true,"num":0}]', new Uint8Array([1]), "2"],
    [new Uint8Array([1])],
    [`42[${stubborn}]`],
    [`42[${deep}]`],
    ["42{}"],
    ["42"],
    ["42["],
    ["43[1]"],
    ["44"],
    ['42/other,["echo"]'],
    ["47"],
    ["5"],
    ['40/x,"5"'],
    ["4"],
    [""],
  ];
  for (const messages of malformed) {
    const socket = await test.WebSocket("/io?EIO=4&transport=websocket", { Protocols: [] });
    socket.Write("40");
    for (const message of messages) socket.Write(message);
    await socket.ExpectClose(1007);
  }
  assertEquals(lines, []);
});

Deno.test("fw.HTTPError tells a client no more over a socket than over HTTP", async () => {
  const { test, server } = site();
  server.On("public", () => {
    throw new fw.HTTPError(409, "Taken");
  });
  server.On("private", () => Promise.reject("secret"));
  const socket = await test.WebSocket("/ws");
  await assertRejects(() => socket.Ask("public"), Error, "Taken");
  const refused = await assertRejects(() => socket.Ask("private"), Error);
  assertEquals(refused.message.includes("secret"), false);
  await socket.Close();
});

Deno.test("Server applies an event with a key once, separately for each user, namespace and event", async () => {
  const { app } = logged();
  const server = websocket.New({ Hub: live.New() });
  let count = 0;
  for (const name of ["", "other"]) {
    server.Namespace(name).On("pay", (conn) => `${conn.User()?.ID} ${++count}`);
    server.Namespace(name).On("refund", () => `refund ${++count}`);
    server.Namespace(name).On("bytes", () => new Uint8Array([1, 2, ++count]));
  }
  app.Get("/{user}", (ctx) => {
    ctx.SetUser({ ID: ctx.Params().Get("user"), Name: "", Roles: [], Method: "test" });
    return ctx.Next();
  }, websocket.Handler(server));
  const test = httptest.New(app);
  const packets = [
    ["a", '"","pay",null,"k"'],
    ["a:", '"","pay",null,"k"'],
    ["a", '"","pay",null,":k"'],
    ["a", '"","refund",null,"k"'],
    ["a", '"other","pay",null,"k"'],
    ["b", '"","pay",null,"k"'],
    ["b", '"","bytes",null,"k"'],
  ];
  const replies: string[][] = [];
  for (let round = 0; round < 2; round++) {
    const heard: string[] = [];
    for (const [user, packet] of packets) {
      const socket = await test.WebSocket(`/${encodeURIComponent(user ?? "")}`);
      const received = Promise.withResolvers<void>();
      const receive = socket.received.bind(socket);
      socket.received = (message) => {
        receive(message);
        // The reply may be joined with the packet that opens the connection.
        const text = typeof message === "string" ? /\[3,5,[^\]]*\]/.exec(message)?.[0] : [...message].join();
        if (text === undefined) return;
        heard.push(text);
        received.resolve();
      };
      socket.Write(`[14,5,${packet}]`);
      await received.promise;
      await socket.Close();
    }
    replies.push(heard);
  }
  assertEquals(count, packets.length);
  assertEquals(replies[1], replies[0]);
  assertEquals(new Set(replies[0]).size, packets.length);
});

Deno.test("Handler() of socketio limits the namespaces that a client asks for", async () => {
  const { test } = site({ MaxQueued: 1_000 });
  const socket = await test.WebSocket("/io?EIO=4&transport=websocket", { Protocols: [] });
  for (let n = 0; n <= 100; n++) socket.Write(`40/${n},`);
  await socket.ExpectClose(1007);
  const other = await test.WebSocket("/io?EIO=4&transport=websocket", { Protocols: [] });
  other.Write(`40/${"x".repeat(300)},`);
  await other.ExpectClose(1007);
});
