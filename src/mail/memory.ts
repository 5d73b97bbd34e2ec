/**
 * A transport that keeps mails in memory, for tests and development.
 *
 * @module
 */

import type { Handler } from "../context/handler.ts";
import type { Message, OpenAttachment, Transport } from "./message.ts";
import { listPage, messagePage } from "./page.ts";

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

/** The part of a party that {@linkcode Memory.Register} uses. */
export interface Registrable {
  /** Registers a route. */
  Get(path: string, ...handlers: Handler[]): unknown;
}

/**
 * Creates a transport that keeps the latest mails in memory.
 *
 * @param max The maximum number of mails. Defaults to 100.
 * @returns The transport.
 */
export function NewMemory(max = 100): Memory {
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
    party.Get("/", async (ctx) => {
      const id = ctx.URLParam("mail");
      const message = this.#messages.find(({ ID }) => ID === id);
      if (id !== "" && message === undefined) return ctx.NotFound();
      const attachment = message?.Attachments[ctx.URLParamIntDefault("file", -1)];
      if (attachment !== undefined) return new Response(await attachment.Open(), { headers: fileHeaders(attachment) });
      return new Response(message === undefined ? listPage(this.#messages) : messagePage(message), {
        headers: pageHeaders,
      });
    });
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
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data: https:; frame-src 'self'",
};

/** Returns the headers of a download. A file is never shown, because it may contain scripts. */
function fileHeaders({ Name }: OpenAttachment): Record<string, string> {
  const disposition = `attachment; filename*=UTF-8''${encodeURIComponent(Name)}`;
  return { ...pageHeaders, "content-type": "application/octet-stream", "content-disposition": disposition };
}

function isMatch(message: Message, { To, Subject, Contains, Attachment }: Expected): boolean {
  const recipients = [...message.To, ...message.CC, ...message.BCC].map((each) => each.Address.toLowerCase());
  const parts = [message.Text, message.HTML].filter((part) => part !== "").map(squeezed);
  return (To === undefined || recipients.includes(To.toLowerCase())) &&
    (Subject === undefined ||
      (typeof Subject === "string" ? message.Subject === Subject : Subject.test(message.Subject))) &&
    (Contains === undefined || parts.every((part) => part.includes(squeezed(Contains)))) &&
    (Attachment === undefined || message.Attachments.some(({ Name }) => Name === Attachment));
}

function squeezed(text: string): string {
  return text.replace(/\s+/g, " ").toLowerCase();
}
