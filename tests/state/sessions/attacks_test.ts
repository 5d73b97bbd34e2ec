import { assert, assertEquals, assertNotEquals } from "@std/assert";
import * as fw from "../../../mod.ts";
import * as sessions from "../../../src/state/sessions/mod.ts";
import type { Store } from "../../../src/state/sessions/store.ts";
import { testEach } from "./stores.ts";
import { serve, Visitor } from "./visitor.ts";

/** Creates a site with a login and a victim who is logged in. */
async function withVictim(
  Store: Store,
  work: (origin: string, victim: Visitor, manager: sessions.Sessions) => Promise<void>,
): Promise<void> {
  const manager = sessions.New({ Store, Expires: 60_000 });
  const app = fw.New();
  app.Logger().SetLevel("disable");
  app.Get("/login/{name}", async (ctx) => {
    const session = await manager.Start(ctx);
    session.Regenerate();
    session.Set("user", ctx.Params().Get("name"));
  });
  app.Get("/visit", async (ctx) => void (await manager.Start(ctx)).Set("visited", true));
  app.Get("/", async (ctx) => {
    const session = await manager.Start(ctx);
    ctx.WriteString(`${session.GetStringDefault("user", "nobody")} ${session.ID()}`);
  });
  await using server = serve(app.fetch);
  const victim = new Visitor(fetch, server.origin);
  await victim.ask("/login/victim");
  await work(server.origin, victim, manager);
  // The victim is still logged in as before.
  assertEquals(await victim.ask("/"), `victim ${victim.id}`);
}

/** Sends a request byte by byte and returns the whole response. */
async function raw(origin: string, head: string): Promise<string> {
  const { hostname, port } = new URL(origin);
  using connection = await Deno.connect({ hostname, port: Number(port) });
  const bytes = Uint8Array.from(
    `GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${head}\r\n`,
    (c) => c.charCodeAt(0),
  );
  let response = "";
  try {
    for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
    for await (const chunk of connection.readable) response += new TextDecoder().decode(chunk);
  } catch (error) {
    // A server that rejects the request may close before everything has been sent. The response is still checked.
    if (response === "" && !(error instanceof Deno.errors.ConnectionReset)) throw error;
  }
  return response;
}

function statusOf(response: string): number {
  return Number(response.split(" ")[1] ?? 0);
}

testEach("Sessions.Start() never adopts an ID that a client invents", async (Store) => {
  await withVictim(Store, async (origin) => {
    for (const id of ["a".repeat(32), "admin", "1", crypto.randomUUID()]) {
      const visitor = new Visitor(fetch, origin);
      visitor.cookie = `fwsessionid=${id}`;
      const text = await visitor.ask("/");
      assert(text.startsWith("nobody ") && !text.endsWith(` ${id}`), text);
      await visitor.ask("/visit");
      assertNotEquals(visitor.id, id);
    }
  });
});

Deno.test("Sessions.Start() stores nothing for requests without a cookie, so that they cannot evict sessions", async () => {
  const Store = sessions.NewMemory({ MaxSessions: 10 });
  await withVictim(Store, async (origin) => {
    for (let i = 0; i < 50; i++) {
      const visitor = new Visitor(fetch, origin);
      await visitor.ask("/");
      assertEquals(visitor.line, "");
    }
  });
});

testEach("Session.Regenerate() invalidates a fixated ID after the login", async (Store) => {
  await withVictim(Store, async (origin) => {
    const attacker = new Visitor(fetch, origin);
    await attacker.ask("/visit");
    const planted = new Visitor(fetch, origin);
    planted.cookie = attacker.cookie;
    await planted.ask("/login/planted");
    assertEquals(await planted.ask("/"), `planted ${planted.id}`);
    const seen = await attacker.ask("/");
    assert(seen.startsWith("nobody "), seen);
    assertNotEquals(attacker.id, planted.id);
  });
});

testEach("Sessions.Start() treats an ID in another case as unknown", async (Store) => {
  await withVictim(Store, async (origin, victim) => {
    for (const id of [victim.id.toLowerCase(), victim.id.toUpperCase()]) {
      const visitor = new Visitor(fetch, origin);
      visitor.cookie = `fwsessionid=${id}`;
      assert((await visitor.ask("/")).startsWith("nobody "));
    }
  });
});

testEach("Sessions.Start() treats truncated and extended IDs as unknown", async (Store) => {
  await withVictim(Store, async (origin, victim) => {
    const { id } = victim;
    for (const it of [id.slice(0, -1), `${id}0`, `${id}=`, `"${id}"`, `${id}%20`, `*`, `${id.slice(0, 4)}*`]) {
      const visitor = new Visitor(fetch, origin);
      visitor.cookie = `fwsessionid=${it}`;
      assert((await visitor.ask("/")).startsWith("nobody "), it);
    }
  });
});

testEach("Sessions.Start() rejects a request with two valid session IDs", async (Store) => {
  await withVictim(Store, async (origin, victim) => {
    const attacker = new Visitor(fetch, origin);
    await attacker.ask("/login/attacker");
    const [one, two] = [attacker.cookie, victim.cookie];
    for (
      const head of [
        `Cookie: ${one}; ${two}\r\n`,
        `Cookie: ${two}; ${one}\r\n`,
        `Cookie: ${one}\r\nCookie: ${two}\r\n`,
        `Cookie: ${two}; x=y; ${one}; ${two}\r\n`,
      ]
    ) {
      const response = await raw(origin, head);
      assertEquals(statusOf(response), 200);
      assert(response.includes("nobody "), response);
    }
  });
});

testEach("Sessions.Start() skips an expired ID next to a valid one, in any order", async (Store) => {
  await withVictim(Store, async (origin, victim) => {
    const dead = `fwsessionid=${"x".repeat(32)}`;
    for (
      const cookie of [`${dead}; ${victim.cookie}`, `${victim.cookie}; ${dead}`, `${victim.cookie}; ${victim.cookie}`]
    ) {
      const visitor = new Visitor(fetch, origin);
      visitor.cookie = cookie;
      assertEquals(await visitor.ask("/"), `victim ${victim.id}`);
    }
    const flood = new Visitor(fetch, origin);
    flood.cookie = `${Array.from({ length: 50 }, (_, i) => `fwsessionid=dead${i}`).join("; ")}; ${victim.cookie}`;
    assert((await flood.ask("/")).startsWith("nobody "));
  });
});

testEach("Sessions.Start() serves forged, oversized and non-ASCII cookies without a 5xx", async (Store) => {
  await withVictim(Store, async (origin) => {
    const values = [
      "",
      "=",
      ";;;",
      "\u00e9\u00ff",
      "\u0080".repeat(40),
      "../../etc/passwd",
      "' OR '1'='1",
      "%00%0d%0a",
      "{}",
      "$ne",
      "__proto__",
      "\t",
      "x".repeat(129),
      "x".repeat(8000),
      "x".repeat(300_000),
    ];
    for (const value of values) {
      const response = await raw(origin, `Cookie: fwsessionid=${value}\r\n`);
      const status = statusOf(response);
      assert(status < 500, `${value.slice(0, 40)}: ${status}`);
      if (status === 200) assert(response.includes("nobody "), response);
    }
  });
});

testEach("Sessions.Start() treats expired and destroyed IDs as unknown", async (Store) => {
  const manager = sessions.New({ Store, Expires: 60 });
  const app = fw.New();
  app.Get("/", async (ctx) => ctx.WriteString(String((await manager.Start(ctx)).Increment("n"))));
  await using server = serve(app.fetch);
  const [expired, destroyed] = [new Visitor(fetch, server.origin), new Visitor(fetch, server.origin)];
  await expired.ask("/");
  await new Promise((resolve) => setTimeout(resolve, 100));
  await destroyed.ask("/");
  await manager.DestroyByID(destroyed.id);
  for (const visitor of [expired, destroyed]) {
    const { cookie } = visitor;
    assertEquals([await visitor.ask("/"), visitor.status], ["1", 200]);
    assertNotEquals(visitor.cookie, cookie);
  }
});

Deno.test("Sessions.New() creates IDs that do not repeat or resemble one another", () => {
  const ids = Array.from({ length: 2000 }, () => new sessions.Session().ID());
  assertEquals(new Set(ids).size, 2000);
  // Every character of the alphabet occurs at every position, so no part of an ID is constant or sequential.
  for (let at = 0; at < 32; at++) assert(new Set(ids.map((id) => id[at])).size === 64, String(at));
});
