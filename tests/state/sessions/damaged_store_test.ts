import { assertEquals } from "@std/assert";
import * as fw from "../../../mod.ts";
import * as auth from "../../../src/middleware/login/mod.ts";
import * as sessions from "../../../src/state/sessions/mod.ts";
import type { Store, Stored } from "../../../src/state/sessions/store.ts";
import { testEach } from "./stores.ts";
import { Visitor } from "./visitor.ts";

/** The keys of values, including those that databases cannot store unchanged. */
const keys = [
  "",
  "\0",
  "a\0b",
  "\x01a",
  "__proto__",
  "id",
  ":",
  "$u",
  ".x",
  "é",
  "👩",
  "\ud800",
  "x\udfff",
  "k".repeat(999),
];

testEach("Session.Set() stores values under any key, and Login() takes them over", async (store) => {
  const app = fw.New();
  const all: unknown[] = [];
  app.Use(sessions.New({ Store: store }).Handler());
  app.Get("/set", (ctx) => keys.forEach((key) => sessions.Get(ctx)?.SetFlash(key, sessions.Get(ctx)?.Set(key, [key]))));
  app.Get("/login", (ctx) => auth.Login(ctx, { ID: "ada" }, { Keep: keys }));
  app.Get("/read", async (ctx) => {
    const session = sessions.Get(ctx);
    for (const key of keys) all.push(session?.Get(key), await session?.GetFlash(key), session?.Delete(key));
    ctx.JSON(session?.Len());
  });
  const visitor = new Visitor(app.fetch);
  await visitor.ask("/set");
  assertEquals(await visitor.ask("/read"), "0");
  assertEquals(all.splice(0), keys.flatMap((key) => [[key], true, true]));
  await visitor.ask("/set");
  await visitor.ask("/login");
  assertEquals(await visitor.ask("/read"), "0");
  assertEquals(all.splice(0), keys.flatMap((key) => [[key], undefined, true]));
});

/** Creates a store in memory whose rows can be damaged. */
function newDamaged(): Store & { damage: (id: string, slots: Map<string, string>) => void } {
  const inner = sessions.NewMemory();
  const store = {
    damage(_id: string, _slots: Map<string, string>): void {},
    Create: (...args: Parameters<Store["Create"]>) => inner.Create(...args),
    Load(id: string): Stored | null {
      const row = inner.Load(id) as Stored | null;
      if (row === null) return null;
      const Slots = new Map(row.Slots);
      store.damage(id, Slots);
      return {
        Slots,
        Remaining: row.Remaining,
        Commit: (changes) => row.Commit(changes),
        Take: (slot) => Slots.get(slot) ?? row.Take(slot),
        Destroy: () => row.Destroy(),
      };
    },
  };
  return store;
}

/** Creates a site whose visitor has logged in, and has a value and a message. */
async function newSite() {
  const lines: string[] = [];
  const store = newDamaged();
  const app = fw.New();
  app.Logger().SetOutput((line) => lines.push(line));
  app.Use(auth.Session({
    Sessions: sessions.New({ Store: store, MaxLifetime: 60_000 }),
    Load: (id) => ({ ID: id, Name: id, Roles: [], Method: "test" }),
  }));
  app.Get("/login", async (ctx) => {
    await auth.Login(ctx, { ID: "ada" });
    sessions.Get(ctx)?.Set("cart", 1);
    sessions.Get(ctx)?.SetFlash("cart", "message");
  });
  app.Get("/me", (ctx) => ctx.WriteString(ctx.User()?.ID ?? "nobody"));
  app.Get("/value", (ctx) => ctx.JSON(sessions.Get(ctx)?.Get("cart")));
  app.Get("/peek", (ctx) => ctx.JSON(sessions.Get(ctx)?.PeekFlash("cart")));
  app.Get("/take", async (ctx) => ctx.JSON(await sessions.Get(ctx)?.GetFlash("cart")));
  app.Get("/count", (ctx) => ctx.JSON(sessions.Get(ctx)?.Increment("cart")));
  const visitor = new Visitor(app.fetch);
  await visitor.ask("/login");
  return { store, visitor, lines };
}

const damagedTexts = ["", "{", "5x", "-", "hello", "\0", '{"$bigint":"x"}', '{"$none":1}'];

for (const [path, slot] of [["/value", ".cart"], ["/peek", "~cart"], ["/take", "~cart"]] as const) {
  Deno.test(`GET ${path} fails with an error that names the damaged value of the session`, async () => {
    const { store, visitor, lines } = await newSite();
    for (const text of damagedTexts) {
      store.damage = (_id, slots) => void (slots.has(slot) && slots.set(slot, text));
      lines.length = 0;
      await visitor.ask(path);
      assertEquals([text, visitor.status, /Cannot read "cart" from the session: ./.test(lines.join())], [
        text,
        500,
        true,
      ]);
      assertEquals(await visitor.ask("/me"), "ada");
    }
  });
}

Deno.test("Session.Increment() begins at 0 if the number is damaged", async () => {
  const { store, visitor } = await newSite();
  store.damage = (_id, slots) => void (slots.has(".cart") && slots.set(".cart", "5x"));
  assertEquals(await visitor.ask("/count"), "1");
  store.damage = () => {};
  assertEquals(await visitor.ask("/value"), "2");
});

for (const slot of ["$u", "$h", "$t", "g", "s"]) {
  Deno.test(`auth.Session() logs the visitor out if the part ${slot} of the login is damaged`, async () => {
    for (const text of ["", "{", "null", "5x", "{}", "[]", "[1]", '["x"]', "\0"]) {
      const { store, visitor } = await newSite();
      assertEquals(await visitor.ask("/me"), "ada");
      store.damage = (_id, slots) => {
        for (const name of slots.keys()) if (name === slot || name.startsWith(slot)) slots.set(name, text);
      };
      assertEquals([text, await visitor.ask("/me"), visitor.status], [text, "nobody", 200]);
      store.damage = () => {};
      assertEquals(await visitor.ask("/login"), "");
      assertEquals(await visitor.ask("/me"), "ada");
    }
  });
}

testEach("Sessions.Of() knows only the sessions with the cookie of its manager", async (store) => {
  const [shop, staff] = ["shop", "staff"].map((Cookie) => {
    const manager = sessions.New({ Store: store, Cookie });
    const app = fw.New();
    app.Use(auth.Session({ Sessions: manager, Load: (id) => ({ ID: id, Name: id, Roles: [], Method: "test" }) }));
    app.Get("/login", (ctx) => auth.Login(ctx, { ID: "7" }));
    app.Get("/me", (ctx) => ctx.WriteString(ctx.User()?.ID ?? "nobody"));
    return { manager, visitor: new Visitor(app.fetch) };
  }) as [Site, Site];
  for (const { visitor } of [shop, staff]) await visitor.ask("/login");
  assertEquals((await shop.manager.Of("7").List()).length, 1);
  const [other] = await staff.manager.Of("7").List();
  assertEquals(await shop.manager.Of("7").End(other?.Handle ?? ""), false);
  assertEquals(await shop.manager.Of("7").EndAll(), 1);
  assertEquals([await shop.visitor.ask("/me"), await staff.visitor.ask("/me")], ["nobody", "7"]);
});

interface Site {
  readonly manager: sessions.Sessions;
  readonly visitor: Visitor;
}
