/**
 * The options of a mail.
 *
 * @module
 */

import { either, group, kind, listOf, record, required, text } from "../../base/config/option_kinds.ts";
import { anything, oneOrMore } from "../../base/config/option_shapes.ts";
import { type OptionTable, optionTable } from "../../base/config/option_table.ts";
import { addressRule } from "./address.ts";
import type { Attachment, Envelope } from "./message.ts";
import type { Content } from "./render.ts";

const addresses = oneOrMore(addressRule, "addresses");
const content = kind<NonNullable<Attachment["Content"]>, undefined>(
  "a string, bytes, a blob or a stream",
  (value) =>
    typeof value === "string" || value instanceof Uint8Array || value instanceof Blob ||
    value instanceof ReadableStream,
  undefined,
);

/** The table of mails. */
export const mailTable: OptionTable<object> = optionTable<Envelope & Content>("mail.LaterMail", "a mail")({
  From: addressRule,
  To: required(addresses),
  CC: addresses,
  BCC: addresses,
  ReplyTo: addresses,
  Headers: record(),
  Attachments: listOf(
    group<Attachment>({
      Name: required(text()),
      Type: text(),
      Content: content,
      Path: either<string | URL, undefined>(
        undefined,
        text(),
        kind("a URL", (value) => value instanceof URL, undefined),
      ),
      ContentID: text(),
    }),
    "attachments",
  ),
  Subject: text(),
  View: text(),
  Data: anything(),
  Language: text(),
  Layout: text(),
  Text: text(),
  HTML: text(),
});
