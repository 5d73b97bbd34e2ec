/**
 * Problem details: failures told in a way that programs understand (RFC 9457).
 *
 * @module
 */

import { HTTPError } from "./errors.ts";

/** The members of a problem; those that are left out are filled from the status. */
export interface ProblemOptions {
  /** A URI that names the kind of problem; `about:blank` means that the status says it. */
  Type?: string;
  /** The kind of problem, in a few words that stay the same from time to time. */
  Title?: string;
  /** The status of the response, 400 to 599; 400 unless given. */
  Status?: number;
  /** What happened this time, for a person to read. */
  Detail?: string;
  /** A URI that names this very occurrence. */
  Instance?: string;
  /** Members of one's own: `{ balance: 30 }`. */
  Extensions?: Readonly<Record<string, unknown>>;
}

/** A problem as JSON holds it. */
export type ProblemObject = Record<string, unknown>;

/** An error that describes itself as a problem. */
interface Describing {
  /** The problem as JSON holds it. */
  Problem(): ProblemObject;
}

const members: ReadonlySet<string> = new Set(["type", "title", "status", "detail", "instance"]);

/**
 * A failure with details: thrown, returned or given to `ctx.Problem`, it becomes the response.
 *
 * @example A problem of one's own kind
 * ```ts
 * import * as fw from "@fw/web";
 *
 * const app = fw.New();
 * app.Post("/orders", () => {
 *   throw fw.NewProblem({
 *     Type: "https://example.com/problems/out-of-credit",
 *     Title: "Not enough credit",
 *     Status: 403,
 *     Extensions: { balance: 30 },
 *   });
 * });
 *
 * const response = await app.fetch(new Request("http://localhost/orders", { method: "POST" }));
 * response.headers.get("content-type"); // → "application/problem+json"
 * const { title, status, balance } = await response.json();
 * [title, status, balance]; // → ["Not enough credit", 403, 30]
 * ```
 */
export class Problem extends HTTPError {
  readonly #options: ProblemOptions;

  /**
   * Creates a problem.
   *
   * @param options Its members.
   */
  constructor(options: ProblemOptions = {}) {
    super(options.Status ?? 400, options.Detail ?? options.Title ?? "");
    this.name = "Problem";
    this.#options = options;
  }

  /**
   * Describes the problem as `application/problem+json` does. A title that was left out is that of the status, and is
   * added where the response is written.
   *
   * @returns An object for `JSON`.
   */
  Problem(): ProblemObject {
    const { Type, Title, Detail, Instance, Extensions = {} } = this.#options;
    const extra = Object.entries(Extensions).filter(([name]) => !members.has(name));
    return {
      type: Type ?? "about:blank",
      ...Title === undefined ? {} : { title: Title },
      status: this.Status,
      ...Detail === undefined ? {} : { detail: Detail },
      ...Instance === undefined ? {} : { instance: Instance },
      ...Object.fromEntries(extra),
    };
  }
}

/**
 * Creates a problem, to be thrown, returned or given to `ctx.Problem`.
 *
 * @param options Its members.
 * @returns The problem.
 */
export function NewProblem(options: ProblemOptions = {}): Problem {
  return new Problem(options);
}

/** Reports whether an error describes itself as a problem. */
export function isDescribing(error: unknown): error is Error & Describing {
  return error instanceof HTTPError && "Problem" in error && typeof error.Problem === "function";
}
