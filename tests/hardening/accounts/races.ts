/**
 * Attacks with requests at the same time, or in an order that the pages do not suggest.
 *
 * @module
 */

import { assert, assertEquals, assertLessOrEqual } from "@std/assert";
import { addPasskey, answerOf, challengeOf } from "./authenticator.ts";
import { type AccountAttack, ada, type Browser, eve, type Ground, newPassword, password } from "./ground.ts";

const proof = { "key-password": password, "delete-password": password, "factor-password": password };

/** Reports whether a request has succeeded. A busy server may refuse passwords with 503, so tests allow that none has. */
function isDone({ Status }: { readonly Status: number }): boolean {
  return Status < 400;
}

/** Waits for the first login with the password, and for the code that is missing. */
async function pending(ground: Ground, mail: string = ada): Promise<Browser> {
  const browser = ground.browser();
  assertEquals((await browser.logIn(mail)).Headers.get("location"), "/login/code");
  return browser;
}

/** Attacks with the order of requests. */
export const raceAttacks: readonly AccountAttack[] = [
  {
    name: "of two resets that were mailed, one can be redeemed",
    meetsHashes: true,
    async run(ground) {
      await ground.add();
      const links = [await ground.link("/reset"), await ground.link("/reset")];
      const words = [newPassword, "another mill with a store"];
      const found = await Promise.all(links.map((path, at) => {
        return ground.browser().post(path, { "new-password": words[at] ?? "" });
      }));
      assertLessOrEqual(found.filter(isDone).length, 1);
    },
  },
  {
    name: "a reset and a new password in the settings cannot both succeed",
    meetsHashes: true,
    async run(ground) {
      const owner = await ground.member();
      const path = await ground.link("/reset");
      const found = await Promise.all([
        ground.browser().post(path, { "new-password": newPassword }),
        owner.post("/account/password", { password, "new-password": "another mill with a store" }),
      ]);
      assertLessOrEqual(found.filter(isDone).length, 1, found.map(({ Status }) => Status).join());
    },
  },
  {
    name: "of two new addresses that were requested, one can be confirmed",
    meetsHashes: true,
    async run(ground) {
      const owner = await ground.member();
      const links = [
        await ground.link("/account/mail", "one@example.net", owner),
        await ground.link("/account/mail", "two@example.net", owner),
      ];
      const found = await Promise.all(links.map((path) => owner.post(path)));
      assertEquals(found.filter(isDone).length, 1);
    },
  },
  {
    name: "a recovery code works once, at the login and in the settings together",
    meetsHashes: true,
    async run(ground) {
      const owner = await ground.member();
      const { codes: [code = ""] } = await owner.addFactor();
      const browser = await pending(ground);
      const found = await Promise.all([
        browser.post("/login/code", { code }),
        owner.post("/account/factor/remove", { ...proof, code }),
        owner.post("/account/keys", { ...proof, name: "key", code }),
      ]);
      assertLessOrEqual(found.filter(isDone).length, 1, found.map(({ Status }) => Status).join());
    },
  },
  {
    name: "two sessions that turn the second factor on do not both get codes",
    meetsHashes: true,
    async run(ground) {
      const owner = await ground.member();
      const other = ground.browser();
      await other.logIn();
      const links = [
        await ground.link("/account/factor", "", owner),
        await ground.link("/account/factor", "", other),
      ];
      const found = await Promise.all([owner.addFactor(links[0]), other.addFactor(links[1])]);
      assertLessOrEqual(found.filter(({ codes }) => codes.length === 10).length, 1);
    },
  },
  {
    name: "the secret of a second factor is not shown again, and cannot be replaced",
    async run(ground) {
      const owner = await ground.member();
      const { codes: [code = ""] } = await owner.addFactor();
      const used = await ground.mailed();
      ground.transport.Clear();
      const before = ground.site.accounts.byID(1)?.totp;
      const form = { "factor-password": password, code };
      assertEquals((await owner.post("/account/factor", form)).Status, 303);
      for (const path of [used, await ground.mailed()]) {
        assertEquals([(await owner.get(path)).Status, (await owner.post(path, { code: "000000" })).Status], [410, 410]);
      }
      assertEquals(ground.site.accounts.byID(1)?.totp, before);
    },
  },
  {
    name: "a login that waits for a code opens no page, and ends after five minutes",
    async run(ground) {
      const { codes: [code = ""] } = await (await ground.member()).addFactor();
      const browser = await pending(ground);
      for (const path of ["/account", "/account/factor/x", "/secrets", "/api/me"]) {
        assertEquals((await browser.get(path)).Status, 401, path);
      }
      for (const path of ["/account/delete", "/account/keys", "/account/factor/remove", "/account/passkeys"]) {
        assertEquals((await browser.post(path, { ...proof, code })).Status, 401, path);
      }
      const now = Date.now();
      const clock = Date.now;
      try {
        Date.now = () => now + 6 * 60_000;
        assertEquals((await browser.post("/login/code", { code })).Headers.get("location"), "/login");
      } finally {
        Date.now = clock;
      }
      assert(!await browser.isIn());
    },
  },
  {
    name: "a login that waits for a code is replaced by the login of another account",
    async run(ground) {
      const { codes: [code = ""] } = await (await ground.member()).addFactor();
      await ground.add(eve);
      const browser = await pending(ground);
      await browser.logIn(eve);
      await browser.post("/login/code", { code });
      assert((await browser.get("/account")).Text.includes(eve));
    },
  },
  {
    name: "a login that waits for a code ends with the account",
    async run(ground) {
      const owner = await ground.member();
      const { codes: [first = "", second = ""] } = await owner.addFactor();
      const browser = await pending(ground);
      assertEquals((await owner.post("/account/delete", { ...proof, code: first })).Status, 303);
      assertEquals((await browser.post("/login/code", { code: second })).Headers.get("location"), "/login");
    },
  },
  {
    name: "an account with the address of a deleted one inherits no session, key, passkey or factor",
    async run(ground) {
      const owner = await ground.member();
      const passkey = await addPasskey(owner);
      const other = ground.browser();
      await other.logIn();
      await owner.post("/account/delete", proof);
      const path = await ground.link("/signup");
      const next = ground.browser();
      assertEquals((await next.post(path, { "new-password": newPassword })).Status, 303);
      assert(!await other.isIn() && !await owner.isIn() && await next.isIn());
      const thief = ground.browser();
      const answer = answerOf(passkey, await challengeOf(thief));
      assertEquals((await thief.json("/login/passkey", answer)).Status, 401);
      assertEquals(ground.site.accounts.passkeysOf(2), []);
    },
  },
  {
    name: "a form of an account that is deleted at the same time is refused, without an error of the server",
    meetsHashes: true,
    async run(ground) {
      const owner = await ground.member();
      const other = ground.browser();
      await other.logIn();
      const [, refused] = await Promise.all([
        owner.post("/account/delete", proof),
        other.post("/account/mail", { mail: "new@example.org", "mail-password": "wrong" }),
      ]);
      // A busy server may refuse passwords with 503, and the wrong one may be refused first.
      assert([401, 422, 503].includes(refused.Status), String(refused.Status));
    },
  },
  {
    name: "a form that is sent twice does not log its user out",
    meetsHashes: true,
    async run(ground) {
      const owner = await ground.member();
      const form = { mail: "new@example.org", "mail-password": password };
      await Promise.all([owner.post("/account/mail", form), owner.post("/account/mail", form)]);
      assert(await owner.isIn());
    },
  },
  {
    name: "a key that is created while the account is deleted does not work",
    meetsHashes: true,
    async run(ground) {
      const owner = await ground.member();
      const other = ground.browser();
      await other.logIn();
      const [page] = await Promise.all([
        other.post("/account/keys", { ...proof, name: "key" }),
        owner.post("/account/delete", proof),
      ]);
      const key = /<code>(app_\w+)<\/code>/.exec(page.Text)?.[1] ?? "app_none";
      assertEquals((await ground.browser().get("/api/me", { authorization: `Bearer ${key}` })).Status, 401);
    },
  },
  {
    name: "a login with a passkey replaces the session, and its challenge works once, in its own session",
    async run(ground) {
      const passkey = await addPasskey(await ground.member());
      const browser = ground.browser();
      const challenge = await challengeOf(browser);
      const before = browser.client.Cookie("__Host-sid");
      const answer = answerOf(passkey, challenge);
      const stranger = ground.browser();
      await challengeOf(stranger);
      assertEquals((await stranger.json("/login/passkey", answer)).Status, 401);
      assertEquals((await browser.json("/login/passkey?next=//evil.example", answer)).JSON(), { next: "/account" });
      assert(before !== "" && before !== browser.client.Cookie("__Host-sid") && await browser.isIn());
      const fixed = ground.browser();
      assertEquals((await fixed.get("/account", { cookie: `__Host-sid=${before}` })).Status, 401);
      assertEquals((await browser.json("/login/passkey", answer)).Status, 401);
    },
  },
  {
    name: "a passkey that was removed does not log in, and the other sessions end",
    async run(ground) {
      const owner = await ground.member();
      const passkey = await addPasskey(owner);
      const thief = ground.browser();
      assertEquals((await thief.json("/login/passkey", answerOf(passkey, await challengeOf(thief)))).Status, 200);
      await owner.post("/account/passkeys/remove", { id: String(passkey["id"]), "passkey-password": password });
      assert(!await thief.isIn());
      assertEquals((await thief.json("/login/passkey", answerOf(passkey, await challengeOf(thief)))).Status, 401);
    },
  },
];
