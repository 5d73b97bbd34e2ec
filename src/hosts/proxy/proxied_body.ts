/**
 * The body of a proxied response.
 *
 * @module
 */

import { whenAborted } from "../../base/async/when_aborted.ts";
import { HTTPError } from "../../base/errors/errors.ts";
import { toError } from "../../base/errors/to_error.ts";
import { homePath } from "../../core/exchange/public_url.ts";
import type { RequestTarget } from "../../core/exchange/request_target.ts";
import { trimFinalSlashes } from "../../http/headers/path.ts";
import { encodedPath, searchOf } from "../../http/headers/request_url.ts";

/** The conditions under which a body is passed on. */
export interface BodyTerms {
  /** The maximum number of bytes. */
  readonly limit: number;
  /** The maximum time between two parts, in milliseconds, or 0. */
  readonly idle: number;
  /** The declared number of bytes, or `undefined`. */
  readonly length: number | undefined;
  /**
   * Delays the end of the body. The upload of a request ends with its response, so that an upstream server which
   * responds early would receive a part of it.
   */
  readonly uploaded: Promise<void> | undefined;
  /** Ends the body as if it were complete. */
  readonly leaving: AbortSignal | undefined;
  /** Called when the body has ended. */
  closed?(): void;
  /** Called if the body ends early. */
  failed(error: Error): void;
}

type Chunk = Uint8Array<ArrayBuffer>;

/** Passes on a body. Reading ahead would keep the data of slow clients in memory, so nothing is buffered. */
export function proxiedBody(body: ReadableStream<Chunk>, terms: BodyTerms): ReadableStream<Chunk> {
  const reader = body.getReader();
  const { limit, length, idle, uploaded, leaving, failed } = terms;
  let count = 0;
  let isOver = false;
  let forget = () => {};
  const end = () => {
    isOver = true;
    forget();
    terms.closed?.();
  };
  return new ReadableStream<Chunk>({
    start(controller) {
      if (leaving === undefined) return;
      forget = whenAborted(leaving, () => {
        end();
        controller.close();
        reader.cancel().catch(() => {});
      });
    },
    async pull(controller) {
      try {
        const { done, value } = await inTime(reader.read(), idle);
        if (isOver) return;
        if (!done) count += value.length;
        if (count > limit) throw new RangeError(`The response of the upstream server exceeds ${limit} bytes`);
        // The platform ends a response with its last byte, not with its stream.
        if (done || count === length) await uploaded;
        if (isOver) return;
        if (!done) return controller.enqueue(value);
        end();
        controller.close();
      } catch (thrown) {
        if (isOver) return;
        end();
        const error = toError(thrown);
        failed(error);
        controller.error(error);
        reader.cancel().catch(() => {});
      }
    },
    cancel(reason) {
      end();
      // The signal of the request may have ended the body already.
      return reader.cancel(reason).catch(() => {});
    },
  }, { highWaterMark: 0 });
}

async function inTime<T>(reading: Promise<T>, idle: number): Promise<T> {
  if (idle <= 0) return await reading;
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new DOMException(`The upstream server sent nothing for ${idle} ms`, "TimeoutError")),
    idle,
  );
  try {
    return await Promise.race([reading, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** The place of a request at the upstream server. */
export interface UpstreamPlace {
  readonly url: URL;
  /** The public path that corresponds to the path of the upstream server, without a final slash. */
  readonly prefix: string;
}

/** The place of a request that has been sent. */
export interface ToldPlace extends UpstreamPlace {
  /** Whether the upstream server has received the prefix, so that it may have added it to its paths. */
  readonly isTold: boolean;
}

/**
 * Returns the URL of the upstream server for a request.
 *
 * @param target The request.
 * @param base The URL of the upstream server.
 * @param depth The number of path segments that are not passed on, which is that of the party's prefix.
 * @throws {HTTPError} With status 400 if the upstream server could read another path than the guards of this
 * application.
 */
export function upstreamPlace(target: RequestTarget, base: URL, depth: number): UpstreamPlace {
  const path = encodedPath(target);
  let start = 0;
  for (let at = 0; at < depth && start >= 0; at++) start = path.indexOf("/", start + 1);
  const removed = start < 0 ? path : path.slice(0, start);
  const rest = path.slice(removed.length);
  if (isAmbiguous(rest)) throw new HTTPError(400, "The path contains hidden segments");
  // The URL parser would turn a backslash into a slash.
  const joined = trimFinalSlashes(base.pathname) + rest.replaceAll("\\", "%5C");
  return {
    url: new URL(`${base.origin}${joined || "/"}${searchOf(target)}`),
    prefix: homePath(target) + trimFinalSlashes(removed),
  };
}

/**
 * Reports whether other servers read a path differently: those that decode it before they split it, as in
 * `x%2f..%2fadmin`, and those in Java, for which `admin;x` and `..;` are `admin` and `..`.
 */
function isAmbiguous(path: string): boolean {
  const decoded = path.replace(/%2e/gi, ".").replace(/%2f|%5c/gi, "/");
  return /[\0-\x20\x7f;]|%[01][0-9a-f]|%3b/i.test(decoded) || /(?:^|[/\\])\.\.?(?:[/\\]|$)/.test(decoded);
}

/**
 * Returns the public URL for a URL of the upstream server.
 *
 * @param location The value of a `Location` header.
 * @param place The place of the request.
 * @param base The URL of the upstream server.
 * @returns The public path, or the location itself if it leads elsewhere or is relative to the request.
 */
export function publicLocation(location: string, { url, prefix, isTold }: ToldPlace, base: URL): string {
  if (!/^(?:[a-z][a-z0-9+.-]*:|\/)/i.test(location) || !URL.canParse(location, url)) return location;
  const { origin, pathname, search, hash } = new URL(location, url);
  const root = trimFinalSlashes(base.pathname);
  // An upstream server that takes the prefix from trusted proxies has already added it.
  const own = isTold && prefix !== "" && isBelow(pathname, prefix) ? pathname.slice(prefix.length) || "/" : pathname;
  if (origin !== base.origin || !isBelow(own, root)) return location;
  const path = prefix + own.slice(root.length);
  // A path that begins with two slashes would lead to another host.
  return `${path.replace(/^\/{2,}/, "/") || "/"}${search}${hash}`;
}

function isBelow(path: string, root: string): boolean {
  return path === root || path.startsWith(`${root}/`);
}
