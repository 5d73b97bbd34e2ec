/**
 * Expectations for a response.
 *
 * @module
 */

import { type CapturedStack, replaceFrames } from "../errors/caller_frames.ts";
import { differ, differAsJSON, lacks } from "./difference.ts";

/** A response, returned by an awaited {@linkcode Expectation}. */
export interface TestResponse {
  /** The status code. */
  readonly Status: number;
  /** The response headers. */
  readonly Headers: Headers;
  /** The response body as text. */
  readonly Text: string;
  /**
   * Parses the body as JSON.
   *
   * @returns The parsed value.
   */
  JSON(): unknown;
}

type Check = (response: TestResponse) => string | undefined;

/**
 * Expectations for a response. Await them to run the checks and get the response.
 *
 * The checks run even if the expectations are not awaited. In that case, a failed check fails the test run.
 */
export class Expectation implements PromiseLike<TestResponse> {
  readonly #what: string;
  readonly #caller: CapturedStack;
  readonly #checks: Check[] = [];
  readonly #settled: Promise<TestResponse>;
  #isChecked = false;
  #isAwaited = false;

  /**
   * Created by {@linkcode Call.Expect}.
   *
   * @ignore
   *
   * @param response The pending response.
   * @param what The request's method and path, for error messages.
   * @param caller The stack of the call to `Expect`.
   */
  constructor(response: Promise<Response>, what: string, caller: CapturedStack) {
    this.#what = what;
    this.#caller = caller;
    this.#settled = this.#settle(response);
    // Report an uncaught error instead of rejecting, because a server in the same process suppresses unhandled
    // rejections.
    this.#settled.catch((error) => this.#isAwaited || reportError(error));
  }

  /**
   * Expects a status code.
   *
   * @param status The expected status code.
   * @returns This expectation, for chaining.
   */
  Status(status: number): this {
    return this.#add((response) => differ("status", response.Status, status));
  }

  /**
   * Expects the response body to equal a string.
   *
   * @param text The expected body.
   * @returns This expectation, for chaining.
   */
  Body(text: string): this {
    return this.#add((response) => differ("body", response.Text, text));
  }

  /**
   * Expects the response body to contain a string.
   *
   * @param part The expected substring.
   * @returns This expectation, for chaining.
   */
  Contains(part: string): this {
    return this.#add((response) => lacks(response.Text, part));
  }

  /**
   * Expects the response body to equal a value as JSON.
   *
   * @param value The expected value. The order of the keys does not matter.
   * @returns This expectation, for chaining.
   */
  JSON(value: unknown): this {
    return this.#add((response) => differAsJSON(response.Text, value));
  }

  /**
   * Expects a response header.
   *
   * @param name The header name.
   * @param value The expected value. Pass an empty string if the header must be absent.
   * @returns This expectation, for chaining.
   */
  Header(name: string, value: string): this {
    return this.#add((response) => differ(`header "${name}"`, response.Headers.get(name) ?? "", value));
  }

  /**
   * Expects a content type. Parameters such as `charset` are ignored.
   *
   * @param type The expected media type, such as `text/html`.
   * @returns This expectation, for chaining.
   */
  ContentType(type: string): this {
    return this.#add((response) =>
      differ("content type", response.Headers.get("content-type")?.split(";")[0]?.trim() ?? "", type)
    );
  }

  /**
   * Waits for the checks. Called by `await`.
   *
   * @param done Called with the response if all checks pass.
   * @param failed Called with an error that lists the failed checks.
   * @returns A promise for the callback's result.
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
      throw new Error(`Cannot add an expectation for the response to ${this.#what}: it has already been checked`);
    }
    this.#checks.push(check);
    return this;
  }

  async #settle(coming: Promise<Response>): Promise<TestResponse> {
    // Wait, so that the statement that called Expect can add its checks and await them, even if the response has
    // already failed.
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

  /** Creates an error that points to the line of the test. The current stack contains only this file. */
  #failure(reasons: string): Error {
    const error = new Error(`Unexpected response to ${this.#what}: ${reasons}`);
    replaceFrames(error, this.#caller);
    return error;
  }
}
