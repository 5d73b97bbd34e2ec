/**
 * Determines whether handlers that stopped have decided anything about the response.
 *
 * @module
 */

import type { Draft } from "../../../http/response/draft.ts";
import type { Context } from "../../context/context.ts";
import type { Exchange } from "../../exchange/exchange.ts";

/** The state of a response before some of its handlers run. */
export interface Noted
  extends Pick<Draft, "status" | "isStatusSet" | "body" | "response" | "type" | "isTypeChosen" | "headers"> {
  readonly error: Error | undefined;
}

/** The headers with which a guard refuses a request or sends the client elsewhere, even if it sets no status. */
const deciding: ReadonlySet<string> = new Set([
  "location",
  "proxy-authenticate",
  "refresh",
  "retry-after",
  "www-authenticate",
]);

/** Records the state of a response. */
export function note({ draft, error }: Exchange<Context>): Noted {
  const { status, isStatusSet, body, response, type, isTypeChosen, headers } = draft;
  return { status, isStatusSet, body, response, type, isTypeChosen, headers: headers?.slice(), error };
}

/** Reports whether a response has no other status, body or error than before, and no header that decides it. */
export function isUndecided({ draft, error }: Exchange<Context>, noted: Noted): boolean {
  return draft.status === noted.status && draft.isStatusSet === noted.isStatusSet &&
    draft.body === noted.body && draft.response === noted.response && draft.upgrade === undefined &&
    error === noted.error && !draft.headers?.some((pair) => deciding.has(pair[0]) && !noted.headers?.includes(pair));
}
