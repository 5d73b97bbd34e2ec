import type * as fw from "@fw/web";
import * as auth from "@fw/web/auth";
import { VerifyPassword } from "@fw/web/middleware/auth";
import * as sessions from "@fw/web/sessions";
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from "npm:@simplewebauthn/server@^13";
import type { Accounts } from "./store.ts";

/** Logins with passkeys. The device verifies the user, so that a passkey is valid as both factors. */
export class Passkeys {
  readonly #accounts: Accounts;
  readonly #site: URL;

  constructor(accounts: Accounts, site: URL) {
    this.#accounts = accounts;
    this.#site = site;
  }

  register(party: fw.Party, limit: fw.Handler): void {
    party.Post("/login/passkey/options", limit, (ctx) => this.#loginOptions(ctx));
    party.Post("/login/passkey", limit, (ctx) => this.#logIn(ctx));
    party.Post("/account/passkeys/options", auth.Require("/login"), limit, (ctx) => this.#options(ctx));
    party.Post("/account/passkeys", auth.Require("/login"), limit, (ctx) => this.#add(ctx));
  }

  /** Responds with options that name no credentials, so that they tell nothing about any account. */
  async #loginOptions(ctx: fw.Context): Promise<void> {
    const options = await generateAuthenticationOptions({ rpID: this.#site.hostname, userVerification: "required" });
    sessions.Get(ctx)?.SetFlash("challenge", options.challenge);
    ctx.JSON(options);
  }

  async #logIn(ctx: fw.Context): Promise<void> {
    const [response, expectedChallenge] = await this.#read<AuthenticationResponseJSON>(ctx);
    const passkey = this.#accounts.passkey(String(response.id));
    if (passkey === undefined) return ctx.StopWithStatus(401);
    const { id, publicKey, counter } = passkey;
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge,
      expectedOrigin: this.#site.origin,
      expectedRPID: this.#site.hostname,
      requireUserVerification: true,
      credential: { id, publicKey, counter },
    }).catch(() => ({ verified: false, authenticationInfo: undefined }));
    if (!verified || authenticationInfo === undefined) return ctx.StopWithStatus(401);
    if (!this.#accounts.usePasskey(passkey, authenticationInfo.newCounter)) return ctx.StopWithStatus(401);
    await auth.Login(ctx, { ID: String(passkey.account) });
    ctx.JSON({ next: await auth.Next(ctx, { Default: "/account" }) });
  }

  async #options(ctx: fw.Context): Promise<void> {
    const account = this.#accounts.byID(ctx.User()?.ID ?? "");
    const { password } = await ctx.Request().json() as { password?: unknown };
    // A new passkey is a new way in, so the user authenticates again.
    if (!await VerifyPassword(String(password), account?.hash) || account === undefined) return ctx.StopWithStatus(401);
    const options = await generateRegistrationOptions({
      rpName: this.#site.hostname,
      rpID: this.#site.hostname,
      userName: account.mail,
      userID: new TextEncoder().encode(String(account.id)),
      attestationType: "none",
      excludeCredentials: this.#accounts.passkeysOf(account.id).map(({ id }) => ({ id })),
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
    });
    sessions.Get(ctx)?.SetFlash("challenge", options.challenge);
    ctx.JSON(options);
  }

  async #add(ctx: fw.Context): Promise<void> {
    const [response, expectedChallenge] = await this.#read<RegistrationResponseJSON>(ctx);
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge,
      expectedOrigin: this.#site.origin,
      expectedRPID: this.#site.hostname,
      requireUserVerification: true,
    }).catch(() => ({ verified: false, registrationInfo: undefined }));
    if (!verified || registrationInfo === undefined) return ctx.StopWithStatus(400);
    const { id, publicKey, counter } = registrationInfo.credential;
    const isAdded = this.#accounts.addPasskey(id, Number(ctx.User()?.ID), publicKey, counter);
    ctx.StopWithStatus(isAdded ? 204 : 409);
  }

  /** Reads the response of a device, and the challenge that the session contains. Each challenge can be used once. */
  async #read<T>(ctx: fw.Context): Promise<[response: T, challenge: string]> {
    const challenge = await sessions.Get(ctx)?.GetFlash("challenge");
    const response = await ctx.Request().json() as T;
    return [response, typeof challenge === "string" ? challenge : crypto.randomUUID()];
  }
}
