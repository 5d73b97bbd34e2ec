/**
 * An authenticator of an attacker: it signs any challenge, without asking a user.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { createHash, KeyObject, sign } from "node:crypto";
import { type Browser, home, password } from "./ground.ts";

const secrets = new WeakMap<object, CryptoKey>();

/** Returns the response of a new passkey to a challenge, as `navigator.credentials.create` would. */
export async function newPasskey(challenge: string): Promise<Record<string, unknown>> {
  const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign"]);
  const { publicKey, privateKey } = pair;
  const point = new Uint8Array(await crypto.subtle.exportKey("raw", publicKey));
  const id = crypto.getRandomValues(new Uint8Array(16));
  // {1: 2, 3: -7, -1: 1, -2: x, -3: y}
  const key = [0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32, ...point.slice(1, 33), 0x22, 0x58, 32, ...point.slice(33)];
  const site = createHash("sha256").update(new URL(home).hostname).digest();
  // The user was present and verified, and the data contains a credential.
  const data = [...site, 0b0100_0101, 0, 0, 0, 0, ...new Uint8Array(16), 0, 16, ...id, ...key];
  // {"fmt": "none", "attStmt": {}, "authData": data}
  const object = [0xa3, ...text("fmt"), ...text("none"), ...text("attStmt"), 0xa0, ...text("authData"), 0x58];
  const client = JSON.stringify({ type: "webauthn.create", challenge, origin: home });
  const passkey = {
    id: encoded(id),
    rawId: encoded(id),
    type: "public-key",
    clientExtensionResults: {},
    response: {
      clientDataJSON: encoded(new TextEncoder().encode(client)),
      attestationObject: encoded(new Uint8Array([...object, data.length, ...data])),
    },
  };
  secrets.set(passkey, privateKey);
  return passkey;
}

/** Returns the response of a passkey to the challenge of a login, as `navigator.credentials.get` would. */
export function answerOf(passkey: Record<string, unknown>, challenge: string): Record<string, unknown> {
  const site = createHash("sha256").update(new URL(home).hostname).digest();
  const data = new Uint8Array([...site, 0b0000_0101, 0, 0, 0, 1]);
  const client = new TextEncoder().encode(JSON.stringify({ type: "webauthn.get", challenge, origin: home }));
  const signed = new Uint8Array([...data, ...createHash("sha256").update(client).digest()]);
  const signature = sign("sha256", signed, KeyObject.from(secrets.get(passkey) as CryptoKey));
  return {
    ...passkey,
    response: {
      clientDataJSON: encoded(client),
      authenticatorData: encoded(data),
      signature: encoded(new Uint8Array(signature)),
    },
  };
}

/** Adds a passkey to the account of a browser. */
export async function addPasskey(owner: Browser): Promise<Record<string, unknown>> {
  const options = (await owner.json("/account/passkeys/options", { password })).JSON() as { challenge: string };
  const passkey = await newPasskey(options.challenge);
  assertEquals((await owner.json("/account/passkeys", passkey)).Status, 204);
  return passkey;
}

/** Returns a challenge for a login. */
export async function challengeOf(browser: Browser): Promise<string> {
  return ((await browser.json("/login/passkey/options", {})).JSON() as { challenge: string }).challenge;
}

function text(value: string): number[] {
  return [0x60 + value.length, ...new TextEncoder().encode(value)];
}

function encoded(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}
