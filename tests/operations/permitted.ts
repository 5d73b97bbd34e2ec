/**
 * Uses one feature in a process with few permissions: `permitted.ts FEATURE PLACE`. Prints "works" or the error.
 */

import * as fw from "../../mod.ts";
import type { Backplane } from "../../src/live/hub/backplane.ts";

const [feature = "", place = "", other = ""] = Deno.args;
const app = fw.New().Configure(fw.WithoutStartupLog);

async function listen(runner: fw.Runner): Promise<void> {
  app.Get("/", (ctx) => ctx.WriteString("works"));
  app.Configure(fw.WithOnListen(() => void app.Shutdown()));
  const error = await app.Run(runner);
  if (error instanceof Error) throw error;
}

/** Sends a form with a file of 300,000 bytes. */
async function post(path: string): Promise<void> {
  const form = new FormData();
  form.set("file", new File(["x".repeat(300_000)], "a.txt"));
  const response = await app.fetch(new Request(`http://localhost${path}`, { method: "POST", body: form }));
  const text = await response.text();
  if (text !== "300000") throw new Error(text);
}

async function publish(backplane: Backplane): Promise<void> {
  try {
    await backplane.Publish("a", "1", { History: 1, For: 1000 });
  } finally {
    await backplane.Close();
  }
}

const features: Record<string, () => Promise<void>> = {
  "fw.Addr": () => listen(fw.Addr(place)),
  "fw.TLS": () => listen(fw.TLS(place, ...other.split(",") as [string, string])),
  "fw.Unix": () => listen(fw.Unix(place, { Mode: 0o660 })),
  async "app.HandleDir"() {
    app.HandleDir("/", place);
    const response = await app.fetch(new Request("http://localhost/a.txt"));
    if (await response.text() !== "a") throw new Error(`--allow-read is missing: ${response.status}`);
  },
  async "ctx.ServeFile"() {
    app.Get("/", (ctx) => ctx.ServeFile(`${place}/a.txt`));
    const response = await app.fetch(new Request("http://localhost/"));
    if (await response.text() !== "a") throw new Error(`--allow-read is missing: ${response.status}`);
  },
  async "views"() {
    app.RegisterView(fw.HTML(place, ".txt"));
    app.Get("/", (ctx) => ctx.View("a"));
    const response = await app.fetch(new Request("http://localhost/"));
    if (await response.text() !== "a") throw new Error(`--allow-read is missing: ${response.status}`);
  },
  async "ctx.UploadFormFiles"() {
    app.Post("/", async (ctx) => {
      const [size, error] = await ctx.UploadFormFiles(place);
      ctx.WriteString(error === null ? String(size) : error.message);
    });
    await post("/");
  },
  async "Forms with files"() {
    app.Configure(fw.WithPostMaxMemory(1000));
    app.Post("/", async (ctx) => {
      try {
        const file = (await ctx.FormData()).get("file");
        ctx.WriteString(file instanceof File ? String((await file.bytes()).length) : "no file");
      } catch (error) {
        ctx.WriteString(String(error));
      }
    });
    await post("/");
  },
  async "@fw/web/sessions/sqlite"() {
    const { New } = await import("../../src/state/store/sqlite.ts");
    const store = New({ File: place });
    await store.Set("a", "1", 1000);
    if (await store.Get("a") !== "1") throw new Error("It is lost");
    await store.Close?.();
  },
  async "@fw/web/sessions/redis"() {
    const { New } = await import("../../src/state/redis/store.ts");
    const { closeClient, newClient } = await import("../state/redis/clients.ts");
    const client = newClient(`redis://${place}`);
    const store = New(client);
    try {
      await store.Set("a", "1", 1000);
    } finally {
      await store.Close?.();
      await closeClient(client);
    }
  },
  async "@fw/web/live/sqlite"() {
    const { New } = await import("../../src/live/hub/sqlite/mod.ts");
    await publish(New({ File: place }));
  },
  async "@fw/web/live/redis"() {
    const { New } = await import("../../src/live/hub/redis.ts");
    const { withClient } = await import("../state/redis/clients.ts");
    await publish(withClient(`redis://${place}`, New));
  },
  async "@fw/web/live/nats"() {
    const { withNats } = await import("../live/hub/nats_clients.ts");
    await publish(withNats(`nats://${place}`));
  },
  async "@fw/web/sessions/kv"() {
    using kv = await Deno.openKv(place);
    await kv.set(["a"], 1);
  },
  async "jwt"() {
    const { New } = await import("../../src/middleware/jwt/mod.ts");
    app.Get("/", New({ JWKS: `http://${place}/keys`, Issuer: "a", Audience: "b", Algorithms: ["RS256"] }));
    const token = `${btoa(`{"alg":"RS256","kid":"1"}`)}.${btoa("{}")}.AAAA`.replaceAll("=", "");
    await app.fetch(new Request("http://localhost/", { headers: { authorization: `Bearer ${token}` } }));
  },
  async "oauth"() {
    const { New } = await import("../../src/middleware/oauth/mod.ts");
    const sessions = await import("../../src/state/sessions/mod.ts");
    const RedirectURL = "http://localhost/callback";
    const Sessions = sessions.New({ Cookie: "sid" });
    const client = New({ Issuer: `http://${place}`, ClientID: "a", ClientSecret: "b", RedirectURL, Sessions });
    app.Get("/", client.Login());
    await app.fetch(new Request("http://localhost/"));
    await Sessions.Close();
  },
  async "fw.Env"() {
    const { z } = await import("npm:zod@^4");
    fw.Env(z.object({ PORT: z.int().optional(), APP_SECRET: z.string().optional() }));
  },
  async "Log files"() {
    const { RotatingFile } = await import("../../src/base/log/rotating_file.ts");
    using file = new RotatingFile(`${place}/a.log`);
    file.writeSync(new TextEncoder().encode("line\n"));
  },
};

let said = "works";
try {
  await features[feature]?.();
} catch (error) {
  said = String(error);
}
Deno.stdout.writeSync(new TextEncoder().encode(`${said}\n`));
