/**
 * A page for job queues. It shows the numbers of jobs, their ages and the failed jobs, which can be run again.
 *
 * The page shows names, IDs and errors of jobs, but not their data. Everyone who can open it can run failed jobs again,
 * so protect its party with a guard. Forms are accepted only from the page itself.
 *
 * @example Add the page to an application
 * ```ts
 * import * as fw from "@fw/web";
 * import * as jobs from "@fw/web/jobs";
 * import * as page from "@fw/web/jobs/page";
 *
 * const queue = jobs.New(jobs.NewMemory());
 * const app = fw.New();
 * page.New(queue).Register(app.Party("/jobs")); // protect the party with a guard, such as basicauth
 *
 * const response = await app.fetch(new Request("http://localhost/jobs"));
 * (await response.text()).includes("<h1>Jobs</h1>"); // → true
 * ```
 *
 * @module
 */

import { text } from "../config/option_kinds.ts";
import { optionTable, readOptions } from "../config/option_table.ts";
import type { Context } from "../context/context.ts";
import type { Handler } from "../context/handler.ts";
import { HTTPError } from "../errors/errors.ts";
import { asPage } from "../exchange/handler_facts.ts";
import * as csrf from "../middleware/csrf/mod.ts";
import { pageOf, type QueueView } from "./page_html.ts";
import type { Queue } from "./queue.ts";

/** The part of a party that {@linkcode Page.Register} uses. */
export interface Registrable {
  /** Registers a route for GET requests. */
  Get(path: string, ...handlers: Handler[]): unknown;
  /** Registers a route for POST requests. */
  Post(path: string, ...handlers: Handler[]): unknown;
}

/** Options for {@linkcode New}. */
export interface Options {
  /**
   * The page title.
   *
   * @default {"Jobs"}
   */
  Title?: string;
}

const table = optionTable<Options>("jobs/page.Options", "the page of jobs")({ Title: text("Jobs") });

/** The maximum number of failed jobs on the page, and the number of jobs that one click runs again. */
const mostShown = 100;
const mostRetried = 1_000;

/**
 * Creates a page for one or several queues.
 *
 * @param queues The queue, or several of them.
 * @param options The options.
 * @returns The page. Call `Register` to add it to a party.
 */
export function New(queues: Queue | readonly Queue[], options: Options = {}): Page {
  return new Page("Name" in queues ? [queues] : queues, options);
}

/** A page for job queues, created by {@linkcode New}. */
export class Page {
  readonly #queues: readonly Queue[];
  readonly #title: string;

  /**
   * Created by {@linkcode New}.
   *
   * @param queues The queues.
   * @param options The options.
   */
  constructor(queues: readonly Queue[], options: Options) {
    this.#queues = queues;
    this.#title = readOptions(table, options).Title;
  }

  /**
   * Registers the page and its form.
   *
   * @param party The party at whose path the page is served.
   * @returns This page, for chaining.
   */
  Register(party: Registrable): this {
    party.Get("/", asPage<Handler>((ctx) => this.#show(ctx)));
    party.Post("/", csrf.New(), asPage<Handler>((ctx) => this.#retry(ctx)));
    return this;
  }

  async #show(ctx: Context): Promise<void> {
    const views = await Promise.all(this.#queues.map(async (queue): Promise<QueueView> => ({
      stats: await queue.Stats(),
      failed: await queue.List({ State: "failed", Limit: mostShown }),
    })));
    const nonce = crypto.getRandomValues(new Uint8Array(16)).toBase64();
    ctx.Header("cache-control", "no-store");
    ctx.Header(
      "content-security-policy",
      `default-src 'none'; style-src 'nonce-${nonce}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    );
    ctx.Header("referrer-policy", "same-origin");
    ctx.HTML(
      pageOf({ title: this.#title, nonce, retried: ctx.URLParamIntDefault("retried", -1), now: Date.now() }, views),
    );
  }

  /** Runs one failed job again, or all of a queue. */
  async #retry(ctx: Context): Promise<void> {
    const name = await ctx.PostValue("queue");
    const queue = this.#queues.find(({ Name }) => Name === name);
    if (queue === undefined) throw new HTTPError(404);
    const ids = await idsOf(queue, await ctx.PostValue("id"));
    // The form has no action, because only the client knows the path at which it sees the page.
    ctx.Redirect(`?retried=${await queue.Retry(...ids)}`, 303);
  }
}

async function idsOf(queue: Queue, id: string): Promise<string[]> {
  if (id === "") return (await queue.List({ State: "failed", Limit: mostRetried })).map(({ ID }) => ID);
  const job = await queue.Get(id);
  // A store may contain other queues, which this page does not show.
  return job?.Queue === queue.Name && job.State === "failed" ? [id] : [];
}
