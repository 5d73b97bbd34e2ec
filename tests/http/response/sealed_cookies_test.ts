import { assert, assertEquals, assertMatch } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import * as fw from "../../../mod.ts";
import * as keys from "../../../src/state/keys/mod.ts";
import { quiet } from "../../serving.ts";

const ring = keys.New("1".repeat(32));
const other = keys.New("2".repeat(32));
const seals: [name: string, seal: fw.CookieSeal, foreign: fw.CookieSeal][] = [
  ["Sign", { Sign: ring }, { Sign: other }],
  ["Encrypt", { Encrypt: ring }, { Encrypt: other }],
];

/** Returns the line that sets a cookie, and its name-value pair. */
async function sentSealed(
  name: string,
  value: string,
  options: fw.CookieOptions,
): Promise<{ line: string; pair: string }> {
  const app = quiet();
  app.Get("/", (ctx) => ctx.SetCookie(name, value, options));
  const line = (await app.fetch(new Request("http://localhost/"))).headers.get("set-cookie") ?? "";
  return { line, pair: line.split(";")[0] ?? "" };
}

async function read(cookie: string, name: string, seal?: fw.CookieSeal): Promise<string> {
  const app = quiet();
  app.Get("/", (ctx) => ctx.WriteString(ctx.GetCookie(name, seal)));
  return await (await app.fetch(new Request("http://localhost/", { headers: { cookie } }))).text();
}

for (const [kind, seal, foreign] of seals) {
  Deno.test(`Context.GetCookie() with ${kind} returns the value that SetCookie() sealed, regardless of its content`, async () => {
    for (const value of ["user=1", "", "a.b.c", '%41;," \\', "ö \u{1f42f}", "x".repeat(2000)]) {
      const { pair } = await sentSealed("c", value, seal);
      assertEquals(await read(pair, "c", seal), value);
    }
  });

  Deno.test(`Context.GetCookie() with ${kind} returns an empty string for a cookie that was changed, forged or renamed`, async () => {
    const { pair } = await sentSealed("c", "user=1", seal);
    assertEquals(await read(pair.replace("c=", "d="), "d", seal), "", "moved to another name");
    assertEquals(await read(pair, "c", foreign), "", "other keys");
    assertEquals(await read("c=user%3D1", "c", seal), "", "not sealed");
    assertEquals(await read("c=", "c", seal), "");
    assertEquals(await read("", "c", seal), "");
    for (let at = 2; at < pair.length; at += 7) {
      const changed = pair.slice(0, at) + (pair[at] === "A" ? "B" : "A") + pair.slice(at + 1);
      assertEquals(await read(changed, "c", seal), "", changed);
    }
  });

  Deno.test(`Context.GetCookie() with ${kind} skips cookies of the same name planted by a sibling domain`, async () => {
    const { pair } = await sentSealed("c", "mine", seal);
    assertEquals(await read(`c=planted; ${pair}; c=another`, "c", seal), "mine");
  });

  Deno.test(`Context.SetCookie() with ${kind} enforces the expiry even if the client does not`, async () => {
    using time = new FakeTime();
    const [aged, dated] = [
      await sentSealed("c", "v", { ...seal, MaxAge: 60_000 }),
      await sentSealed("c", "v", { ...seal, Expires: new Date(Date.now() + 60_000) }),
    ];
    time.tick(50_000);
    assertEquals([await read(aged.pair, "c", seal), await read(dated.pair, "c", seal)], ["v", "v"]);
    time.tick(12_000);
    assertEquals([await read(aged.pair, "c", seal), await read(dated.pair, "c", seal)], ["", ""]);
  });

  Deno.test(`Context.SetCookie() with ${kind} keeps the attributes, and RemoveCookie() removes it`, async () => {
    const { line } = await sentSealed("c", "v", { ...seal, MaxAge: 60_000, Path: "/x", SameSite: "Strict" });
    assertMatch(line, /; HttpOnly; Max-Age=60; SameSite=Strict; Path=\/x$/);
    const app = quiet();
    app.Get("/", (ctx) => ctx.RemoveCookie("c", seal));
    const removal = (await app.fetch(new Request("http://localhost/"))).headers.get("set-cookie") ?? "";
    assertMatch(removal, /^c=; .*Max-Age=0/);
  });
}

Deno.test("Context.SetCookie() leaves the value readable with Sign, but not with Encrypt", async () => {
  assert((await sentSealed("c", "secret", { Sign: ring })).pair.includes("secret"));
  assert(!(await sentSealed("c", "secret", { Encrypt: ring })).pair.includes("secret"));
});

Deno.test("Context.SetCookie() supports key rotation: values sealed with older keys can be read", async () => {
  const rotated = keys.New("2".repeat(32), "1".repeat(32));
  const { pair } = await sentSealed("c", "v", { Encrypt: ring });
  assertEquals(await read(pair, "c", { Encrypt: rotated }), "v");
  const fresh = await sentSealed("c", "v", { Encrypt: rotated });
  assertEquals(await read(fresh.pair, "c", { Encrypt: other }), "v");
});

Deno.test("Context.SetCookie() rejects signing and encrypting the same cookie", async () => {
  const app = quiet();
  app.Get("/", (ctx) => {
    try {
      ctx.SetCookie("c", "v", { Sign: ring, Encrypt: ring });
    } catch (error) {
      ctx.WriteString(error instanceof fw.FrameworkError ? error.message : "");
    }
  });
  const text = await (await app.fetch(new Request("http://localhost/"))).text();
  assertEquals(text, 'Cannot send the cookie "c": an encrypted cookie must not be signed too');
});
