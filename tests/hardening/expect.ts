/**
 * Expectations for a server under attack, each with a description and a predicate.
 *
 * @module
 */

import type { Expectation } from "./attack.ts";
import { headerOf, headersOf, type Outcome } from "./outcome.ts";

/**
 * A string that must never appear in a response. It is contained in every file, page and error that clients must not
 * see.
 */
export const secret = "TOP-SECRET";
/** The string in the response to a smuggled request. */
export const smuggled = "SMUGGLED";

/** Expects the first response to have one of the statuses. */
export function responds(...statuses: number[]): Expectation {
  return {
    words: `responds ${statuses.join(" or ")}`,
    holds: ({ replies }) => statuses.includes(replies[0]?.status ?? 0),
  };
}

/** Expects the first response to have the status and the body. */
export function says(status: number, body: string): Expectation {
  return {
    words: `responds ${status} with ${JSON.stringify(body)}`,
    holds: ({ replies }) => replies[0]?.status === status && replies[0].body === body,
  };
}

/** Expects the first response to have the status and a body that contains a string. */
export function tells(status: number, text: string): Expectation {
  return {
    words: `responds ${status} with ${JSON.stringify(text)} in it`,
    holds: ({ replies }) => replies[0]?.status === status && replies[0].body.includes(text),
  };
}

/** Expects the first response to have the status and this JSON. */
export function saysJSON(status: number, value: unknown): Expectation {
  return says(status, JSON.stringify(value));
}

/** Expects a client error status or a closed connection. */
export function refuses(): Expectation {
  return {
    words: "refuses with 4xx, or closes the connection",
    holds: ({ replies, end }) => replies.length === 0 ? end !== "open" : isClientFault(replies[0]?.status),
  };
}

/** Expects a client error status, 501 or a closed connection. */
export function refusesOrCannot(): Expectation {
  return {
    words: "refuses with 4xx or 501, or closes the connection",
    holds: ({ replies, end }) =>
      replies.length === 0 ? end !== "open" : isClientFault(replies[0]?.status) || replies[0]?.status === 501,
  };
}

/** Expects the request to be rejected, and anything after it on the connection to be ignored. */
export function refusesAndCloses(): Expectation {
  return {
    words: "refuses with 4xx and closes the connection",
    holds: ({ replies, end }) =>
      end !== "open" && replies.length <= 1 && replies.every((reply) => isClientFault(reply.status)),
  };
}

/** Expects that no response contains a string. */
export function never(text: string = secret): Expectation {
  return { words: `never sends ${JSON.stringify(text)}`, holds: (outcome) => !outcome.text.includes(text) };
}

/** Expects all of several expectations to be met. */
export function all(...expectations: readonly Expectation[]): Expectation {
  return {
    words: expectations.map((each) => each.words).join(", and "),
    holds: (outcome) => expectations.every((each) => each.holds(outcome)),
  };
}

/** Expects one of several expectations to be met. */
export function either(...expectations: readonly Expectation[]): Expectation {
  return {
    words: expectations.map((each) => each.words).join(", or "),
    holds: (outcome) => expectations.some((each) => each.holds(outcome)),
  };
}

/** Expects exactly these statuses, in order. */
export function respondsInTurn(...statuses: number[]): Expectation {
  return {
    words: `responds ${statuses.join(", then ")}, and no more`,
    holds: ({ replies }) => replies.map((reply) => reply.status).join() === statuses.join(),
  };
}

/** Expects the last response to have the status and the body. */
export function endsWith(status: number, body: string): Expectation {
  return {
    words: `responds ${status} with ${JSON.stringify(body)} in the end`,
    holds: ({ replies }) => replies.at(-1)?.status === status && replies.at(-1)?.body === body,
  };
}

/** Expects a header of the first response to match a pattern. */
export function header(name: string, pattern: RegExp): Expectation {
  return {
    words: `sends "${name}" that fits ${pattern}`,
    holds: ({ replies }) => pattern.test(headerOf(replies[0], name)),
  };
}

/** Expects the first response not to have a header. */
export function noHeader(name: string): Expectation {
  return { words: `sends no "${name}"`, holds: ({ replies }) => headersOf(replies[0], name).length === 0 };
}

/** Creates an expectation from a predicate. */
export function so(words: string, holds: (outcome: Outcome) => boolean): Expectation {
  return { words, holds };
}

/** Expects the status not to be a server error. */
export function noFault(): Expectation {
  return {
    words: "does not respond 5xx",
    holds: ({ replies }) => replies.length > 0 && replies.every((reply) => reply.status < 500),
  };
}

/** Expects the connection to be closed. */
export function closes(): Expectation {
  return { words: "closes the connection", holds: ({ end }) => end !== "open" };
}

function isClientFault(status: number | undefined): boolean {
  return status !== undefined && status >= 400 && status < 500;
}
