/**
 * Email rendered from views, with text and HTML parts in the recipient's language, sent immediately or as jobs.
 *
 * A transport is any object with one method, so every mail library fits. The recipes show nodemailer and upyo. In tests
 * and in development, {@linkcode NewMemory} keeps the mails in memory.
 *
 * @example Send a mail from a view
 * ```ts
 * import * as fw from "@fw/web";
 * import * as mail from "@fw/web/mail";
 *
 * const transport = mail.NewMemory();
 * const views = fw.HTML("").ParseTemplate("welcome.html", "<title>Welcome</title><p>Hello, <%= it.Name %>!</p>");
 * const mailer = mail.New({ Transport: transport, From: "Teahouse <tea@example.com>", Views: views });
 *
 * await mailer.Send({ To: "Ada <ada@example.com>", View: "welcome", Data: { Name: "Ada" } });
 * const { Subject, Text } = transport.Expect({ To: "ada@example.com" });
 * [Subject, Text]; // → ["Welcome", "Hello, Ada!\n"]
 * ```
 *
 * @module
 */

export type { Address, AddressInput } from "./address.ts";
export { type LaterMail, type LaterOptions, type Mail, Mailer, New, type Options, type Send } from "./mailer.ts";
export { type Expected, Memory, NewMemory, type Registrable } from "./memory.ts";
export type { Attachment, Envelope, LaterAttachment, Message, OpenAttachment, Parts, Transport } from "./message.ts";
export type { Content, ViewSource } from "./render.ts";
