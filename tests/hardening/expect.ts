/**
 * What is wanted of a server under attack, in words and as a predicate.
 *
 * @module
 */

import type { Expectation } from "./attack.ts";
import { headerOf, headersOf, type Outcome } from "./outcome.ts";

/** What no response may ever hold: it stands in every file, page and error that a stranger must not see. */
export const secret = "TOP-SECRET";
/** What the response to a smuggled request holds. */
export const smuggled = "SMUGGLED";

/** The first response has one of the statuses. */
export function responds(...statuses: number[]): Expectation {
  return {
    words: `responds ${statuses.join(" or ")}`,
    holds: ({ replies }) => statuses.includes(replies[0]?.status ?? 0),
  };
}

/** The first response has the status and the body. */
export function says(status: number, body: string): Expectation {
  return {
    words: `responds ${status} with ${JSON.stringify(body)}`,
    holds: ({ replies }) => replies[0]?.status === status && replies[0].body === body,
  };
}

/** The first response has the status, and its body holds a text. */
export function tells(status: number, text: string): Expectation {
  return {
    words: `responds ${status} with ${JSON.stringify(text)} in it`,
    holds: ({ replies }) => replies[0]?.status === status && replies[0].body.includes(text),
  };
}

/** The first response has the status and this JSON. */
export function saysJSON(status: number, value: unknown): Expectation {
  return says(status, JSON.stringify(value));
}

/** The request gets a status of the client's fault, or the connection is closed. */
export function refuses(): Expectation {
  return {
    words: "refuses with 4xx, or closes the connection",
    holds: ({ replies, end }) => replies.length === 0 ? end !== "open" : isClientFault(replies[0]?.status),
  };
}

/** The request gets a status of the client's fault or of what is not implemented, or the connection is closed. */
export function refusesOrCannot(): Expectation {
  return {
    words: "refuses with 4xx or 501, or closes the connection",
    holds: ({ replies, end }) =>
      replies.length === 0 ? end !== "open" : isClientFault(replies[0]?.status) || replies[0]?.status === 501,
  };
}

/** The request is refused, and nothing that stood behind it on the connection is served. */
export function refusesAndCloses(): Expectation {
  return {
    words: "refuses with 4xx and closes the connection",
    holds: ({ replies, end }) =>
      end !== "open" && replies.length <= 1 && replies.every((reply) => isClientFault(reply.status)),
  };
}

/** No response holds a text. */
export function never(text: string = secret): Expectation {
  return { words: `never sends ${JSON.stringify(text)}`, holds: (outcome) => !outcome.text.includes(text) };
}

/** All that is wanted is so. */
export function all(...expectations: readonly Expectation[]): Expectation {
  return {
    words: expectations.map((each) => each.words).join(", and "),
    holds: (outcome) => expectations.every((each) => each.holds(outcome)),
  };
}

/** One of several things is so. */
export function either(...expectations: readonly Expectation[]): Expectation {
  return {
    words: expectations.map((each) => each.words).join(", or "),
    holds: (outcome) => expectations.some((each) => each.holds(outcome)),
  };
}

/** The responses have these statuses, no fewer and no more. */
export function respondsInTurn(...statuses: number[]): Expectation {
  return {
    words: `responds ${statuses.join(", then ")}, and no more`,
    holds: ({ replies }) => replies.map((reply) => reply.status).join() === statuses.join(),
  };
}

/** The last response has the status and the body. */
export function endsWith(status: number, body: string): Expectation {
  return {
    words: `responds ${status} with ${JSON.stringify(body)} in the end`,
    holds: ({ replies }) => replies.at(-1)?.status === status && replies.at(-1)?.body === body,
  };
}

/** A header of the first response fits a pattern. */
export function header(name: string, pattern: RegExp): Expectation {
  return {
    words: `sends "${name}" that fits ${pattern}`,
    holds: ({ replies }) => pattern.test(headerOf(replies[0], name)),
  };
}

/** The first response has no such header. */
export function noHeader(name: string): Expectation {
  return { words: `sends no "${name}"`, holds: ({ replies }) => headersOf(replies[0], name).length === 0 };
}

/** Something is so that only a function can say. */
export function so(words: string, holds: (outcome: Outcome) => boolean): Expectation {
  return { words, holds };
}

/** The status does not say that the server is at fault. */
export function noFault(): Expectation {
  return {
    words: "does not respond 5xx",
    holds: ({ replies }) => replies.length > 0 && replies.every((reply) => reply.status < 500),
  };
}

/** The connection is closed. */
export function closes(): Expectation {
  return { words: "closes the connection", holds: ({ end }) => end !== "open" };
}

function isClientFault(status: number | undefined): boolean {
  return status !== undefined && status >= 400 && status < 500;
}
