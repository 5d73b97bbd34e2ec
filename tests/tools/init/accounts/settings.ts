import type * as fw from "@fw/web";
import * as auth from "@fw/web/auth";
import { HashPassword } from "@fw/web/middleware/auth";
import * as sessions from "@fw/web/sessions";
import { type Errors, isAddress, showForm } from "./forms.ts";
import { expired, newPassword } from "./sign_in.ts";
import { type Account, cost, type Parts, stampOf } from "./store.ts";

/** The pages on which users change their accounts. Each change asks for all factors again. */
export class Settings {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  register(party: fw.Party, limit: fw.Handler): void {
    const { apiKeys, manager } = this.#parts;
    const post = (path: string, form: string, act: (ctx: fw.Context, account: Account) => unknown, notice = "") =>
      party.Post(path, limit, async (ctx) => {
        const account = await this.#confirm(ctx, form);
        if (account === undefined) return;
        await act.call(this, ctx, account);
        if (notice !== "") this.#done(ctx, notice);
      });
    party.Get("/", (ctx) => this.#show(ctx, {}, 200)).SetName("account");
    party.Post("/password", limit, (ctx) => this.#changePassword(ctx));
    post("/mail", "mail-", this.#changeMail);
    party.Get("/mail/{token}", (ctx) => this.#showMail(ctx)).SetName("finish change");
    party.Post("/mail/{token}", limit, (ctx) => this.#finishMail(ctx));
    // A link is mailed first, because a thief who knows the password could otherwise lock the owner out.
    post("/factor", "factor-", (ctx, account) => this.#sendLink(ctx, "factor", account));
    party.Get("/factor/{token}", (ctx) => this.#showFactor(ctx, {}, 200)).SetName("finish factor");
    party.Post("/factor/{token}", limit, (ctx) => this.#enableFactor(ctx));
    post("/factor/remove", "factor-", this.#removeFactor);
    post("/passkeys/remove", "passkey-", this.#removePasskey, "passkey_removed");
    post("/keys", "key-", this.#addKey);
    const revoke = async (ctx: fw.Context, { id }: Account) => apiKeys.Revoke(String(id), await ctx.PostValue("id"));
    post("/keys/revoke", "revoke-", revoke, "key_revoked");
    const end = async (ctx: fw.Context, { id }: Account) => manager.Of(String(id)).End(await ctx.PostValue("handle"));
    post("/sessions/end", "session-", end, "ended");
    post("/sessions/end-others", "session-", (ctx, { id }) => manager.Of(String(id)).EndOthers(ctx), "ended");
    post("/delete", "delete-", this.#delete);
  }

  async #show(ctx: fw.Context, errors: Errors, status = 422): Promise<void> {
    const { id, totp } = this.#parts.accounts.ofUser(ctx.User());
    const devices = await this.#parts.manager.Of(String(id)).List(ctx);
    const [passkeys, keys] = [this.#parts.accounts.passkeysOf(id), await this.#parts.apiKeys.List(String(id))];
    showForm(ctx, "account", errors, status, { devices, passkeys, keys, hasFactor: totp !== null });
  }

  /** Authenticates the user again. If it fails, shows the form with an error. */
  async #confirm(ctx: fw.Context, form: string): Promise<Account | undefined> {
    const account = this.#parts.accounts.ofUser(ctx.User());
    const [password, code] = [await ctx.PostValue(`${form}password`), await ctx.PostValue("code")];
    const refusal = await this.#parts.factors.refusal(ctx, account, password, code);
    if (refusal === undefined) return account;
    const field = form + (refusal === "wrong_code" ? "code" : "password");
    await this.#show(ctx, { [field]: ctx.Tr(`accounts.${refusal}`) }, refusal === "too_many" ? 429 : 422);
  }

  #done(ctx: fw.Context, notice: string): void {
    sessions.Get(ctx)?.SetFlash("notice", ctx.Tr(`accounts.${notice}`));
    ctx.Redirect("/account", 303);
  }

  /** Ends the other sessions, and tells the owner, after a change of the ways to log in. */
  async #secure(ctx: fw.Context, { id, mail }: Account): Promise<void> {
    await this.#parts.manager.Of(String(id)).EndOthers(ctx);
    await this.#parts.links.notify(mail, "changed", ctx.GetLocale().Language());
  }

  async #changePassword(ctx: fw.Context): Promise<void> {
    const word = await newPassword(ctx, ctx.User()?.Name ?? "", (errors) => this.#show(ctx, errors));
    const account = word === undefined ? undefined : await this.#confirm(ctx, "");
    if (word === undefined || account === undefined) return;
    if (!this.#parts.accounts.change(account, "hash", await HashPassword(word, cost))) return ctx.StopWithStatus(409);
    await this.#secure(ctx, account);
    this.#done(ctx, "password_changed");
  }

  async #changeMail(ctx: fw.Context, account: Account): Promise<void> {
    const address = (await ctx.PostValue("mail")).trim();
    if (!isAddress(address)) return await this.#show(ctx, { mail: ctx.Tr("accounts.bad_mail") });
    await this.#sendLink(ctx, "change", account, address);
  }

  async #sendLink(ctx: fw.Context, kind: "change" | "factor", { id, mail }: Account, address = mail): Promise<void> {
    await this.#parts.links.send({ kind, address, language: ctx.GetLocale().Language(), account: String(id) });
    this.#done(ctx, "mail_sent");
  }

  /** Returns the account and the address of a link, if the link belongs to the account of the request. */
  async #linkOf(ctx: fw.Context, kind: "change" | "factor"): Promise<[Account, string] | undefined> {
    const account = this.#parts.accounts.ofUser(ctx.User());
    const start = `${account.id} `;
    const subject = await this.#parts.links[kind].Verify(
      ctx.Params().Get("token"),
      (subject) => subject.startsWith(start) ? stampOf(account) : undefined,
    );
    return subject === undefined ? undefined : [account, subject.slice(start.length)];
  }

  async #showMail(ctx: fw.Context): Promise<void> {
    const change = await this.#linkOf(ctx, "change");
    if (change === undefined) return expired(ctx);
    showForm(ctx, "confirm", {}, 200, { text: ctx.Tr("accounts.confirm_mail", change[1]) });
  }

  async #finishMail(ctx: fw.Context): Promise<void> {
    const change = await this.#linkOf(ctx, "change");
    if (change === undefined || !this.#parts.accounts.change(change[0], "mail", change[1])) return expired(ctx);
    await this.#parts.links.notify(change[0].mail, "moved", ctx.GetLocale().Language());
    this.#done(ctx, "address_changed");
  }

  async #showFactor(ctx: fw.Context, errors: Errors, status = 422): Promise<void> {
    const [account] = await this.#linkOf(ctx, "factor") ?? [];
    if (account?.totp !== null) return expired(ctx);
    const session = sessions.Get(ctx);
    const sealed = session?.GetString("totp") || this.#parts.factors.create(account.id);
    session?.Set("totp", sealed);
    showForm(ctx, "factor", errors, status, this.#parts.factors.describe(account, sealed));
  }

  async #enableFactor(ctx: fw.Context): Promise<void> {
    const [[account] = [], session] = [await this.#linkOf(ctx, "factor"), sessions.Get(ctx)];
    const sealed = session?.GetString("totp") ?? "";
    if (account?.totp !== null || sealed === "") return expired(ctx);
    if (!this.#parts.factors.verify(account, sealed, await ctx.PostValue("code"))) {
      return await this.#showFactor(ctx, { code: ctx.Tr("accounts.wrong_code") });
    }
    const codes = this.#parts.factors.enable(account, sealed);
    session?.Delete("totp");
    if (codes === undefined) return ctx.StopWithStatus(409);
    session?.Regenerate();
    await this.#secure(ctx, account);
    ctx.View("codes", { codes, user: ctx.User() });
  }

  async #removeFactor(ctx: fw.Context, account: Account): Promise<void> {
    if (!this.#parts.accounts.setFactor(account, null, [])) return ctx.StopWithStatus(409);
    await this.#secure(ctx, account);
    this.#done(ctx, "factor_removed");
  }

  async #removePasskey(ctx: fw.Context, account: Account): Promise<void> {
    this.#parts.accounts.removePasskey(account.id, await ctx.PostValue("id"));
    await this.#secure(ctx, account);
  }

  async #addKey(ctx: fw.Context, account: Account): Promise<void> {
    const Name = (await ctx.PostValue("name")).replace(/\p{Cc}/gu, "").slice(0, 100) || "-";
    const Owner = String(account.id);
    const { ID, Key } = await this.#parts.apiKeys.Create({ Owner, Name, Scopes: ["api"] });
    if (this.#parts.accounts.byID(Owner)?.hash !== account.hash) { // a reset at the same time has not found the key
      await this.#parts.apiKeys.Revoke(Owner, ID);
      return ctx.StopWithStatus(409);
    }
    await this.#parts.links.notify(account.mail, "changed", ctx.GetLocale().Language());
    ctx.View("codes", { codes: [Key], isKey: true, user: ctx.User() });
  }

  async #delete(ctx: fw.Context, account: Account): Promise<void> {
    const [id, { accounts, apiKeys, manager }] = [String(account.id), this.#parts];
    accounts.remove(account);
    for (const { ID } of await apiKeys.List(id)) await apiKeys.Revoke(id, ID);
    await manager.Of(id).EndAll();
    await auth.Logout(ctx);
    ctx.Redirect("/login", 303);
  }
}
