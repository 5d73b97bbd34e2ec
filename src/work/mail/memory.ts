/**
 * A transport that keeps mails in memory, for tests and development.
 *
 * @module
 */

import { count, either, record, text } from "../../base/config/option_kinds.ts";
import { installable, instance } from "../../base/config/option_shapes.ts";
import { checkArgument, optionTable, readOptions } from "../../base/config/option_table.ts";
import { escapeHTML } from "../../base/text/escape_html.ts";
import type { Context } from "../../core/context/context.ts";
import type { HostParty } from "../../core/context/extension.ts";
import { attachment } from "../../http/headers/disposition.ts";
import { documentOf, factsOf, policyOf, sandbox, tableOf } from "../../http/page/document.ts";
import type { Address } from "./address.ts";
import type { Message, OpenAttachment, Transport } from "./message.ts";

/** The properties of an expected mail. */
export interface Expected {
  /** The address of one of the recipients, including copies. */
  readonly To?: string;
  /** The subject, or a pattern that it matches. */
  readonly Subject?: string | RegExp;
  /** A string that both the text part and the HTML part contain, ignoring the case and the white space. */
  readonly Contains?: string;
  /** The name of an attachment. */
  readonly Attachment?: string;
}

const table = optionTable<Expected>("mail.Expected", "an expected mail")({
  To: text(),
  Subject: either<string | RegExp, undefined>(undefined, text(), instance(RegExp, "a regular expression")),
  Contains: text(),
  Attachment: text(),
});

/** The part of a party that {@linkcode Memory.Register} uses. */
export type Registrable = Pick<HostParty, "Install">;

/**
 * Creates a transport that keeps the latest mails in memory.
 *
 * @param max The maximum number of mails. Defaults to 100.
 * @returns The transport.
 */
export function NewMemory(max = 100): Memory {
  checkArgument(max, count(), "max", "mail.NewMemory");
  return new Memory(max);
}

/** A transport that keeps mails in memory. Created by {@linkcode NewMemory}. */
export class Memory implements Transport {
  readonly #max: number;
  readonly #messages: Message[] = [];

  /**
   * Created by {@linkcode NewMemory}.
   *
   * @param max The maximum number of mails.
   */
  constructor(max: number) {
    this.#max = max;
  }

  /** Returns the mails, the oldest first. */
  get Messages(): readonly Message[] {
    return [...this.#messages];
  }

  /** Stores a mail with the content of its attachments. */
  async Send(message: Message): Promise<void> {
    checkArgument(message, record(), "message", "Send");
    const attachments = message.Attachments.map(async (each) => {
      const blob = await new Response(await each.Open()).blob();
      return { ...each, Open: () => Promise.resolve(blob.stream() as ReadableStream<Uint8Array<ArrayBuffer>>) };
    });
    this.#messages.push({ ...message, Attachments: await Promise.all(attachments) });
    if (this.#messages.length > this.#max) this.#messages.shift();
  }

  /** Removes all mails. */
  Clear(): void {
    this.#messages.length = 0;
  }

  /**
   * Returns the latest mail with some properties.
   *
   * @param expected The properties.
   * @returns The mail.
   * @throws {Error} If there is none. The message lists the mails that were sent.
   */
  Expect(expected: Expected = {}): Message {
    readOptions(table, expected);
    const found = this.#messages.findLast((message) => isMatch(message, expected));
    if (found !== undefined) return found;
    throw new Error(`Expected a mail like ${Deno.inspect(expected)}, but ${this.#summary()}`);
  }

  /**
   * Checks that no mail with some properties was sent.
   *
   * @param expected The properties.
   * @throws {Error} If there is one.
   */
  ExpectNone(expected: Expected = {}): void {
    readOptions(table, expected);
    if (!this.#messages.some((message) => isMatch(message, expected))) return;
    throw new Error(`Expected no mail like ${Deno.inspect(expected)}, but ${this.#summary()}`);
  }

  /**
   * Registers a page that shows the mails. It is meant for development. Protect it with a guard, because mails contain
   * links that reset passwords.
   *
   * @param party The party whose path is the address of the page.
   */
  Register(party: Registrable): void {
    const mailPage = async (ctx: Context): Promise<void | Response> => {
      const id = ctx.URLParam("mail");
      const message = this.#messages.find(({ ID }) => ID === id);
      if (id !== "" && message === undefined) return ctx.NotFound();
      const attachment = message?.Attachments[ctx.URLParamIntDefault("file", -1)];
      if (attachment !== undefined) return new Response(await attachment.Open(), { headers: fileHeaders(attachment) });
      if (message !== undefined && ctx.URLParam("part") === "html") {
        return new Response(message.HTML, { headers: { ...pageHeaders, "content-security-policy": sandbox } });
      }
      return new Response(message === undefined ? listPage(this.#messages) : messagePage(message), {
        headers: pageHeaders,
      });
    };
    checkArgument(party, installable, "party", "mail.Register");
    party.Install({ Name: "mailbox", Many: true, Install: (host) => void host.Page("/", mailPage) });
  }

  #summary(): string {
    const lines = this.#messages.map(({ To, Subject }) =>
      `\n  ${To.map((each) => each.Address).join(", ")}: ${Subject}`
    );
    return lines.length === 0 ? "none was sent" : `these were sent:${lines.join("")}`;
  }
}

const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy": policyOf({}, "frame-src 'self'; form-action 'none'; frame-ancestors 'none'"),
};

/** Returns the headers of a download. A file is never shown, because it may contain scripts. */
function fileHeaders({ Name }: OpenAttachment): Record<string, string> {
  return { ...pageHeaders, "content-type": "application/octet-stream", "content-disposition": attachment(Name) };
}

function isMatch(message: Message, { To, Subject, Contains, Attachment }: Expected): boolean {
  const recipients = [...message.To, ...message.CC, ...message.BCC].map((each) => each.Address.toLowerCase());
  const parts = [message.Text, message.HTML].filter((part) => part !== "").map(squeezed);
  return (To === undefined || recipients.includes(To.toLowerCase())) &&
    (Subject === undefined ||
      (typeof Subject === "string" ? message.Subject === Subject : message.Subject.search(Subject) >= 0)) &&
    (Contains === undefined || parts.every((part) => part.includes(squeezed(Contains)))) &&
    (Attachment === undefined || message.Attachments.some(({ Name }) => Name === Attachment));
}

function squeezed(text: string): string {
  return text.replace(/\s+/g, " ").toLowerCase();
}

/** Returns the page with all mails, the latest first. */
function listPage(messages: readonly Message[]): string {
  const rows = messages.map(({ ID, Subject, From, To }) => [
    `<a href="${linkTo(ID)}">${escapeHTML(Subject) || "(no subject)"}</a>`,
    listed(To),
    listed([From]),
  ]).toReversed();
  return page("Mails", rows.length === 0 ? "<p>No mail has been sent.</p>" : tableOf(["Subject", "To", "From"], rows));
}

/** Returns the page of a mail. The HTML part is a document of its own, in a sandbox without scripts. */
function messagePage(message: Message): string {
  const { ID, From, To, CC, BCC, ReplyTo, Headers, HTML, Text, Attachments } = message;
  const lists = Object.entries({ From: [From], To, CC, BCC, "Reply-To": ReplyTo }).filter(([, list]) =>
    list.length > 0
  );
  const facts: [string, string][] = [
    ...lists.map(([name, list]): [string, string] => [name, listed(list)]),
    ...Object.entries(Headers).map(([name, value]): [string, string] => [name, escapeHTML(value)]),
    ...Attachments.map(({ Name }, file): [string, string] => [
      "Attachment",
      `<a href="${linkTo(ID)}&amp;file=${file}">${escapeHTML(Name)}</a>`,
    ]),
  ];
  const html = HTML === ""
    ? ""
    : `<h2>HTML</h2><iframe sandbox title="HTML" src="${linkTo(ID)}&amp;part=html"></iframe>`;
  return page(message.Subject, `${factsOf(facts)}${html}<h2>Text</h2><pre>${escapeHTML(Text)}</pre>`);
}

function page(title: string, body: string): string {
  return documentOf(title, `<main><h1>${escapeHTML(title)}</h1>${body}</main>`);
}

/** Returns a link that works with and without a slash at the end of the page's path. */
function linkTo(id: string): string {
  return `?mail=${encodeURIComponent(id)}`;
}

function listed(addresses: readonly Address[]): string {
  return addresses.map(({ Name, Address }) => escapeHTML(Name === "" ? Address : `${Name} <${Address}>`)).join("<br>");
}
