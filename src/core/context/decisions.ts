/**
 * The decisions that policies make while a test watches. Outside of tests, nothing is recorded.
 *
 * @module
 */

/** The decisions of policies. */
export const decisions: Decisions = { isUsed: false, note: undefined };

/** The state that policies and the test client share. */
export interface Decisions {
  /** Whether the program uses policies, so that its tests require a decision for each write. */
  isUsed: boolean;
  /** Receives a decision, with the refusal if there was one. */
  note: ((refused?: string) => void) | undefined;
}
