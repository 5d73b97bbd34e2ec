/**
 * What ties the requests of one conversation together.
 *
 * @module
 */

import { headersOf, type Outcome } from "./outcome.ts";

/** The pair of name and value that the first response sets; empty when it sets none. */
export function cookieOf(outcome: Outcome): string {
  return headersOf(outcome.replies[0], "set-cookie")[0]?.split(";")[0] ?? "";
}

/** Conversations as one outcome: the responses of all, one after another. */
export function joined(...outcomes: readonly Outcome[]): Outcome {
  return {
    replies: outcomes.flatMap((outcome) => outcome.replies),
    text: outcomes.map((outcome) => outcome.text).join(""),
    end: outcomes.at(-1)?.end ?? "open",
  };
}

/** A conversation as one that has a response: a connection closed without one counts as a refusal. */
export function responded(outcome: Outcome): Outcome {
  if (outcome.replies.length > 0) return outcome;
  const status = outcome.end === "open" ? 0 : 499;
  return { ...outcome, replies: [{ status, headers: [], body: "", isWhole: true }] };
}
