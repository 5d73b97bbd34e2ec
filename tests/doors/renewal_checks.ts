/**
 * The checks for cache renewals, which have no client of their own.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import type * as fw from "@fw/web";
import * as accesslog from "@fw/web/middleware/accesslog";
import * as ratelimit from "@fw/web/middleware/ratelimit";
import { type Check, guardOf, quietly } from "./properties.ts";
import { stale } from "./renewal_door.ts";

export const renewalChecks: Readonly<Record<string, Check>> = {
  "the code runs once, and no other route runs": (door) =>
    quietly(door, {}, async ({ call, journal }) => {
      assertEquals((await call("who")).status, 200);
      // Once for the first request and once for the renewal.
      assertEquals(journal.runs(), ["who", "who"]);
    }),

  "identity: the code sees the user of the guard": (door) =>
    quietly(door, { guards: [guardOf("ada")] }, async ({ ask, journal }) => {
      for (let time = 0; time < 3; time++) assertEquals(JSON.parse((await ask("who")).text).user, "ada");
      // The response for a user is not stored, so it is not renewed.
      assertEquals(journal.count("who"), 3);
    }),

  "guard: a gate that closes while the application runs": (door) => {
    let isOpen = true;
    const gate: fw.Handler = (ctx) => isOpen ? ctx.Next() : ctx.StopWithStatus(403);
    return quietly(door, { guards: [gate] }, async ({ ask, journal }) => {
      assertEquals((await ask("who")).status, 200);
      isOpen = false;
      await stale();
      await ask("who");
      await journal.until("asked", 2);
      assertEquals(journal.count("who"), 1);
    });
  },

  "limit: the rate": (door) =>
    quietly(door, { guards: [ratelimit.New({ Limit: 2, Period: 3_600_000 })] }, async ({ call, ask }) => {
      assertEquals((await call("who")).status, 200);
      // The renewal has not used up the client's limit.
      assertEquals((await ask("secret")).status, 200);
      assertEquals((await ask("hold")).status, 429);
    }),

  "disposal: a value of the call is disposed of once, after its use": (door) =>
    quietly(door, {}, async ({ call, journal }) => {
      assertEquals((await call("hold")).text, "held");
      await journal.until("disposed", 2);
      assertEquals(journal.entries.filter((entry) => /used|disposed/.test(entry)), [
        "used",
        "disposed",
        "used",
        "disposed",
      ]);
    }),

  "shutdown: a call in flight is finished": (door) =>
    quietly(door, {}, async ({ ask, journal, stop }) => {
      assertEquals((await ask("pause")).text, "first");
      await stale();
      assertEquals((await ask("pause")).text, "first");
      await journal.until("pause");
      const stopped = stop();
      journal.note("go");
      await stopped;
    }),

  "sight: the access log has one line for the call": async (door) => {
    const lines: string[] = [];
    const log = accesslog.New({ Output: (line: string) => void lines.push(line), Format: "json" });
    let sent = 0;
    const configure = (app: fw.Application) => void app.UseRouter(log.Handler());
    await quietly(door, { configure }, async ({ call, journal }) => {
      await call("who");
      sent = journal.count("sent");
    });
    log.Close();
    assertEquals(lines.length, sent);
  },
};
