/**
 * Attacks with requests that the forms do not send: other methods, bodies, fields, cookies and paths.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { type AccountAttack, ada, type Browser, eve, Ground, newPassword, password } from "./ground.ts";

const pages = ["/signup", "/reset", "/login", "/login/code", "/account"];
const posts = [
  ...["/signup", "/reset", "/login", "/login/code", "/logout", "/login/passkey", "/login/passkey/options"],
  ...["password", "mail", "factor", "factor/remove", "passkeys", "passkeys/options", "passkeys/remove", "keys"]
    .map((path) => `/account/${path}`),
  ...["keys/revoke", "sessions/end", "sessions/end-others", "delete"].map((path) => `/account/${path}`),
];
/** All fields that prove something, with the right password. */
const forms = ["", "mail-", "session-", "passkey-", "factor-", "key-", "revoke-", "delete-"];
const proof = Object.fromEntries(forms.map((form) => [`${form}password`, password]));

let senders = 0;

/** Sends a body as another type than that of a form, from another address than before. */
async function send(browser: Browser, path: string, type: string, body: string): Promise<number> {
  const call = browser.client.POST(path).WithRemoteAddr(`10.2.${++senders >> 8 & 255}.${senders & 255}`);
  return (await call.WithHeader("content-type", type).WithBody(body).Expect()).Status;
}

/** Fails unless the account and the session are as they were. */
async function assertUnchanged(ground: Ground, owner: Browser): Promise<void> {
  assertEquals(ground.site.accounts.byID(1)?.mail, ada);
  assertEquals(await ground.site.apiKeys.List("1"), []);
  await ground.site.queue.Drain();
  assertEquals(ground.transport.Messages.length, 0);
  assert(await owner.isIn());
}

/** Attacks with unusual requests. */
export const requestAttacks: readonly AccountAttack[] = [
  {
    name: "other methods change nothing at any page, without an error of the server",
    async run(ground) {
      const owner = await ground.member();
      for (const path of new Set([...pages, ...posts])) {
        for (const method of ["HEAD", "OPTIONS", "PUT", "PATCH", "DELETE"] as const) {
          const call = owner.client.Request(method, path);
          const { Status } = await (method === "HEAD" ? call : call.WithForm(proof)).Expect();
          const isSafe = method === "HEAD" || method === "OPTIONS";
          assert(isSafe ? Status < 500 : Status === 404 || Status === 405, `${method} ${path}: ${Status}`);
        }
        const override = { "x-http-method-override": "POST", "x-method-override": "POST" };
        assert((await owner.get(`${path}?_method=POST`, override)).Status < 500, path);
      }
      await assertUnchanged(ground, owner);
    },
  },
  {
    name: "GET requests do not end the session, and delete nothing",
    async run(ground) {
      const owner = await ground.member();
      const query = new URLSearchParams(proof);
      for (const path of posts.filter((path) => !pages.includes(path))) {
        const { Status } = await owner.get(`${path}?${query}`);
        assert(Status === 404 || Status === 405 || Status === 410, `${path}: ${Status}`);
      }
      await assertUnchanged(ground, owner);
    },
  },
  {
    name: "passwords in the query are not those of a form",
    async run(ground) {
      const owner = await ground.member();
      const query = new URLSearchParams({ ...proof, "new-password": newPassword, mail: eve, name: "key" });
      for (const path of ["password", "mail", "keys", "sessions/end-others", "delete"]) {
        owner.forgive();
        assertEquals((await owner.post(`/account/${path}?${query}`)).Status, 422, path);
      }
      assertEquals((await ground.browser().post(`/login?mail=${ada}&password=${password}`)).Status, 422);
      await assertUnchanged(ground, owner);
    },
  },
  {
    name: "JSON, text and broken bodies in place of forms change nothing, without an error of the server",
    async run(ground) {
      const owner = await ground.member();
      const bodies: [type: string, body: string][] = [
        ["application/json", JSON.stringify({ ...proof, mail: { $ne: "" }, "new-password": [newPassword] })],
        ["text/plain", String(new URLSearchParams(proof))],
        ["multipart/form-data; boundary=x", '--x\r\nContent-Disposition: form-data; name="password"; filename="p"\r\n'],
        ["multipart/form-data", "password"],
        ["application/x-www-form-urlencoded; charset=utf-7", "mail=%zz&password=%ff%fe&delete-password"],
        ["application/xml", "<password>x</password>"],
      ];
      for (const path of posts.filter((path) => path !== "/logout" && !path.endsWith("passkeys/options"))) {
        for (const [type, body] of bodies) {
          owner.forgive();
          const status = await send(owner, path, type, body);
          assert(status >= 300 && status < 500 || path === "/login/passkey/options", `${path} ${type}: ${status}`);
        }
      }
      await assertUnchanged(ground, owner);
    },
  },
  {
    name: "passwords in JSON that are no strings are wrong",
    async run(ground) {
      const owner = await ground.member();
      for (const value of [[password], { toString: password }, true, null, 0]) {
        owner.forgive();
        const { Status } = await owner.json("/account/passkeys/options", { password: value });
        assertEquals(Status, 401, JSON.stringify(value));
        await owner.json("/login/passkey/options", {});
        assertEquals((await owner.json("/login/passkey", { id: value, response: value })).Status, 401);
      }
    },
  },
  {
    name: "a field that is sent twice reaches one address only",
    async run(ground) {
      await ground.add();
      await ground.add(eve);
      const body = `mail=${ada}&mail=${eve}`;
      for (const path of ["/reset", "/signup"]) {
        await send(ground.browser(), path, "application/x-www-form-urlencoded", body);
      }
      await ground.site.queue.Drain();
      for (const { To, CC, BCC } of ground.transport.Messages) assertEquals([...To, ...CC, ...BCC].length, 1);
      assertEquals(new Set(ground.transport.Messages.map(({ To }) => To[0]?.Address)).size, 1);
    },
  },
  {
    name: "very long passwords, addresses and codes are refused quickly, without an error of the server",
    async run(ground) {
      const owner = await ground.member();
      const long = "x".repeat(1 << 20);
      const requests: [path: string, form: Record<string, string>][] = [
        ["/login", { mail: ada, password: long }],
        ["/login", { mail: `${long}@example.org`, password }],
        ["/signup", { mail: `${long}@example.org` }],
        ["/login/code", { code: long }],
        ["/account/delete", { "delete-password": long }],
        ["/account/password", { password, "new-password": long }],
        ["/account/password", { password, "new-password": "é".repeat(257) }],
        [await ground.link("/reset"), { "new-password": long }],
      ];
      for (const [path, form] of requests) {
        const { Status } = await owner.post(path, form);
        assert(Status >= 300 && Status < 500, `${path}: ${Status}`);
      }
      assertEquals((await ground.browser().logIn()).Status, 303);
    },
  },
  {
    name: "other Unicode forms of an address neither find nor create an account",
    async run(ground) {
      await ground.add();
      const forms = [
        "ａda@example.org",
        "ada@ｅxample.org",
        "ada@example。org",
        "a\u0301da@example.org",
        "ada@example.org.",
      ];
      forms.push(
        "ada\u200b@example.org",
        "ada@example.org\u0000",
        "ſda@example.org",
        "ada@xn--example-.",
        "%61da@example.org%00",
      );
      for (const mail of forms) {
        assert((await ground.browser().logIn(mail)).Status !== 303, mail);
        for (const path of ["/signup", "/reset"]) {
          const { Status } = await ground.browser().post(path, { mail });
          assert(Status === 422 || Status === 400, `${mail}: ${Status}`);
        }
      }
      await ground.site.queue.Drain();
      assertEquals(ground.transport.Messages.length, 0);
    },
  },
  {
    name: "a change to the address of another account responds as one to a free address",
    async run(ground) {
      const owner = await ground.member();
      await ground.add(eve);
      const ask = async (mail: string) => {
        const { Status, Headers } = await owner.post("/account/mail", { mail, ...proof });
        return [Status, Headers.get("location"), (await owner.get("/account")).Text.replace(/10\.0\.\d+\.\d+/, "")];
      };
      assertEquals(await ask(eve), await ask("free@example.org"));
      await ground.site.queue.Drain();
      assertEquals(ground.transport.Messages.map(({ To }) => To[0]?.Address), ["free@example.org"]);
    },
  },
  {
    name: "the cookie of a session is valid under its own name, and that of a device opens nothing",
    async run(ground) {
      const owner = await ground.member();
      const [id, device] = [owner.client.Cookie("__Host-sid"), owner.client.Cookie("__Host-device")];
      assert(id.length > 20 && device.length > 20);
      for (const cookie of [`sid=${id}`, `__Secure-sid=${id}`, `__host-sid=${id}`, `__Host-sid=${device}`]) {
        assertEquals((await ground.browser().get("/account", { cookie })).Status, 401, cookie);
      }
    },
  },
  {
    name: "a key and the session of another user are never mixed",
    async run(ground) {
      const owner = await ground.member();
      const { Text } = await owner.post("/account/keys", { ...proof, name: "key" });
      const authorization = `Bearer ${/<code>(app_\w+)<\/code>/.exec(Text)?.[1]}`;
      const other = await ground.member(eve);
      assertEquals((await other.get("/api/me", { authorization })).Text, ada);
      const page = (await other.get("/account", { authorization })).Text;
      assert(!page.includes(ada), page);
      assertEquals((await other.post("/account/delete", proof, { authorization })).Status < 500, true);
      assertEquals(ground.site.accounts.byID(1)?.mail, ada);
    },
  },
  {
    name: "other spellings of a path do not open the account without a login",
    async run(ground) {
      await ground.add();
      const paths = [
        "//account",
        "/account/",
        "/account/.",
        "/./account",
        "/x/../account",
        "/account%2F",
        "/%61ccount",
      ];
      paths.push(
        "/account;x=1",
        "/ACCOUNT",
        "/account%00",
        "/account/factor/x",
        "/accounts/../account",
        "/account//factor/x",
      );
      for (const path of paths) {
        const response = await ground.app.fetch(new Request(`http://localhost${path}`));
        await response.body?.cancel();
        assert(response.status >= 300 && response.status < 500, `${path}: ${response.status}`);
      }
    },
  },
  {
    name: "pages with secrets and messages of links are not cached, and send no referrer",
    async run(ground) {
      const owner = await ground.member();
      const found = [
        await owner.get(await ground.link("/account/factor", "", owner)),
        await owner.post("/account/keys", { ...proof, name: "key" }),
      ];
      found.push(await owner.get(await ground.link("/account/mail", "new@example.org", owner)));
      found.push(
        await owner.get("/reset/none"),
        await owner.post("/account/delete", {}),
        await owner.get("/login/code"),
      );
      found.push(await owner.post("/reset", { mail: ada }));
      for (const { Status, Headers } of found) {
        const headers = [Headers.get("cache-control"), Headers.get("referrer-policy")];
        assertEquals(headers, ["no-store", "no-referrer"], String(Status));
      }
    },
  },
  {
    name: "the databases can be read by the user of the process only",
    async run() {
      if (Deno.build.os === "windows") return;
      const folder = await Deno.makeTempDir();
      try {
        const ground = new Ground(folder);
        await using _ = await ground.app.Start();
        await (await ground.member()).get("/account");
        for await (const { name } of Deno.readDir(folder)) {
          assertEquals(((await Deno.stat(`${folder}/${name}`)).mode ?? 0) & 0o077, 0, name);
        }
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    },
  },
];
