import { assertEquals, assertThrows } from "@std/assert";
import { FrameworkError } from "../../../src/base/errors/errors.ts";
import { Live } from "../../../src/live/websocket/client/live.ts";
import * as websocket from "../../../src/live/websocket/mod.ts";
import { overSocket, quiet } from "../../serving.ts";

Deno.test("Options.IdleTimeout and Options.AskTimeout can be Infinity", async () => {
  const server = websocket.New({ IdleTimeout: Infinity, AskTimeout: Infinity });
  server.On("ask", (conn) => conn.Ask("name"));
  const app = quiet();
  app.Get("/ws", websocket.Handler(server));
  await overSocket(app, async (_ask, port) => {
    const client = new Live(`http://127.0.0.1:${port}/ws`);
    const states: string[] = [];
    client.OnState((state) => states.push(state));
    client.On("name", () => new Promise((resolve) => setTimeout(() => resolve("Ada"), 50)));
    assertEquals(await client.Ask("ask"), "Ada");
    assertEquals(states, ["open"]);
    client.Close();
  });
});

Deno.test("Options.Protocols must be tokens", () => {
  assertThrows(() => websocket.New({ Protocols: ["a b"] }), FrameworkError, 'Cannot use "a b" as a subprotocol');
});
