/**
 * What a test expects of a response.
 *
 * @module
 */

import { differ, differAsJSON, lacks } from "./difference.ts";

/** A response as a test reads it. */
export interface TestResponse {
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

type Check = (response: TestResponse) => string | undefined;

/**
 * Expectations of one response; awaited, it returns the response.
 *
 * The checks are made whether it is awaited or not: one that fails and is not awaited by then fails the test run.
 */
export class Expectation implements PromiseLike<TestResponse> {
  readonly #what: string;
  readonly #stack: string;
  readonly #checks: Check[] = [];
  readonly #settled: Promise<TestResponse>;
  #isChecked = false;
  #isAwaited = false;

  /**
   * Created by `Expect`.
   *
   * @ignore
   *
   * @param response The response to come.
   * @param what The request, for messages.
   * @param stack Where the test calls `Expect`, as lines of a stack.
   */
  constructor(response: Promise<Response>, what: string, stack: string) {
    this.#what = what;
    this.#stack = stack;
    this.#settled = this.#settle(response);
    // An uncaught error and not a rejection: while a server runs in the same process, its guard keeps rejections quiet.
    this.#settled.catch((error) => this.#isAwaited || reportError(error));
  }

  /**
   * Expects a status.
   *
   * @param status The status.
   * @returns This expectation.
   */
  Status(status: number): this {
    return this.#add((response) => differ("status", response.Status, status));
  }

  /**
   * Expects a body.
   *
   * @param text The whole body.
   * @returns This expectation.
   */
  Body(text: string): this {
    return this.#add((response) => differ("body", response.Text, text));
  }

  /**
   * Expects a text within the body.
   *
   * @param part The text.
   * @returns This expectation.
   */
  Contains(part: string): this {
    return this.#add((response) => lacks(response.Text, part));
  }

  /**
   * Expects JSON.
   *
   * @param value The value; the order of names does not matter.
   * @returns This expectation.
   */
  JSON(value: unknown): this {
    return this.#add((response) => differAsJSON(response.Text, value));
  }

  /**
   * Expects a header.
   *
   * @param name Its name.
   * @param value Its whole value; empty when it must be absent.
   * @returns This expectation.
   */
  Header(name: string, value: string): this {
    return this.#add((response) => differ(`header "${name}"`, response.Headers.get(name) ?? "", value));
  }

  /**
   * Expects a content type, whatever its parameters.
   *
   * @param type The type, such as `text/html`.
   * @returns This expectation.
   */
  ContentType(type: string): this {
    return this.#add((response) =>
      differ("content type", response.Headers.get("content-type")?.split(";")[0]?.trim() ?? "", type)
    );
  }

  /**
   * Waits for the checks; what `await` calls.
   *
   * @param done Receives the response.
   * @param failed Receives the error that names what was not as expected.
   * @returns A promise of what the callbacks return.
   */
  then<A = TestResponse, B = never>(
    done?: ((response: TestResponse) => A | PromiseLike<A>) | null,
    failed?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#isAwaited = true;
    return this.#settled.then(done, failed);
  }

  #add(check: Check): this {
    if (this.#isChecked) {
      throw new Error(`Cannot expect more of the response to ${this.#what}: it has been checked already`);
    }
    this.#checks.push(check);
    return this;
  }

  async #settle(coming: Promise<Response>): Promise<TestResponse> {
    // Lets the statement that called Expect add its checks and await them, also when the response has failed already.
    await undefined;
    const response = await coming;
    const text = await response.text();
    const read: TestResponse = {
      Status: response.status,
      Headers: response.headers,
      Text: text,
      JSON: () => JSON.parse(text),
    };
    this.#isChecked = true;
    const failures = this.#checks.map((check) => check(read)).filter((failure) => failure !== undefined);
    if (failures.length > 0) throw this.#failure(failures.join("; "));
    return read;
  }

  /** An error that names the line of the test: by now the stack holds only this file. */
  #failure(reasons: string): Error {
    const error = new Error(`Response to ${this.#what} is not as expected: ${reasons}`);
    error.stack = `${error.name}: ${error.message}\n${this.#stack}`;
    return error;
  }
}
