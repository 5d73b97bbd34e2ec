/**
 * The addresses of mails.
 *
 * @module
 */

import { either, filled, group, type Option, required, text } from "../../base/config/option_kinds.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import { isAddress } from "../../base/text/addresses.ts";

/** A mail address with a name. */
export interface Address {
  /** The display name, or an empty string. */
  readonly Name: string;
  /** The display name as it is written in a header, for transports that do not quote names. */
  readonly Quoted: string;
  /** The address, such as `ada@example.com`. An international domain is encoded. */
  readonly Address: string;
}

/** A mail address: `ada@example.com`, `Ada <ada@example.com>`, or an object. Each string is one address. */
export type AddressInput = string | { readonly Name?: string; readonly Address: string };

/** The rule for an address. */
export const addressRule: Option<AddressInput, undefined> = either<AddressInput, undefined>(
  undefined,
  text(),
  group<Exclude<AddressInput, string>>({ Name: text(), Address: required(filled()) }),
);

/**
 * The part before the `@`. Quoted parts and comments are not accepted, because programs disagree on where they end, and
 * the recipient of one program would be another recipient for the next.
 */
const localPart = /^(?=.{1,64}$)[\p{L}\p{N}\p{M}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{N}\p{M}!#$%&'*+/=?^_`{|}~-]+)*$/u;
const domainLetters = /^[\p{L}\p{N}\p{M}.-]{1,253}$/u;
const domainName = /^(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)*[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/;
/** Control characters, line breaks, and characters that change the direction of the text. */
const unsafe = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/**
 * Parses an address.
 *
 * @param input The address. Everything before `<` is the display name, with or without quotes.
 * @param field The name of the field, for messages.
 * @throws {FrameworkError} If the input is not exactly one valid address.
 */
export function addressOf(input: AddressInput, field: string): Address {
  const [name, address] = typeof input === "string"
    ? partsOf(headerText(input, field))
    : [input.Name ?? "", input.Address];
  const at = address.lastIndexOf("@");
  const domain = domainOf(address.slice(at + 1));
  const local = address.slice(0, Math.max(0, at));
  if (!localPart.test(local) || domain === undefined) throw invalid(field, "it is not a valid address", address);
  const Name = headerText(name, field);
  return { Name, Quoted: quoted(Name), Address: `${headerText(local, field)}@${domain}` };
}

/** Parses a list of addresses. */
export function addressesOf(field: string, inputs: AddressInput | readonly AddressInput[] = []): Address[] {
  return [inputs].flat().map((input) => addressOf(input as AddressInput, field));
}

/**
 * Checks the text of a header.
 *
 * @param text The text.
 * @param field The name of the field, for messages.
 * @returns The text without surrounding white space.
 * @throws {FrameworkError} If the text could add a header, or would be read as other text.
 */
export function headerText(text: string, field: string): string {
  if (typeof text !== "string") throw invalid(field, "it must be a string");
  if (unsafe.test(text)) throw invalid(field, "it contains a line break or another control character", text);
  if (!text.isWellFormed()) throw invalid(field, "it is not valid Unicode");
  // Programs decode =?charset?encoding?text?= in headers, so the text that was checked would not be the text they use.
  if (text.includes("=?")) throw invalid(field, "it contains an encoded word (=?)", text);
  return text.trim();
}

/** Creates an error about a field. */
export function invalid(field: string, reason: string, value?: string): FrameworkError {
  const shown = value === undefined ? "" : ` ${JSON.stringify(value.slice(0, 100))}`;
  return new FrameworkError("FW_MAIL", `Cannot use${shown} as "${field}" of a mail: ${reason}`);
}

/** Quotes a name with special characters. A name that is not ASCII has to be encoded, which takes care of them. */
function quoted(name: string): string {
  return /^[\w !#$%&'*+/=?^`{|}~-]*$|[^\x20-\x7e]/.test(name) ? name : `"${name.replace(/["\\]/g, "\\$&")}"`;
}

function partsOf(text: string): [name: string, address: string] {
  const [, name = "", address = text] = /^([^<>]*)<([^<>]*)>$/s.exec(text) ?? [];
  const trimmed = name.trim();
  const [, quoted = trimmed] = /^"((?:[^"\\]|\\.)*)"$/s.exec(trimmed) ?? [];
  return [quoted === trimmed ? trimmed : quoted.replace(/\\(.)/gs, "$1"), address];
}

/** Returns a domain in its encoded form, or `undefined` if it is not a valid host name. */
function domainOf(text: string): string | undefined {
  if (!domainLetters.test(text)) return undefined;
  const host = URL.parse(`http://${text}/`)?.hostname ?? "";
  return domainName.test(host) && !isAddress(host) ? host : undefined;
}
