/**
 * The errors of the framework: those with a code, and those with a status.
 *
 * @module
 */

/**
 * The codes of fw's own errors and what each one says of the program.
 *
 * @example Telling a bad template from other start-up failures
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
  FW_TEMPLATE: "A path template cannot be read",
  FW_MACRO: "A parameter type or function is registered wrongly",
  FW_ROUTE: "A route is registered with a bad method, path or handler",
  FW_STATE: "A call comes too early, too late or twice",
  FW_CONFIG: "A configuration value is out of its range",
  FW_ADDRESS: "A listen address cannot be read",
  FW_LISTEN: "The server cannot listen",
  FW_RUNTIME: "The version of Deno is too old",
  FW_HEADER: "A header name or value cannot be sent",
  FW_COOKIE: "A cookie cannot be sent",
  FW_STATUS: "A status code is out of its range",
  FW_PARAM: "A path parameter is absent or of another type",
  FW_FIELD: "A form field or query parameter is absent or of another type",
  FW_BODY: "A request body cannot be read as what it claims to be",
  FW_LIMIT: "A request body is larger than allowed",
  FW_TIMEOUT: "A request takes longer than allowed",
  FW_MISSING_FILE: "A request carries no file",
  FW_UPLOAD: "An uploaded file cannot be saved",
  FW_FILE: "A file cannot be served",
  FW_VALIDATION: "Input does not fit its schema",
  FW_CONTROLLER: "A controller cannot be turned into routes",
  FW_DEPENDENCY: "A dependency is missing or cannot be used here",
  FW_RETURN: "A controller method returned what cannot be sent",
  FW_CLIENT: "A client cannot send a call or read its response",
  FW_VIEW: "A template cannot be found, compiled or rendered",
  FW_SESSION: "A session or its store cannot be used",
  FW_STORE: "A shared store cannot be opened or used",
  FW_LANGUAGE: "Translations cannot be loaded or used",
  FW_LIVE: "A WebSocket connection, a room or a topic cannot be used",
  FW_AUTH: "A token or a login is not valid, or cannot be checked",
} as const;

/** One of the codes in {@linkcode ErrorCodes}. */
export type ErrorCode = keyof typeof ErrorCodes;

/**
 * What reading and checking input returns: the value and `null`, or nothing and the error. The value cannot be used
 * before the error was looked at.
 */
export type Result<T> = readonly [T, null] | readonly [undefined, Error];

/**
 * What reading a number or a truth value returns: the value and `null`, or a stand-in (`-1`, `false`) and the error.
 */
export type Parsed<T> = readonly [T, Error | null];

/** A failure that fw itself reports: at registration it is thrown, at request time mostly returned. */
export class FrameworkError extends Error {
  /** The row of {@linkcode ErrorCodes} that this error belongs to. */
  readonly Code: ErrorCode;

  /**
   * Creates an error of one of fw's rows.
   *
   * @param code The row.
   * @param message The act, then the state.
   * @param options The cause, if there is one.
   */
  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "FrameworkError";
    this.Code = code;
  }
}

/**
 * A failure that the client is meant to see: thrown anywhere below a request, it becomes the response.
 *
 * @example Refusing a request from deep inside
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
  /** The status of the response, 400 to 599. */
  readonly Status: number;
  /** The row of {@linkcode ErrorCodes} when fw itself created this error. */
  readonly Code: ErrorCode | undefined;

  /**
   * Creates an error that becomes the response.
   *
   * @param status The status of the response, 400 to 599.
   * @param message The body of the response; without it, the status text is sent.
   * @param options The cause, which only the log sees, and fw's own code.
   */
  constructor(status: number, message = "", options: ErrorOptions & { Code?: ErrorCode } = {}) {
    if (!Number.isInteger(status) || status < 400 || status > 599) {
      throw new FrameworkError(
        "FW_STATUS",
        `Cannot create an HTTPError of status "${status}": it is not between 400 and 599`,
      );
    }
    super(message, options);
    this.name = "HTTPError";
    this.Status = status;
    this.Code = options.Code;
  }
}

/**
 * Creates an error that is compared, not traced: it has no stack.
 *
 * For an error with a stack V8 reads the module on top of it once more, to find its lines: in a bundle, where that is
 * the whole framework, 12 ms at every start.
 *
 * @param code The row.
 * @param message The act, then the state.
 * @returns The error.
 */
export function constantError(code: ErrorCode, message: string): FrameworkError {
  // The stack begins below the class that is constructed; as that one is never called, nothing of it is left.
  const error = Reflect.construct(Error, [message], FrameworkError);
  return Object.assign(error, { name: "FrameworkError", Code: code });
}

/** What `FormFile` and `UploadFormFiles` return when the request carries no such file; compare by identity. */
export const ErrMissingFile: FrameworkError = /* @__PURE__ */ constantError(
  "FW_MISSING_FILE",
  "Cannot find an uploaded file: the request carries none",
);
