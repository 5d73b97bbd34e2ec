import { assertEquals } from "@std/assert";
import { newSite, startSite } from "./site.ts";
import { ignoredFor, redisIsMissing } from "./redis_server.ts";
import { redisURL, testEach } from "./stores.ts";
import { serve, Visitor } from "./visitor.ts";

function times<T>(n: number, work: (i: number) => T): T[] {
  return Array.from({ length: n }, (_, i) => work(i));
}

/** Sends 400 concurrent requests of one visitor to all servers in turn and checks the result. */
async function crowd(origins: readonly string[]): Promise<void> {
  const visitors = origins.map((origin) => new Visitor(fetch, origin));
  const [first] = visitors as [Visitor];
  await first.ask("/increment");
  for (const visitor of visitors) visitor.cookie = first.cookie;
  const turn = (i: number) => visitors[i % visitors.length] as Visitor;
  await Promise.all(times(199, (i) => turn(i).ask("/increment")));
  await Promise.all(times(200, (i) => turn(i).ask(`/set/key${i}`)));
  for (const visitor of visitors) {
    const all = JSON.parse(await visitor.ask("/all"));
    assertEquals(all.n, 200);
    assertEquals(Object.keys(all).length, 201);
  }
}

testEach("Session.Increment() and Set() by 200 parallel requests over sockets lose nothing", async (store) => {
  await using server = serve(newSite(store).fetch);
  await crowd([server.origin]);
});

Deno.test("Session.Increment() and Set() in two processes on one SQLite file lose nothing", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await using one = await startSite("sqlite", `${folder}/sessions.db`);
    await using two = await startSite("sqlite", `${folder}/sessions.db`);
    await crowd([one.origin, two.origin]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test({
  name: `Session.Increment() and Set() in two processes on one Redis lose nothing${ignoredFor(redisIsMissing)}`,
  ignore: redisIsMissing !== undefined,
  fn: async () => {
    const prefix = `test:${crypto.randomUUID()}:`;
    await using one = await startSite("redis", redisURL(), prefix);
    await using two = await startSite("redis", redisURL(), prefix);
    await crowd([one.origin, two.origin]);
  },
});

Deno.test("New() of the SQLite store keeps every acknowledged write when the process is killed", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const site = await startSite("sqlite", `${folder}/sessions.db`);
    const visitor = new Visitor(fetch, site.origin);
    await visitor.ask("/increment");
    const acknowledged: string[] = [];
    let next = 0;
    const writers = times(16, async () => {
      while (next < 1000) {
        const key = `key${next++}`;
        try {
          if (await visitor.ask(`/set/${key}`) === "set") acknowledged.push(key);
        } catch {
          return; // The server has stopped.
        }
        if (acknowledged.length === 500) await site.kill();
      }
    });
    await Promise.all(writers);
    await site.kill();

    await using again = await startSite("sqlite", `${folder}/sessions.db`);
    const survivor = Object.assign(new Visitor(fetch, again.origin), { cookie: visitor.cookie });
    const all = JSON.parse(await survivor.ask("/all"));
    assertEquals(acknowledged.filter((key) => all[key] !== true), []);
    assertEquals(acknowledged.length >= 500 && acknowledged.length < 1000, true);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
