import { assertEquals, assertRejects } from "@std/assert";
import * as fw from "@fw/web";
import * as client from "@fw/web/client";
import * as httptest from "@fw/web/httptest";
import * as live from "@fw/web/live";
import * as mvc from "@fw/web/mvc";
import * as websocket from "@fw/web/websocket";
import { listen, quiet } from "../../serving.ts";

class Teapot extends Error {
  readonly Status = 418;
}

/** The values that a method returns, with their status and message in a response. */
const rows: Readonly<Record<string, readonly [value: () => unknown, status: number, message: string]>> = {
  plain: [() => new Error("no tea"), 400, "no tea"],
  type: [() => new TypeError("no tea"), 400, "no tea"],
  status: [() => new Teapot("no coffee"), 418, "no coffee"],
  http: [() => new fw.HTTPError(409, "taken"), 409, "taken"],
  promise: [() => Promise.resolve(new Error("no tea")), 400, "no tea"],
  pair: [() => mvc.Tuple("x", new Error("no tea")), 400, "no tea"],
  withStatus: [() => mvc.Tuple(new Error("no tea"), 404), 404, "no tea"],
  statusFirst: [() => mvc.Tuple(404, new Error("no tea")), 404, "no tea"],
  wrongStatus: [() => mvc.Tuple(new Error("no tea"), 200), 400, "no tea"],
};

class RouteController {
  GetBy(name = "") {
    return rows[name]?.[0]();
  }
}

class EventController {
  static Namespace = "events";
  OnRow(name = "") {
    return rows[name]?.[0]();
  }
  OnRoomJoin(room = "") {
    return rows[room]?.[0]();
  }
}

function newApp(): fw.Application {
  const app = quiet();
  const server = websocket.New({ Hub: live.New() });
  server.On("row", (_conn, data) => rows[String(data)]?.[0]());
  server.On(websocket.OnRoomJoin, (_conn, room) => room === "open" ? undefined : rows[room]?.[0]());
  server.On(websocket.OnRoomLeave, () => new Error("stay") as unknown as false);
  server.Namespace("closed").On(websocket.OnNamespaceConnect, () => new Error("members only") as unknown as false);
  mvc.New(app.Party("/route")).Handle(RouteController);
  mvc.New(app.Party("/ws")).Register(server).HandleWebsocket(EventController);
  return app;
}

/** Returns the status and the message that a live client receives. */
async function failureOf(asked: Promise<unknown>): Promise<unknown> {
  const error: unknown = await asked.then((value) => value, (error) => error);
  return client.IsLiveError(error) ? [error.Status, error.message] : error;
}

Deno.test("HandleWebsocket() gives a returned error the status and message that it has in a response", async () => {
  const app = newApp();
  const { url, ended } = await listen(app);
  const controller = client.Live(`${url}ws`, { Namespace: "events" });
  const plain = client.Live(`${url}ws`);
  try {
    for (const [name, [, status, message]] of Object.entries(rows)) {
      const response = await fetch(`${url}route/${name}`);
      assertEquals([response.status, await response.text()], [status, message], name);
      assertEquals(await failureOf(controller.Ask("row", name)), [status, message], name);
      assertEquals(await failureOf(controller.Send("row", name)), [status, message], name);
      assertEquals(await failureOf(controller.Join(name)), [status, message], name);
      const isTuple = name.toLowerCase().includes("status") && name !== "status" || name === "pair";
      if (isTuple) continue;
      assertEquals(await failureOf(plain.Ask("row", name)), [status, message], name);
      assertEquals(await failureOf(plain.Send("row", name)), [status, message], name);
      assertEquals(await failureOf(plain.Join(name)), [status, message], name);
    }
    const closed = client.Live(`${url}ws`, { Namespace: "closed" });
    assertEquals(await failureOf(closed.Ask("row", "plain")), [400, "members only"]);
    closed.Close();
  } finally {
    controller.Close();
    plain.Close();
    await app.Shutdown();
    await ended;
  }
});

Deno.test("server.On() refuses a room or a namespace if its guard returns an error, in process", async () => {
  const socket = await httptest.New(newApp()).WebSocket("/ws");
  await assertRejects(() => socket.Join("plain"), Error, "no tea");
  await socket.Join("open");
  await assertRejects(() => socket.Leave("open"), Error, "stay");
  await assertRejects(() => socket.Connect("closed"), Error, "members only");
  await socket.Close();
});
