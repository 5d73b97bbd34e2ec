/**
 * The limits of queues and groups.
 *
 * @module
 */

import type { ClaimRequest, Limits } from "../store.ts";

/** The limits that apply to a job. */
export interface Applied {
  /** Identifies the queue or the group. */
  readonly key: string;
  readonly limits: Limits;
  /** The group, or `null` for the whole queue. */
  readonly group: string | null;
}

/**
 * Returns the limits that apply to a job.
 *
 * @param request The claim.
 * @param job The job.
 */
export function limitsOf(
  { Queue, Limits, GroupLimits }: ClaimRequest,
  { Group }: { readonly Group: string | null },
): readonly Applied[] {
  const applied: Applied[] = [];
  if (isLimited(Limits)) applied.push({ key: JSON.stringify([Queue]), limits: Limits, group: null });
  if (Group !== null && isLimited(GroupLimits)) {
    applied.push({ key: JSON.stringify([Queue, Group]), limits: GroupLimits, group: Group });
  }
  return applied;
}

/** Reports whether there is any limit. */
export function isLimited({ MaxRunning, Rate }: Limits): boolean {
  return MaxRunning !== undefined || Rate !== undefined;
}

/**
 * Returns the time at which another job may start, or infinity if a running one has to end first. Removes the
 * starts that no longer matter.
 *
 * @param limits The limits.
 * @param used The number of running jobs, and the times at which jobs have started, in order.
 * @param now The current time.
 */
export function freeAt(
  { MaxRunning, Rate }: Limits,
  { running, starts }: { readonly running: number; readonly starts: number[] },
  now: number,
): number {
  if (MaxRunning !== undefined && running >= MaxRunning) return Infinity;
  if (Rate === undefined) return now;
  const past = starts.findIndex((at) => at > now - Rate.Period);
  starts.splice(0, past < 0 ? starts.length : past);
  return starts.length < Rate.Limit ? now : (starts[starts.length - Rate.Limit] as number) + Rate.Period;
}
