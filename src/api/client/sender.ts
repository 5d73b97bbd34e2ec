/**
 * Sends a client's requests, with retries, and aborts their responses.
 *
 * @module
 */

import { count, flag, listOf, LONGEST_TIMER, milliseconds, required } from "../../base/config/option_kinds.ts";
import { optionTable, readOptions } from "../../base/config/option_table.ts";
import { callError, ResponseError, retryAfter } from "./call_error.ts";
import type { CallResult } from "./call_result.ts";
import type { CallOptions, ClientOptions, RetryStrategy } from "./options.ts";
import { follow, type Hop } from "./redirects.ts";
import { requestBody, textsOf } from "./request_body.ts";
import { responseValue } from "./response_value.ts";

/** Options for {@linkcode Retry}. */
export interface RetryOptions {
  /** The maximum number of retries. */
  readonly Times: number;
  /**
   * The delay before the first retry, in milliseconds. It doubles with each retry. A `Retry-After` header in the
   * response takes precedence.
   *
   * @default {200}
   */
  readonly Delay?: number;
  /**
   * The status codes to retry. Requests without a response are always retried.
   *
   * @default {[408, 429, 502, 503, 504]}
   */
  readonly Statuses?: readonly number[];
  /**
   * Whether to retry POST and PATCH requests too. Such requests may then take effect twice.
   *
   * @default {false}
   */
  readonly AnyMethod?: boolean;
}

const table = optionTable<RetryOptions>("client.RetryOptions", "Retry")({
  Times: required(count(undefined, { from: 0, to: Infinity })),
  Delay: milliseconds(200),
  Statuses: listOf(count(undefined, { from: 100, to: 599 }), "status codes", [408, 429, 502, 503, 504]),
  AnyMethod: flag(false),
});

/** The idempotent methods, which are safe to repeat. */
const idempotent = /^(?:GET|HEAD|PUT|DELETE|OPTIONS|TRACE)$/;

/**
 * Creates a retry strategy for the `Retry` option of a client or call.
 *
 * @example Try up to three times
 * ```ts
 * import * as client from "@fw/web/client";
 *
 * class TeaController {
 *   Get() {
 *     return ["Assam"];
 *   }
 * }
 * let sent = 0;
 * const teas = client.New<TeaController>("http://localhost/teas", {
 *   Fetch: () => ++sent < 3 ? new Response(null, { status: 503 }) : Response.json(["Assam"]),
 *   Retry: client.Retry({ Times: 2, Delay: 1 }),
 * });
 * await teas.Get(); // → [["Assam"], null]
 * ```
 *
 * @param options The retry options, or the maximum number of retries.
 * @returns The retry strategy.
 */
export function Retry(options: number | RetryOptions): RetryStrategy {
  const settings = typeof options === "number" ? { Times: options } : options;
  const { Times, Delay, Statuses, AnyMethod } = readOptions(table, settings);
  return (method, response, tried) => {
    if (tried >= Times || !(AnyMethod || idempotent.test(method))) return undefined;
    if (response !== undefined && !Statuses.includes(response.status)) return undefined;
    return retryAfter(response) ?? Delay * 2 ** tried * (1 - Math.random() / 2);
  };
}

/** A call whose arguments have been parsed. */
export interface PlannedCall {
  readonly name: string;
  readonly methods: readonly string[];
  readonly path: string;
  readonly options: CallOptions;
}

/** Sends requests relative to a base URL. */
export class Sender {
  readonly #base: string;
  readonly #options: ClientOptions;

  constructor(base: string | URL, options: ClientOptions) {
    this.#base = String(base).replace(/\/+$/, "");
    this.#options = options;
  }

  /** Sends a request and reads the response. Never throws. */
  async call(planned: Promise<PlannedCall>): Promise<CallResult<unknown>> {
    let name = "";
    let response: Response | undefined;
    try {
      const call = await planned;
      name = call.name;
      response = await this.#send(call);
      const value = await readValue(name, response);
      if (response.status >= 400) return result([undefined, new ResponseError(response, value)], response);
      if (response.ok) return result([value, null], response);
      throw callError(name, `unexpected status "${response.status}"`);
    } catch (thrown) {
      return result(
        [undefined, thrown instanceof Error ? thrown : callError(name, "the request was canceled", thrown)],
        response,
      );
    }
  }

  /** Sends a request and returns the unread response. */
  async raw(planned: Promise<PlannedCall>): Promise<Response> {
    return await this.#send(await planned);
  }

  async #send(call: PlannedCall): Promise<Response> {
    const { name, path, options } = call;
    const { body, type } = requestBody(name, options);
    const headers = await this.#headers(call);
    if (type !== undefined && !headers.has("content-type")) headers.set("content-type", type);
    const query = new URLSearchParams(textsOf(name, "Query", options.Query));
    const url = this.#base + path + (query.size > 0 ? `?${query}` : "") || "/";
    const signals = [this.#options.Signal, options.Signal].filter((signal) => signal !== undefined);
    const signal = signals.length > 1 ? AbortSignal.any(signals) : signals[0] ?? null;
    const method = methodOf(call, body);
    const hop: Hop = { method, url: new URL(new Request(url).url), headers, body };
    const retry = options.Retry ?? this.#options.Retry;
    for (let tried = 0;; tried++) {
      let failure: unknown;
      const response = await this.#fetch(hop, signal).catch((error) => void (failure = error));
      const delay = signal?.aborted ? undefined : retry?.(method, response, tried);
      if (delay === undefined) {
        if (response === undefined) throw failure;
        return response;
      }
      await response?.body?.cancel();
      let timer: ReturnType<typeof setTimeout> | undefined;
      const waiting = new Promise((resolve) => timer = setTimeout(resolve, Math.min(delay, LONGEST_TIMER)));
      await unlessAborted(signal, () => waiting).finally(() => clearTimeout(timer));
    }
  }

  async #headers({ name, options }: PlannedCall): Promise<Headers> {
    const { Headers: source } = this.#options;
    const headers = new Headers(typeof source === "function" ? await source() : source);
    if (!headers.has("accept")) headers.set("accept", "application/json, */*;q=0.8");
    for (const [key, value] of textsOf(name, "Header", options.Header)) headers.append(key, value);
    for (const [key, value] of new Headers(options.Headers)) headers.set(key, value);
    return headers;
  }

  /**
   * Sends a request. Applications called in process ignore the signal and leave redirects to the client, so both are
   * handled here.
   */
  #fetch(first: Hop, signal: AbortSignal | null): Promise<Response> {
    return unlessAborted(signal, async () => {
      const send = async ({ url, body, ...hop }: Hop) =>
        await (this.#options.Fetch ?? fetch)(new Request(url, { ...hop, body: body ?? null, signal }));
      const response = await follow(first, send);
      // The response to a network request has a URL, and its body is already connected to the signal.
      return signal !== null && response.url === "" ? abortable(response, signal) : response;
    });
  }
}

/** Attaches the response to the pair. The property is not enumerable, so the pair still equals `[value, null]`. */
function result(pair: [unknown, Error | null], response: Response | undefined): CallResult<unknown> {
  return Object.defineProperty(pair, "Response", { value: response }) as unknown as CallResult<unknown>;
}

/**
 * Returns the HTTP method. If a controller method accepts any HTTP method, it is called with GET, or with POST if there
 * is a body.
 */
function methodOf({ methods }: PlannedCall, body: BodyInit | undefined): string {
  const [first = "GET", second] = methods;
  return second === undefined ? first : body === undefined ? "GET" : "POST";
}

/**
 * Reads the body. If an error page has a JSON content type but invalid JSON, the response's status must still be
 * reported.
 */
async function readValue(name: string, response: Response): Promise<unknown> {
  try {
    return await responseValue(response);
  } catch (thrown) {
    if (response.status >= 400 && thrown instanceof SyntaxError) return undefined;
    throw thrown instanceof SyntaxError ? callError(name, "the response is not valid JSON", thrown) : thrown;
  }
}

/**
 * Runs a task. If the signal is aborted, rejects immediately with the signal's reason, even if the task ignores the
 * signal.
 */
function unlessAborted<T>(signal: AbortSignal | null, task: () => Promise<T>): Promise<T> {
  if (signal === null) return task();
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    task().then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

/**
 * Connects the body of a response to a signal.
 *
 * @param response The response.
 * @param signal The signal of the request.
 * @returns A response whose body fails if the signal is aborted. The original body is then canceled.
 */
export function abortable(response: Response, signal: AbortSignal): Response {
  if (response.body === null) return response;
  const reader = response.body.getReader();
  let stop = () => {};
  const end = () => signal.removeEventListener("abort", stop);
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      stop = () => {
        controller.error(signal.reason);
        void reader.cancel(signal.reason).catch(() => {});
      };
      if (signal.aborted) stop();
      else signal.addEventListener("abort", stop, { once: true });
    },
    async pull(controller) {
      const { done, value } = await reader.read();
      if (signal.aborted) return;
      if (!done) return controller.enqueue(value);
      end();
      controller.close();
    },
    async cancel(reason) {
      end();
      await reader.cancel(reason);
    },
  }, { highWaterMark: 0 });
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}
