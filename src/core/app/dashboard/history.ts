/**
 * The last requests and problems of an application in development, within fixed limits.
 *
 * @module
 */

import { maskSecrets } from "../../../base/log/secrets.ts";

/** The limits: requests, events of one request, characters of one text, bytes of one body, and different problems. */
const MOST_REQUESTS = 200;
const MOST_EVENTS = 200;
const MOST_CHARACTERS = 2_000;
export const MOST_BODY: number = 16 << 10;
const MOST_PROBLEMS = 200;
/** The limit for all events together. Those of the oldest requests are forgotten first. */
const MOST_EVENTS_IN_ALL = 1_000;

/** An event of a request. Its times are in milliseconds, since the start of the request. */
export interface RequestEvent {
  /** `handler`, `query`, `fetch`, `log`, `job`, `mail`, `tool` or `event`, or that of a driver. */
  readonly Kind: string;
  readonly Text: string;
  readonly At: number;
  /** The duration, or `undefined` while it is running or if it has none. */
  Took: number | undefined;
}

/** A request, as the development pages show it. */
export interface RequestEntry {
  readonly ID: number;
  readonly Method: string;
  /** The scheme and host, such as `http://localhost:8080`. */
  readonly Origin: string;
  readonly Path: string;
  readonly Time: string;
  /** The status of the response, or 0 while there is none. */
  Status: number;
  /** The time until the response was ready, in milliseconds. */
  Took: number | undefined;
  Route: string;
  User: string;
  readonly Headers: Readonly<Record<string, string>>;
  /** The body without secrets, if a handler has read it and it is a short text. */
  Body?: string;
  /** Whether the path or the body differs from the real one, because it contains a secret or is too long. */
  IsMasked: boolean;
  Response: Readonly<Record<string, string>>;
  /** The size of the response body in bytes, if it is known. */
  Size?: number | undefined;
  readonly Events: RequestEvent[];
}

/** Something that a developer should look at. */
export interface Problem {
  readonly Level: string;
  readonly Text: string;
  /** The file and line, if they are known. */
  readonly Place: string;
  /** The ID of the last request in which it occurred, or 0. */
  Request: number;
  Times: number;
  Last: string;
}

/** The number of histories that were restored. */
let restored = 0;

/** The names of headers, parameters and variables whose values are never shown. */
const hidden =
  /authorization|cookie|token|secret|passw|passphrase|(?:api|access|private|signing)[-_]?key|_key$|signature|credential|^(?:code|key|pin|otp|sig|state)$/i;
const MOST_HEADERS = 50;

/** The text in place of a value that is not shown. */
export const HIDDEN = "(hidden)";

/** Returns headers as a record, without credentials. */
export function shownHeaders(headers: Headers): Record<string, string> {
  const names: string[] = [];
  const values: string[] = [];
  // An iterator takes four times as long.
  headers.forEach((value, name) => void (names.push(name) && values.push(value)));
  const all = values.join("\n");
  // Most headers have nothing to hide, which one search shows.
  const isPlain = all.length < MOST_CHARACTERS && !/[?&]/.test(all) && maskSecrets(all) === all;
  // A header may have the name "__proto__".
  const shown: Record<string, string> = Object.create(null);
  names.slice(0, MOST_HEADERS).forEach((name, at) => {
    const value = values[at] ?? "";
    const isShort = isPlain && value.length <= 200;
    shown[name] = hidden.test(name) ? HIDDEN : isShort ? value : short(withoutCredentials(value), 200);
  });
  return shown;
}

/** Hides the values of parameters with credentials in a path or URL, such as that of a redirect. */
export function withoutCredentials(url: string): string {
  return url.replace(
    /([?&][^?=&\s]+)=[^&\s]*/g,
    (pair, name) => hidden.test(name.slice(1)) ? `${name}=${HIDDEN}` : pair,
  );
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Adds a body to a request, without secrets, unless it is too long or not text. */
export function addBody(entry: RequestEntry, body: string | Uint8Array): void {
  if (body.length > MOST_BODY || (typeof body === "string" ? body.includes("\0") : body.includes(0))) return;
  const text = typeof body === "string" ? body : decoder.decode(body);
  entry.Body = maskSecrets(withoutFields(text, entry.Headers["content-type"] ?? ""));
  entry.IsMasked ||= entry.Body !== text;
}

/** Hides the values of fields with credentials. Any other body that mentions such a field is hidden completely. */
function withoutFields(text: string, type: string): string {
  if (type.includes("x-www-form-urlencoded")) return withoutCredentials(`?${text}`).slice(1);
  if (!hidden.test(text) && !/"(?:code|key|pin|otp|sig|state)"/i.test(text)) return text;
  try {
    const value: unknown = JSON.parse(text);
    const shown = JSON.stringify(value, (name, each) => hidden.test(name) ? HIDDEN : each);
    return shown === JSON.stringify(value) ? text : shown;
  } catch {
    return HIDDEN;
  }
}

/** Hides the values of members with credentials, at any depth. */
export function withoutSecrets(value: unknown): unknown {
  const text = JSON.stringify(value, (name, each) => {
    if (hidden.test(name)) return HIDDEN;
    return typeof each === "string"
      ? short(withoutPassword(each), 200)
      : typeof each === "bigint"
      ? String(each)
      : each;
  });
  return text === undefined ? undefined : JSON.parse(text);
}

/** Hides the password of a URL, such as that of a database. */
function withoutPassword(text: string): string {
  return text.replace(/(:\/\/[^/@\s:]*:)[^/@\s]+@/g, `$1${HIDDEN}@`);
}

/** Masks the secrets in a string and limits its length. */
export function short(text: string, most: number = MOST_CHARACTERS): string {
  const masked = maskSecrets(text);
  // A part of a string would keep the whole string in memory.
  return masked.length > most ? `${JSON.parse(JSON.stringify(masked.slice(0, most)))}…` : masked;
}

/** Returns the position of the path in a URL. */
export function pathAt(url: string): number {
  const at = url.indexOf("/", url.indexOf("//") + 2);
  return at < 0 ? url.length : at;
}

/** The requests and problems. */
export class History {
  readonly #requests: RequestEntry[] = [];
  readonly #problems = new Map<string, Problem>();
  #last = 0;
  #events = 0;

  /** Returns the requests, the newest first. */
  get requests(): readonly RequestEntry[] {
    return this.#requests.toReversed();
  }

  /** Returns the problems, the newest first. */
  get problems(): readonly Problem[] {
    return [...this.#problems.values()].reverse();
  }

  /** Returns a request, unless it has been forgotten. */
  find(id: number): RequestEntry | undefined {
    return this.#requests.find(({ ID }) => ID === id);
  }

  /** Adds a request. */
  begin({ url, method, headers }: Request): RequestEntry {
    const at = pathAt(url);
    const path = url.slice(at);
    const Path = short(withoutCredentials(path));
    const entry: RequestEntry = {
      ID: ++this.#last,
      Method: method,
      Origin: url.slice(0, at),
      Path,
      IsMasked: Path !== path,
      Time: new Date().toISOString(),
      Status: 0,
      Took: undefined,
      Route: "",
      User: "",
      Headers: shownHeaders(headers),
      Response: {},
      Events: [],
    };
    this.#requests.push(entry);
    if (this.#requests.length > MOST_REQUESTS) this.#forget();
    return entry;
  }

  /** Adds an event to a request, unless it has too many. */
  add(entry: RequestEntry, event: RequestEvent): void {
    if (entry.Events.length >= MOST_EVENTS) return;
    entry.Events.push(event);
    this.#events++;
    while (this.#events > MOST_EVENTS_IN_ALL) {
      const oldest = this.#requests.find(({ Events }) => Events.length > 0);
      if (oldest === undefined) return;
      this.#events -= oldest.Events.length;
      oldest.Events.length = 0;
    }
  }

  /** Adds a problem, or counts it if it is known. */
  report(level: string, text: string, place: string, request: RequestEntry | undefined): void {
    const Text = short(text);
    const key = `${level} ${place} ${Text}`;
    const known = this.#problems.get(key);
    const problem = known ?? { Level: level, Text, Place: place, Request: 0, Times: 0, Last: "" };
    problem.Request = request?.ID ?? problem.Request;
    problem.Times++;
    problem.Last = new Date().toISOString();
    // The newest problem is the last one of the map.
    this.#problems.delete(key);
    this.#problems.set(key, problem);
    const [oldest] = this.#problems.keys();
    if (this.#problems.size > MOST_PROBLEMS && oldest !== undefined) this.#problems.delete(oldest);
  }

  /** Continues the history that this process had before `--watch` started its program again, and saves its own. */
  restore(): void {
    // A process may have several applications, and storage may be that of several programs.
    const key = `fw development ${Deno.mainModule} ${++restored}`;
    // A program that fails is started again as well.
    for (const event of ["unload", "error", "unhandledrejection"]) addEventListener(event, () => this.#save(key));
    try {
      const { pid, last, requests, problems } = JSON.parse(localStorage.getItem(key) ?? "{}");
      // Another process has nothing to do with this one. A program that is started again has the same process.
      if (pid !== Deno.pid || this.#last > 0) return;
      this.#requests.push(...requests);
      this.#events = this.#requests.reduce((sum, { Events }) => sum + Events.length, 0);
      this.#last = last;
      for (const problem of problems) this.#problems.set(`${problem.Level} ${problem.Place} ${problem.Text}`, problem);
    } catch {
      // Without storage, the history begins with the program.
    }
  }

  #save(key: string): void {
    const state = { pid: Deno.pid, last: this.#last, requests: this.#requests, problems: this.problems.toReversed() };
    try {
      localStorage.setItem(key, JSON.stringify(state));
    } catch {
      // The storage is full or not available.
    }
  }

  #forget(): void {
    this.#events -= this.#requests.shift()?.Events.length ?? 0;
  }
}
