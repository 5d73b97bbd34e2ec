import type * as fw from "@fw/web";
import * as auth from "@fw/web/auth";
import * as sessions from "@fw/web/sessions";
import * as webauthn from "npm:@simplewebauthn/server@^13";
import type { Parts } from "./store.ts";

/** Logins with passkeys. The device verifies the user, so that a passkey is valid as both factors. */
export class Passkeys {
  readonly #parts: Parts;
  readonly #site: URL;

  constructor(parts: Parts, site: URL) {
    this.#parts = parts;
    this.#site = site;
  }

  register(open: fw.Party, own: fw.Party, limit: fw.Handler): void {
    open.Post("/login/passkey/options", limit, (ctx) => this.#loginOptions(ctx));
    open.Post("/login/passkey", limit, (ctx) => this.#logIn(ctx));
    own.Post("/passkeys/options", limit, (ctx) => this.#options(ctx));
    own.Post("/passkeys", limit, (ctx) => this.#add(ctx));
  }

  /** Responds with options that name no credentials, so that they tell nothing about any account. */
  async #loginOptions(ctx: fw.Context): Promise<void> {
    const rpID = this.#site.hostname;
    const options = await webauthn.generateAuthenticationOptions({ rpID, userVerification: "required" });
    sessions.Get(ctx)?.SetFlash("challenge of a login", options.challenge);
    ctx.JSON(options);
  }

  async #logIn(ctx: fw.Context): Promise<void> {
    const expected = await this.#expected(ctx, "challenge of a login");
    const response = await read<webauthn.AuthenticationResponseJSON>(ctx);
    const passkey = typeof response?.id === "string" ? this.#parts.accounts.passkey(response.id) : undefined;
    if (response === undefined || passkey === undefined) return ctx.StopWithStatus(401);
    const { verified, authenticationInfo } = await webauthn.verifyAuthenticationResponse({
      ...expected,
      response,
      credential: passkey,
    }).catch(() => ({ verified: false, authenticationInfo: undefined }));
    if (!verified || authenticationInfo === undefined) return ctx.StopWithStatus(401);
    if (!this.#parts.accounts.usePasskey(passkey, authenticationInfo.newCounter)) return ctx.StopWithStatus(401);
    await auth.Login(ctx, { ID: String(passkey.account) });
    sessions.Get(ctx)?.Set("passkey", true);
    ctx.JSON({ next: await auth.Next(ctx, { Default: "/account" }) });
  }

  /** Responds with the options of a new passkey. It is a new way in, so the user authenticates again. */
  async #options(ctx: fw.Context): Promise<void> {
    const account = this.#parts.accounts.ofUser(ctx.User());
    const { password, code } = await read<{ password?: unknown; code?: unknown }>(ctx) ?? {};
    const refusal = await this.#parts.factors.refusal(ctx, account, password, code);
    if (refusal !== undefined) return ctx.StopWithStatus(refusal === "too_many" ? 429 : 401);
    const options = await webauthn.generateRegistrationOptions({
      rpName: this.#site.hostname,
      rpID: this.#site.hostname,
      userName: account.mail,
      userID: new TextEncoder().encode(String(account.id)),
      excludeCredentials: this.#parts.accounts.passkeysOf(account.id).map(({ id }) => ({ id })),
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
    });
    sessions.Get(ctx)?.SetFlash("challenge of a new passkey", options.challenge);
    ctx.JSON(options);
  }

  async #add(ctx: fw.Context): Promise<void> {
    const account = this.#parts.accounts.ofUser(ctx.User());
    const expected = await this.#expected(ctx, "challenge of a new passkey");
    const response = await read<webauthn.RegistrationResponseJSON>(ctx);
    if (response === undefined) return ctx.StopWithStatus(400);
    const { verified, registrationInfo } = await webauthn.verifyRegistrationResponse({ ...expected, response })
      .catch(() => ({ verified: false, registrationInfo: undefined }));
    if (!verified || registrationInfo === undefined) return ctx.StopWithStatus(400);
    const { id, publicKey, counter } = registrationInfo.credential;
    if (!this.#parts.accounts.addPasskey(account, id, publicKey, counter)) return ctx.StopWithStatus(409);
    await this.#parts.links.notify(account.mail, "changed", ctx.GetLocale().Language());
    ctx.StopWithStatus(204);
  }

  /**
   * Returns what a response must match, with the challenge that the session contains. Each one can be used once and for
   * one purpose: the challenge of a login is sent without a password, so it must not be valid for a new passkey.
   */
  async #expected(ctx: fw.Context, purpose: string) {
    const challenge = await sessions.Get(ctx)?.GetFlash(purpose);
    return {
      expectedChallenge: typeof challenge === "string" ? challenge : crypto.randomUUID(),
      expectedOrigin: this.#site.origin,
      expectedRPID: this.#site.hostname,
      requireUserVerification: true,
    };
  }
}

/** Reads a JSON object. */
async function read<T extends object>(ctx: fw.Context): Promise<T | undefined> {
  const [value, error] = await ctx.ReadJSON<T>();
  return error === null && typeof value === "object" && value !== null ? value : undefined;
}
