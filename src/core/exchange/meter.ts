/**
 * Numbers that parts of an application report for metrics and monitors, in addition to request counts.
 *
 * @module
 */

/** A measured number. */
export interface Measured {
  /** The name, in Prometheus style. */
  readonly Name: string;
  /** Whether the number only increases (`counter`) or can also decrease (`gauge`). */
  readonly Type: "counter" | "gauge";
  /** A description of the number. */
  readonly Help: string;
  /** The current value. */
  readonly Value: number;
  /** The labels that distinguish numbers with the same name. */
  readonly Labels?: Readonly<Record<string, string>>;
}

/** A function that reads the numbers of one part of the application. */
export type Meter = () => readonly Measured[];
