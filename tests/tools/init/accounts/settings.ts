import type * as fw from "@fw/web";
import * as auth from "@fw/web/auth";
import { VerifyPassword } from "@fw/web/middleware/auth";
import * as sessions from "@fw/web/sessions";
import { type Errors, isAddress, showForm } from "./forms.ts";
import { newHash } from "./sign_in.ts";
import type { Account, Parts } from "./store.ts";

/** The pages on which users change their accounts. Each change asks for the password again. */
export class Settings {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  register(party: fw.Party, limit: fw.Handler): void {
    party.Get("/", (ctx) => this.#show(ctx, {}, 200)).SetName("account");
    party.Post("/password", limit, (ctx) => this.#changePassword(ctx));
    party.Post("/mail", limit, (ctx) => this.#changeMail(ctx));
    party.Get("/mail/{token}", (ctx) => this.#showMail(ctx)).SetName("finish change");
    party.Post("/mail/{token}", limit, (ctx) => this.#finishMail(ctx));
    party.Get("/factor", (ctx) => this.#showFactor(ctx, {}, 200)).SetName("factor");
    party.Post("/factor", limit, (ctx) => this.#enableFactor(ctx));
    party.Post("/factor/remove", limit, (ctx) => this.#removeFactor(ctx));
    party.Post("/passkeys/remove", limit, (ctx) => this.#removePasskey(ctx));
    party.Post("/sessions/end", async (ctx) => {
      await this.#parts.manager.Of(ctx.User()?.ID ?? "").End(await ctx.PostValue("handle"));
      ctx.Redirect("/account", 303);
    });
    party.Post("/sessions/end-others", async (ctx) => {
      await this.#parts.manager.Of(ctx.User()?.ID ?? "").EndOthers(ctx);
      ctx.Redirect("/account", 303);
    });
    party.Post("/delete", limit, (ctx) => this.#delete(ctx));
  }

  async #show(ctx: fw.Context, errors: Errors, status = 422): Promise<void> {
    const account = this.#accountOf(ctx);
    const devices = await this.#parts.manager.Of(String(account.id)).List(ctx);
    const passkeys = this.#parts.accounts.passkeysOf(account.id);
    showForm(ctx, "account", errors, status, { account, devices, passkeys, hasFactor: account.totp !== null });
  }

  #accountOf(ctx: fw.Context): Account {
    return this.#parts.accounts.byID(ctx.User()?.ID ?? "") as Account;
  }

  /** Authenticates the user again. If the password is wrong, shows the form with an error. */
  async #confirm(ctx: fw.Context, field: string): Promise<Account | undefined> {
    const account = this.#accountOf(ctx);
    const key = `confirm ${account.id}`;
    const isEarly = this.#parts.accounts.delayOf(key) > 0;
    if (!isEarly && await VerifyPassword(await ctx.PostValue(field), account.hash)) {
      this.#parts.accounts.forgetWrong(key);
      sessions.Get(ctx)?.Regenerate();
      return account;
    }
    if (!isEarly) this.#parts.accounts.countWrong(key);
    const error = ctx.Tr(isEarly ? "accounts.too_many" : "accounts.wrong_password");
    await this.#show(ctx, { [field]: error }, isEarly ? 429 : 422);
    return undefined;
  }

  async #done(ctx: fw.Context, notice: string): Promise<void> {
    sessions.Get(ctx)?.SetFlash("notice", ctx.Tr(notice));
    await Promise.resolve(ctx.Redirect("/account", 303));
  }

  async #changePassword(ctx: fw.Context): Promise<void> {
    const account = await this.#confirm(ctx, "password");
    if (account === undefined) return;
    const hash = await newHash(ctx, account.mail, (errors) => this.#show(ctx, errors));
    if (hash === undefined || !this.#parts.accounts.setHash(account, hash)) return;
    await this.#parts.manager.Of(String(account.id)).EndOthers(ctx);
    await this.#parts.links.notify(account.mail, "changed", ctx.GetLocale().Language());
    await this.#done(ctx, "accounts.password_changed");
  }

  async #changeMail(ctx: fw.Context): Promise<void> {
    const account = await this.#confirm(ctx, "mail-password");
    if (account === undefined) return;
    const address = (await ctx.PostValue("mail")).trim();
    if (!isAddress(address)) return await this.#show(ctx, { mail: ctx.Tr("accounts.bad_mail") });
    const language = ctx.GetLocale().Language();
    await this.#parts.links.send({ kind: "change", address, language, account: String(account.id) });
    await this.#done(ctx, "accounts.mail_sent");
  }

  /** Returns the new address of a link, if the link belongs to the account of the request. */
  async #addressOf(ctx: fw.Context): Promise<string | undefined> {
    const own = ctx.User()?.ID ?? "";
    const subject = await this.#parts.links.change.Verify(ctx.Params().Get("token"), (subject) => {
      return JSON.parse(subject)[0] === own ? this.#parts.accounts.stampOf(own) : undefined;
    });
    return subject === undefined ? undefined : JSON.parse(subject)[1];
  }

  async #showMail(ctx: fw.Context): Promise<void> {
    const address = await this.#addressOf(ctx);
    if (address === undefined) return ctx.StopWithStatus(410);
    showForm(ctx, "confirm", {}, 200, { text: ctx.Tr("accounts.confirm_mail", address) });
  }

  async #finishMail(ctx: fw.Context): Promise<void> {
    const [account, address] = [this.#accountOf(ctx), await this.#addressOf(ctx)];
    if (address === undefined || !this.#parts.accounts.setMail(account, address)) return ctx.StopWithStatus(410);
    await this.#parts.links.notify(account.mail, "moved", ctx.GetLocale().Language());
    await this.#done(ctx, "accounts.address_changed");
  }

  #showFactor(ctx: fw.Context, errors: Errors, status = 422): void {
    const account = this.#accountOf(ctx);
    if (account.totp !== null) return ctx.Redirect("/account", 303);
    const session = sessions.Get(ctx);
    const sealed = session?.GetString("totp") || this.#parts.factors.create(account.id);
    session?.Set("totp", sealed);
    showForm(ctx, "factor", errors, status, this.#parts.factors.describe(account, sealed));
  }

  async #enableFactor(ctx: fw.Context): Promise<void> {
    const [account, session] = [this.#accountOf(ctx), sessions.Get(ctx)];
    const sealed = session?.GetString("totp") ?? "";
    if (account.totp !== null || sealed === "") return ctx.Redirect("/account/factor", 303);
    const isRight = await VerifyPassword(await ctx.PostValue("password"), account.hash);
    if (!isRight) return this.#showFactor(ctx, { password: ctx.Tr("accounts.wrong_password") });
    if (!this.#parts.factors.verify(account, sealed, await ctx.PostValue("code"))) {
      return this.#showFactor(ctx, { code: ctx.Tr("accounts.wrong_code") });
    }
    const codes = this.#parts.factors.enable(account, sealed);
    session?.Delete("totp");
    if (codes === undefined) return ctx.Redirect("/account", 303);
    await this.#parts.manager.Of(String(account.id)).EndOthers(ctx);
    await this.#parts.links.notify(account.mail, "changed", ctx.GetLocale().Language());
    ctx.View("codes", { codes, user: ctx.User() });
  }

  async #removeFactor(ctx: fw.Context): Promise<void> {
    const account = await this.#confirm(ctx, "factor-password");
    if (account === undefined) return;
    if (!this.#parts.factors.verifyAny(account, await ctx.PostValue("code"))) {
      this.#parts.accounts.countWrong(`confirm ${account.id}`);
      return await this.#show(ctx, { code: ctx.Tr("accounts.wrong_code") });
    }
    this.#parts.accounts.removeFactor(account.id);
    await this.#parts.links.notify(account.mail, "changed", ctx.GetLocale().Language());
    await this.#done(ctx, "accounts.factor_removed");
  }

  async #removePasskey(ctx: fw.Context): Promise<void> {
    const account = await this.#confirm(ctx, "passkey-password");
    if (account === undefined) return;
    this.#parts.accounts.removePasskey(account.id, await ctx.PostValue("id"));
    await this.#done(ctx, "accounts.passkey_removed");
  }

  async #delete(ctx: fw.Context): Promise<void> {
    const account = await this.#confirm(ctx, "delete-password");
    if (account === undefined) return;
    this.#parts.accounts.remove(account.id);
    await this.#parts.manager.Of(String(account.id)).EndAll();
    await auth.Logout(ctx);
    ctx.Redirect("/login", 303);
  }
}
