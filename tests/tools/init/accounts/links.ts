import type * as jobs from "@fw/web/jobs";
import type { Keys } from "@fw/web/keys";
import type * as mail from "@fw/web/mail";
import * as tokens from "@fw/web/tokens";
import { type Accounts, stampOf } from "./store.ts";

const hour = 3_600_000;

/** A request for a mail. Whether there is an account with the address is only known to the job. */
export interface Request {
  readonly kind: "signup" | "reset" | "change" | "factor";
  readonly address: string;
  readonly language: string;
  /** The account that changes its address or turns its second factor on. */
  readonly account: string;
}

/** The links in mails. */
export class Links {
  /** A link that creates an account. Its subject is the address. */
  readonly signup: tokens.Tokens;
  /** A link that sets a new password. Its subject is the ID of the account. */
  readonly reset: tokens.Tokens;
  /** A link that sets a new address. Its subject consists of the ID of the account, a space and the address. */
  readonly change: tokens.Tokens;
  /** A link that turns the second factor on, with the same subject. A thief cannot lock the owner out without the mailbox. */
  readonly factor: tokens.Tokens;
  /** A login whose second factor is missing, for the session. Its subject is the ID of the account. */
  readonly pending: tokens.Tokens;
  readonly #accounts: Accounts;
  readonly #mailer: mail.Mailer;
  readonly #queue: jobs.Queue;
  readonly #isReady: Promise<void>;
  readonly #job: (request: Request) => Promise<void>;

  /**
   * Adds the job to a queue.
   *
   * @param isReady Resolves when jobs can be added.
   */
  constructor(keys: Keys, accounts: Accounts, queue: jobs.Queue, mailer: mail.Mailer, isReady: Promise<void>) {
    this.signup = tokens.New({ Keys: keys, Purpose: "sign up", Lifetime: 24 * hour });
    this.reset = tokens.New({ Keys: keys, Purpose: "reset password", Lifetime: hour });
    this.change = tokens.New({ Keys: keys, Purpose: "change address", Lifetime: hour });
    this.factor = tokens.New({ Keys: keys, Purpose: "turn on second factor", Lifetime: hour });
    this.pending = tokens.New({ Keys: keys, Purpose: "second factor", Lifetime: hour / 12 });
    this.#accounts = accounts;
    this.#mailer = mailer;
    this.#isReady = isReady;
    const accountMail = (request: Request) => this.#send(request);
    this.#job = accountMail; // the name of the function is the name of the job
    this.#queue = queue.Handle(accountMail);
  }

  /** Requests a mail. This takes the same time for every address. Too many mails to one address are dropped. */
  async send(request: Request): Promise<void> {
    await this.#isReady;
    // Strangers who request resets must not use up the mails with which the owner turns the second factor on.
    const kind = request.kind === "factor" ? "factor mail" : "mail";
    if (this.#accounts.attempt(`${kind} ${request.address.toLowerCase()}`) > 0) return;
    await this.#queue.Add(this.#job, request);
  }

  /** Tells the owner of an account about a change. */
  async notify(address: string, view: string, language: string): Promise<void> {
    await this.#isReady;
    await this.#mailer.Send.Later({ To: address, View: view, Language: language, Data: {} });
  }

  async #send({ kind, address, language, account }: Request): Promise<void> {
    // The work for known addresses must not compete with the response, because its time would tell them apart.
    await new Promise((resolve) => setTimeout(resolve, 100 + 200 * Math.random()));
    const found = this.#accounts.byMail(address);
    const message = { To: found?.mail ?? address, Language: language };
    if (kind === "change" || kind === "factor") {
      const owner = this.#accounts.byID(account);
      if (owner === undefined || found?.id !== (kind === "factor" ? owner.id : undefined)) return;
      const Token = this[kind].Issue(`${account} ${address}`, stampOf(owner) ?? []);
      await this.#mailer.Send({ ...message, View: kind, Data: { Token } });
    } else if (found !== undefined) {
      const Token = this.reset.Issue(String(found.id), stampOf(found) ?? []);
      await this.#mailer.Send({ ...message, View: "reset", Data: { Token } });
    } else if (kind === "signup") {
      const Token = this.signup.Issue(address, this.#accounts.stampOfAddress(address));
      await this.#mailer.Send({ ...message, View: "signup", Data: { Token } });
    }
  }
}
