/**
 * Expectations for a response.
 *
 * @module
 */

import { type CapturedStack, replaceFrames } from "../../base/errors/caller_frames.ts";
import { loadModule } from "../../base/async/lazy_module.ts";
import { differ, differAsJSON, holds, lacks } from "./difference.ts";
import { type ResponseCookie, responseCookies } from "./response_cookie.ts";
import type { Selection } from "./selection.ts";

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
   * @throws {Error} If the body is not JSON.
   */
  JSON(): unknown;
  /**
   * Returns a cookie that the response sets.
   *
   * @param name The cookie name.
   * @returns The cookie, or `undefined` if the response does not set it.
   */
  Cookie(name: string): ResponseCookie | undefined;
  /**
   * Selects elements of an HTML response, as in `response.Select("form input[name=csrf]").Value()`.
   *
   * @param selector The selector. See {@linkcode Selection} for those that are supported.
   * @returns The selected elements.
   * @throws {Error} If the response is not HTML.
   */
  Select(selector: string): Selection;
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
   * Expects the response body not to contain a string.
   *
   * @param part The substring that must be absent.
   * @returns This expectation, for chaining.
   */
  NotContains(part: string): this {
    return this.#add((response) => holds(response.Text, part));
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
    return this.#add((response) => differ("content type", mediaType(response.Headers), type));
  }

  /**
   * Expects the response to set a cookie.
   *
   * @param name The cookie name.
   * @param value The expected value, decoded. Pass an empty string if the cookie must be removed or absent.
   * @returns This expectation, for chaining.
   */
  Cookie(name: string, value: string): this {
    return this.#add((response) => differ(`cookie "${name}"`, response.Cookie(name)?.Value ?? "", value));
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
    const read = await this.#read(response);
    this.#isChecked = true;
    const failures = this.#checks.map((check) => check(read)).filter((failure) => failure !== undefined);
    if (failures.length > 0) throw this.#failure(failures.join("; "));
    return read;
  }

  async #read(response: Response): Promise<TestResponse> {
    const { status, headers } = response;
    const text = await response.text();
    const type = mediaType(headers);
    // Other responses do not need the code that parses HTML.
    const html = type === "text/html" ? await loadModule(() => import("./selection.ts")) : undefined;
    return {
      Status: status,
      Headers: headers,
      Text: text,
      JSON: () => {
        try {
          return JSON.parse(text);
        } catch (cause) {
          const state = `its status is ${status}, its type is "${type}"`;
          throw new Error(`Cannot read the response to ${this.#what} as JSON: ${state}`, { cause });
        }
      },
      Cookie: (name) => responseCookies(headers).findLast(({ Name }) => Name === name),
      Select: (selector) => {
        if (html !== undefined) return html.selectIn(text, selector);
        throw new Error(
          `Cannot select "${selector}" in the response to ${this.#what}: its type is "${type}", not HTML`,
        );
      },
    };
  }

  /** Creates an error that points to the line of the test. The current stack contains only this file. */
  #failure(reasons: string): Error {
    const error = new Error(`Unexpected response to ${this.#what}: ${reasons}`);
    replaceFrames(error, this.#caller);
    return error;
  }
}

function mediaType(headers: Headers): string {
  return headers.get("content-type")?.split(";")[0]?.trim() ?? "";
}
