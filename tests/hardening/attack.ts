/**
 * What an attack is: a row of data.
 *
 * @module
 */

import type { Outcome } from "./outcome.ts";
import type { Wire } from "./wire.ts";

/** The groups of attacks, in the order in which they are printed. */
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

/** Which of a subject's servers is attacked; they differ in how they are configured. */
export type Door = "plain" | "tls" | "trusting" | "impatient";

/** One thing that a client does on its connection. */
export type Step =
  /** Sends bytes; each character is one byte. */
  | { readonly write: string }
  /** Waits until so many responses are there. */
  | { readonly replies: number }
  /** Lets time pass. */
  | { readonly wait: number }
  /** Ends its side of the connection, and still reads. */
  | { readonly half: true }
  /** Closes the connection without reading. */
  | { readonly abort: true };

/** What came of an attack is judged by a predicate that says in words what it wants. */
export interface Expectation {
  /** What is wanted, as the end of the sentence "The server …". */
  readonly words: string;
  /** Reports whether it is so. */
  holds(outcome: Outcome): boolean;
}

/** What is sent: bytes on one connection, steps, or a conversation over several connections. */
export type Send = string | readonly Step[] | ((wire: Wire) => Promise<Outcome>);

/** One attack. */
export interface Attack {
  readonly name: string;
  /** The ids of published advisories that it re-enacts. */
  readonly advisory?: string;
  /** What the server must have for the attack to mean anything; without it the row is not applicable. */
  readonly needs?: readonly string[];
  /** The server that is attacked; `plain` by default. */
  readonly door?: Door;
  readonly send: Send;
  readonly expect: Expectation;
}

/** The attacks by group. */
export type AttackTable = Readonly<Record<Group, readonly Attack[]>>;

/** The full name of a row: unique, and what the lists of known failures use. */
export function fullName(group: Group, attack: Attack): string {
  return `${group}: ${attack.name}${attack.advisory === undefined ? "" : ` (${attack.advisory})`}`;
}
