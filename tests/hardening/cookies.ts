/**
 * Helpers for conversations that consist of several requests.
 *
 * @module
 */

import { headersOf, type Outcome } from "./outcome.ts";

/** Returns the name and value of the cookie set by the first response, or an empty string if there is none. */
export function cookieOf(outcome: Outcome): string {
  return headersOf(outcome.replies[0], "set-cookie")[0]?.split(";")[0] ?? "";
}

/** Combines several conversations into one outcome with all responses. */
export function joined(...outcomes: readonly Outcome[]): Outcome {
  return {
    replies: outcomes.flatMap((outcome) => outcome.replies),
    text: outcomes.map((outcome) => outcome.text).join(""),
    end: outcomes.at(-1)?.end ?? "open",
  };
}

/** Returns an outcome with a response. A connection that is closed without a response is treated as a rejection. */
export function responded(outcome: Outcome): Outcome {
  if (outcome.replies.length > 0) return outcome;
  const status = outcome.end === "open" ? 0 : 499;
  return { ...outcome, replies: [{ status, headers: [], body: "", isWhole: true }] };
}
