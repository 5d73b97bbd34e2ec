/**
 * An authenticator of an attacker: it signs any challenge, without asking a user.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { home } from "./ground.ts";

/** Returns the response of a new passkey to a challenge, as `navigator.credentials.create` would. */
export async function newPasskey(challenge: string): Promise<Record<string, unknown>> {
  const { publicKey } = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign"]);
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
  return {
    id: encoded(id),
    rawId: encoded(id),
    type: "public-key",
    clientExtensionResults: {},
    response: {
      clientDataJSON: encoded(new TextEncoder().encode(client)),
      attestationObject: encoded(new Uint8Array([...object, data.length, ...data])),
    },
  };
}

function text(value: string): number[] {
  return [0x60 + value.length, ...new TextEncoder().encode(value)];
}

function encoded(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}
