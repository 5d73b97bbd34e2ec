/**
 * The data structure of an attack.
 *
 * @module
 */

import type { Outcome } from "./outcome.ts";
import type { Wire } from "./wire.ts";

/** The groups of attacks, in display order. */
export const groups = [
  "files",
  "uploads",
  "framing",
  "hosts and forwarding",
  "round a guard",
  "injected headers",
  "limits",
  "prototype names",
  "parser blow-ups",
  "sessions",
  "pages and leaks",
  "bad clients",
  "HTTP/2",
  "WebSocket",
] as const;

/** The name of a group. */
export type Group = typeof groups[number];

/** The server of a subject to attack. The servers differ in their configuration. */
export type Door = "plain" | "tls" | "trusting" | "impatient";

/** An action of a client on its connection. */
export type Step =
  /** Sends bytes. Each character is one byte. */
  | { readonly write: string }
  /** Waits for a number of responses. */
  | { readonly replies: number }
  /** Waits for a part of a response. */
  | { readonly text: string }
  /** Waits for a time, in milliseconds. */
  | { readonly wait: number }
  /** Closes the sending side of the connection and continues to read. */
  | { readonly half: true }
  /** Closes the connection without reading. */
  | { readonly abort: true };

/** The expected outcome of an attack, as a predicate with a description. */
export interface Expectation {
  /** The expectation, as the end of the sentence "The server …". */
  readonly words: string;
  /** Reports whether the expectation is met. */
  holds(outcome: Outcome): boolean;
}

/** The data to send: bytes on one connection, steps, or a conversation over several connections. */
export type Send = string | readonly Step[] | ((wire: Wire) => Promise<Outcome>);

/** An attack. */
export interface Attack {
  readonly name: string;
  /** The IDs of published advisories that the attack reproduces. */
  readonly advisory?: string;
  /** The features that the server needs for the attack. If one is missing, the row is not applicable. */
  readonly needs?: readonly string[];
  /** The server to attack. Defaults to `plain`. */
  readonly door?: Door;
  readonly send: Send;
  readonly expect: Expectation;
}

/** The attacks by group. */
export type AttackTable = Readonly<Record<Group, readonly Attack[]>>;

/** Returns the full name of a row. It is unique and is used in the list of known failures. */
export function fullName(group: Group, attack: Attack): string {
  return `${group}: ${attack.name}${attack.advisory === undefined ? "" : ` (${attack.advisory})`}`;
}
