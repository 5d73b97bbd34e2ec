/**
 * Makes flash messages available to templates, as `flashes`.
 *
 * @module
 */

import type { Session } from "./session.ts";

/** The flash messages of a request that renders a template. */
export class ViewFlashes {
  #messages: Readonly<Record<string, unknown>> = {};
  readonly #shown = new Set<string>();

  /**
   * Takes the messages out of the session before a template is rendered.
   *
   * @param session The session.
   * @returns The data for the template.
   */
  async load(session: Session): Promise<Record<string, unknown>> {
    this.#messages = await session.GetFlashes();
    return { flashes: this.#view(this.#messages) };
  }

  /** Stores the messages again that no template has shown. */
  restore(session: Session): void {
    for (const [key, value] of Object.entries(this.#messages)) {
      if (!this.#shown.has(key)) session.SetFlash(key, value);
    }
    this.#messages = {};
  }

  /** Returns an object that notes which messages are read. */
  #view(messages: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const view = Object.create(null) as Record<string, unknown>;
    for (const [key, value] of Object.entries(messages)) {
      const get = () => {
        this.#shown.add(key);
        return value;
      };
      Object.defineProperty(view, key, { get, enumerable: true });
    }
    return view;
  }
}
