/**
 * The curves of data: clients of an event stream, sessions and translations.
 *
 * @module
 */

import * as fw from "@fw/web";
import * as live from "@fw/web/live";
import * as sessions from "@fw/web/sessions";
import * as sqlite from "@fw/web/sessions/sqlite";
import { join } from "@std/path";
import type { Curve } from "./curve.ts";

/** A publication to the clients of `ctx.Events`, until each of them has received it. */
const publication: Curve = {
  sizes: [100, 400, 1_600, 6_400],
  per: "unit",
  prepare: async (size) => {
    const topic = live.New().Topic(`news${size}`, { History: 10, For: 60_000 });
    const app = fw.New();
    app.Logger().SetLevel("disable");
    app.Get("/", (ctx) => ctx.Events(topic.Events(), { Heartbeat: 0 }));
    const readers: ReadableStreamDefaultReader<Uint8Array>[] = [];
    for (let i = 0; i < size; i++) {
      const { body } = await app.fetch(new Request("http://localhost/"));
      if (body === null) throw new Error("Cannot read events: the response has no body");
      const reader = body.getReader();
      await reader.read();
      readers.push(reader);
    }
    return {
      run: async () => {
        await topic.Publish("news", { text: "x".repeat(100) });
        await Promise.all(readers.map((reader) => reader.read()));
      },
      close: () => Promise.all(readers.map((reader) => reader.cancel())),
    };
  },
};

/** The start of streams while others are open, and their end. */
const opening: Curve = {
  sizes: [100, 400, 1_600, 6_400],
  per: "unit",
  prepare: (size) => {
    const app = fw.New();
    app.Logger().SetLevel("disable");
    app.Get("/", (ctx) => ctx.Stream(ReadableStream.from([new Uint8Array(1)])));
    return {
      run: async () => {
        const bodies: (ReadableStream | null)[] = [];
        for (let i = 0; i < size; i++) bodies.push((await app.fetch(new Request("http://localhost/"))).body);
        for (const body of bodies) await body?.cancel();
      },
    };
  },
};

function destroyAll(open: (folder: string) => sessions.Store): Curve {
  return {
    sizes: [250, 1_000, 4_000, 16_000],
    per: "unit",
    prepare: async (size) => {
      const folder = await Deno.makeTempDir({ prefix: "fw_growth_" });
      const store = open(folder);
      const manager = sessions.New({ Cookie: "sid", Store: store });
      return {
        before: async () => {
          for (let i = 0; i < size; i++) await store.Create(`id-${i}`.padEnd(32, "x"), new Map([["a", "1"]]), 60_000);
        },
        run: () => manager.DestroyAll(),
        close: async () => {
          await manager.Close();
          await Deno.remove(folder, { recursive: true });
        },
      };
    },
  };
}

const reload: Curve = {
  sizes: [500, 2_000, 8_000, 32_000],
  per: "unit",
  prepare: async (size) => {
    const messages = Object.fromEntries(Array.from({ length: size }, (_, i) => [`key${i}`, `Hello %s, number ${i}`]));
    const app = fw.New();
    app.Logger().SetLevel("disable");
    app.I18n.LoadKV({ "en-US": messages, "el-GR": messages });
    await app.Build();
    return { run: () => app.I18n.Reload() };
  },
};

/** The curves by name. */
export const dataCurves: ReadonlyMap<string, Curve> = new Map([
  ["event streams: a publication", publication],
  ["streams: open at the same time", opening],
  ["sessions in memory: DestroyAll", destroyAll(() => sessions.NewMemory())],
  ["sessions in SQLite: DestroyAll", destroyAll((folder) => sqlite.New({ File: join(folder, "sessions.db") }))],
  ["translations: Reload", reload],
]);
