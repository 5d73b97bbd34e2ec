/**
 * The state of an answer, computed from the entries of its log.
 *
 * All processes compute the same state from the same entries. A process that takes an answer over starts a new
 * generation. Entries of an older generation are ignored from there on, so that a process that was only suspended can
 * neither duplicate nor reorder parts. Parts are numbered, so that an entry that was written twice is ignored as well.
 *
 * @module
 */

import { decodeStored } from "../../base/codec/stored.ts";
import { readPayload } from "../hub/payload.ts";
import { isPart } from "./part_writer.ts";
import type { Part } from "./part.ts";

/** The outcome of an answer. */
export type Outcome = "finished" | "failed" | "stopped";

/** The entries of a log by event name. */
export interface Entries {
  /**
   * Parts, with the number of the first one. The cursor is an array with its text and the name of the encoding, or
   * empty. Version 0.2 wrote an array with the cursor itself.
   */
  readonly parts: {
    readonly g: number;
    readonly n: number;
    readonly p: readonly Part[];
    readonly c: readonly unknown[];
  };
  /** A process starts a generation. */
  readonly take: { readonly g: number; readonly by: string };
  /** The answer has ended. */
  readonly end: { readonly g: number; readonly o: Outcome };
  /** The answer was stopped, by a process of any generation. */
  readonly stop: Record<never, never>;
}

const none: readonly Part[] = [];
const aborted: readonly Part[] = [{ type: "abort" }];

/** The state of an answer. */
export class AnswerRecord {
  /** The number of the process that may write parts, and its name. */
  generation = 1;
  holder = "";
  /** The number of parts. */
  count = 0;
  /** The last cursor, in an array. Empty if there is none. */
  cursor: readonly unknown[] = [];
  outcome: Outcome | undefined = undefined;

  /**
   * Applies an entry of the log.
   *
   * @param payload The entry. Others may have written it.
   * @returns The parts that it adds.
   */
  apply(payload: string): readonly Part[] {
    const found = readPayload(payload);
    if (this.outcome !== undefined || typeof found?.data !== "object" || found.data === null) return none;
    if (found.event === "parts") return this.#add(found.data);
    if (found.event === "take") this.#take(found.data);
    if (found.event === "end") this.#end(found.data);
    return found.event === "stop" ? this.#stop() : none;
  }

  #add({ g, n, p, c }: Partial<Entries["parts"]>): readonly Part[] {
    if (g !== this.generation || n !== this.count + 1 || !Array.isArray(p) || !p.every(isPart)) return none;
    this.count += p.length;
    if (Array.isArray(c) && c.length > 0) this.cursor = c.length === 1 ? c : [decodeStored(c[0])];
    return p;
  }

  #take({ g, by }: Partial<Entries["take"]>): void {
    if (g === this.generation + 1 && typeof by === "string") [this.generation, this.holder] = [g, by];
  }

  #end({ g, o }: Partial<Entries["end"]>): void {
    if (g === this.generation) this.outcome = o;
  }

  #stop(): readonly Part[] {
    this.outcome = "stopped";
    this.count++;
    return aborted;
  }
}
