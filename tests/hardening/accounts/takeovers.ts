/**
 * Attacks by a thief who has learned the password, and what a reset leaves of them.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import type { Account } from "../../tools/init/accounts/store.ts";
import { addPasskey, answerOf, challengeOf, newPasskey } from "./authenticator.ts";
import { type AccountAttack, ada, type Browser, eve, type Ground, newPassword, password } from "./ground.ts";

const form = { "new-password": newPassword };

/** Reports whether a passkey logs in. */
async function opens(ground: Ground, passkey: Record<string, unknown>): Promise<boolean> {
  const browser = ground.browser();
  const { Status } = await browser.json("/login/passkey", answerOf(passkey, await challengeOf(browser)));
  return Status === 200;
}

async function keyOf(browser: Browser): Promise<string> {
  const { Text } = await browser.post("/account/keys", { name: "script", "key-password": password });
  return /<code>(app_\w+)<\/code>/.exec(Text)?.[1] ?? "";
}

async function isValid(ground: Ground, key: string): Promise<boolean> {
  return (await ground.browser().get("/api/me", { authorization: `Bearer ${key}` })).Status === 200;
}

/** Attacks by a thief who knows the password. */
export const takeoverAttacks: readonly AccountAttack[] = [
  {
    name: "a passkey and a key that a thief has added do not outlive a reset",
    async run(ground) {
      const thief = await ground.member();
      const [passkey, key] = [await addPasskey(thief), await keyOf(thief)];
      assert(await opens(ground, passkey) && await isValid(ground, key));
      assertEquals((await ground.browser().post(await ground.link("/reset"), form)).Status, 303);
      assert(!await opens(ground, passkey) && !await isValid(ground, key));
      assert(!await thief.isIn());
    },
  },
  {
    name: "the page of a reset selects no passkeys and keys of the last 30 days",
    async run(ground) {
      const thief = await ground.member();
      const [passkey, key] = [await addPasskey(thief), await keyOf(thief)];
      assert(key !== "");
      const path = await ground.link("/reset");
      const { Text } = await ground.browser().get(path);
      assert(Text.includes(String(passkey["id"])) && Text.includes("script") && !Text.includes("checked"), Text);
      const clock = Date.now;
      const now = clock();
      let later = "";
      try {
        Date.now = () => now + 31 * 24 * 3_600_000;
        later = (await ground.browser().get(await ground.link("/reset"))).Text;
      } finally {
        Date.now = clock;
      }
      assertEquals(later.match(/checked/g)?.length, 2);
    },
  },
  {
    name: "a passkey that is added during a reset does not outlive it",
    meetsHashes: true,
    async run(ground) {
      const thief = await ground.member();
      const { challenge } = (await thief.json("/account/passkeys/options", { password })).JSON() as {
        challenge: string;
      };
      const passkey = await newPasskey(challenge);
      const before = ground.site.accounts.byMail(ada) as Account;
      const path = await ground.link("/reset");
      await Promise.all([ground.browser().post(path, form), thief.json("/account/passkeys", passkey)]);
      assert(!await opens(ground, passkey));
      // The last moment: the request has read the account, and the reset ends before the statement.
      assert(!ground.site.accounts.addPasskey(before, "late", new Uint8Array(8), 0));
    },
  },
  {
    name: "a key that is created during a reset does not outlive it",
    meetsHashes: true,
    async run(ground) {
      const thief = await ground.member();
      const path = await ground.link("/reset");
      const [key, { Status }] = await Promise.all([keyOf(thief), ground.browser().post(path, form)]);
      if (Status === 303) assert(!await isValid(ground, key)); // a busy server may respond with 503
    },
  },
  {
    name: "a reset keeps nothing of others, and removes nothing of them",
    async run(ground) {
      const owner = await ground.member();
      const [passkey, key] = [await addPasskey(owner), await keyOf(owner)];
      await ground.add(eve);
      const attacker = ground.browser();
      await attacker.post(await ground.link("/reset", eve), { ...form, keep: String(passkey["id"]) });
      assert(await opens(ground, passkey) && await isValid(ground, key));
    },
  },
  {
    name: "a thief with the session and the password does not lock the owner out with a second factor",
    async run(ground) {
      const thief = await ground.member();
      await thief.get("/account/factor/x");
      const proof = { "factor-password": password, password, code: "000000" };
      assertEquals((await thief.post("/account/factor", proof)).Status, 303);
      for (const token of ["", "/x", "/1"]) {
        const { Status } = await thief.post(`/account/factor${token}`, proof);
        assert(Status === 303 || Status === 410, String(Status));
      }
      assertEquals(ground.site.accounts.byMail(ada)?.totp, null);
      // The owner gets the mails, and gets in with a reset.
      await ground.site.queue.Drain();
      assertEquals(ground.transport.Messages.map(({ To }) => To[0]?.Address), [ada, ada]);
      const owner = ground.browser();
      await owner.post(await ground.link("/reset"), form);
      assertEquals((await owner.logIn(ada, newPassword)).Headers.get("location"), "/account");
    },
  },
  {
    name: "strangers who request mails do not keep the owner from turning a second factor on",
    async run(ground) {
      const owner = await ground.member();
      for (let at = 0; at < 8; at++) await ground.browser().post("/reset", { mail: ada });
      await ground.site.queue.Drain();
      assertEquals((await owner.addFactor()).codes.length, 10);
    },
  },
  {
    name: "the link of a second factor does nothing without a login, in another account, or after a new password",
    async run(ground) {
      const owner = await ground.member();
      const path = await ground.link("/account/factor", "", owner);
      assertEquals((await ground.browser().get(path)).Status, 401);
      assertEquals((await (await ground.member(eve)).get(path)).Status, 410);
      assertEquals((await owner.get(path)).Status, 200);
      await owner.post("/account/password", { password, ...form });
      assertEquals((await owner.get(path)).Status, 410);
      assertEquals((await owner.post(path, { code: "000000" })).Status, 410);
    },
  },
  {
    name: "a reset does not remove the second factor, even with fields that its page does not have",
    async run(ground) {
      await (await ground.member()).addFactor();
      const before = ground.site.accounts.byMail(ada)?.totp;
      const more = { totp: "", factor: "", keep: "", remove: "factor", code: "000000" };
      const browser = ground.browser();
      assertEquals((await browser.post(await ground.link("/reset"), { ...form, ...more })).Status, 303);
      assertEquals(ground.site.accounts.byMail(ada)?.totp, before);
      assertEquals((await browser.logIn(ada, newPassword)).Headers.get("location"), "/login/code");
    },
  },
];
