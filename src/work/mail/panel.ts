/**
 * The panel of mails on the development pages.
 *
 * @module
 */

import type { PanelCall, PanelElement } from "../../core/context/extension.ts";
import type { Address } from "./address.ts";
import type { Message, Parts } from "./message.ts";

/** The number of mails that are shown. */
const MOST = 20;

/** A mail that was sent. */
interface SentMail {
  readonly message: Message;
  readonly time: string;
  /** Renders the mail in a language, or in that of the recipient if it is empty. */
  readonly render: (language: string) => Promise<Parts>;
}

/** The latest mails of a mailer in development. */
export class SentMails {
  readonly #mails: SentMail[] = [];

  /** Adds a mail. The oldest one is forgotten. */
  add(message: Message, render: SentMail["render"]): void {
    this.#mails.push({ message, time: new Date().toISOString(), render });
    if (this.#mails.length > MOST) this.#mails.shift();
  }

  /** Reads the panel: the list of mails, or one of them in one of the languages. */
  async read({ Query: { mail = "", language = "" } }: PanelCall, languages: readonly string[]): Promise<unknown> {
    const found = this.#mails.find(({ message }) => message.ID === mail);
    if (found === undefined) return this.#mails.toReversed().map(rowOf);
    const { message: { ID, From, To, CC, BCC, Attachments }, render } = found;
    const { Subject, HTML, Text } = await render(language);
    return {
      Subject,
      From: listed([From]),
      To: listed([...To, ...CC, ...BCC]),
      Attachments: Attachments.map(({ Name }) => Name).join(", "),
      Languages: languages.map((each) => linkTo(each, { mail: ID, language: each })),
      Rendered: HTML === "" ? "" : { Element: "document", Text: HTML } satisfies PanelElement,
      Text,
      Source: HTML,
    };
  }
}

function rowOf({ time, message: { ID, Subject, From, To } }: SentMail): Record<string, unknown> {
  return { Time: time, Mail: linkTo(Subject || "(no subject)", { mail: ID }), To: listed(To), From: listed([From]) };
}

function linkTo(Text: string, Values: Record<string, string>): PanelElement {
  return { Element: "link", Text, Values };
}

function listed(addresses: readonly Address[]): string {
  return addresses.map(({ Name, Address }) => Name === "" ? Address : `${Name} <${Address}>`).join(", ");
}
