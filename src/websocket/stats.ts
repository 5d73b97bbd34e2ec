/**
 * What a server counts, for metrics and monitors.
 *
 * @module
 */

/** The counters of one server. */
export class Stats {
  opened = 0;
  closed = 0;
  received = 0;
  events = 0;
  failed = 0;
  refused = 0;
  slow = 0;

  /** Sees an event on its way. */
  observe(_link: unknown, _event: string, outcome: unknown): unknown {
    this.events++;
    return outcome;
  }
}
