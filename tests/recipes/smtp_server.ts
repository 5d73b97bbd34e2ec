/**
 * An SMTP server on loopback that parses and keeps the mails it receives.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { AddressInfo } from "node:net";
import PostalMime, { type Email } from "npm:postal-mime@^2";
import { SMTPServer } from "npm:smtp-server@^3";

/** A mail that the server has received. */
export interface ReceivedMail {
  /** The recipients of the SMTP commands. */
  readonly recipients: readonly string[];
  /** The lines of the header, unfolded. */
  readonly header: readonly string[];
  readonly email: Email;
}

/** A running server. */
export interface MailServer extends AsyncDisposable {
  readonly port: number;
  readonly received: readonly ReceivedMail[];
}

/** Starts a server on a free port. */
export async function startSMTP(): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onData(stream, session, done) {
      const chunks: Uint8Array[] = [];
      stream.on("data", (chunk: Uint8Array) => chunks.push(chunk));
      stream.on("end", async () => {
        const bytes = Buffer.concat(chunks);
        const [head = ""] = bytes.toString().split("\r\n\r\n");
        received.push({
          recipients: session.envelope.rcptTo.map(({ address }) => address),
          header: head.replace(/\r\n[ \t]+/g, " ").split("\r\n"),
          email: await PostalMime.parse(bytes),
        });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.server.address() as AddressInfo).port,
    received,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
