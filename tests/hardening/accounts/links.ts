/**
 * Attacks on the links in mails, and on the addresses that they are sent to.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import * as fw from "@fw/web";
import * as keys from "@fw/web/keys";
import * as accesslog from "@fw/web/middleware/accesslog";
import * as logger from "@fw/web/middleware/logger";
import { ada, eve, Ground, home, newPassword, password } from "./ground.ts";
import type { AccountAttack } from "./ground.ts";

const form = { "new-password": newPassword };

/** Replaces the purpose of a link. */
function as(path: string, purpose: string): string {
  return path.replace(/^\/[\w/]+\//, purpose);
}

/** Attacks on links. */
export const linkAttacks: readonly AccountAttack[] = [
  {
    name: "a link is not valid for another purpose",
    async run(ground) {
      const owner = await ground.member();
      const links = [await ground.link("/reset"), await ground.link("/signup", "new@example.org")];
      links.push(await ground.link("/account/mail", "ada@example.net", owner));
      links.push(await ground.link("/account/factor", "", owner));
      for (const path of links) {
        assert(path.length > 50, path);
        for (const purpose of ["/reset/", "/signup/", "/account/mail/", "/account/factor/"]) {
          if (as(path, purpose) === path) continue;
          assertEquals((await owner.post(as(path, purpose), form)).Status, 410, `${path} as ${purpose}`);
        }
      }
    },
  },
  {
    name: "two requests at the same time cannot both redeem a reset",
    meetsHashes: true,
    async run(ground) {
      await ground.add();
      const path = await ground.link("/reset");
      const words = [newPassword, "another mill with a store"];
      const found = await Promise.all(words.map((word) => ground.browser().post(path, { "new-password": word })));
      assertEquals(found.filter(({ Status }) => Status === 303).length, 1); // a busy server may respond with 503
    },
  },
  {
    name: "two requests at the same time cannot both redeem a sign-up",
    meetsHashes: true,
    async run(ground) {
      const path = await ground.link("/signup");
      const found = await Promise.all([1, 2, 3].map(() => ground.browser().post(path, form)));
      assertEquals(found.filter(({ Status }) => Status === 303).length, 1);
    },
  },
  {
    name: "a reset is not valid after the password, the address or the second factor has changed",
    async run(ground) {
      const owner = await ground.member();
      let path = await ground.link("/reset");
      await owner.post("/account/password", { password, ...form });
      assertEquals((await ground.browser().post(path, form)).Status, 410);
      await owner.post("/account/password", { password: newPassword, "new-password": password });
      path = await ground.link("/reset");
      await owner.post(await ground.link("/account/mail", "ada@example.net", owner));
      assertEquals((await ground.browser().post(path, form)).Status, 410);
      path = await ground.link("/reset", "ada@example.net");
      await owner.addFactor();
      assertEquals((await ground.browser().post(path, form)).Status, 410);
    },
  },
  {
    name: "a new address is not valid after the password has changed",
    async run(ground) {
      const owner = await ground.member();
      const path = await ground.link("/account/mail", "thief@example.net", owner);
      await owner.post("/account/password", { password, ...form });
      assertEquals((await owner.post(path)).Status, 410);
      assertEquals(ground.site.accounts.byMail(ada)?.mail, ada);
    },
  },
  {
    name: "the link of a sign-up does not create the account again after it was deleted",
    async run(ground) {
      const browser = ground.browser();
      const path = await ground.link("/signup");
      await browser.post(path, { "new-password": password });
      await browser.post("/account/delete", { "delete-password": password });
      assertEquals((await ground.browser().post(path, form)).Status, 410);
      assertEquals((await ground.browser().post(await ground.link("/signup"), form)).Status, 303);
    },
  },
  {
    name: "a link with another subject, or signed with another secret, is refused",
    async run(ground) {
      const [id, other] = [await ground.add(), await ground.add(eve)];
      const path = await ground.link("/reset");
      const encode = (value: unknown) => btoa(String(value)).replaceAll("=", "");
      assert(path.includes(`/${encode(id)}.`), path);
      assertEquals((await ground.browser().post(path.replace(encode(id), encode(other)), form)).Status, 410);
      const stranger = new Ground("", keys.Generate());
      await stranger.add();
      assertEquals((await ground.browser().post(await stranger.link("/reset"), form)).Status, 410);
    },
  },
  {
    name: "malformed links are refused, without an error of the server",
    async run(ground) {
      const owner = await ground.member();
      const signature = "a".repeat(43);
      const tokens = [
        "x",
        `.0.${signature}`,
        "null",
        "a".repeat(5000),
        `e30.zzz.${signature}`,
        "__proto__",
      ];
      const subjects = ["{", "[]", "null", "\0", "1 ", " ", "-1", "1e999", "1; DROP TABLE account", "\ud800"];
      for (const subject of subjects) tokens.push(`${btoaUTF8(subject)}.zzzzzz.${signature}`);
      for (const token of tokens) {
        for (const path of ["/reset/", "/signup/", "/account/mail/", "/account/factor/"]) {
          const { Status } = await owner.post(path + token, form);
          assert(Status === 410 || Status === 404 || Status === 400 || Status === 414, `${path}${token}: ${Status}`);
        }
      }
      assertEquals(ground.site.accounts.byMail(ada)?.mail, ada);
    },
  },
  {
    name: "programs that scan mails do not redeem a link",
    async run(ground) {
      await ground.add();
      const path = await ground.link("/reset");
      const scanner = ground.browser();
      for (let visit = 0; visit < 3; visit++) {
        assertEquals((await scanner.get(path)).Status, 200);
        await scanner.client.HEAD(path).Expect();
      }
      assertEquals((await ground.browser().post(path, form)).Status, 303);
    },
  },
  {
    name: "a page with a token is not cached, and does not send its address to other sites",
    async run(ground) {
      await ground.add();
      const { Headers } = await ground.browser().get(await ground.link("/reset"));
      assertEquals(Headers.get("cache-control"), "no-store");
      assertEquals(Headers.get("referrer-policy"), "no-referrer");
    },
  },
  {
    name: "neither logs nor development pages show the token of a link",
    async run() {
      const lines: string[] = [];
      const ground = new Ground("", undefined, (app) => logEverything(app, (line) => lines.push(line)));
      const owner = await ground.member();
      const links = [await ground.link("/reset"), await ground.link("/account/mail", "ada@example.net", owner)];
      links.push(await ground.link("/signup", "new@example.org"), await ground.link("/account/factor", "", owner));
      for (const path of links) {
        const browser = ground.browser();
        const referer = { referer: home + path, accept: "text/html" };
        await browser.get(path, referer); // without a login, this leads to "/login?next=…"
        await browser.get(`/login?next=${encodeURIComponent(path)}`, referer);
        await browser.post(path, { next: path, "new-password": "short" }, referer);
        await browser.get(`${path}/?token=${path}`, referer);
        await ground.browser().get(`/fail${path}`);
      }
      ground.app.Logger().Flush();
      const shown = async (page: string) => (await ground.browser().get(`/_fw/${page}`)).Text;
      const ids = Array.from((await shown("requests")).matchAll(/requests\/(\d+)/g), ([, id]) => id);
      for (const page of ["requests", "problems", ...ids.map((id) => `requests/${id}`)]) lines.push(await shown(page));
      const text = lines.join("\n");
      const parts = ["GET /fail/reset/", `"${home}/reset/`, "next=%2Freset%2F"];
      for (const part of parts) assert(text.includes(part), part);
      assert(ids.length > 9 && new RegExp(`referer[^]{1,99}${home}/reset/`).test(text), ids.join());
      for (const path of links) {
        const signature = path.slice(path.lastIndexOf(".") + 1);
        const at = text.indexOf(signature);
        assertEquals([signature.length, at], [43, -1], text.slice(at - 500, at));
      }
    },
  },
  {
    name: "the Host header does not enter the links of mails",
    async run(ground) {
      await ground.add();
      for (const host of ["evil.example", "app.example.org@evil.example", "evil.example:443"]) {
        ground.transport.Clear();
        const headers = {
          host,
          "x-forwarded-host": host,
          forwarded: `host=${host}`,
          "x-original-host": host,
          "content-type": "application/x-www-form-urlencoded",
          "sec-fetch-site": "same-origin",
        };
        const request = new Request("http://evil.example/reset", { method: "POST", headers, body: `mail=${ada}` });
        await (await ground.app.fetch(request)).body?.cancel();
        await ground.site.queue.Drain();
        for (const { HTML, Text } of ground.transport.Messages) {
          assert(!`${HTML}${Text}`.includes("evil.example"), HTML);
          assert(HTML.includes(`href="${home}/`), HTML);
        }
      }
    },
  },
  {
    name: "a reset is sent to the stored address, whatever the letter case of the request",
    async run(ground) {
      await ground.add();
      await ground.link("/reset", "ADA@EXAMPLE.ORG");
      assertEquals(ground.transport.Messages[0]?.To[0]?.Address, ada);
    },
  },
  {
    name: "addresses with other letters, header fields or quotes are refused",
    async run(ground) {
      await ground.add();
      const wrong = [
        "ada@example.org\r\nBcc: eve@example.org",
        "ada@example.org, eve@example.org",
        "ada@example.org,eve@example.org",
        "<ada@example.org>",
        '"ada@example.org"@evil.example',
        "ada@example.org@evil.example",
        "ad\u0430@example.org",
        "\u212Aate@example.org",
        "ada@exampl\u212A.org",
        "ada@example.org\0",
        "ada @example.org",
        "@example.org",
        `${"a".repeat(300)}@example.org`,
      ];
      for (const mail of wrong) {
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
    name: "an address does not receive many mails, wherever the requests come from",
    async run(ground) {
      await ground.add();
      for (let at = 0; at < 25; at++) {
        await ground.browser().post("/reset", { mail: at % 2 === 0 ? ada : "Ada@example.org" });
      }
      await ground.site.queue.Drain();
      assert(ground.transport.Messages.length <= 6, String(ground.transport.Messages.length));
    },
  },
  {
    name: "a new address that got an account in the meantime is not taken over",
    async run(ground) {
      const owner = await ground.member();
      const path = await ground.link("/account/mail", eve, owner);
      await ground.add(eve);
      assertEquals((await owner.post(path)).Status, 410);
      assertEquals(ground.site.accounts.byMail(ada)?.mail, ada);
      assertEquals(ground.site.accounts.byMail(eve)?.mail, eve);
    },
  },
  {
    name: "the link of a new address does nothing without a login, and nothing in another account",
    async run(ground) {
      const owner = await ground.member();
      const path = await ground.link("/account/mail", "ada@example.net", owner);
      assertEquals((await ground.browser().post(path)).Status, 401);
      assertEquals((await (await ground.member(eve)).post(path)).Status, 410);
      assertEquals(ground.site.accounts.byMail(eve)?.mail, eve);
    },
  },
];

/** Turns on all logs of an application, with all that they can contain, and its development pages. */
function logEverything(app: fw.Application, write: (line: string) => void): void {
  app.Configure(fw.WithDevelopment, fw.WithoutStartupLog);
  app.Logger().SetLevel("debug").SetOutput(write);
  const formats = ["text", "json", "csv", "combined", "{Path} {Params} {Error} {Referrer}"];
  const logs = formats.map((Format) => {
    return accesslog.New({ Format, Query: true, RequestBody: true, ResponseBody: true, Output: write });
  });
  app.UseRouter(logger.New({ Query: true }), ...logs.map((log) => log.Handler()));
  app.Get("/fail/{rest:path}", (ctx) => {
    ctx.Logger().AddFields({ path: ctx.Path() });
    throw new Error(`Cannot read ${ctx.Path()}`);
  });
}

function btoaUTF8(text: string): string {
  return new TextEncoder().encode(text).toBase64({ alphabet: "base64url", omitPadding: true });
}
