/**
 * Calls that may be repeated but are applied only once, in all processes.
 *
 * @module
 */

import { HTTPError } from "../../base/errors/errors.ts";
import type { InnerHub } from "./inner_hub.ts";
import { payloadOf, readPayload } from "./payload.ts";
import { available } from "./unavailable.ts";

/** The time to store the outcome of a call, in milliseconds. */
const ONCE_MS = 300_000;
/** The stored outcomes: a reply or a failure. */
const REPLY = "reply";
const FAILURE = "failure";

/** A call that may be repeated. */
export interface OnceCall {
  /** The names that identify the call, such as those of the user and the event. */
  readonly names: readonly unknown[];
  run(): unknown;
  /** Returns the form of an error that is stored and sent to the client. */
  failureOf(error: unknown): unknown;
  /** Returns the error of a repeated call that has failed before. */
  repeated(failure: unknown): Error;
}

/**
 * Runs a call only once. If it is repeated, it has the stored outcome. A call that was refused (4xx) has not been
 * applied, so it runs again.
 */
export async function applyOnce({ backplane, report }: InnerHub, call: OnceCall): Promise<unknown> {
  const fail = (cause: unknown) => report("Cannot record an event:", cause);
  const key = `once:${JSON.stringify(call.names)}`;
  const found = await available(() => backplane.Claim(key, "", ONCE_MS), "The event cannot be recorded", fail);
  if (found !== null) return outcomeOf(found, call);
  const attempt = await attemptOf(call);
  try {
    await backplane.Settle(key, attempt.stored, ONCE_MS);
  } catch (error) {
    fail(error);
    // The call has been applied, so the client must not repeat it with another key.
    if (attempt.stored !== null) throw unknownOutcome();
  }
  if ("thrown" in attempt) throw attempt.thrown;
  return attempt.value;
}

/** The outcome of a call, and the form to store it in, which is `null` if the call may run again. */
type Attempt = { readonly stored: string | null } & ({ readonly value: unknown } | { readonly thrown: unknown });

async function attemptOf(call: OnceCall): Promise<Attempt> {
  try {
    const value = await call.run();
    return { value, stored: payloadOf(REPLY, value) };
  } catch (error) {
    if (isRefusal(error)) return { thrown: error, stored: null };
    // A message may have been published even if the backplane has not confirmed it.
    const thrown = isUnavailable(error) ? unknownOutcome() : error;
    return { thrown, stored: payloadOf(FAILURE, call.failureOf(thrown)) };
  }
}

/** Returns the stored outcome. It is unknown while the call is running, and if it could not be stored. */
function outcomeOf(stored: string, { repeated }: OnceCall): unknown {
  const found = stored === "" ? undefined : readPayload(stored);
  if (found === undefined) throw unknownOutcome();
  if (found.event === FAILURE) throw repeated(found.data);
  return found.data;
}

function isRefusal(error: unknown): boolean {
  return error instanceof HTTPError && error.Status < 500;
}

function isUnavailable(error: unknown): boolean {
  return error instanceof HTTPError && error.Status === 503 && error.Code === "FW_LIVE";
}

function unknownOutcome(): HTTPError {
  return new HTTPError(409, "The outcome of this event is unknown");
}
