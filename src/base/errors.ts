/**
 * The errors of the framework: those with a code, those with a status, and problem details (RFC 9457).
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
  FW_AUTH: "A token or a login is not valid, or cannot be checked",
} as const;

/** One of the codes in {@linkcode ErrorCodes}. */
export type ErrorCode = keyof typeof ErrorCodes;

/**
 * What reading and checking input returns: the value and `null`, or nothing and the error. The value cannot be used before
 * the error was looked at.
 */
export type Result<T> = readonly [T, null] | readonly [undefined, Error];

/** What reading a number or a truth value returns: the value and `null`, or a stand-in (`-1`, `false`) and the error. */
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
export const ErrMissingFile: FrameworkError = constantError(
  "FW_MISSING_FILE",
  "Cannot find an uploaded file: the request carries none",
);

/**
 * Makes sure that an error slot holds an error.
 *
 * @param thrown What was thrown.
 * @returns The value itself if it is an error, else a new error with the value as its cause.
 */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error("A value that is not an Error was thrown", { cause: thrown });
}

/**
 * Says in words what was thrown.
 *
 * @param thrown What was thrown.
 * @returns The message of an error, or the value as text.
 */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

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
