/**
 * The part of the subject that talks to other programs: webhooks in both directions, and mails.
 *
 * @module
 */

import type * as fw from "@fw/web";
import * as mail from "@fw/web/mail";
import * as webhooks from "@fw/web/webhooks";
import { secret } from "./expect.ts";

/** The features that this part adds to the subject. */
export const outsideFeatures: readonly string[] = ["mail", "webhooks"];

/** The secret that signs webhooks. */
export const hookSecret = "whsec_dGhlIHNlY3JldCBvZiB0aGUgd2ViaG9va3M=";

/** Adds the routes. */
export function addOutside(app: fw.Application): void {
  for (const Scheme of ["standard", "stripe", "github", "shopify"] as const) {
    const verify = webhooks.Verify({ Secret: hookSecret, Scheme, MaxBody: 1000 });
    app.Post(`/hooks/${Scheme}`, verify, (ctx) => ctx.WriteString(secret));
  }
  const send = webhooks.Send({ Secret: () => hookSecret, Timeout: 1000 });
  app.Post("/deliver", async (ctx) => {
    const context = { Key: "1", Signal: ctx.Signal() };
    const delivery = { URL: await ctx.PostValue("url"), Data: 1 };
    if ((await send.Schema["~standard"].validate(delivery)).issues !== undefined) return ctx.StopWithStatus(422);
    const failure = await send(delivery, context).catch((error: Error) => error.name);
    // Any other outcome means that the subject has tried to connect.
    return failure === "PermanentError" ? ctx.StopWithStatus(422) : ctx.WriteString(secret);
  });
  addMail(app);
}

/** Adds a form that sends a mail and shows its header, as a transport without any checks of its own would write it. */
function addMail(app: fw.Application): void {
  let header = "";
  const Transport: mail.Transport = {
    Send({ From, To, ReplyTo, Subject, Headers }) {
      const list = (addresses: readonly mail.Address[]) =>
        addresses.map(({ Quoted, Address }) => `${Quoted} <${Address}>`.trim()).join(", ");
      const fields = { From: list([From]), To: list(To), "Reply-To": list(ReplyTo), Subject, ...Headers };
      header = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`).join("");
    },
  };
  const mailer = mail.New({ Transport, From: "tea@example.com" });
  app.Post("/mail", async (ctx) => {
    header = "";
    const value = async (name: string, fallback: string) => await ctx.PostValue(name) || fallback;
    await mailer.Send({
      To: await value("to", "ada@example.com"),
      ReplyTo: { Name: await value("name", "Ada"), Address: await value("reply", "ada@example.com") },
      Subject: await value("subject", "Hello"),
      Headers: { [await value("field", "X-Tag")]: await value("tag", "tag") },
      Attachments: [{ Name: await value("file", "a.txt"), Type: await value("type", "text/plain"), Content: "" }],
      Text: "x",
    }).then(() => ctx.WriteString(header), () => ctx.StopWithStatus(422));
  });
}
