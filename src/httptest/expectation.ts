/**
 * What a test expects of an answer.
 *
 * @module
 */

/** An answer as a test reads it. */
export interface Answer {
  /** The status. */
  readonly Status: number;
  /** The headers. */
  readonly Headers: Headers;
  /** The body as text. */
  readonly Text: string;
  /**
   * Reads the body as JSON.
   *
   * @returns What it holds.
   */
  JSON(): unknown;
}

type Check = (answer: Answer) => string | undefined;

/** Expectations of one answer. Nothing is checked before it is awaited; it then gives the answer. */
export class Expectation implements PromiseLike<Answer> {
  readonly #response: Promise<Response>;
  readonly #what: string;
  readonly #checks: Check[] = [];

  /**
   * Made by `Expect`.
   *
   * @param response The answer to come.
   * @param what The request, for messages.
   */
  constructor(response: Promise<Response>, what: string) {
    this.#response = response;
    this.#what = what;
  }

  /**
   * Expects a status.
   *
   * @param status The status.
   * @returns This expectation.
   */
  Status(status: number): this {
    return this.#add((answer) => differ("status", answer.Status, status));
  }

  /**
   * Expects a body.
   *
   * @param text The whole body.
   * @returns This expectation.
   */
  Body(text: string): this {
    return this.#add((answer) => differ("body", answer.Text, text));
  }

  /**
   * Expects a text within the body.
   *
   * @param part The text.
   * @returns This expectation.
   */
  Contains(part: string): this {
    return this.#add((answer) =>
      answer.Text.includes(part) ? undefined : `body ${show(answer.Text)} lacks ${show(part)}`
    );
  }

  /**
   * Expects JSON.
   *
   * @param value The value; the order of names does not matter.
   * @returns This expectation.
   */
  JSON(value: unknown): this {
    return this.#add((answer) => differ("JSON", canonical(answer.JSON()), canonical(value)));
  }

  /**
   * Expects a header.
   *
   * @param name Its name.
   * @param value Its whole value; empty when it must be absent.
   * @returns This expectation.
   */
  Header(name: string, value: string): this {
    return this.#add((answer) => differ(`header ${show(name)}`, answer.Headers.get(name) ?? "", value));
  }

  /**
   * Expects a content type, whatever its parameters.
   *
   * @param type The type, such as `text/html`.
   * @returns This expectation.
   */
  ContentType(type: string): this {
    return this.#add((answer) =>
      differ("content type", answer.Headers.get("content-type")?.split(";")[0]?.trim() ?? "", type)
    );
  }

  /**
   * Checks the expectations; what `await` calls.
   *
   * @param done Receives the answer.
   * @param failed Receives the error that names what was not as expected.
   * @returns A promise of what the callbacks give.
   */
  then<A = Answer, B = never>(
    done?: ((answer: Answer) => A | PromiseLike<A>) | null,
    failed?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#settle().then(done, failed);
  }

  #add(check: Check): this {
    this.#checks.push(check);
    return this;
  }

  async #settle(): Promise<Answer> {
    const response = await this.#response;
    const text = await response.text();
    const answer: Answer = {
      Status: response.status,
      Headers: response.headers,
      Text: text,
      JSON: () => JSON.parse(text),
    };
    const failures = this.#checks.map((check) => check(answer)).filter((failure) => failure !== undefined);
    if (failures.length > 0) throw new Error(`Answer to ${this.#what} is not as expected: ${failures.join("; ")}`);
    return answer;
  }
}

function differ(what: string, actual: unknown, expected: unknown): string | undefined {
  return actual === expected ? undefined : `${what} is ${show(actual)}, expected ${show(expected)}`;
}

/** A value as JSON with its names sorted, so that equal values have equal texts. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, part) => isRecord(part) ? sorted(part) : part) ?? "null";
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function sorted(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => a < b ? -1 : 1));
}

function show(value: unknown): string {
  return typeof value === "string" ? `"${value}"` : String(value);
}
