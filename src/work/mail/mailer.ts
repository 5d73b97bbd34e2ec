/**
 * Sends mails, now or as jobs.
 *
 * @module
 */

import { isBuilt, Party, viewNamesOf } from "../../core/app/party.ts";
import { offerTo } from "../../core/app/seam/view_funcs.ts";
import type { Host } from "../../core/context/extension.ts";
import { methods, required } from "../../base/config/option_kinds.ts";
import { url } from "../../base/config/option_shapes.ts";
import { optionTable, readOptions } from "../../base/config/option_table.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import { announce } from "../../core/exchange/span.ts";
import type { Context } from "../jobs/context.ts";
import { type Adder, type AddOptions, addRows } from "../jobs/adding.ts";
import type { Queue } from "../jobs/queue.ts";
import type { Added } from "../jobs/store.ts";
import type { Engine } from "../../pages/engine/engine.ts";
import { type AddressInput, addressOf, addressRule, invalid } from "./address.ts";
import { mailTable } from "./mail_table.ts";
import {
  type Attachment,
  type Envelope,
  type LaterAttachment,
  type Message,
  messageOf,
  type Transport,
} from "./message.ts";
import { SentMails } from "./panel.ts";
import { type Content, type Renderer, renderParts, type ViewSource } from "./render.ts";

/** A mail to send: its recipients, and a view or its parts. */
export interface Mail extends Envelope, Content {}

/** Options for {@linkcode New}. */
export interface Options {
  /** The transport. */
  readonly Transport: Transport;
  /** The default sender, for email without a `From`. */
  readonly From: AddressInput;
  /** The engine for the HTML parts, such as `fw.HTML("./mails")`. */
  readonly Views?: Engine;
  /**
   * The engine for the text parts, such as `fw.HTML("./mails", ".txt")`. If a view has no text file, its HTML is
   * converted to text.
   */
  readonly TextViews?: Engine;
  /** The application that provides translations and links for views. It must be built before email is rendered. */
  readonly App?: ViewSource;
  /** The application's URL, for `url` in views, such as `https://shop.example`. */
  readonly URL?: string;
  /** The queue for `Send.Later`. The mailer registers a job named `mail` with it. */
  readonly Queue?: Queue;
}

/** A mail that is sent as a job. */
export interface LaterMail extends Mail {
  /** The attachments. Files are read when the mail is sent, and other content is stored with the job. */
  readonly Attachments?: readonly LaterAttachment[];
}

/** Options for `Send.Later`. */
export interface LaterOptions extends AddOptions {
  /** The transaction in which to add the job, created with `queue.In(tx)`. */
  readonly Queue?: Adder;
}

/** Sends mails. */
export interface Send {
  /**
   * Renders and sends a mail.
   *
   * @param mail The mail.
   * @returns The mail that was passed to the transport.
   * @throws {FrameworkError} If an address or a header is invalid.
   */
  (mail: Mail): Promise<Message>;
  /**
   * Renders a mail and adds a job that sends it. The queue retries the job if the transport fails. The `Path` of an
   * attachment is read when the mail is sent. Other content is stored with the job, and must not be a stream.
   *
   * @param mail The mail.
   * @param options The options of the job, such as `In` or `Key`.
   * @returns The ID of the job.
   * @throws {FrameworkError} If the mailer has no queue, or if an address or a header is invalid.
   */
  Later(mail: LaterMail, options?: LaterOptions): Promise<Added>;
}

const table = optionTable<Options>("mail.Options", "mail")({
  Transport: required(methods("Send")),
  From: required(addressRule),
  Views: methods("Load", "Render"),
  TextViews: methods("Load", "Render"),
  App: methods("Reverse"),
  URL: url(undefined, "https", "http"),
  Queue: methods("Add", "Handle"),
});

const laterTable = optionTable<LaterOptions>("mail.LaterOptions", "Send.Later")({
  ...addRows,
  Queue: methods("Add"),
});

/** An attachment as it is stored. */
interface StoredAttachment extends Attachment {
  readonly Content?: string | Uint8Array<ArrayBuffer>;
}

/** The data of a job: a rendered mail whose attachments are not open. */
type Stored = Omit<Message, "Attachments"> & { readonly Attachments: readonly StoredAttachment[] };

/**
 * Creates a mailer, which sends e-mails.
 *
 * @param config The transport, the sender, and the views.
 * @returns The mailer. Register it as a dependency to inject it by its class, `mail.Mailer`.
 * @throws {FrameworkError} If an option is invalid.
 */
export function New(config: Options): Mailer {
  return new Mailer(config);
}

/** Sends mails through a transport. Created by {@linkcode New}. */
export class Mailer {
  readonly #config: Options;
  readonly #renderer: Renderer;
  readonly #job: (stored: Stored, ctx: Context) => Promise<void>;
  readonly #sent = new SentMails();
  #app: Host["App"] | undefined = undefined;
  #loading: Promise<unknown> | undefined = undefined;
  /** Sends a mail now, or as a job with `Send.Later`. */
  readonly Send: Send;

  /**
   * Created by {@linkcode New}.
   *
   * @ignore
   */
  constructor(config: Options) {
    const settings = readOptions(table, config);
    const { Transport: transport, From, Views: views, TextViews: textViews, App: app, URL: base = "", Queue } =
      settings;
    addressOf(From, "From");
    this.#config = config;
    this.#renderer = { views, textViews, app, url: base.replace(/\/+$/, "") };
    this.#job = async function mail(stored: Stored, ctx: Context) {
      const Attachments = stored.Attachments.map(restored);
      await transport.Send({ ...messageOf({ ...stored, Attachments }, stored, ""), ID: stored.ID }, ctx.Signal);
    };
    Queue?.Handle(this.#job);
    // A template with a syntax error must stop the start, rather than the first mail that uses it.
    if (app instanceof Party && !isBuilt(app)) {
      const check = () => {
        // Functions must be added before the templates are compiled.
        for (const engine of [views, textViews]) if (engine !== undefined) offerTo(engine, viewNamesOf(app));
        return this.#load();
      };
      const Install = (host: Host) => {
        host.Check("views of mails", check, "start");
        host.Panel("Mails", (call) => this.#sent.read(call, app.I18n.Loaded() ? app.I18n.Tags?.() ?? [] : []));
        this.#app = host.App;
      };
      app.Install({ Name: "mail", Many: true, Install });
    }
    this.Send = Object.assign((mail: Mail) => this.#send(mail), {
      Later: (mail: LaterMail, options?: LaterOptions) => this.#later(mail, options),
    });
  }

  async #send(mail: Mail): Promise<Message> {
    const message = await this.#message(mail);
    await this.#config.Transport.Send(message);
    return message;
  }

  async #later(mail: LaterMail, later: LaterOptions = {}): Promise<Added> {
    readOptions(laterTable, later);
    const { Queue: queue = this.#config.Queue, ...options } = later;
    if (queue === undefined) {
      throw new FrameworkError("FW_MAIL", `Cannot send a mail later: the option "Queue" of the mailer is not set`);
    }
    const message = await this.#message(mail);
    const Attachments = await Promise.all(message.Attachments.map(stored));
    return await queue.Add(this.#job, { ...message, Attachments }, options);
  }

  async #load(): Promise<void> {
    const { views, textViews } = this.#renderer;
    await (this.#loading ??= Promise.all([views?.Load(), textViews?.Load()]));
  }

  async #message(mail: Mail): Promise<Message> {
    readOptions(mailTable, mail);
    await this.#load();
    const parts = await renderParts(this.#renderer, mail);
    const message = messageOf({ ...mail, From: mail.From ?? this.#config.From }, parts, crypto.randomUUID());
    announce("mail", message.Subject);
    if (this.#app?.Configuration().Development === true) {
      this.#sent.add(message, async (language) => {
        return language === "" ? parts : await renderParts(this.#renderer, { ...mail, Language: language });
      });
    }
    return message;
  }
}

/** Returns an attachment that can be stored. */
async function stored({ Name, Type, Content, Path, ContentID }: Attachment): Promise<StoredAttachment> {
  if (Content instanceof ReadableStream) {
    throw invalid("Attachments", `a stream cannot be stored; use "Path", a string, bytes or a Blob`, Name);
  }
  return {
    Name,
    ...Type !== undefined && { Type },
    ...Content !== undefined && { Content: Content instanceof Blob ? await Content.bytes() : Content },
    ...Path !== undefined && { Path },
    ...ContentID !== undefined && { ContentID },
  };
}

/** Returns a stored attachment as the application passed it. Version 0.2 stored the URL of a file as a string. */
function restored(attachment: StoredAttachment): StoredAttachment {
  const { Path } = attachment;
  const isURL = typeof Path === "string" && Path.startsWith("file://");
  return isURL ? { ...attachment, Path: new URL(Path) } : attachment;
}
