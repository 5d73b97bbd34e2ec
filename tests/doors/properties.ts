/**
 * The properties of a call that must hold at every door.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type * as fw from "@fw/web";
import * as apikeys from "@fw/web/apikeys";
import { LimitRequestBodySize, New } from "@fw/web";
import * as accesslog from "@fw/web/middleware/accesslog";
import * as auth from "@fw/web/middleware/auth";
import * as basicauth from "@fw/web/middleware/basicauth";
import * as ipfilter from "@fw/web/middleware/ipfilter";
import * as jwt from "@fw/web/middleware/jwt";
import * as ratelimit from "@fw/web/middleware/ratelimit";
import * as timeout from "@fw/web/middleware/timeout";
import * as policy from "@fw/web/policy";
import * as webhooks from "@fw/web/webhooks";
import type { CallOptions, Door, Entrance, Setup } from "./door.ts";

/** Checks one property at one door. */
export type Check = (door: Door) => Promise<void>;

const key = "at least 32 bytes that nobody can guess";
const signer = jwt.NewSigner({ Algorithm: "HS256", Key: key });
const login = jwt.New({ Algorithms: ["HS256"], Key: key });

async function as(user: string, ...roles: string[]): Promise<CallOptions> {
  return { headers: { authorization: `Bearer ${await signer.Sign({ sub: user, roles })}` } };
}

const store = apikeys.NewMemory();
const keys = apikeys.New({ Store: store, User: (ID) => ({ ID, Name: ID, Roles: ["admin"], Method: "session" }) });

/** Returns the header of a key with a scope. */
async function byKey(scope: string): Promise<CallOptions> {
  const { Key } = await keys.Create({ Owner: "ada", Name: "script", Scopes: [scope] });
  return { headers: { authorization: `Bearer ${Key}` } };
}

class DoorPolicy {
  enter(user: fw.User) {
    return user.Roles.includes("admin");
  }
}

/** Creates a guard that admits all callers as one user. */
export function guardOf(user: string): fw.Handler {
  return (ctx) => {
    ctx.SetUser({ ID: user, Name: user, Roles: [], Method: "test" });
    return ctx.Next();
  };
}

/** Creates a guard of the application's own that stops the call. */
function stop(status: number): fw.Handler {
  return (ctx) => ctx.StopWithStatus(status);
}

/** Creates a check that a guard refuses a call with a status, and that no code behind it runs. */
function refuses(guards: () => readonly fw.Handler[], status: number, options?: () => Promise<CallOptions>): Check {
  return (door) =>
    quietly(door, { guards: guards() }, async ({ call, journal }) => {
      assertEquals((await call("who", await options?.())).status, status);
      assertEquals(journal.runs(), []);
    });
}

/** Creates a logger for the lines of policies. */
export function newLogger(output: (line: string) => void): fw.Logger {
  return New().Logger().SetTimeFormat("").SetOutput((line: string) => output(line.trimEnd()));
}

/** Opens a door with an application that does not log. */
export function quietly(door: Door, setup: Setup, run: (entrance: Entrance) => Promise<void>): Promise<void> {
  return door.open({
    ...setup,
    observe(app) {
      app.Logger().SetLevel("disable");
      setup.observe?.(app);
    },
  }, run);
}

export const properties: Readonly<Record<string, Check>> = {
  "the code runs once, and no other route runs": (door) =>
    quietly(door, {}, async ({ call, journal }) => {
      assertEquals((await call("who")).status, 200);
      assertEquals(journal.runs(), ["who"]);
    }),

  "identity: the code sees the user of the guard": (door) =>
    quietly(door, { guards: [login] }, async ({ call }) => {
      const { status, text } = await call("who", await as("ada"));
      assertEquals([status, JSON.parse(text).user], [200, "ada"]);
    }),

  "identity: the code sees the owner of the key": (door) =>
    quietly(door, { guards: [keys.Require("desk")] }, async ({ call }) => {
      const { status, text } = await call("who", await byKey("desk"));
      assertEquals([status, JSON.parse(text).user], [200, "ada"]);
    }),

  "guard: a missing token": refuses(() => [login], 401),

  "guard: a forged token": refuses(
    () => [login],
    401,
    () => Promise.resolve({ headers: { authorization: "Bearer e30.e30.e30" } }),
  ),

  "guard: a password": refuses(
    () => [basicauth.New({ Users: [{ Name: "ada", Password: "tea" }] })],
    401,
    () => Promise.resolve({ headers: { authorization: `Basic ${btoa("ada:coffee")}` } }),
  ),

  "guard: a role": refuses(() => [login, auth.Allow("admin")], 403, () => as("ada", "guest")),

  "guard: a webhook": refuses(() => [webhooks.Verify({ Secret: "whsec_c2VjcmV0IG9mIHRoZSBzZW5kZXI=" })], 401),

  "guard: an address": refuses(() => [ipfilter.New({ Allow: ["192.0.2.1"] })], 403),

  "guard: a policy": refuses(() => [login, policy.Require(DoorPolicy, "enter")], 403, () => as("ada", "guest")),

  "guard: a missing key": refuses(() => [keys.Require("desk")], 401),

  "guard: a key with a wrong checksum": refuses(
    () => [keys.Require("desk")],
    401,
    () => Promise.resolve({ headers: { authorization: `Bearer fw_${"0".repeat(49)}` } }),
  ),

  "guard: a key without the scope": refuses(() => [keys.Require("desk")], 403, () => byKey("other")),

  "guard: a key without the role of its owner": refuses(
    () => [keys.Require("desk"), auth.Allow("admin")],
    403,
    () => byKey("desk"),
  ),

  "guard: a key where keys are denied": refuses(() => [keys.Require(), apikeys.Deny()], 403, () => byKey("desk")),

  "guard: a gate that closes while the application runs": (door) => {
    let isOpen = true;
    const gate: fw.Handler = (ctx) => isOpen ? ctx.Next() : ctx.StopWithStatus(403);
    return quietly(door, { guards: [gate] }, async ({ call, journal }) => {
      assertEquals((await call("who")).status, 200);
      isOpen = false;
      assertEquals((await call("secret")).status, 403);
      assertEquals(journal.count("secret"), 0);
    });
  },

  "guard: middleware of the application's own": refuses(() => [stop(409)], 409),

  "limit: the rate": (door) =>
    quietly(door, { guards: [ratelimit.New({ Limit: 1, Period: 3_600_000 })] }, async ({ call, journal }) => {
      assertEquals((await call("who")).status, 200);
      assertEquals((await call("who")).status, 429);
      assertEquals(journal.count("who"), 1);
    }),

  "limit: the size": (door) =>
    quietly(door, { guards: [LimitRequestBodySize(32 << 10)] }, async ({ call, journal }) => {
      const { status } = await call("echo", { data: JSON.stringify({ n: 1, text: "x".repeat(100_000) }) });
      assert(status === 413 || status === 1009, `status ${status}`);
      assertEquals(journal.count("echo"), 0);
    }),

  "limit: the depth": (door) =>
    quietly(door, {}, async ({ call, journal }) => {
      const { status } = await call("echo", { data: `{"n":${"[".repeat(20_000)}${"]".repeat(20_000)}}` });
      assert([400, 413, 422, 1007, -32600, -32602, -32700].includes(status), `status ${status}`);
      assertEquals(journal.count("echo"), 0);
    }),

  "limit: the time": (door) =>
    quietly(door, { guards: [timeout.New({ After: 50 })] }, async ({ call, journal }) => {
      assertEquals((await call("wait")).status, 503);
      await journal.until("aborted");
    }),

  "validation: invalid input is refused with its field": (door) =>
    quietly(door, {}, async ({ call, journal }) => {
      const { status, text } = await call("echo", { headers: { "accept-language": "en" }, data: '{"n":"x"}' });
      assertEquals([status, journal.count("echo")], [422, 0]);
      assertStringIncludes(text, "must be a whole number");
    }),

  "language: the code and the messages use the language of the call": (door) =>
    quietly(door, {}, async ({ call }) => {
      const headers = { "accept-language": "el" };
      assertEquals(JSON.parse((await call("who", { headers })).text).language, "el");
      assertStringIncludes((await call("echo", { headers, data: '{"n":"x"}' })).text, "πρέπει να είναι ακέραιος");
    }),

  "version: the code sees the version of the call": (door) =>
    quietly(door, {}, async ({ call }) => {
      const { text } = await call("who", { headers: { "accept-version": "2.3.4" } });
      assertEquals(JSON.parse(text).version, "2.3.4");
    }),

  "results: a returned value passes the result handlers": (door) =>
    quietly(door, {}, async ({ call }) => {
      assertEquals(JSON.parse((await call("secret")).text), { name: "Ada" });
    }),

  "policy: code that is not allowed is stopped, and the reason is logged once and not shown": async (door) => {
    const lines: string[] = [];
    const before = policy.Logger();
    policy.SetLogger(newLogger((line) => void lines.push(line)));
    try {
      await quietly(door, {}, async ({ call, journal }) => {
        const { status, text } = await call("judge");
        assertEquals([status, text.includes("must not"), journal.count("judged")], [403, false, 0]);
      });
    } finally {
      policy.SetLogger(before);
    }
    assertEquals(lines, ['[WARN] Denied DeskPolicy.judge to user "ada": ada must not judge the desk']);
  },

  "errors: an HTTP error keeps its status and message": (door) =>
    quietly(door, {}, async ({ call }) => {
      const { status, text } = await call("conflict");
      assertEquals(status, 409);
      assertStringIncludes(text, "The seat is taken");
    }),

  "errors: an unexpected error is not shown": (door) =>
    quietly(door, {}, async ({ call }) => {
      const { status, text } = await call("crash");
      assertEquals([status, text.includes("internal detail")], [500, false]);
    }),

  "codec: a large integer is not changed": (door) =>
    quietly(door, {}, async ({ call }) => {
      const { status, text } = await call("echo", { data: '{"n":9007199254740993}' });
      assertEquals([status, text], [200, '{"n":9007199254740993}']);
    }),

  "disposal: a value of the call is disposed of once, after its use": (door) =>
    quietly(door, {}, async ({ call, journal }) => {
      const { status, text } = await call("hold");
      assertEquals(status, 200);
      assertStringIncludes(text, "held");
      await journal.until("disposed");
      assertEquals(journal.entries.filter((entry) => /used|disposed/.test(entry)), ["used", "disposed"]);
    }),

  "abort: a client that leaves ends the work, which is not an error": async (door) => {
    const errors: unknown[] = [];
    const observe = (app: fw.Application) => void app.OnError((_ctx, error) => void errors.push(error));
    await quietly(door, { observe }, async ({ call, journal }) => {
      const leaving = new AbortController();
      const left = call("wait", { signal: leaving.signal });
      await journal.until("waiting");
      leaving.abort();
      await Promise.allSettled([left]);
      await journal.until("aborted");
    });
    assertEquals(errors, []);
  },

  "sight: a failure is reported once": async (door) => {
    const errors: string[] = [];
    const observe = (app: fw.Application) => void app.OnError((_ctx, error) => void errors.push(error.message));
    await quietly(door, { observe }, async ({ call }) => void await call("crash"));
    assertEquals(errors, ["internal detail"]);
  },

  "sight: the access log has one line for the call": async (door) => {
    const lines: string[] = [];
    const log = accesslog.New({ Output: (line: string) => void lines.push(line), Format: "json" });
    const configure = (app: fw.Application) => void app.UseRouter(log.Handler());
    await quietly(door, { configure }, async ({ call }) => void await call("who"));
    log.Close();
    const records = lines.map((line) => JSON.parse(line));
    assertEquals(
      records.filter(({ route, path }) => /desk|inner|live/.test(route ?? path)).length,
      1,
      JSON.stringify(records),
    );
  },

  "shutdown: a call in flight is finished": (door) =>
    quietly(door, {}, async ({ call, journal, stop }) => {
      const paused = call("pause");
      await journal.until("pause");
      const stopped = stop();
      journal.note("go");
      const { status, text } = await paused;
      assertEquals([status, text.includes("finished")], [200, true]);
      await stopped;
    }),
};
