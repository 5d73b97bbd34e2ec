/**
 * The framework's error classes.
 *
 * @module
 */

/** The phrases, created with the first error. Those of `@std/http` would be created at every start. */
let phrases: Readonly<Record<number, string>> | undefined = undefined;

/**
 * Returns the message of an error, unless it is only the default message for the status.
 *
 * @returns The message, or an empty string.
 */
export function ownMessage(error: Error | undefined, status: number): string {
  return error === undefined || error.message === statusText(status) ? "" : error.message;
}

/** Returns the reason phrase of a status code. */
export function statusText(status: number): string {
  phrases ??= createPhrases();
  return phrases[status] ?? `Status ${status}`;
}

function createPhrases(): Readonly<Record<number, string>> {
  return {
    100: "Continue",
    101: "Switching Protocols",
    102: "Processing",
    103: "Early Hints",
    200: "OK",
    201: "Created",
    202: "Accepted",
    203: "Non Authoritative Info",
    204: "No Content",
    205: "Reset Content",
    206: "Partial Content",
    207: "Multi Status",
    208: "Already Reported",
    226: "IM Used",
    300: "Multiple Choices",
    301: "Moved Permanently",
    302: "Found",
    303: "See Other",
    304: "Not Modified",
    305: "Use Proxy",
    307: "Temporary Redirect",
    308: "Permanent Redirect",
    400: "Bad Request",
    401: "Unauthorized",
    402: "Payment Required",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    406: "Not Acceptable",
    407: "Proxy Auth Required",
    408: "Request Timeout",
    409: "Conflict",
    410: "Gone",
    411: "Length Required",
    412: "Precondition Failed",
    413: "Content Too Large",
    414: "URI Too Long",
    415: "Unsupported Media Type",
    416: "Range Not Satisfiable",
    417: "Expectation Failed",
    418: "I'm a teapot",
    421: "Misdirected Request",
    422: "Unprocessable Content",
    423: "Locked",
    424: "Failed Dependency",
    425: "Too Early",
    426: "Upgrade Required",
    428: "Precondition Required",
    429: "Too Many Requests",
    431: "Request Header Fields Too Large",
    451: "Unavailable For Legal Reasons",
    500: "Internal Server Error",
    501: "Not Implemented",
    502: "Bad Gateway",
    503: "Service Unavailable",
    504: "Gateway Timeout",
    505: "HTTP Version Not Supported",
    506: "Variant Also Negotiates",
    507: "Insufficient Storage",
    508: "Loop Detected",
    510: "Not Extended",
    511: "Network Authentication Required",
  };
}

/**
 * The codes of fw's own errors, with a description of each.
 *
 * @example Recognizing an invalid path template
 * ```ts
 * import * as fw from "@fw/web";
 *
 * try {
 *   fw.New().Get("/user/{id:nonsense}", () => {});
 * } catch (error) {
 *   (error as fw.FrameworkError).Code; // → "FW_TEMPLATE"
 * }
 * ```
 */
export const ErrorCodes = {
  FW_TEMPLATE: "A path template is invalid",
  FW_MACRO: "A parameter type or function is registered incorrectly",
  FW_ROUTE: "A route is registered with an invalid method, path or handler",
  FW_STATE: "A function is called too early, too late or twice",
  FW_CONFIG: "A configuration value is invalid",
  FW_ENV: "An environment variable is missing or invalid",
  FW_ADDRESS: "A listen address is invalid",
  FW_LISTEN: "The server cannot listen",
  FW_RUNTIME: "The Deno version is too old",
  FW_HEADER: "A header name or value cannot be sent",
  FW_COOKIE: "A cookie cannot be sent",
  FW_STATUS: "A status code is out of range",
  FW_PARAM: "A path parameter is missing or has the wrong type",
  FW_FIELD: "A form field or query parameter is missing or has the wrong type",
  FW_BODY: "A request body cannot be parsed",
  FW_LIMIT: "A request body is too large",
  FW_TIMEOUT: "A request takes too long",
  FW_MISSING_FILE: "A request contains no file",
  FW_UPLOAD: "An uploaded file cannot be saved",
  FW_FILE: "A file cannot be served",
  FW_VALIDATION: "Input does not match its schema",
  FW_CONTROLLER: "A controller cannot be turned into routes",
  FW_IMPORT: "A feature is used without importing its entry point",
  FW_DEPENDENCY: "A dependency is missing or cannot be used here",
  FW_RETURN: "A handler or controller method returned a value that cannot be sent",
  FW_CLIENT: "A client cannot send a request or read its response",
  FW_VIEW: "A template cannot be found, compiled or rendered",
  FW_SESSION: "A session or its store cannot be used",
  FW_STORE: "A shared store cannot be opened or used",
  FW_JOB: "A job cannot be added or run, or its store cannot be used",
  FW_LANGUAGE: "Translations cannot be loaded or used",
  FW_LIVE: "A WebSocket connection, room or topic cannot be used",
  FW_MAIL: "An email cannot be created or sent",
  FW_AUTH: "A token or login is invalid or cannot be verified",
} as const;

/** One of the codes in {@linkcode ErrorCodes}. */
export type ErrorCode = keyof typeof ErrorCodes;

/**
 * The result of reading and validating input: either the value and `null`, or `undefined` and an error. TypeScript does
 * not let you use the value before checking the error.
 */
export type Result<T> = readonly [T, null] | readonly [undefined, Error];

/**
 * The result of parsing a number or a boolean: the value and `null`, or a placeholder (`-1` or `false`) and an error.
 */
export type Parsed<T> = readonly [T, Error | null];

/**
 * Returns the name of an error with its code, such as `FrameworkError [FW_STATE]`. Deno shows only the name and the
 * message of an uncaught error, so the code is a part of the name.
 *
 * @param name The name of the class.
 * @param code The error code, if any.
 */
export function codedName(name: string, code: ErrorCode | undefined): string {
  return code === undefined ? name : `${name} [${code}]`;
}

/** A class, also an abstract one. */
// deno-lint-ignore no-explicit-any
type Class = abstract new (...args: any[]) => object;

/**
 * Lets `instanceof` recognize the instances that other copies of fw have created.
 *
 * @param type The class. Its subclasses are compared as usual.
 * @param name The name of the class.
 */
function recognizeCopies(type: Class, name: string): void {
  const brand = Symbol.for(`fw.${name}`);
  Object.defineProperty(type.prototype, brand, { value: true });
  Object.defineProperty(type, Symbol.hasInstance, {
    value(this: unknown, value: unknown): boolean {
      return this === type
        ? Object(value)[brand] === true
        : Function.prototype[Symbol.hasInstance].call(this as CallableFunction, value);
    },
  });
}

/** An error reported by fw itself. Registration errors are thrown; most errors during a request are returned. */
export class FrameworkError extends Error {
  /** The error code, one of {@linkcode ErrorCodes}. */
  readonly Code: ErrorCode;

  /**
   * Creates an error with one of fw's codes.
   *
   * @param code The error code.
   * @param message The error message.
   * @param options The cause of the error, if any.
   */
  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = codedName("FrameworkError", code);
    this.Code = code;
  }

  static {
    recognizeCopies(this, "FrameworkError");
  }
}

/**
 * An error that is sent to the client. If it is thrown while a request is handled, it becomes the response.
 *
 * @example Rejecting a request
 * ```ts
 * import * as fw from "@fw/web";
 *
 * const app = fw.New();
 * app.Get("/teapot", () => {
 *   throw new fw.HTTPError(418, "Short and stout");
 * });
 * const response = await app.fetch(new Request("http://localhost/teapot"));
 * response.status; // → 418
 * await response.text(); // → "Short and stout"
 * ```
 */
export class HTTPError extends Error {
  /** The response status, from 400 to 599. */
  readonly Status: number;
  /** The error code, one of {@linkcode ErrorCodes}, if fw created this error. */
  readonly Code: ErrorCode | undefined;
  /** The time after which the client may try again, in milliseconds, if it is sent as `Retry-After`. */
  readonly RetryAfter: number | undefined;

  /**
   * Creates an error that becomes the response.
   *
   * @param status The response status, from 400 to 599.
   * @param message The response body. Defaults to the status text.
   * @param options The cause, which is logged but never sent to the client, fw's error code, and the time for the
   * `Retry-After` header, in milliseconds.
   * @throws {FrameworkError} If the status is not between 400 and 599.
   */
  constructor(status: number, message = "", options: ErrorOptions & { Code?: ErrorCode; RetryAfter?: number } = {}) {
    if (!Number.isInteger(status) || status < 400 || status > 599) {
      throw new FrameworkError(
        "FW_STATUS",
        `Cannot create an HTTPError with status "${String(status)}": the status must be between 400 and 599`,
      );
    }
    super(message === "" ? statusText(status) : message, options);
    this.name = codedName("HTTPError", options.Code);
    this.Status = status;
    this.Code = options.Code;
    this.RetryAfter = options.RetryAfter;
  }

  static {
    recognizeCopies(this, "HTTPError");
  }
}

/**
 * Creates an error without a stack trace. Compare it by identity.
 *
 * To build a stack trace, V8 reads the topmost module again to find its line breaks. In a bundle that module is the
 * whole framework, which costs 12 ms at every start.
 *
 * @param code The error code.
 * @param message The error message.
 * @returns The error.
 */
export function constantError(code: ErrorCode, message: string): FrameworkError {
  // The stack trace starts below the constructor of the new target. That class is never called, so the trace is empty.
  const error = Reflect.construct(Error, [message], FrameworkError);
  return Object.assign(error, { name: codedName("FrameworkError", code), Code: code });
}

/**
 * The error returned by `FormFile` and `UploadFormFiles` if the request contains no such file. Compare it by identity.
 */
export const ErrMissingFile: FrameworkError = /* @__PURE__ */ constantError(
  "FW_MISSING_FILE",
  "Cannot find an uploaded file: the request contains none",
);

/**
 * Converts a returned error to the one that a client may see. Unlike a thrown error, a returned error is meant for the
 * client.
 *
 * @param error The returned error.
 * @returns The error itself if it has a public form, or an error with its message and its status, which is 400 by
 * default.
 */
export function returnedError(error: Error): HTTPError {
  if (error instanceof HTTPError) return error;
  return new HTTPError(statusOf(error) ?? 400, error.message, { cause: error });
}

/**
 * Returns the status code of an error, such as an `HTTPError`.
 *
 * @param error The error.
 * @returns The status code, if the error has one of 400 or above.
 */
export function statusOf(error: Error): number | undefined {
  const status: unknown = "Status" in error ? error.Status : undefined;
  return isErrorStatus(status) ? status : undefined;
}

/** Reports whether a value is the status code of an error. */
export function isErrorStatus(status: unknown): status is number {
  return typeof status === "number" && Number.isInteger(status) && status >= 400 && status <= 599;
}
