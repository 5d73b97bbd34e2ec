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
 * @param group The group of the job, or `null`.
 */
export function limitsOf({ Queue, Limits, GroupLimits }: ClaimRequest, group: string | null): readonly Applied[] {
  const ofQueue = { key: JSON.stringify([Queue]), limits: Limits, group: null };
  const ofGroup = { key: JSON.stringify([Queue, group]), limits: group === null ? {} : GroupLimits, group };
  return [ofQueue, ofGroup].filter(({ limits }) => isLimited(limits));
}

/** Reports whether there is any limit. */
export function isLimited({ MaxRunning, Rate }: Limits): boolean {
  return MaxRunning !== undefined || Rate !== undefined;
}
