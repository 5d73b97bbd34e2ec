/** Tests that replies pass through the same result handlers as responses. */

import { assertEquals, assertRejects } from "@std/assert";
import * as fw from "../../../mod.ts";
import * as mvc from "../../../mvc/mod.ts";
import * as httptest from "../../../src/tools/httptest/mod.ts";
import * as live from "../../../src/live/hub/mod.ts";
import * as websocket from "../../../src/live/websocket/mod.ts";
import * as socketio from "../../../src/live/websocket/socketio.ts";
import { quiet } from "../../serving.ts";
import { Op } from "../../../src/live/websocket/wire/packet.ts";
import { sendPacket } from "../../live/websocket/send_packet.ts";

const user = { name: "ada", password: "engine" };

class Connection {
  [Symbol.dispose](): void {}
}

class UserController {
  OnUser() {
    return { ...user };
  }

  async OnLater() {
    return await Promise.resolve({ ...user });
  }

  OnTuple() {
    return mvc.Tuple({ ...user }, 200);
  }

  OnOwner(_connection = mvc.Inject(Connection)) {
    return { ...user };
  }

  OnList() {
    return [user];
  }

  OnText() {
    return "text";
  }

  OnNothing() {
    return null;
  }

  OnAnyEvent() {
    return { ...user };
  }

  OnRoomJoin() {
    return true;
  }
}

type Hide = (value: unknown) => unknown;

/** Serves the controller over HTTP, with fw's protocol and with Socket.IO, behind a result handler. */
function site(use: (m: mvc.Application, hide: Hide) => unknown) {
  const app = quiet();
  app.Configure(fw.WithoutPathCorrectionRedirection);
  const server = websocket.New({ Hub: live.New() });
  const m = mvc.New(app.Party("/ws")).Register(
    server,
    mvc.Provide(Connection, mvc.PerRequest(() => new Connection())),
  );
  use(m, (value) => JSON.parse(JSON.stringify(value, (name, each) => name === "password" ? undefined : each)));
  m.HandleWebsocket(UserController);
  app.Get("/socket.io", socketio.Handler(server));
  return httptest.New(app);
}

const events = ["user", "later", "tuple", "owner", "unknown", "_unknown", "_OnRoomJoin"];

Deno.test("UseResultHandler() removes a member from the replies to all events, as from a response", async () => {
  const test = site((m, hide) => m.UseResultHandler((next) => (ctx, value) => next(ctx, hide(value))));
  const socket = await test.WebSocket("/ws");
  for (const event of events) assertEquals([event, await socket.Ask(event)], [event, { name: "ada" }]);
  assertEquals(await socket.Ask("list"), [{ name: "ada" }]);
  assertEquals([await socket.Ask("text"), await socket.Ask("nothing")], ["text", null]);
  await socket.Join("tea");
  await socket.Close();
});

Deno.test("UseResultHandler() removes a member from the replies to Socket.IO and repeated events", async () => {
  const test = site((m, hide) =>
    m.UseResultHandler((next) => async (ctx, value) => await next(ctx, await Promise.resolve(hide(value))))
  );
  const io = await test.WebSocket("/socket.io?EIO=4&transport=websocket", { Protocols: [] });
  io.Write("40");
  const heard = [await io.ExpectMessage(), await io.ExpectMessage()];
  for (const [id, event] of events.entries()) {
    io.Write(`42${id}["${event}"]`);
    assertEquals(await io.ExpectMessage(), `43${id}[{"name":"ada"}]`);
  }
  assertEquals(heard.length, 2);
  await io.Close();
  const socket = await test.WebSocket("/ws");
  for (let round = 0; round < 2; round++) {
    const { reply, text } = await sendPacket(socket, Op.Once, '"","later",null,"key"');
    assertEquals([reply, text.includes("engine")], [{ name: "ada" }, false]);
  }
  await socket.Close();
});

Deno.test("UseResultHandler() replies with what a handler passes on, and with nothing if it writes to the context", async () => {
  const seen: unknown[] = [];
  const test = site((m) =>
    m.UseResultHandler((_next) => (ctx, value) => {
      seen.push(value);
      ctx.JSON(value);
    })
  );
  const socket = await test.WebSocket("/ws");
  assertEquals([await socket.Ask("user"), seen], [null, [user]]);
  await socket.Close();
});

Deno.test("UseResultHandler() replies with the error that a handler returns, throws or passes on", async () => {
  const refused = () => new fw.HTTPError(403, "Not yours");
  const ways: fw.ResultMiddleware[] = [
    (_next) => () => refused(),
    (_next) => () => {
      throw refused();
    },
    (next) => (ctx) => next(ctx, refused()),
    (next) => async (ctx) => await next(ctx, mvc.Tuple("Not yours", 403)),
  ];
  for (const way of ways) {
    const socket = await site((m) => m.UseResultHandler(way)).WebSocket("/ws");
    const error = await assertRejects(() => socket.Ask("user"), Error, "Not yours");
    assertEquals((error as Error & { Status?: number }).Status, 403);
    await socket.Close();
  }
});

Deno.test("UseResultHandler() of a party handles replies before that of its controllers", async () => {
  const app = quiet();
  const order: string[] = [];
  const note = (name: string): fw.ResultMiddleware => (next) => (ctx, value) => {
    order.push(name);
    return next(ctx, value);
  };
  app.ConfigureContainer().UseResultHandler(note("application"));
  const party = app.Party("/ws");
  party.ConfigureContainer().UseResultHandler(note("party"));
  mvc.New(party).Register(mvc.Provide(Connection, new Connection())).UseResultHandler(note("mvc"))
    .HandleWebsocket(UserController);
  const socket = await httptest.New(app).WebSocket("/ws");
  await socket.Ask("user");
  assertEquals(order, ["application", "party", "mvc"]);
  await socket.Close();
});
