/** Tests events that are applied once while Redis or NATS is restarted. */

import { assertEquals } from "@std/assert";
import * as live from "../../../src/live/hub/mod.ts";
import * as websocket from "../../../src/live/websocket/mod.ts";
import { Op } from "../../../src/live/websocket/wire/packet.ts";
import * as httptest from "../../../src/tools/httptest/mod.ts";
import { logged } from "../../serving.ts";
import { sendPacket } from "../websocket/send_packet.ts";
import { clusterStores } from "./cluster_stores.ts";

for (const [key, store] of Object.entries(clusterStores)) {
  Deno.test({
    name: `Server replies 409 to an event whose outcome cannot be recorded, and 503 to one that did not run (${key})`,
    ignore: !store.isInstalled,
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      const shared = store.open({ isDurable: true });
      await shared.start();
      const hub = live.New({
        Backplane: store.backplane({ url: shared.url, name: "once", Timeout: 1_000 }),
        OnError() {},
      });
      const server = websocket.New({ Hub: hub });
      let applied = 0;
      server.On("pay", async () => {
        applied++;
        await shared.kill();
        return "paid";
      });
      server.On("tell", async (conn) => {
        applied++;
        await shared.kill();
        await conn.To("tea").Emit("told", applied);
      });
      server.On("count", () => ++applied);
      const { app } = logged();
      app.Get("/ws", websocket.Handler(server));
      const socket = await httptest.New(app).WebSocket("/ws");
      const send = async (event: string, name: string) => {
        const { error, reply } = await sendPacket(socket, Op.Once, `"","${event}",null,"${name}"`);
        return error?.Status ?? reply;
      };
      try {
        for (const event of ["pay", "tell"]) {
          const before = applied;
          assertEquals([await send(event, event), applied - before], [409, 1]);
          assertEquals([await send("count", "none"), applied - before], [503, 1]);
          await shared.start();
          let repeated = await send(event, event);
          // The hub may not have reconnected yet.
          for (let tries = 0; repeated === 503 && tries < 100; tries++) {
            await new Promise((resolve) => setTimeout(resolve, 50));
            repeated = await send(event, event);
          }
          assertEquals([repeated, applied - before], [409, 1]);
        }
      } finally {
        await socket.Close();
        await hub.Close();
        await shared.close();
      }
    },
  });
}
