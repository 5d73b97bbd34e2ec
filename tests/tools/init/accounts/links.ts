import * as fw from "@fw/web";
import type * as jobs from "@fw/web/jobs";
import type { Keys } from "@fw/web/keys";
import * as mail from "@fw/web/mail";
import * as tokens from "@fw/web/tokens";
import type { Accounts } from "./store.ts";

const hour = 3_600_000;

/** A request for a mail. Whether there is an account with the address is only known to the job. */
export interface Request {
  readonly kind: "signup" | "reset" | "change";
  readonly address: string;
  readonly language: string;
  /** The account that changes its address. */
  readonly account: string;
}

/** The settings of the mails. */
export interface LinkSettings {
  readonly App: fw.Application;
  readonly Transport: mail.Transport;
  readonly From: string;
  /** The URL of the application, which begins all links. The host of a request is never used. */
  readonly URL: string;
  /** Resolves when jobs can be added. */
  readonly isReady: Promise<void>;
}

/** The links in mails. */
export class Links {
  /** A link that creates an account. Its subject is the address. */
  readonly signup: tokens.Tokens;
  /** A link that sets a new password. Its subject is the ID of the account. */
  readonly reset: tokens.Tokens;
  /** A link that sets a new address. Its subject contains the ID of the account and the address. */
  readonly change: tokens.Tokens;
  readonly #accounts: Accounts;
  readonly #mailer: mail.Mailer;
  readonly #queue: jobs.Queue;
  readonly #isReady: Promise<void>;
  readonly #job: (request: Request) => Promise<void>;

  constructor(keys: Keys, accounts: Accounts, queue: jobs.Queue, settings: LinkSettings) {
    const { App, Transport, From, URL: url, isReady } = settings;
    this.signup = tokens.New({ Keys: keys, Purpose: "sign up", Lifetime: 24 * hour });
    this.reset = tokens.New({ Keys: keys, Purpose: "reset password", Lifetime: hour });
    this.change = tokens.New({ Keys: keys, Purpose: "change address", Lifetime: hour });
    this.#accounts = accounts;
    this.#isReady = isReady;
    const Views = fw.HTML(new URL("./mails/", import.meta.url));
    this.#mailer = mail.New({ Transport, From, Views, App, URL: url });
    const accountMail = (request: Request) => this.#send(request);
    this.#job = accountMail; // the name of the function is the name of the job
    this.#queue = queue.Handle(accountMail);
  }

  /** Requests a mail. This takes the same time for every address. */
  async send(request: Request): Promise<void> {
    await this.#isReady;
    await this.#queue.Add(this.#job, request);
  }

  /** Tells the owner of an account about a change. */
  async notify(address: string, view: string, language: string): Promise<void> {
    await this.#mailer.Send({ To: address, View: view, Language: language, Data: {} });
  }

  /** Returns the stamp of an address: the hash of the account that has it, or `null`. */
  stampOfAddress(address: string): [string | null] {
    return [this.#accounts.byMail(address)?.hash ?? null];
  }

  async #send({ kind, address, language, account }: Request): Promise<void> {
    const found = this.#accounts.byMail(address);
    const message = { To: address, Language: language };
    if (kind === "change") {
      const stamp = this.#accounts.stampOf(account);
      if (found !== undefined || stamp === undefined) return;
      const Token = this.change.Issue(JSON.stringify([account, address]), stamp);
      await this.#mailer.Send({ ...message, View: "change", Data: { Token } });
    } else if (found !== undefined) {
      const id = String(found.id);
      const Token = this.reset.Issue(id, this.#accounts.stampOf(id) ?? []);
      await this.#mailer.Send({ ...message, View: "reset", Data: { Token } });
    } else if (kind === "signup") {
      const Token = this.signup.Issue(address, this.stampOfAddress(address));
      await this.#mailer.Send({ ...message, View: "signup", Data: { Token } });
    }
  }
}
