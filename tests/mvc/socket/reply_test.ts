import { assertEquals, assertRejects } from "@std/assert";
import * as mvc from "../../../mvc/mod.ts";
import * as client from "../../../src/api/client/mod.ts";
import * as httptest from "../../../src/tools/httptest/mod.ts";
import "../../../src/live/websocket/mod.ts";
import type * as websocket from "../../../src/live/websocket/mod.ts";
import { overSocket, quiet } from "../../serving.ts";

class Users {
  Conn!: websocket.Conn;
  OnFind(id = 0) {
    return mvc.Tuple({ id }, id === 1);
  }
  OnAdd(name = "") {
    return name === "" ? mvc.Tuple({ name }, 422) : mvc.Tuple({ name }, 201);
  }
  OnRename(name = "") {
    return name === "taken" ? mvc.Tuple(409, "The name is taken") : mvc.Tuple(name, "text/plain");
  }
  OnCheck(id = 0) {
    return mvc.Tuple(id, id < 0 ? new Error("negative") : null);
  }
}

Deno.test("HandleWebsocket() gives a returned tuple the same meaning as in a response", async () => {
  const app = quiet();
  mvc.New(app.Party("/ws")).HandleWebsocket(Users);
  const socket = await httptest.New(app).WebSocket("/ws");
  assertEquals(await socket.Ask("find", 1), { id: 1 });
  await assertRejects(() => socket.Ask("find", 2), Error, "Not Found");
  assertEquals(await socket.Ask("add", "Ada"), { name: "Ada" });
  await assertRejects(() => socket.Ask("add", ""), Error, "Unprocessable Content");
  assertEquals(await socket.Ask("rename", "Ada"), "Ada");
  await assertRejects(() => socket.Ask("rename", "taken"), Error, "The name is taken");
  assertEquals(await socket.Ask("check", 5), 5);
  await assertRejects(() => socket.Ask("check", -5), Error, "negative");
  await socket.Close();
});

Deno.test("client.Live() types the value of a tuple", async () => {
  const app = quiet();
  mvc.New(app.Party("/ws")).HandleWebsocket(Users);
  await overSocket(app, async (_ask, port) => {
    const users = client.Live<Users>(`http://127.0.0.1:${port}/ws`);
    const id: number = (await users.Ask("find", 1)).id;
    const name: string = (await users.Ask("add", "Ada")).name;
    assertEquals([id, name], [1, "Ada"]);
    const error: unknown = await users.Ask("find", 2).catch((error) => error);
    assertEquals(client.IsLiveError(error) && error.Status, 404);
    users.Close();
  });
});
