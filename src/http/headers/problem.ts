/**
 * Problem details: machine-readable errors (RFC 9457).
 *
 * @module
 */

import { filled, kind, record, text } from "../../base/config/option_kinds.ts";
import { assertOptions, optionTable } from "../../base/config/option_table.ts";
import { HTTPError } from "../../base/errors/errors.ts";

/** Options for {@linkcode NewProblem}. Omitted members are derived from the status. */
export interface ProblemOptions {
  /** A URI that identifies the problem type. `about:blank` means that the status describes the problem. */
  Type?: string;
  /** A short summary of the problem type. It should be the same for every occurrence. */
  Title?: string;
  /**
   * The response status, from 400 to 599.
   *
   * @default {400}
   */
  Status?: number;
  /** A human-readable explanation of this occurrence. */
  Detail?: string;
  /** A URI that identifies this occurrence. */
  Instance?: string;
  /** Additional members, such as `{ balance: 30 }`. */
  Extensions?: Readonly<Record<string, unknown>>;
}

/** A problem as a JSON object. */
export type ProblemObject = Record<string, unknown>;

/** An error that can describe itself as a problem. */
interface Describing {
  /** Returns the problem as a JSON object. */
  Problem(): ProblemObject;
}

const table = optionTable<ProblemOptions>("ProblemOptions", "a problem")({
  Type: filled(),
  Title: text(),
  // The error of an invalid code has its own code.
  Status: kind<number, undefined>("a status code", (value) => typeof value === "number", undefined),
  Detail: text(),
  Instance: filled(),
  Extensions: record(),
});

const members: ReadonlySet<string> = new Set(["type", "title", "status", "detail", "instance"]);

/**
 * An error with problem details. If it is thrown, returned or passed to `ctx.Problem`, it becomes the response.
 *
 * @example A custom problem type
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
   * @param options The problem's members.
   */
  constructor(options: ProblemOptions = {}) {
    assertOptions(table, options);
    super(options.Status ?? 400, options.Detail ?? options.Title ?? "");
    this.name = "Problem";
    this.#options = options;
  }

  /**
   * Returns the problem as an `application/problem+json` object. If the title is omitted, the status text is added when
   * the response is written.
   *
   * @returns An object to be serialized as JSON.
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
 * Creates a problem to throw, return or pass to `ctx.Problem`.
 *
 * @param options The problem's members.
 * @returns The problem.
 */
export function NewProblem(options: ProblemOptions = {}): Problem {
  return new Problem(options);
}

/** Reports whether an error can describe itself as a problem. */
export function isDescribing(error: unknown): error is Error & Describing {
  return error instanceof HTTPError && "Problem" in error && typeof error.Problem === "function";
}
