/**
 * Content negotiation. Chooses the representation that the client prefers from those that are offered.
 *
 * @module
 */

import { checkText } from "../../../base/config/option_table.ts";
import { FrameworkError } from "../../../base/errors/errors.ts";
import { encoderOf } from "../../../base/text/charset.ts";
import { acceptedType } from "../../../http/headers/accept.ts";
import { chooseEncoding } from "../../../http/headers/accept_encoding.ts";
import { contentTypes } from "../../../http/headers/content_type.ts";
import type { Format } from "../../../pages/formats/format.ts";
import type { Exchange } from "../../exchange/exchange.ts";
import { extrasOf } from "../../exchange/extras.ts";
import { handlerHeaders } from "../../exchange/request_header.ts";
import { builtIn, typesOf } from "./formats.ts";

/** The content codings that the platform can compress with. */
const codings: ReadonlySet<string> = new Set(["gzip", "deflate"]);

/** The media types that the client accepts. Handlers can add to them or replace them. */
export class NegotiationAccept {
  #header: string;
  #added: readonly string[] = [];

  /**
   * Created by {@linkcode Negotiation}.
   *
   * @ignore
   */
  constructor(header: string) {
    this.#header = header;
  }

  /**
   * Discards the media types that the client accepts and those that were added.
   *
   * @returns This list, for chaining.
   */
  Override(): this {
    this.#header = "";
    this.#added = [];
    return this;
  }

  /**
   * Adds media types. They are used if the client accepts none of the offers, or has no `Accept` header.
   *
   * @param types The media types, in `Accept` header syntax.
   * @returns This list, for chaining.
   */
  MIME(...types: string[]): this {
    this.#added = [...this.#added, ...types.filter((each) => each !== "")];
    return this;
  }

  /**
   * Adds JSON.
   *
   * @returns This list, for chaining.
   */
  JSON(): this {
    return this.MIME("application/json");
  }

  /**
   * Adds XML.
   *
   * @returns This list, for chaining.
   */
  XML(): this {
    return this.MIME(...typesOf(builtIn.XML));
  }

  /**
   * Adds YAML.
   *
   * @returns This list, for chaining.
   */
  YAML(): this {
    return this.MIME(...typesOf(builtIn.YAML));
  }

  /**
   * Adds MessagePack.
   *
   * @returns This list, for chaining.
   */
  MsgPack(): this {
    return this.MIME(...typesOf(builtIn.MsgPack));
  }

  /**
   * Adds HTML.
   *
   * @returns This list, for chaining.
   */
  HTML(): this {
    return this.MIME("text/html");
  }

  /**
   * Adds plain text.
   *
   * @returns This list, for chaining.
   */
  Text(): this {
    return this.MIME("text/plain");
  }

  /**
   * Returns the list in `Accept` header syntax.
   *
   * @returns The header value.
   */
  toString(): string {
    return [this.#header, ...this.#added].filter((each) => each !== "").join(", ");
  }

  /**
   * Chooses one of the offers.
   *
   * @ignore
   */
  choose(offered: readonly string[]): string | undefined {
    const added = this.#added.join(",");
    if (added === "") return acceptedType(this.#header, offered);
    const own = this.#header === "" ? undefined : acceptedType(this.#header, offered);
    return own ?? acceptedType(added, offered);
  }
}

/**
 * The representations that a request's handlers offer, in order of preference. See {@linkcode Context.Negotiation}.
 *
 * @example Offer JSON, XML and a page
 * ```ts
 * import * as fw from "@fw/web";
 *
 * const app = fw.New();
 * app.Get("/tea", (ctx) => {
 *   ctx.Negotiation().JSON().XML().HTML("<h1>Green tea</h1>");
 *   return ctx.Negotiate({ name: "Green tea" });
 * });
 *
 * const get = (accept: string) => app.fetch(new Request("http://localhost/tea", { headers: { accept } }));
 * await (await get("application/json")).text(); // → '{"name":"Green tea"}'
 * await (await get("text/html, application/json;q=0.5")).text(); // → "<h1>Green tea</h1>"
 * (await get("image/png")).status; // → 406
 * ```
 */
export class Negotiation {
  /** The media types that the client accepts. */
  readonly Accept: NegotiationAccept;
  readonly #offers = new Map<string, unknown>();
  #any: unknown = undefined;
  #charsets: string[] = [];
  #encodings: string[] = [];

  /**
   * Created by `ctx.Negotiation()`.
   *
   * @ignore
   */
  constructor(accept: string) {
    this.Accept = new NegotiationAccept(accept);
  }

  /**
   * Offers a media type.
   *
   * @param type The media type.
   * @param value The value to send. Defaults to the value passed to `ctx.Negotiate` or {@linkcode Any}.
   * @returns This negotiation, for chaining.
   */
  MIME(type: string, value?: unknown): this {
    checkText(type, "type", "MIME");
    this.#offers.set(type.toLowerCase(), value);
    return this;
  }

  /**
   * Offers JSON.
   *
   * @param value The value to send.
   * @returns This negotiation, for chaining.
   */
  JSON(value?: unknown): this {
    return this.MIME("application/json", value);
  }

  /**
   * Offers XML, as `application/xml` and `text/xml`.
   *
   * @param value The value to send.
   * @returns This negotiation, for chaining.
   */
  XML(value?: unknown): this {
    return this.#format(builtIn.XML, value);
  }

  /**
   * Offers YAML, as `application/yaml` and its older names.
   *
   * @param value The value to send.
   * @returns This negotiation, for chaining.
   */
  YAML(value?: unknown): this {
    return this.#format(builtIn.YAML, value);
  }

  /**
   * Offers MessagePack, as `application/vnd.msgpack` and its older names.
   *
   * @param value The value to send.
   * @returns This negotiation, for chaining.
   */
  MsgPack(value?: unknown): this {
    return this.#format(builtIn.MsgPack, value);
  }

  /**
   * Offers HTML.
   *
   * @param html The HTML to send.
   * @returns This negotiation, for chaining.
   */
  HTML(html?: string): this {
    return this.MIME("text/html", html);
  }

  /**
   * Offers plain text.
   *
   * @param text The text to send.
   * @returns This negotiation, for chaining.
   */
  Text(text?: string): this {
    return this.MIME("text/plain", text);
  }

  /**
   * Offers Markdown. It is sent unchanged, without rendering.
   *
   * @param text The Markdown to send.
   * @returns This negotiation, for chaining.
   */
  Markdown(text?: string): this {
    return this.MIME("text/markdown", text);
  }

  /**
   * Offers bytes.
   *
   * @param bytes The bytes to send.
   * @returns This negotiation, for chaining.
   */
  Binary(bytes?: Uint8Array<ArrayBuffer>): this {
    return this.MIME(contentTypes.bytes, bytes);
  }

  /**
   * Sets the value for all media types that were offered without one.
   *
   * @param value The value to send.
   * @returns This negotiation, for chaining.
   */
  Any(value: unknown): this {
    this.#any = value;
    return this;
  }

  /**
   * Offers charsets for text. `utf-8` and single-byte charsets, such as `iso-8859-1` and `windows-1252`, are supported.
   *
   * @param names The charsets, in order of preference.
   * @returns This negotiation, for chaining.
   * @throws {FrameworkError} If a charset is not supported.
   */
  Charset(...names: string[]): this {
    for (const name of names) {
      if (encoderOf(String(name).toLowerCase()) === undefined) {
        throw new FrameworkError("FW_CONFIG", `Cannot offer the charset "${String(name)}": it is not supported`);
      }
    }
    this.#charsets = names.map((name) => name.toLowerCase());
    return this;
  }

  /**
   * Offers content codings. `gzip` and `deflate` are supported. The `compress` middleware supports more codings.
   *
   * @param names The content codings, in order of preference.
   * @returns This negotiation, for chaining.
   * @throws {FrameworkError} If a content coding is not supported.
   */
  Encoding(...names: string[]): this {
    for (const name of names) {
      if (codings.has(name)) continue;
      throw new FrameworkError("FW_CONFIG", `Cannot offer the content coding "${String(name)}": it is not supported`);
    }
    this.#encodings = names;
    return this;
  }

  #format(format: Format, value: unknown): this {
    for (const type of typesOf(format)) this.MIME(type, value);
    return this;
  }

  /**
   * Chooses one of the offers.
   *
   * @ignore
   */
  decide(headers: Headers): { type: string; value: unknown; charset: string; encoding: string } | undefined {
    const type = this.Accept.choose([...this.#offers.keys()]);
    const encoding = this.hasEncodings ? chooseEncoding(headers.get("accept-encoding"), this.#encodings) : "";
    if (type === undefined || encoding === undefined) return undefined;
    return {
      type,
      value: this.#offers.get(type) ?? this.#any,
      charset: charsetOf(headers.get("accept-charset") ?? "", this.#charsets),
      encoding,
    };
  }

  /**
   * Reports whether the negotiation includes content codings.
   *
   * @ignore
   */
  get hasEncodings(): boolean {
    return this.#encodings.length > 0;
  }

  /**
   * Reports whether a charset is part of the negotiation.
   *
   * @ignore
   */
  get hasCharsets(): boolean {
    return this.#charsets.length > 0;
  }
}

/** Returns the negotiation of a request, created on first use. */
export function negotiationOf<C>(exchange: Exchange<C>): Negotiation {
  const extras = extrasOf(exchange);
  extras.negotiation ??= new Negotiation(handlerHeaders(exchange).get("accept") ?? "");
  return extras.negotiation as Negotiation;
}

/**
 * Returns the offered charset that the client prefers, or the first one if it accepts none. Returns an empty string if
 * no charset is offered.
 */
function charsetOf(header: string, offered: readonly string[]): string {
  const [first = ""] = offered;
  // Charsets are negotiated like content codings without "identity".
  return offered.length < 2 ? first : chooseEncoding(header || "*", offered) || first;
}
