/**
 * Mails as transports receive them.
 *
 * @module
 */

import { isHeaderToken } from "../../base/text/header_token.ts";
import { type Address, addressesOf, type AddressInput, addressOf, headerText, invalid } from "./address.ts";

/** A file that is sent with a mail. */
export interface Attachment {
  /** The file name that recipients see. */
  readonly Name: string;
  /** The media type. If omitted, recipients determine it from the name. */
  readonly Type?: string;
  /** The content. A stream can be sent once. */
  readonly Content?: string | Uint8Array<ArrayBuffer> | Blob | ReadableStream<Uint8Array<ArrayBuffer>>;
  /** The file with the content, which is opened when the mail is sent. */
  readonly Path?: string | URL;
  /** The ID of an image in the HTML part, which refers to it as `cid:ID`. */
  readonly ContentID?: string;
}

/** A file that is sent with a later mail. Its content is stored with the job. */
export interface LaterAttachment extends Attachment {
  /** The content. A stream cannot be stored. */
  readonly Content?: string | Uint8Array<ArrayBuffer> | Blob;
}

/** The addresses and other headers of a mail. */
export interface Envelope {
  /** The sender. If omitted, the mailer's `From`. */
  readonly From?: AddressInput;
  /** The recipients. Each string is one address. */
  readonly To: AddressInput | readonly AddressInput[];
  /** The recipients of copies. */
  readonly CC?: AddressInput | readonly AddressInput[];
  /** The recipients of copies that other recipients do not see. */
  readonly BCC?: AddressInput | readonly AddressInput[];
  /** The addresses for replies. */
  readonly ReplyTo?: AddressInput | readonly AddressInput[];
  /** Additional headers, such as `List-Unsubscribe`. */
  readonly Headers?: Readonly<Record<string, string>>;
  /** The attachments. */
  readonly Attachments?: readonly Attachment[];
}

/** The parts of a mail. */
export interface Parts {
  /** The subject. */
  readonly Subject: string;
  /** The text part. */
  readonly Text: string;
  /** The HTML part, or an empty string. */
  readonly HTML: string;
}

/** A mail as a transport receives it. All addresses and headers have been checked. */
export interface Message extends Parts {
  /** The message ID, without angle brackets. It is the same in all attempts to send the mail. */
  readonly ID: string;
  /** The sender. */
  readonly From: Address;
  /** The recipients. */
  readonly To: readonly Address[];
  /** The recipients of copies. */
  readonly CC: readonly Address[];
  /** The recipients of copies that other recipients do not see. */
  readonly BCC: readonly Address[];
  /** The addresses for replies. */
  readonly ReplyTo: readonly Address[];
  /** Additional headers. */
  readonly Headers: Readonly<Record<string, string>>;
  /** The attachments. */
  readonly Attachments: readonly OpenAttachment[];
}

/** An attachment as a transport receives it. */
export interface OpenAttachment extends Attachment {
  /** Opens the content. */
  readonly Open: () => Promise<ReadableStream<Uint8Array<ArrayBuffer>>>;
}

/** A way to send mails. Any object with this method is a transport. */
export interface Transport {
  /**
   * Sends a mail.
   *
   * @param message The mail.
   * @param signal Aborted if the mail should not be sent anymore.
   */
  Send(message: Message, signal?: AbortSignal): unknown;
}

/** The headers that are set by other options or by the transport. */
const reserved =
  /^(?:from|to|cc|bcc|reply-to|sender|subject|date|message-id|return-path|received|mime-version|content-.*)$/i;
const mediaType = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:; ?[\w-]+=[\w.+-]+)*$/;

/**
 * Checks the fields of a mail.
 *
 * @param envelope The addresses and headers.
 * @param parts The parts.
 * @param id The part of the message ID before the `@`.
 * @throws {FrameworkError} If a field is invalid.
 */
export function messageOf(envelope: Envelope & { readonly From: AddressInput }, parts: Parts, id: string): Message {
  const From = addressOf(envelope.From, "From");
  const To = addressesOf("To", envelope.To);
  if (To.length === 0) throw invalid("To", "the mail has no recipient");
  const headers = Object.entries(envelope.Headers ?? {}).map(([name, value]) => {
    if (!isHeaderToken(name)) throw invalid("Headers", "it is not a valid header name", name);
    if (reserved.test(name)) throw invalid("Headers", "the header is set by another option or by the transport", name);
    return [name, headerText(value, name)];
  });
  return {
    ID: `${id}@${From.Address.slice(From.Address.lastIndexOf("@") + 1)}`,
    From,
    To,
    CC: addressesOf("CC", envelope.CC),
    BCC: addressesOf("BCC", envelope.BCC),
    ReplyTo: addressesOf("ReplyTo", envelope.ReplyTo),
    Subject: headerText(parts.Subject, "Subject"),
    Text: parts.Text,
    HTML: parts.HTML,
    Headers: Object.fromEntries(headers),
    Attachments: (envelope.Attachments ?? []).map(opened),
  };
}

function opened(attachment: Attachment): OpenAttachment {
  const { Name, Type, Content, Path, ContentID } = attachment;
  const name = headerText(Name, "Attachments.Name");
  if (name === "" || /[/\\"]/.test(name)) throw invalid("Attachments.Name", "it is not a file name", name);
  if (Type !== undefined && !mediaType.test(Type)) throw invalid("Attachments.Type", "it is not a media type", Type);
  if (ContentID !== undefined && !/^[\w.@+-]+$/.test(ContentID)) {
    throw invalid("Attachments.ContentID", "use letters, digits and . @ + - _", ContentID);
  }
  if ((Content === undefined) === (Path === undefined)) {
    throw invalid("Attachments", `set either "Content" or "Path"`, name);
  }
  return {
    ...attachment,
    Name: name,
    async Open() {
      if (Path !== undefined) return (await Deno.open(Path)).readable;
      return Content instanceof ReadableStream ? Content : new Blob([Content ?? ""]).stream();
    },
  };
}
