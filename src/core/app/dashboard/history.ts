/**
 * The last requests and problems of an application in development, within fixed limits.
 *
 * @module
 */

import { maskSecrets } from "../../../base/log/secrets.ts";

/** The limits: requests, events of one request, characters of one text, and different problems. */
const MOST_REQUESTS = 200;
const MOST_EVENTS = 200;
const MOST_CHARACTERS = 2_000;
const MOST_PROBLEMS = 200;
/** The limit for all events together. The oldest requests are forgotten first. */
const MOST_EVENTS_IN_ALL = 1_000;

/** An event of a request. Its times are in milliseconds, since the start of the request. */
export interface RequestEvent {
  /** `handler`, `query`, `fetch` or `log`. */
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
  readonly Path: string;
  readonly Time: string;
  /** The status of the response, or 0 while there is none. */
  Status: number;
  /** The time until the response was ready, in milliseconds. */
  Took: number | undefined;
  Route: string;
  User: string;
  readonly Headers: Readonly<Record<string, string>>;
  Response: Readonly<Record<string, string>>;
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

/** The names of headers and parameters whose values are never shown. */
const hidden = /authorization|cookie|token|secret|passw|api-?key|signature|credential|^(?:code|key|sig|state)$/i;
const MOST_HEADERS = 50;

/** Returns headers as a record, without credentials. */
export function shownHeaders(headers: Headers): Record<string, string> {
  const first = [...headers].slice(0, MOST_HEADERS);
  return Object.fromEntries(first.map(([name, value]) => {
    return [name, hidden.test(name) ? "(hidden)" : short(withoutCredentials(value), 200)];
  }));
}

/** Hides the values of parameters with credentials in a path or URL, such as that of a redirect. */
function withoutCredentials(url: string): string {
  return url.replace(/(?<=[?&])([^?=&\s]+)=[^&\s]*/g, (pair, name) => hidden.test(name) ? `${name}=(hidden)` : pair);
}

/** Masks the secrets in a string and limits its length. */
export function short(text: string, most: number = MOST_CHARACTERS): string {
  const masked = maskSecrets(text);
  return masked.length > most ? `${masked.slice(0, most)}…` : masked;
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
  begin(request: Request): RequestEntry {
    const { pathname, search } = new URL(request.url);
    const entry: RequestEntry = {
      ID: ++this.#last,
      Method: request.method,
      Path: short(withoutCredentials(pathname + search)),
      Time: new Date().toISOString(),
      Status: 0,
      Took: undefined,
      Route: "",
      User: "",
      Headers: shownHeaders(request.headers),
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
    while (this.#events > MOST_EVENTS_IN_ALL && this.#requests.length > 1) this.#forget();
  }

  /** Adds a problem, or counts it if it is known. */
  report(level: string, text: string, place: string, request: RequestEntry | undefined): void {
    const key = `${level} ${place} ${text}`;
    const known = this.#problems.get(key);
    const Text = short(text);
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

  #forget(): void {
    this.#events -= this.#requests.shift()?.Events.length ?? 0;
  }
}
