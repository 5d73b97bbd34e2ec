/**
 * The signatures of webhooks: which headers contain them, and which content they cover.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { either, group, oneOf, type Option, required, text, where } from "../../base/config/option_kinds.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import { isHeaderToken } from "../../base/text/header_token.ts";

/** The name of a signature scheme. */
export type SchemeName = "standard" | "github" | "stripe" | "shopify";

/** A header with the HMAC (SHA-256) of the body. */
export interface HeaderScheme {
  /** The name of the header. */
  readonly Header: string;
  /** The text before the signature in the header, such as `sha256=`. */
  readonly Prefix?: string;
  /**
   * The encoding of the signature.
   *
   * @default {"hex"}
   */
  readonly Encoding?: "hex" | "base64";
  /** The name of a header that distinguishes events whose bodies are the same. It is not signed. */
  readonly Event?: string;
}

/** The signature of a request, as read from its headers. */
export interface Signed {
  /** The signatures, of which one must be valid. */
  readonly signatures: readonly string[];
  /** The signed text before the body. */
  readonly content: string;
  /** The signed time, in seconds, as sent. `undefined` if the scheme does not sign a time. */
  readonly time?: string | undefined;
  /** Text that distinguishes requests with the same content. */
  readonly event?: string;
}

/** A way to sign requests. */
export interface Scheme {
  /** The header that contains the signature. */
  readonly header: string;
  readonly encoding: "hex" | "base64";
  /** Returns the key of a secret. */
  key(secret: string): Uint8Array;
  /** Reads the signature from the headers. Returns `undefined` if there is none. */
  read(header: (name: string) => string): Signed | undefined;
  /** Returns the headers of a request. `sign` returns the signatures of all keys for the text before the body. */
  write(id: string, time: number, sign: (content: string) => readonly string[]): Record<string, string>;
}

/** The minimum length of a key, in bytes. A shorter one can be guessed. */
const SHORTEST_KEY = 16;
/** The maximum number of signatures in a header. A sender needs one for each of its secrets. */
const mostSignatures = 10;

/** Standard Webhooks: https://www.standardwebhooks.com */
const standard: Scheme = {
  header: "webhook-signature",
  encoding: "base64",
  key(secret) {
    const text = secret.replace(/^whsec_/, "");
    if (!/^(?:[\w+/-]{4})*(?:[\w+/-]{2,3}={0,2})?$/.test(text)) throw invalidSecret("it must be base64");
    return Buffer.from(text, "base64");
  },
  read(header) {
    const [id, time, list] = [header("webhook-id"), header("webhook-timestamp"), header(this.header)];
    if (list === "") return undefined;
    // With a dot in the ID, the same signature would be valid for another ID, another time and another body.
    if (!isMessageID(id)) return { signatures: [], content: "", time };
    const signatures = list.split(" ", mostSignatures).filter((each) => each.startsWith("v1,")).map((each) =>
      each.slice(3)
    );
    return { signatures, content: `${id}.${time}.`, time };
  },
  write(id, time, sign) {
    const own = messageID(id);
    const list = sign(`${own}.${time}.`).map((each) => `v1,${each}`).join(" ");
    return { "webhook-id": own, "webhook-timestamp": String(time), [this.header]: list };
  },
};

/** Reports whether a message ID can be signed together with a time and a body. */
function isMessageID(id: string): boolean {
  return id !== "" && !id.includes(".");
}

/**
 * Returns the message ID for the key of a job. Different keys have different IDs. Characters that a header cannot
 * contain, or that receivers decode in different ways, are encoded.
 */
function messageID(key: string): string {
  return key.toWellFormed().replace(
    /[^ -$&-\-/-~]|^ | $/gu,
    (letter) => letter === "." ? "%2E" : encodeURIComponent(letter),
  );
}

const stripe: Scheme = {
  header: "stripe-signature",
  encoding: "hex",
  key: Buffer.from,
  read(header) {
    const fields = header(this.header).split(",", mostSignatures).map((field) => field.trim());
    const of = (name: string) => fields.filter((each) => each.startsWith(name)).map((each) => each.slice(name.length));
    const [time = ""] = of("t=");
    return fields[0] === "" ? undefined : { signatures: of("v1="), content: `${time}.`, time };
  },
  write(_id, time, sign) {
    return { [this.header]: [`t=${time}`, ...sign(`${time}.`).map((each) => `v1=${each}`)].join(",") };
  },
};

/** The schemes by name. */
const schemes: Readonly<Record<SchemeName, Scheme>> = {
  standard,
  stripe,
  github: headerScheme({ Header: "x-hub-signature-256", Prefix: "sha256=" }),
  // Shopify sends the same body for several topics.
  shopify: headerScheme({ Header: "x-shopify-hmac-sha256", Encoding: "base64", Event: "x-shopify-topic" }),
};

const headerName = where(text(), "a header name", isHeaderToken);

/** The rule for schemes. */
export const schemeRule: Option<SchemeName | HeaderScheme, SchemeName> = either<SchemeName | HeaderScheme, SchemeName>(
  "standard",
  oneOf(undefined, ...Object.keys(schemes)),
  group<HeaderScheme>({
    Header: required(headerName),
    Prefix: text(),
    Encoding: oneOf(undefined, "hex", "base64"),
    Event: headerName,
  }),
);

function headerScheme({ Header, Prefix = "", Encoding = "hex", Event = "" }: HeaderScheme): Scheme {
  return {
    header: Header,
    encoding: Encoding,
    key: Buffer.from,
    read(header) {
      const text = header(Header);
      const signatures = text.startsWith(Prefix) ? [text.slice(Prefix.length)] : [];
      return text === "" ? undefined : { signatures, content: "", event: Event === "" ? "" : header(Event) };
    },
    write(_id, _time, sign) {
      return { [Header]: `${Prefix}${sign("")[0]}` };
    },
  };
}

/** Returns a scheme by its name or its header. */
export function schemeOf(scheme: SchemeName | HeaderScheme = "standard"): Scheme {
  return typeof scheme === "string" ? schemes[scheme] : headerScheme(scheme);
}

/** Returns the keys of a list of secrets. */
export function keysOf(scheme: Scheme, secrets: readonly string[]): Uint8Array[] {
  if (secrets.length === 0 || secrets.includes("")) throw invalidSecret("it must not be empty");
  if (!secrets.every((secret) => typeof secret === "string")) throw invalidSecret("it must be a string");
  return secrets.map((secret) => {
    const key = scheme.key(secret);
    if (key.length >= SHORTEST_KEY) return key;
    throw invalidSecret(`it has ${key.length} bytes, and at least ${SHORTEST_KEY} are required`);
  });
}

/** Signs content and a body. */
export function sign(scheme: Scheme, key: Uint8Array, content: string, body: Uint8Array | string): string {
  return createHmac("sha256", key).update(content).update(body).digest(scheme.encoding);
}

/** Reports whether one of the signatures was made with one of the keys. All of them are compared, in constant time. */
export function isSigned(
  scheme: Scheme,
  keys: readonly Uint8Array[],
  { signatures, content }: Signed,
  body: Uint8Array,
): boolean {
  const given = signatures.map((each) => Buffer.from(each));
  return keys.map((key) => Buffer.from(sign(scheme, key, content, body))).map((expected) =>
    given.map((each) => each.length === expected.length && timingSafeEqual(each, expected)).includes(true)
  ).includes(true);
}

/** Returns a name for signed content, which does not depend on the secret or on the number of signatures. */
export function digestOf({ content, event = "" }: Signed, body: Uint8Array): string {
  return createHash("sha256").update(JSON.stringify([content, event])).update(body).digest("base64url");
}

function invalidSecret(reason: string): FrameworkError {
  return new FrameworkError("FW_CONFIG", `Cannot use the secret of a webhook: ${reason}`);
}
