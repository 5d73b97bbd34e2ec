/**
 * An application whose requests are traced. It sends some requests to itself and exits.
 *
 * @module
 */

import * as fw from "../../mod.ts";
import * as mvc from "../../mvc/mod.ts";
import * as requestid from "../../src/middleware/requestid.ts";
import * as telemetry from "../../src/middleware/telemetry.ts";

class Orders {
  GetBy(id = 0n): string {
    return String(id);
  }
}

const app = fw.New();
app.Logger().SetLevel("disable");
app.UseRouter(requestid.New(), telemetry.New({ Attributes: () => ({ "app.zone": "north" }) }));
app.Get("/users/{id:int}", async (ctx) => {
  await Promise.resolve();
  ctx.WriteString("ada");
});
app.Get("/fail", () => {
  throw new Error("boom");
});
app.Get("/refuse", () => {
  throw new fw.HTTPError(409, "taken");
});
mvc.New(app.Party("/orders")).Handle(Orders);

const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, app.fetch);
for (const path of ["/users/5", "/orders/7", "/fail", "/refuse", "/nowhere"]) {
  const headers = { "x-request-id": `id-of-${path.slice(1).replace("/", "-")}` };
  await (await fetch(`http://127.0.0.1:${server.addr.port}${path}`, { headers })).text();
}
await server.shutdown();
