import * as fw from "@fw/web";
import * as httptest from "@fw/web/httptest";
import * as keys from "@fw/web/keys";
import * as mail from "@fw/web/mail";
import { HashPassword } from "@fw/web/middleware/auth";
import { createHmac } from "node:crypto";
import { type Site, useAccounts } from "./mod.ts";
import { cost } from "./store.ts";

Object.assign(cost, { Memory: 16, Iterations: 1 });

const [first, second] = ["the kettle sings at dawn", "a mill with a large store"];
const ada = "ada@example.org";

interface Test extends Site {
  readonly app: fw.Application;
  readonly transport: mail.Memory;
  /** Returns a client like a browser. */
  browser(): httptest.Client;
  /** Waits for the jobs, and returns the path of the link in the latest mail. */
  link(to: string): Promise<string>;
}

function newTest(Folder = "", Secret = keys.Generate()): Test {
  const app = fw.New();
  const lines: string[] = [];
  app.Logger().SetLevel("warn").SetOutput((line) => lines.push(line));
  const transport = mail.NewMemory();
  const url = "https://app.example.org";
  const site = useAccounts(app, {
    Folder,
    Secret,
    URL: url,
    From: "a@example.org",
    Transport: transport,
  });
  equal(lines.filter((line) => line.includes("Mails are not sent")).length, Folder === "" ? 0 : 1);
  return {
    ...site,
    app,
    transport,
    browser: () =>
      httptest.New(app).WithHeader("sec-fetch-site", "same-origin").WithHeader("x-forwarded-proto", "https"),
    async link(to) {
      await site.queue.Drain();
      const { HTML } = transport.Expect({ To: to });
      return /href="https:\/\/app\.example\.org([^"]+)"/.exec(HTML)?.[1] ?? "";
    },
  };
}

async function signUp(test: Test, address = ada): Promise<httptest.Client> {
  const browser = test.browser();
  await browser.POST("/signup").WithForm({ mail: address }).Expect().Status(200);
  const path = await test.link(address);
  await browser.POST(path).WithForm({ "new-password": first }).Expect().Status(303).Header("location", "/account");
  return browser;
}

function logIn(browser: httptest.Client, password = first, more: Record<string, string> = {}) {
  return browser.POST("/login").WithForm({ mail: ada, password, ...more }).Expect();
}

function equal(found: unknown, expected: unknown): void {
  if (JSON.stringify(found) !== JSON.stringify(expected)) {
    throw new Error(`Expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`);
  }
}

/** Stops the clock, so that delays do not end while a busy machine pauses a test. */
function stopClock(): Disposable {
  const [clock, now] = [Date.now, Date.now()];
  Date.now = () => now;
  return { [Symbol.dispose]: () => void (Date.now = clock) };
}

/** Returns a code of a second implementation of TOTP (RFC 6238), to compare it with that of the library. */
function codeOf(secret: string, step: number): string {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const bits = [...secret.replaceAll(" ", "")].map((each) => letters.indexOf(each).toString(2).padStart(5, "0")).join(
    "",
  );
  const bytes = bits.match(/.{8}/g)?.map((each) => parseInt(each, 2)) ?? [];
  const counter = new DataView(new ArrayBuffer(8));
  counter.setBigUint64(0, BigInt(step));
  const mac = createHmac("sha1", new Uint8Array(bytes)).update(new Uint8Array(counter.buffer)).digest();
  const at = (mac.at(-1) ?? 0) & 15;
  return String((mac.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}

async function addFactor(test: Test, browser: httptest.Client): Promise<{ next: string; codes: string[] }> {
  const proof = { "factor-password": first };
  await browser.POST("/account/factor").WithForm({ "factor-password": "x" }).Expect().Status(422);
  await browser.POST("/account/factor").WithForm(proof).Expect().Status(303);
  const path = await test.link(ada);
  // The server accepts the codes of this step and of the next one, even if the next one begins in the meantime.
  const step = Math.floor(Date.now() / 30_000);
  const { Text: page } = await browser.GET(path).Expect().Status(200);
  const secret = /<code>([A-Z2-7 ]+)<\/code>/.exec(page)?.[1] ?? "";
  await browser.POST(path).WithForm({ code: "000000" }).Expect().Status(422);
  const form = { code: codeOf(secret, step) };
  const { Text: done } = await browser.POST(path).WithForm(form).Expect().Status(200);
  return {
    next: codeOf(secret, step + 1),
    codes: Array.from(done.matchAll(/<code>([a-z0-9-]+)<\/code>/g), ([, code]) => code ?? ""),
  };
}

Deno.test("a sign-up verifies the address, and its link creates one account", async () => {
  const test = newTest();
  const browser = test.browser();
  await browser.POST("/signup").WithForm({ mail: "no address" }).Expect().Status(422).Contains("aria-invalid");
  await browser.POST("/signup").WithForm({ mail: ada }).Expect().Status(200);
  const path = await test.link(ada);
  // A program that scans mails follows the link.
  for (let visit = 0; visit < 2; visit++) await browser.GET(path).Expect().Status(200);
  await browser.POST(path).WithForm({ "new-password": "password12345678" }).Expect().Status(422).Contains(
    "try this password first",
  );
  await browser.POST(path).WithForm({ "new-password": first }).Expect().Status(303);
  await browser.GET("/account").Expect().Status(200).Contains(ada);
  await test.browser().POST(path).WithForm({ "new-password": second }).Expect().Status(410);
  await test.browser().GET(path.slice(0, -1)).Expect().Status(410);
});

Deno.test("a sign-up and a reset respond alike for all addresses", async () => {
  const test = newTest();
  await signUp(test);
  const bodies = new Set<string>();
  for (const path of ["/signup", "/reset"]) {
    for (const address of [ada, "bob@example.org"]) {
      const { Text: body } = await test.browser().POST(path).WithForm({ mail: address }).Expect().Status(200);
      bodies.add(body.replaceAll(address, ""));
    }
  }
  equal(bodies.size, 1);
  await test.queue.Drain();
  equal(test.transport.Messages.filter(({ To }) => To[0]?.Address === "bob@example.org").length, 1);
});

Deno.test("a login needs the password, leads to the wanted page, and responds alike for unknown addresses", async () => {
  const test = newTest();
  await signUp(test);
  const browser = test.browser();
  await browser.GET("/account").WithHeader("accept", "text/html").Expect().Header("location", "/login?next=%2Faccount");
  const { Text: wrong } = await logIn(browser, "x").Status(422);
  const { Text: unknown } = await logIn(browser, "x", { mail: "bob@example.org" }).Status(422);
  equal(wrong.replace(ada, ""), unknown.replace("bob@example.org", ""));
  await logIn(browser, first, { next: "//evil.example" }).Status(303).Header("location", "/account");
  await browser.GET("/account").Expect().Status(200);
  await browser.POST("/logout").Expect().Status(303);
  await browser.GET("/account").Expect().Status(401);
});

Deno.test("forms of other sites are refused", async () => {
  const test = newTest();
  const browser = await signUp(test);
  for (const path of ["/login", "/logout", "/account/delete", "/account/sessions/end-others"]) {
    await browser.POST(path).WithHeader("sec-fetch-site", "cross-site").Expect().Status(403);
  }
});

Deno.test("wrong passwords slow down unknown devices, and never the owner's", async () => {
  using _ = stopClock();
  const test = newTest();
  const owner = await signUp(test);
  await owner.POST("/logout").Expect().Status(303);
  const stranger = test.browser();
  const mails = ["ADA@example.org", ada]; // a counter per spelling would be none
  for (let attempt = 0; attempt < 6; attempt++) {
    await logIn(stranger, "x", { mail: mails[attempt % 2] ?? "" }).Status(422);
  }
  await logIn(stranger, first).Status(429);
  await logIn(test.browser(), first).Status(429);
  await logIn(owner, first).Status(303);
});

Deno.test("a clock that was wrong for a moment does not lock anyone out", async () => {
  const test = newTest();
  await signUp(test);
  const clock = Date.now;
  try {
    Date.now = () => clock() + 2 * 3_600_000;
    await logIn(test.browser(), "x").Status(422);
  } finally {
    Date.now = clock;
  }
  await logIn(test.browser(), first).Status(303);
});

Deno.test("a second factor is demanded at logins, and each code works once", async () => {
  using _ = stopClock();
  const test = newTest();
  const browser = await signUp(test);
  const { next, codes } = await addFactor(test, browser);
  equal(codes.length, 10);
  const enter = async (code: string) => {
    const other = test.browser();
    await logIn(other).Status(303).Header("location", "/login/code");
    await other.GET("/account").Expect().Status(401);
    return (await other.POST("/login/code").WithForm({ code }).Expect()).Status;
  };
  equal(await enter(next), 303);
  equal(await enter(next), 422);
  equal(await enter(codes[0] ?? ""), 303);
  equal(await enter(codes[0] ?? ""), 422);
  await test.browser().POST("/login/code").WithForm({ code: codes[1] ?? "" }).Expect().Header("location", "/login");
});

Deno.test("an outdated hash is replaced at a login with a second factor", async () => {
  using _ = stopClock();
  const test = newTest();
  const { next } = await addFactor(test, await signUp(test));
  const account = test.accounts.byMail(ada);
  const outdated = await HashPassword(first, { Memory: 8, Iterations: 1 });
  if (account !== undefined) test.accounts.change(account, "hash", outdated);
  const browser = test.browser();
  await logIn(browser).Status(303).Header("location", "/login/code");
  equal(test.accounts.byMail(ada)?.hash === outdated, false);
  await browser.POST("/login/code").WithForm({ code: next }).Expect().Header("location", "/account");
});

Deno.test("a reset ends all sessions, and does not bypass the second factor", async () => {
  const test = newTest();
  const browser = await signUp(test);
  await addFactor(test, browser);
  const other = test.browser();
  await other.POST("/reset").WithForm({ mail: ada }).Expect().Status(200);
  const path = await test.link(ada);
  await other.GET(path).Expect().Status(200);
  await other.POST(path).WithForm({ "new-password": second }).Expect().Status(303).Header("location", "/login");
  await other.POST(path).WithForm({ "new-password": first }).Expect().Status(410);
  await browser.GET("/account").Expect().Status(401);
  await other.GET("/account").Expect().Status(401);
  await logIn(other, first).Status(422);
  await logIn(other, second).Status(303).Header("location", "/login/code");
  await test.queue.Drain();
  test.transport.Expect({ To: ada, Subject: "Your account was changed" });
});

Deno.test("a reset removes passkeys and keys, except those that the owner keeps", async () => {
  const test = newTest();
  test.app.Get("/api/me", test.apiKeys.Require("api"), (ctx) => ctx.WriteString(ctx.User()?.Name ?? ""));
  await signUp(test);
  const account = test.accounts.byMail(ada);
  if (account === undefined) throw new Error("There is no account");
  for (const id of ["own", "stolen"]) test.accounts.addPasskey(account, id, new Uint8Array(8), 0);
  const key = (Name: string) => test.apiKeys.Create({ Owner: String(account.id), Name, Scopes: ["api"] });
  const [own, stolen] = [await key("backup"), await key("thief")];
  const browser = test.browser();
  await browser.POST("/reset").WithForm({ mail: ada }).Expect().Status(200);
  const path = await test.link(ada);
  // Nothing is selected, because all of it is new.
  const { Text: page } = await browser.GET(path).Expect().Status(200);
  equal([page.match(/name="keep"/g)?.length, page.includes("checked")], [4, false]);
  const form = (word: string) => `new-password=${encodeURIComponent(word)}&keep=own&keep=${own.ID}`;
  const send = (word: string) =>
    browser.POST(path).WithHeader("content-type", "application/x-www-form-urlencoded").WithBody(form(word)).Expect();
  const { Text: again } = await send("short").Status(422);
  equal(again.match(/checked/g)?.length, 2);
  await send(second).Status(303);
  equal(test.accounts.passkeysOf(account.id).map(({ id }) => id), ["own"]);
  await test.browser().GET("/api/me").WithBearer(own.Key).Expect().Body(ada);
  await test.browser().GET("/api/me").WithBearer(stolen.Key).Expect().Status(401);
});

Deno.test("a second factor is turned on with a link in a mail, so that others cannot lock the owner out", async () => {
  const test = newTest();
  const thief = await signUp(test);
  await thief.POST("/account/factor/x").WithForm({ code: "000000", password: first }).Expect().Status(410);
  await thief.POST("/account/factor").WithForm({ "factor-password": first }).Expect().Status(303);
  const path = await test.link(ada);
  const stranger = await signUp(test, "eve@example.org");
  await stranger.GET(path).Expect().Status(410);
  await thief.GET(path).Expect().Status(200);
});

Deno.test("a new password needs the current one, and ends the other sessions", async () => {
  const test = newTest();
  const browser = await signUp(test);
  const other = test.browser();
  await logIn(other).Status(303);
  const form = { password: first, "new-password": second };
  await browser.POST("/account/password").WithForm({ ...form, password: "x" }).Expect().Status(422);
  await browser.POST("/account/password").WithForm({ ...form, "new-password": "short" }).Expect().Status(422)
    .Contains("new-password-error").Contains("delete-password");
  await browser.POST("/account/password").WithForm(form).Expect().Status(303);
  await browser.GET("/account").Expect().Status(200);
  await other.GET("/account").Expect().Status(401);
});

Deno.test("a new address is verified, and the old one gets a notice", async () => {
  const test = newTest();
  const browser = await signUp(test);
  const mail = "ada@example.net";
  await browser.POST("/account/mail").WithForm({ mail, "mail-password": "x" }).Expect().Status(422);
  await browser.POST("/account/mail").WithForm({ mail, "mail-password": first }).Expect().Status(303);
  const path = await test.link(mail);
  await test.browser().POST(path).Expect().Status(401);
  const stranger = await signUp(test, "eve@example.org");
  await stranger.POST(path).Expect().Status(410);
  await browser.GET(path).Expect().Status(200).Contains(mail);
  await browser.POST(path).Expect().Status(303);
  await browser.POST(path).Expect().Status(410);
  await test.queue.Drain();
  test.transport.Expect({ To: ada, Subject: "Your account has another address" });
  await logIn(test.browser(), first, { mail }).Status(303);
});

Deno.test("the list of sessions ends other devices", async () => {
  const test = newTest();
  const browser = await signUp(test);
  const others = [test.browser(), test.browser()];
  for (const other of others) await logIn(other).Status(303);
  const { Text: page } = await browser.GET("/account").Expect().Status(200);
  const handles = Array.from(page.matchAll(/name="handle" value="([^"]+)" required +>/g), ([, handle]) => handle ?? "");
  equal(handles.length, 2);
  const end = (form: Record<string, string>, path = "end") =>
    browser.POST(`/account/sessions/${path}`).WithForm({ "session-password": first, ...form }).Expect();
  await end({ handle: handles[0] ?? "", "session-password": "x" }).Status(422);
  await end({ handle: handles[0] ?? "" }).Status(303);
  const count = async () => {
    const found = await Promise.all(others.map((other) => other.GET("/account").Expect()));
    return found.filter(({ Status }) => Status === 200).length;
  };
  equal(await count(), 1);
  await end({}, "end-others").Status(303);
  equal(await count(), 0);
  await browser.GET("/account").Expect().Status(200);
});

Deno.test("each proof in the settings replaces the ID of the session", async () => {
  const test = newTest();
  const browser = await signUp(test);
  const ids = [browser.Cookie("__Host-sid")];
  await browser.POST("/account/passkeys/options").WithJSON({ password: first }).Expect().Status(200);
  ids.push(browser.Cookie("__Host-sid"));
  await browser.POST("/account/factor").WithForm({ "factor-password": first }).Expect().Status(303);
  ids.push(browser.Cookie("__Host-sid"));
  equal([new Set(ids).size, ids.includes("")], [3, false]);
  for (const id of ids.slice(0, 2)) {
    await test.browser().GET("/account").WithCookie("__Host-sid", id).Expect().Status(401);
  }
  await browser.GET("/account").Expect().Status(200);
});

Deno.test("password fields hide what is typed, and password managers can fill them in", async () => {
  const test = newTest();
  const browser = await signUp(test);
  const { Text: page } = await browser.GET("/account").Expect().Status(200);
  const fields = page.match(/<input id="[\w-]*password"[^>]*>/g) ?? [];
  equal(fields.length >= 7, true);
  for (const field of fields) equal(/type="password"[^>]*autocomplete="(?:current|new)-password"/.test(field), true);
});

Deno.test("the second factor can be removed with the password and a code only", async () => {
  const test = newTest();
  const browser = await signUp(test);
  const { codes } = await addFactor(test, browser);
  const form = { "factor-password": first, code: codes[0] ?? "" };
  await browser.POST("/account/factor/remove").WithForm({ ...form, "factor-password": "x" }).Expect().Status(422);
  await browser.POST("/account/factor/remove").WithForm({ ...form, code: "000000" }).Expect().Status(422);
  await browser.POST("/account/factor/remove").WithForm(form).Expect().Status(303);
  await logIn(test.browser()).Status(303).Header("location", "/account");
});

Deno.test("a deleted account is gone, with its sessions", async () => {
  const test = newTest();
  const browser = await signUp(test);
  await browser.POST("/account/delete").WithForm({ "delete-password": "x" }).Expect().Status(422);
  await browser.POST("/account/delete").WithForm({ "delete-password": first }).Expect().Status(303);
  await browser.GET("/account").Expect().Status(401);
  await logIn(test.browser()).Status(422);
  equal(test.accounts.byMail(ada), undefined);
});

Deno.test("logins with passkeys name no credentials, and refuse unknown ones and repeated challenges", async () => {
  const test = newTest();
  const browser = test.browser();
  const options = (await browser.POST("/login/passkey/options").WithJSON({}).Expect().Status(200)).JSON();
  equal((options as Record<string, unknown>)["allowCredentials"] ?? [], []);
  await browser.POST("/login/passkey").WithJSON({ id: "x" }).Expect().Status(401);
  const owner = await signUp(test);
  await owner.POST("/account/passkeys/options").WithJSON({ password: "x" }).Expect().Status(401);
  await owner.POST("/account/passkeys/options").WithJSON({ password: first }).Expect().Status(200);
  await owner.POST("/account/passkeys").WithJSON({ id: "x", response: {} }).Expect().Status(400);
  await test.browser().POST("/account/passkeys").WithJSON({ id: "x", response: {} }).Expect().Status(401);
});

Deno.test("pages are translated", async () => {
  const test = newTest();
  await test.browser().GET("/login").WithHeader("accept-language", "de").Expect().Contains("Anmelden");
  await test.browser().GET("/login").Expect().Contains("Log in");
});

Deno.test("accounts, links and logins survive a restart", async () => {
  const [folder, secret] = [await Deno.makeTempDir(), keys.Generate()];
  try {
    const before = newTest(folder, secret);
    const browser = await signUp(before);
    await browser.POST("/reset").WithForm({ mail: ada }).Expect().Status(200);
    const path = await before.link(ada);
    const cookie = browser.Cookie("__Host-sid");
    await before.app.Shutdown();
    const after = newTest(folder, secret);
    await after.browser().GET("/account").WithCookie("__Host-sid", cookie).Expect().Status(200);
    await after.browser().POST(path).WithForm({ "new-password": second }).Expect().Status(303);
    await after.browser().GET("/account").WithCookie("__Host-sid", cookie).Expect().Status(401);
    await logIn(after.browser(), second).Status(303);
    await after.app.Shutdown();
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("requireFactor allows only accounts with a second factor", async () => {
  const test = newTest();
  test.app.Get("/secrets", test.requireFactor, (ctx) => ctx.WriteString("secret"));
  const browser = await signUp(test);
  await browser.GET("/secrets").Expect().Status(303).Header("location", "/account#factor");
  await addFactor(test, browser);
  await browser.GET("/secrets").Expect().Body("secret");
});

Deno.test("the database refuses a second account with the same address, in any letter case", async () => {
  const test = newTest();
  await signUp(test);
  equal(test.accounts.add("ADA@example.org", "hash"), undefined);
  equal(test.accounts.byMail("Ada@Example.org")?.mail, ada);
});

Deno.test("a key for scripts has the rights of its owner, and does not manage the account", async () => {
  const test = newTest();
  test.app.Get("/api/me", test.apiKeys.Require("api"), (ctx) => ctx.WriteString(ctx.User()?.Name ?? ""));
  const browser = await signUp(test);
  const form = { name: "backup", "key-password": first };
  await browser.POST("/account/keys").WithForm({ ...form, "key-password": "x" }).Expect().Status(422);
  const { Text: page } = await browser.POST("/account/keys").WithForm(form).Expect().Status(200);
  const key = /<code>(app_\w+)<\/code>/.exec(page)?.[1] ?? "";
  const script = test.browser();
  await script.GET("/api/me").WithBearer(key).Expect().Body(ada);
  await script.GET("/account").WithBearer(key).Expect().Status(401);
  const { Text: list } = await browser.GET("/account").Expect().Contains("backup");
  const id = /name="id" value="(\w+)"/.exec(list)?.[1] ?? "";
  await browser.POST("/account/keys/revoke").WithForm({ id, "revoke-password": first }).Expect().Status(303);
  await script.GET("/api/me").WithBearer(key).Expect().Status(401);
});
