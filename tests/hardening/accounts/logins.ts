/**
 * Attacks on logins, second factors, passkeys and sessions.
 *
 * @module
 */

import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { type AccountAttack, ada, type Browser, eve, newPassword, password } from "./ground.ts";

const sid = "__Host-sid";

/** Returns the parts of a response that a client can compare. */
function seen(response: Awaited<ReturnType<Browser["get"]>>, address: string): unknown {
  const headers = [...response.Headers].filter(([name]) => name !== "date" && name !== "set-cookie");
  const cookies = response.Headers.getSetCookie().map((line) => line.replace(/=[^;]*/, ""));
  return [response.Status, headers, cookies, response.Text.replaceAll(address, "ADDRESS")];
}

function count(responses: readonly { readonly Status: number }[], status: number): number {
  return responses.filter(({ Status }) => Status === status).length;
}

/** Attacks on logins. */
export const loginAttacks: readonly AccountAttack[] = [
  {
    name: "the responses for known and unknown addresses are equal: sign-up, reset, login and delay",
    async run(ground) {
      await ground.add();
      await ground.add(eve);
      for (const path of ["/signup", "/reset", "/login"]) {
        for (let attempt = 0; attempt < 8; attempt++) {
          const form = { password: "wrong" };
          const known = await ground.browser().post(path, { ...form, mail: ada });
          const unknown = await ground.browser().post(path, { ...form, mail: "bob@example.org" });
          assertEquals(seen(known, ada), seen(unknown, "bob@example.org"), `${path}, attempt ${attempt}`);
        }
      }
    },
  },
  {
    name: "passwords that are guessed at the same time, or with other letter cases, are slowed down",
    meetsHashes: true,
    async run(ground) {
      await ground.add();
      const mails = ["ada@example.org", "ADA@example.org", "Ada@Example.Org", " ada@example.org "];
      const guesses = Array.from({ length: 24 }, (_, at) => ground.browser().logIn(mails[at % 4], `guess ${at}`));
      const found = await Promise.all(guesses);
      assert(count(found, 429) >= 18, found.map(({ Status }) => Status).join());
    },
  },
  {
    name: "strangers who guess passwords and codes do not lock the owner out",
    async run(ground) {
      const owner = await ground.member();
      const { codes } = await owner.addFactor();
      await owner.post("/logout");
      const stranger = ground.browser();
      await stranger.logIn();
      for (let at = 0; at < 8; at++) await stranger.post("/login/code", { code: "000000" });
      assertEquals((await stranger.post("/login/code", { code: codes[0] ?? "" })).Status, 429);
      for (let at = 0; at < 8; at++) await ground.browser().logIn(ada, "guess");
      assertEquals((await owner.logIn()).Status, 303);
      assertEquals((await owner.post("/login/code", { code: codes[1] ?? "" })).Status, 303);
      assert(await owner.isIn());
    },
  },
  {
    name: "after a reset, the owner can log in on a new device while strangers guess",
    async run(ground) {
      await ground.add();
      const owner = ground.browser();
      await owner.post(await ground.link("/reset"), { "new-password": newPassword });
      for (let at = 0; at < 8; at++) await ground.browser().logIn(ada, "guess");
      assertEquals((await owner.logIn(ada, newPassword)).Status, 303);
    },
  },
  {
    name: "the cookie of a known device is worthless for other accounts, cannot be forged, and replaces no factor",
    async run(ground) {
      const owner = await ground.member();
      const attacker = await ground.member(eve);
      await owner.addFactor();
      await owner.post("/logout");
      await attacker.post("/logout");
      assertEquals((await owner.logIn()).Headers.get("location"), "/login/code");
      const device = attacker.client.Cookie("__Host-device");
      assertNotEquals(device, "");
      for (let at = 0; at < 6; at++) await ground.browser().logIn(ada, "guess");
      assertEquals((await attacker.logIn(ada, "guess")).Status, 429);
      for (const forged of [device.replace("eve", "ada"), "x", `${crypto.randomUUID()} ${ada}.0.${"a".repeat(43)}`]) {
        const call = ground.browser().client.POST("/login").WithCookie("__Host-device", forged);
        await call.WithForm({ mail: ada, password: "guess" }).Expect().Status(429);
      }
    },
  },
  {
    name: "a login replaces the session, and a session that was known before stays without a user",
    async run(ground) {
      await ground.add();
      const browser = ground.browser();
      await browser.json("/login/passkey/options", {}); // starts a session
      const before = browser.client.Cookie(sid);
      await browser.logIn();
      const after = browser.client.Cookie(sid);
      assert(before !== "" && after !== "" && before !== after, `${before} ${after}`);
      for (const cookie of [before, "fixed", "0".repeat(32)]) {
        await ground.browser().client.GET("/account").WithCookie(sid, cookie).Expect().Status(401);
      }
      const fixed = ground.browser().client.POST("/login").WithCookie(sid, "fixed");
      const { Headers } = await fixed.WithForm({ mail: ada, password }).Expect().Status(303);
      assert(!Headers.getSetCookie().join().includes("fixed"));
    },
  },
  {
    name: "the cookies are sent over TLS only, and are hidden from scripts and from other sites",
    async run(ground) {
      await ground.add();
      const { Headers } = await ground.browser().logIn();
      const cookies = Headers.getSetCookie();
      assertEquals(cookies.map((line) => line.split("=")[0]).sort(), ["__Host-device", sid]);
      for (const line of cookies) {
        for (const part of [/; secure/i, /; httponly/i, /; samesite=lax/i, /; path=\/(;|$)/i]) {
          assert(part.test(line), line);
        }
        assert(!/domain/i.test(line), line);
      }
    },
  },
  {
    name: "forms of other sites are refused at every route",
    async run(ground) {
      const owner = await ground.member();
      const routes = ground.app.Routes().filter(({ Method }) => Method === "POST");
      assert(routes.length > 15, String(routes.length));
      for (const { Path } of routes) {
        const form = { password, "delete-password": password, "session-password": password, code: "1" };
        for (const site of ["cross-site", "same-site"]) {
          const path = Path.replace("{token}", "x");
          assertEquals((await owner.post(path, form, { "sec-fetch-site": site })).Status, 403, path);
        }
      }
      assert(await owner.isIn());
    },
  },
  {
    name: "a login does not lead to other sites",
    async run(ground) {
      await ground.add();
      const wrong = [
        "//evil.example",
        "/\\evil.example",
        "https://evil.example",
        "\\\\evil.example",
        "/\t/evil.example",
      ];
      wrong.push(
        "javascript:alert(1)",
        "/%2f/evil.example",
        "/..//evil.example",
        "///evil.example",
        "/%5cevil.example",
      );
      wrong.push(
        "/account@evil.example/../..//evil.example",
        " //evil.example",
        "/\r\nSet-Cookie: a=b",
        "https:evil.example",
      );
      for (const next of wrong) {
        const { Headers } = await ground.browser().logIn(ada, password, { next });
        assertEquals(Headers.get("location"), "/account", next);
        const query = await ground.browser().post(`/login?next=${encodeURIComponent(next)}`, { mail: ada, password });
        assertEquals(query.Headers.get("location"), "/account", next);
      }
    },
  },
  {
    name: "the address to go on to is checked with a second factor, too",
    async run(ground) {
      const { codes } = await (await ground.member()).addFactor();
      const browser = ground.browser();
      await browser.logIn(ada, password, { next: "//evil.example" });
      const { Headers } = await browser.post("/login/code?next=//evil.example", { code: codes[0] ?? "" });
      assertEquals(Headers.get("location"), "/account");
    },
  },
  {
    name: "a code of the app works once, even at the same time",
    meetsHashes: true,
    async run(ground) {
      const { next } = await (await ground.member()).addFactor();
      const browsers = [ground.browser(), ground.browser(), ground.browser()];
      for (const browser of browsers) await browser.logIn();
      const found = await Promise.all(browsers.map((browser) => browser.post("/login/code", { code: next })));
      assertEquals([count(found, 303), count(found, 422)], [1, 2]);
    },
  },
  {
    name: "a recovery code works once, even at the same time",
    meetsHashes: true,
    async run(ground) {
      const { codes } = await (await ground.member()).addFactor();
      assertEquals(codes.length, 10);
      const browsers = [ground.browser(), ground.browser(), ground.browser()];
      for (const browser of browsers) await browser.logIn();
      const found = await Promise.all(browsers.map((browser) => browser.post("/login/code", { code: codes[0] ?? "" })));
      assertEquals([count(found, 303), count(found, 422)], [1, 2]);
    },
  },
  {
    name: "codes that are guessed at the same time are slowed down",
    meetsHashes: true,
    async run(ground) {
      await (await ground.member()).addFactor();
      const browser = ground.browser();
      await browser.logIn();
      const guesses = Array.from(
        { length: 20 },
        (_, at) => browser.post("/login/code", { code: `${at}`.padStart(6, "7") }),
      );
      assertEquals(count(await Promise.all(guesses), 422), 6);
    },
  },
  {
    name: "a password alone, a reset and a remembered login do not bypass the second factor",
    async run(ground) {
      const owner = await ground.member();
      await owner.addFactor();
      const thief = ground.browser();
      await thief.logIn(ada, password, { remember: "on" });
      assert(!await thief.isIn());
      assertEquals((await thief.get("/secrets")).Status, 401);
      await thief.post(await ground.link("/reset"), { "new-password": newPassword });
      assert(!await thief.isIn());
      const { Headers } = await thief.logIn(ada, newPassword, { remember: "on" });
      assertEquals(Headers.get("location"), "/login/code");
      assert(!await thief.isIn());
      for (const path of ["/account/factor", "/account/factor/remove", "/account/passkeys/options"]) {
        assertEquals(
          (await thief.post(path, { "factor-password": newPassword, password: newPassword })).Status,
          401,
          path,
        );
      }
    },
  },
  {
    name: "a login that waits for its second factor ends with a new password",
    async run(ground) {
      const { codes } = await (await ground.member()).addFactor();
      const thief = ground.browser();
      await thief.logIn();
      await ground.browser().post(await ground.link("/reset"), { "new-password": newPassword });
      const found = await thief.post("/login/code", { code: codes[0] ?? "" });
      assertEquals([found.Status, found.Headers.get("location")], [303, "/login"]);
      assert(!await thief.isIn());
    },
  },
  {
    name: "a code of one account is worthless in another",
    async run(ground) {
      const { codes, next } = await (await ground.member()).addFactor();
      await (await ground.member(eve)).addFactor();
      const browser = ground.browser();
      await browser.logIn(eve);
      for (const code of [next, codes[0] ?? ""]) {
        assertEquals((await browser.post("/login/code", { code })).Status, 422);
      }
    },
  },
  {
    name: "odd codes are wrong, without an error of the server",
    async run(ground) {
      await (await ground.member()).addFactor();
      for (const code of ["", "\0", "９９９９９９", "1".repeat(100_000), "-00001", "1e5", "NaN"]) {
        const browser = ground.browser();
        await browser.logIn();
        const { Status } = await browser.post("/login/code", { code });
        assert([400, 422, 429].includes(Status), `${code.slice(0, 20)}: ${Status}`);
      }
    },
  },
];
