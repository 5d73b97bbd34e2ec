import type * as fw from "@fw/web";
import * as auth from "@fw/web/auth";
import { CheckPassword, HashPassword, NeedsRehash, VerifyPassword } from "@fw/web/middleware/auth";
import * as sessions from "@fw/web/sessions";
import { type Errors, isAddress, showForm } from "./forms.ts";
import { type Account, cost, type Parts, stampOf } from "./store.ts";

const [day, year] = [24 * 3_600_000, 365 * 24 * 3_600_000];

/** A login whose second factor is missing. */
interface Pending {
  readonly token: string;
  readonly remember: boolean;
  readonly next: string;
}

/** Sign-up, login, logout and reset. */
export class SignIn {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  register(party: fw.Party, limit: fw.Handler): void {
    const page = (view: string) => (ctx: fw.Context) => showForm(ctx, view, {}, 200);
    party.Get("/signup", page("signup")).SetName("signup");
    party.Post("/signup", limit, (ctx) => this.#requestMail(ctx, "signup"));
    party.Get("/signup/{token}", (ctx) => this.#showSignup(ctx)).SetName("finish signup");
    party.Post("/signup/{token}", limit, (ctx) => this.#finishSignup(ctx));
    party.Get("/reset", page("reset")).SetName("reset");
    party.Post("/reset", limit, (ctx) => this.#requestMail(ctx, "reset"));
    party.Get("/reset/{token}", (ctx) => this.#showReset(ctx)).SetName("finish reset");
    party.Post("/reset/{token}", limit, (ctx) => this.#finishReset(ctx));
    party.Get("/login", page("login")).SetName("login");
    party.Post("/login", limit, (ctx) => this.#logIn(ctx));
    party.Get("/login/code", page("code"));
    party.Post("/login/code", limit, (ctx) => this.#enterCode(ctx));
    party.Post("/logout", async (ctx) => {
      await auth.Logout(ctx);
      ctx.Redirect("/login", 303);
    }).SetName("logout");
  }

  /** Enqueues the same job for every address, so that the response tells nothing about the account. */
  async #requestMail(ctx: fw.Context, kind: "signup" | "reset"): Promise<void> {
    const address = (await ctx.PostValue("mail")).trim();
    if (!isAddress(address)) return showForm(ctx, kind, { mail: ctx.Tr("accounts.bad_mail") }, 422, { mail: address });
    await this.#parts.links.send({ kind, address, language: ctx.GetLocale().Language(), account: "" });
    ctx.View("message", { title: ctx.Tr("accounts.mail_sent"), text: ctx.Tr("accounts.mail_sent_to", address) });
  }

  #signupOf(ctx: fw.Context): Promise<string | undefined> {
    const { accounts, links } = this.#parts;
    return links.signup.Verify(ctx.Params().Get("token"), (mail) => accounts.stampOfAddress(mail));
  }

  #resetOf(ctx: fw.Context): Promise<Account | undefined> {
    return this.#accountOf(this.#parts.links.reset, ctx.Params().Get("token"));
  }

  /** Returns the account of a token, as it was when the token was verified. */
  async #accountOf(tokens: Parts["links"]["reset"], token: string): Promise<Account | undefined> {
    let account: Account | undefined;
    const id = await tokens.Verify(token, (id) => stampOf(account = this.#parts.accounts.byID(id)));
    return id === undefined ? undefined : account;
  }

  /** Shows a form. A GET request does not use the link up, because programs that scan mails send one. */
  async #showSignup(ctx: fw.Context): Promise<void> {
    return await this.#signupOf(ctx) === undefined ? expired(ctx) : showForm(ctx, "password", {}, 200);
  }

  /** Shows a form with the passkeys and keys of the account. A thief can have added the latest ones. */
  async #showReset(ctx: fw.Context, errors?: Errors): Promise<void> {
    const account = await this.#resetOf(ctx);
    if (account === undefined) return expired(ctx);
    const passkeys = this.#parts.accounts.passkeysOf(account.id);
    const keys = await this.#parts.apiKeys.List(String(account.id));
    const [kept, latest] = [errors && await ctx.PostValues("keep"), Date.now() - 30 * day];
    showForm(ctx, "password", errors ?? {}, errors ? 422 : 200, { passkeys, keys, kept, latest });
  }

  /** Ends all sessions, and all keys except those to keep. */
  async #endAccess(id: string, kept: readonly string[]): Promise<void> {
    await this.#parts.manager.Of(id).EndAll();
    for (const { ID } of await this.#parts.apiKeys.List(id)) {
      if (!kept.includes(ID)) await this.#parts.apiKeys.Revoke(id, ID);
    }
  }

  /** Creates the account with one statement. Its address is verified, because the link reached it. */
  async #finishSignup(ctx: fw.Context): Promise<void> {
    const address = await this.#signupOf(ctx);
    if (address === undefined) return expired(ctx);
    const password = await newPassword(ctx, address);
    if (password === undefined) return;
    const id = this.#parts.accounts.add(address, await HashPassword(password, cost));
    if (id === undefined) return expired(ctx);
    this.#knowDevice(ctx, address);
    await auth.Login(ctx, { ID: String(id) });
    ctx.Redirect("/account", 303);
  }

  /** Replaces the password, and ends all access. The next login still asks for the second factor. */
  async #finishReset(ctx: fw.Context): Promise<void> {
    const account = await this.#resetOf(ctx);
    if (account === undefined) return expired(ctx);
    const password = await newPassword(ctx, account.mail, (errors) => this.#showReset(ctx, errors));
    if (password === undefined) return;
    const [id, hash, kept] = [String(account.id), await HashPassword(password, cost), await ctx.PostValues("keep")];
    // Sessions and keys end before, so that none outlives the old password if the process is killed, and after it.
    await this.#endAccess(id, kept);
    if (!this.#parts.accounts.reset(account, hash, kept)) return expired(ctx);
    await this.#endAccess(id, kept);
    await this.#parts.links.notify(account.mail, "changed", ctx.GetLocale().Language());
    // Attackers who guess the password could otherwise delay the login on this device.
    this.#knowDevice(ctx, account.mail);
    sessions.Get(ctx)?.SetFlash("notice", ctx.Tr("accounts.password_changed"));
    ctx.Redirect("/login", 303);
  }

  async #logIn(ctx: fw.Context): Promise<void> {
    const [mail, password] = [(await ctx.PostValue("mail")).trim(), await ctx.PostValue("password")];
    const key = this.#keyOf(ctx, "login", mail);
    if (this.#isTooEarly(ctx, key)) return showForm(ctx, "login", { mail: ctx.Tr("accounts.too_many") }, 429, { mail });
    const found = this.#parts.accounts.byMail(mail);
    if (!await VerifyPassword(password, found?.hash, cost) || found === undefined) {
      return showForm(ctx, "login", { mail: ctx.Tr("accounts.wrong") }, 422, { mail });
    }
    this.#parts.accounts.forget(key);
    // The token below is bound to the hash, so it must be the new one.
    const account = NeedsRehash(found.hash, cost) ? { ...found, hash: await HashPassword(password, cost) } : found;
    if (account !== found) this.#parts.accounts.change(found, "hash", account.hash);
    const [remember, next] = [await ctx.PostValue("remember") !== "", await auth.Next(ctx, { Default: "/account" })];
    if (account.totp === null) return await this.#finish(ctx, account, remember, next);
    const token = this.#parts.links.pending.Issue(String(account.id), stampOf(account) ?? []);
    const session = sessions.Get(ctx);
    session?.Regenerate();
    session?.Set("pending", { token, remember, next } satisfies Pending);
    ctx.Redirect("/login/code", 303);
  }

  async #enterCode(ctx: fw.Context): Promise<void> {
    const code = await ctx.PostValue("code");
    const pending = sessions.Get(ctx)?.Get("pending") as Pending | undefined;
    const account = await this.#accountOf(this.#parts.links.pending, pending?.token ?? "");
    if (pending === undefined || account === undefined) return ctx.Redirect("/login", 303);
    const key = this.#keyOf(ctx, "code", account.mail);
    if (this.#isTooEarly(ctx, key)) return showForm(ctx, "code", { code: ctx.Tr("accounts.too_many") }, 429);
    if (!this.#parts.factors.verifyAny(account, code)) {
      return showForm(ctx, "code", { code: ctx.Tr("accounts.wrong_code") });
    }
    this.#parts.accounts.forget(key);
    await this.#finish(ctx, account, pending.remember, pending.next);
  }

  async #finish(ctx: fw.Context, { id, mail }: Account, remember: boolean, next: string): Promise<void> {
    this.#knowDevice(ctx, mail);
    await auth.Login(ctx, { ID: String(id) }, { Remember: remember });
    ctx.Redirect(next, 303);
  }

  #isTooEarly(ctx: fw.Context, key: string): boolean {
    const delay = this.#parts.accounts.attempt(key);
    if (delay > 0) ctx.Header("Retry-After", String(Math.ceil(delay / 1000)));
    return delay > 0;
  }

  /**
   * Returns the key that attempts are counted by. Strangers who guess slow down unknown devices only, so they cannot
   * lock the owner out.
   */
  #keyOf(ctx: fw.Context, kind: string, mail: string): string {
    const address = mail.toLowerCase();
    const device = this.#parts.keys.Verify("device", ctx.GetCookie(this.#parts.deviceCookie));
    return `${kind} ${device?.slice(37) === address ? device : address}`;
  }

  #knowDevice(ctx: fw.Context, mail: string): void {
    const device = this.#parts.keys.Sign("device", `${crypto.randomUUID()} ${mail.toLowerCase()}`, year);
    const name = this.#parts.deviceCookie;
    ctx.SetCookie(name, device, { MaxAge: year, ...name.startsWith("__Host-") ? { Secure: true } : {} });
  }
}

/** Returns the new password of a form. If it is refused, the form is shown again with the error. */
export async function newPassword(
  ctx: fw.Context,
  word: string,
  show: (errors: Errors) => unknown = (errors) => showForm(ctx, "password", errors),
): Promise<string | undefined> {
  const password = await ctx.PostValue("new-password");
  const problem = await CheckPassword(password, { Words: [word] });
  if (problem === undefined) return password;
  await show({ "new-password": ctx.Tr(`accounts.password_${problem}`) });
}

/** Shows that a link is not valid. */
export function expired(ctx: fw.Context): void {
  ctx.StatusCode(410);
  ctx.View("message", { title: ctx.Tr("accounts.expired"), text: ctx.Tr("accounts.expired_text"), user: ctx.User() });
}
