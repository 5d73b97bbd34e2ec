/**
 * Attacks on the settings of accounts, on passkeys, on API keys and on stored data.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { newPasskey } from "./authenticator.ts";
import { type AccountAttack, ada, type Browser, eve, Ground, newPassword, password } from "./ground.ts";

/** The dangerous steps, with the fields that each needs apart from the proof. */
const steps: Readonly<Record<string, Record<string, string>>> = {
  "/account/password": { "new-password": newPassword },
  "/account/mail": { mail: "thief@example.org" },
  "/account/factor": {},
  "/account/keys": { name: "key" },
  "/account/sessions/end-others": {},
  "/account/delete": {},
};

/** Returns the name of the field with the password. */
function proofOf(path: string): string {
  const form = /(mail|factor|key|session|delete)/.exec(path)?.[1];
  return form === undefined ? "password" : `${form}-password`;
}

async function keyOf(browser: Browser): Promise<string> {
  const { Text } = await browser.post("/account/keys", { name: "script", "key-password": password });
  return /<code>(app_\w+)<\/code>/.exec(Text)?.[1] ?? "";
}

/** Attacks on settings. */
export const settingAttacks: readonly AccountAttack[] = [
  {
    name: "a stolen session changes nothing without the password",
    async run(ground) {
      const thief = await ground.member();
      for (const [path, form] of Object.entries(steps)) {
        for (const word of [undefined, "", "wrong", " ", "undefined", "null"]) {
          thief.forgive();
          const proof = word === undefined ? {} : { [proofOf(path)]: word };
          assertEquals((await thief.post(path, { ...form, ...proof })).Status, 422, `${path} ${word}`);
        }
      }
      await ground.site.queue.Drain();
      assertEquals(ground.transport.Messages.length, 0);
      assert(await thief.isIn());
    },
  },
  {
    name: "a stolen session and the password change nothing without the second factor",
    async run(ground) {
      const thief = await ground.member();
      const { next } = await thief.addFactor();
      await ground.site.queue.Drain();
      ground.transport.Clear();
      for (const [path, form] of Object.entries(steps)) {
        for (const code of ["", "000000"]) {
          thief.forgive();
          assertEquals((await thief.post(path, { ...form, [proofOf(path)]: password, code })).Status, 422, path);
        }
      }
      thief.forgive();
      assertEquals((await thief.json("/account/passkeys/options", { password })).Status, 401);
      await ground.site.queue.Drain();
      assertEquals(ground.transport.Messages.length, 0);
      assertEquals((await thief.json("/account/passkeys/options", { password, code: next })).Status, 200);
    },
  },
  {
    name: "passwords that a stolen session guesses are slowed down at every step together",
    meetsHashes: true,
    async run(ground) {
      const thief = await ground.member();
      const guesses = [];
      for (let at = 0; at < 4; at++) {
        guesses.push(thief.post("/account/delete", { "delete-password": `guess ${at}` }));
        guesses.push(thief.json("/account/passkeys/options", { password: `guess ${at}` }));
        guesses.push(thief.post("/account/password", { password: `guess ${at}`, "new-password": newPassword }));
      }
      const found = (await Promise.all(guesses)).map(({ Status }) => Status);
      assert(found.filter((status) => status !== 429).length <= 6, found.join());
    },
  },
  {
    name: "a stolen session that guesses passwords does not keep the owner from ending it",
    async run(ground) {
      const thief = await ground.member();
      const owner = ground.browser();
      await owner.logIn();
      for (let at = 0; at < 8; at++) await thief.post("/account/delete", { "delete-password": `guess ${at}` });
      assertEquals((await thief.post("/account/delete", { "delete-password": "guess" })).Status, 429);
      assertEquals((await owner.post("/account/sessions/end-others", { "session-password": password })).Status, 303);
      assert(!await thief.isIn() && await owner.isIn());
    },
  },
  {
    name: "the challenge of a login, which needs no password, does not add a passkey",
    async run(ground) {
      const thief = await ground.member();
      const { challenge } = (await thief.json("/login/passkey/options", {})).JSON() as { challenge: string };
      assertEquals((await thief.json("/account/passkeys", await newPasskey(challenge))).Status, 400);
      assertEquals(ground.site.accounts.passkeysOf(1), []);
    },
  },
  {
    name: "a challenge adds one passkey, in its own session only, and the owner is told",
    async run(ground) {
      const owner = await ground.member();
      const ask = async () =>
        ((await owner.json("/account/passkeys/options", { password })).JSON() as { challenge: string }).challenge;
      const other = ground.browser();
      await other.logIn();
      assertEquals((await other.json("/account/passkeys", await newPasskey(await ask()))).Status, 400);
      const challenge = await ask();
      assertEquals((await owner.json("/account/passkeys", await newPasskey(challenge))).Status, 204);
      assertEquals((await owner.json("/account/passkeys", await newPasskey(challenge))).Status, 400);
      assertEquals(ground.site.accounts.passkeysOf(1).length, 1);
      await ground.site.queue.Drain();
      ground.transport.Expect({ To: ada, Subject: "Your account was changed" });
    },
  },
  {
    name: "malformed passkeys are refused, without an error of the server",
    async run(ground) {
      const owner = await ground.member();
      const bodies = ["", "{", "null", "[]", '"x"', "1", '{"id":{}}', '{"id":"x","response":null}', '{"__proto__":{}}'];
      for (const body of bodies) {
        for (const path of ["/login/passkey", "/account/passkeys", "/account/passkeys/options"]) {
          owner.forgive();
          await owner.json(path === "/login/passkey" ? "/login/passkey/options" : "/ping", {}).catch(() => {});
          const { Status } = await owner.json(path, body);
          assert(Status === 400 || Status === 401, `${path} ${body}: ${Status}`);
        }
      }
    },
  },
  {
    name: "the handle of another user's session ends nothing",
    async run(ground) {
      const owner = await ground.member();
      const attacker = await ground.member(eve);
      const [session] = await ground.site.manager.Of("1").List();
      const form = { handle: session?.Handle ?? "", "session-password": password };
      await attacker.post("/account/sessions/end", form);
      assert(await owner.isIn());
    },
  },
  {
    name: "fields that a form does not have change nothing",
    async run(ground) {
      const owner = await ground.member();
      await ground.add(eve);
      const before = ground.site.accounts.byID(2);
      const more = { id: "2", account: "2", hash: "x", totp: "x", step: "0", Roles: "admin", ID: "2", user: "2" };
      await owner.post("/account/password", { password, "new-password": newPassword, ...more });
      await owner.post("/account/mail?id=2", { mail: "new@example.org", "mail-password": newPassword, ...more });
      await owner.post(await ground.mailed(), more);
      assertEquals(ground.site.accounts.byID(2), before);
      assert((await owner.get("/account")).Text.includes("new@example.org"));
      assertEquals(ground.site.accounts.byID(1)?.totp, null);
    },
  },
  {
    name: "a deleted account leaves no session, key, link or login",
    async run(ground) {
      const owner = await ground.member();
      const other = ground.browser();
      await other.logIn();
      const key = await keyOf(owner);
      await ground.site.queue.Drain();
      const path = await ground.link("/reset");
      await owner.post("/account/delete", { "delete-password": password });
      assert(!await other.isIn() && !await owner.isIn());
      assertEquals((await ground.browser().get("/api/me", { authorization: `Bearer ${key}` })).Status, 401);
      assertEquals((await ground.browser().post(path, { "new-password": newPassword })).Status, 410);
      assertEquals((await ground.browser().logIn()).Status, 422);
      assertEquals(await ground.site.apiKeys.List("1"), []);
    },
  },
  {
    name: "an API key does not manage accounts or keys, and has no further scopes",
    async run(ground) {
      const key = await keyOf(await ground.member());
      const script = ground.browser();
      const headers = { authorization: `Bearer ${key}` };
      assertEquals((await script.get("/api/me", headers)).Text, ada);
      assertEquals((await script.get("/api/admin", headers)).Status, 403);
      for (const path of ["/account", "/secrets"]) {
        assertEquals((await script.get(path, headers)).Status, 401, path);
      }
      for (const [path, form] of Object.entries(steps)) {
        assertEquals((await script.post(path, { ...form, [proofOf(path)]: password }, headers)).Status, 401, path);
      }
    },
  },
  {
    name: "an API key is not valid as two factors, even if its owner has two",
    async run(ground) {
      const owner = await ground.member();
      const authorization = `Bearer ${await keyOf(owner)}`;
      assertEquals((await owner.get("/api/secrets")).Headers.get("location"), "/account#factor");
      await owner.addFactor();
      assertEquals((await owner.get("/api/secrets")).Text, "secret");
      assertEquals((await ground.browser().get("/api/secrets", { authorization })).Status, 403);
      assertEquals((await ground.browser().get("/api/me", { authorization })).Text, ada);
    },
  },
  {
    name: "API keys of others are neither listed nor revoked",
    async run(ground) {
      const key = await keyOf(await ground.member());
      const attacker = await ground.member(eve);
      const [info] = await ground.site.apiKeys.List("1");
      await attacker.post("/account/keys/revoke", { id: info?.ID ?? "", "revoke-password": password });
      assert(!(await attacker.get("/account")).Text.includes(info?.ID ?? "?"));
      assertEquals((await ground.browser().get("/api/me", { authorization: `Bearer ${key}` })).Status, 200);
    },
  },
  {
    name: "names of keys and devices are escaped",
    async run(ground) {
      await ground.add();
      const browser = ground.browser();
      const headers = { "user-agent": "<script>alert(1)</script>" };
      await browser.post("/login", { mail: ada, password }, headers);
      const form = { name: "<img src=x onerror=alert(1)>", "key-password": password };
      await browser.post("/account/keys", form, headers);
      const { Text } = await browser.get("/account");
      assert(!Text.includes("<script>alert") && !Text.includes("<img"), Text);
      assert(Text.includes("&lt;script&gt;") && Text.includes("&lt;img"), Text);
    },
  },
  {
    name: "pages of accounts are not cached, and not shown in frames",
    async run(ground) {
      const owner = await ground.member();
      for (const path of ["/account", "/login"]) {
        const { Headers } = await owner.get(path);
        assertEquals(Headers.get("cache-control"), "no-store", path);
        const frames = `${Headers.get("x-frame-options")} ${Headers.get("content-security-policy")}`;
        assert(/DENY|SAMEORIGIN|frame-ancestors/.test(frames), frames);
      }
    },
  },
  {
    name: "the files contain no password, code, secret, key or session ID",
    async run() {
      const folder = await Deno.makeTempDir();
      try {
        const ground = new Ground(folder);
        // A started application could already be sending the mail that the attack waits for.
        await using _ = { [Symbol.asyncDispose]: () => ground.app.Shutdown() };
        const owner = await ground.member();
        const key = await keyOf(owner);
        const { secret, codes } = await owner.addFactor();
        const secrets = [password, key, secret.replaceAll(" ", ""), codes[0]?.replaceAll("-", "") ?? ""];
        for (const found of secrets) assert(found.length > 10, found);
        for await (const { name } of Deno.readDir(folder)) {
          const bytes = new TextDecoder("latin1").decode(await Deno.readFile(`${folder}/${name}`));
          assertEquals(secrets.filter((each) => bytes.includes(each)), [], name);
        }
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    },
  },
];
