/**
 * The flash messages of a request that renders templates. They are used up by a response that shows them.
 *
 * @module
 */

import { type Context, exchangeOf } from "../../core/context/context.ts";
import { type Exchange, viewStateOf } from "../../core/exchange/exchange.ts";
import type { Session } from "./session.ts";

/** The flash messages of a request that renders templates. */
export class ViewFlashes {
  #messages: Readonly<Record<string, unknown>> = {};
  /** The messages that templates have read. */
  readonly #read = new Set<string>();
  /** Reports for each rendered template whether the response still contains it. */
  readonly #written: { readonly keys: readonly string[]; readonly isSent: () => boolean }[] = [];

  /**
   * Takes the messages out of the session before a template is rendered, so that only one of several concurrent
   * requests shows them. A response to HEAD shows nothing, so it leaves the messages in the session.
   *
   * @param ctx The request that renders the template.
   * @param session The session.
   * @returns The data for the template.
   */
  async load(ctx: Context, session: Session): Promise<Record<string, unknown>> {
    const exchange = exchangeOf(ctx);
    if (ctx.Method() === "HEAD") return { flashes: session.PeekFlashes() };
    this.#messages = await session.GetFlashes();
    viewStateOf(exchange).onWritten = (html) => this.#noteView(exchange, html);
    return { flashes: this.#view(this.#messages) };
  }

  /** Stores the messages again that the response does not show. */
  restore(session: Session): void {
    const shown = new Set(this.#written.flatMap(({ keys, isSent }) => isSent() ? keys : []));
    for (const [key, value] of Object.entries(this.#messages)) {
      if (!shown.has(key) && !session.HasFlash(key)) session.SetFlash(key, value);
    }
    this.#messages = {};
  }

  /** Returns an object that notes which messages are read. */
  #view(messages: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const view = Object.create(null) as Record<string, unknown>;
    for (const [key, value] of Object.entries(messages)) {
      const get = () => {
        this.#read.add(key);
        return value;
      };
      Object.defineProperty(view, key, { get, enumerable: true });
    }
    return view;
  }

  #noteView({ draft }: Exchange<Context>, html: string): void {
    const { type, status } = draft;
    const isSent = () => {
      const { body } = draft;
      if (draft.status >= 300 && draft.status < 400) return false;
      if (typeof body === "string" && body.includes(html)) return true;
      // Middleware may have compressed or changed the page. An error page or another document has replaced it.
      return draft.type === type && (draft.status < 400) === (status < 400);
    };
    this.#written.push({ keys: [...this.#read], isSent });
    this.#read.clear();
  }
}
