/**
 * Completes the parts of an answer, so that they form a UI message stream of the AI SDK: a start, text with a beginning
 * and an end, and a finish.
 *
 * @module
 */

import { FrameworkError } from "../../base/errors/errors.ts";
import type { Part } from "./part.ts";

/** Starts the IDs of text whose source only yields strings. */
const OWN = "fw-";

/** Turns the items of a source into parts. */
export class PartWriter {
  readonly #messageID: string;
  readonly #isContinued: boolean;
  #isStarted = false;
  #isFinished = false;
  /** The ID of the text that strings are added to, if any. */
  #text: string | undefined = undefined;
  #texts = 0;

  /**
   * Creates a writer.
   *
   * @param messageID The message ID for a source that does not choose one. Without it, a browser that receives the
   * answer again would show it twice.
   * @param recorded The parts that another process has recorded.
   */
  constructor(messageID: string, recorded: readonly Part[] = []) {
    this.#messageID = messageID;
    this.#isContinued = recorded.length > 0;
    for (const part of recorded) this.#note(part);
  }

  /** Returns the parts for an item. */
  write(item: unknown): Part[] {
    if (typeof item === "string") return this.#noted([...this.#start(), ...this.#openText(), this.#delta(item)]);
    if (!isPart(item)) {
      throw new FrameworkError("FW_RETURN", 'Cannot record a part of an answer: it has no "type"');
    }
    if (item.type !== "start") return this.#noted([...this.#start(), ...this.#closeText(), item]);
    // The stream of a process that continues an answer has its own start.
    if (this.#isStarted && this.#isContinued) return [];
    return this.#noted([...this.#closeText(), { messageId: this.#messageID, ...item }]);
  }

  /** Returns the parts that are missing at the end. */
  finish(): Part[] {
    const parts = [...this.#start(), ...this.#closeText()];
    return this.#noted(this.#isFinished ? parts : [...parts, { type: "finish" }]);
  }

  /** Returns the parts of an answer that has failed. */
  fail(errorText: string): Part[] {
    return this.#noted([...this.#start(), ...this.#closeText(), { type: "error", errorText }]);
  }

  #start(): Part[] {
    return this.#isStarted ? [] : [{ type: "start", messageId: this.#messageID }];
  }

  #openText(): Part[] {
    if (this.#text !== undefined) return [];
    this.#text = OWN + (this.#texts + 1);
    return [{ type: "text-start", id: this.#text }];
  }

  #delta(delta: string): Part {
    return { type: "text-delta", id: this.#text, delta };
  }

  #closeText(): Part[] {
    return this.#text === undefined ? [] : [{ type: "text-end", id: this.#text }];
  }

  #noted(parts: Part[]): Part[] {
    for (const part of parts) this.#note(part);
    return parts;
  }

  #note({ type, id }: Part): void {
    if (type === "start") this.#isStarted = true;
    if (type === "finish" || type === "abort") this.#isFinished = true;
    if (typeof id !== "string" || !id.startsWith(OWN)) return;
    if (type === "text-start") [this.#text, this.#texts] = [id, this.#texts + 1];
    if (type === "text-end") this.#text = undefined;
  }
}

/** Reports whether a value has the shape of a part. */
export function isPart(value: unknown): value is Part {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}
