/**
 * Numbers that parts of an application count beside its requests, for metrics and monitors.
 *
 * @module
 */

/** One number. */
export interface Measured {
  /** Its name, in the style of Prometheus. */
  readonly Name: string;
  /** Whether it only grows. */
  readonly Type: "counter" | "gauge";
  /** What it says. */
  readonly Help: string;
  /** Its value. */
  readonly Value: number;
}

/** Reads the numbers of one part. */
export type Meter = () => readonly Measured[];
