/**
 * The cache implementation: lookup, request collapsing, filling and revalidation.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { runShared } from "../../base/async/async_context.ts";
import { clientTexts } from "../../core/context/client_bound.ts";
import { type Context, exchangeOf } from "../../core/context/context.ts";
import { onSend } from "../../core/exchange/ending/end_tasks.ts";
import { outermostExchange } from "../../core/exchange/exchange.ts";
import type { User } from "../../core/context/user.ts";
import { passOn } from "../../core/exchange/peer/outer_call.ts";
import type { PassedConnection } from "../../core/exchange/peer/peer_address.ts";
import { claimsTLS, notePlain } from "../../core/exchange/peer/request_scheme.ts";
import { readHeader, setHeader, varyBy } from "../../http/response/draft.ts";
import { readBody, transformBody } from "../../http/response/draft_body.ts";
import type { CachedResponse } from "./cached_response.ts";
import { applyConditions } from "./conditional_hit.ts";
import { collect, Fills } from "./fills.ts";
import { GuardedStore } from "./guarded_store.ts";
import { InnerResponse, type Produced } from "./inner_response.ts";
import {
  type Facts,
  factsAfter,
  factsBefore,
  hasCredentials,
  joinedNames,
  matches,
  namesIn,
  permissionOf,
  variantKey,
  wantsFresh,
} from "./policy.ts";
import type { Store } from "./store.ts";
import { labelsOf, variedLabels } from "../../core/exchange/labels.ts";
import { isStream } from "../../http/response/platform_response.ts";

/** The settings of a cache. */
export interface Settings {
  readonly maxAge: number;
  readonly staleFor: number;
  readonly maxBody: number;
  readonly maxWait: number;
  readonly key: (ctx: Context) => string;
  /** Returns the keys that a write invalidates. */
  readonly writeKeys: (ctx: Context) => readonly string[];
  readonly store: Store;
  readonly ignoreReload: boolean;
  /** The response headers that are not stored. */
  readonly omit: ReadonlySet<string>;
}

/** Headers that are specific to a connection or to a single run of the handlers. */
const unkept: ReadonlySet<string> = new Set([
  "age",
  "cache-status",
  "connection",
  "content-length",
  "date",
  "keep-alive",
  "server-timing",
  "traceparent",
  "tracestate",
  "transfer-encoding",
  "x-response-time",
]);
const writes: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH", "DELETE"]);
/** Request headers that may result in a response without the whole body. */
const conditions = ["if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "range"];
/** The maximum clock difference between machines that share a store, in milliseconds. */
const mostSkew = 5000;

/** A response that is being created. */
interface Page {
  readonly ctx: Context;
  readonly key: string;
  /** The value of the invalidation counter when the response was started. */
  readonly since: number;
  readonly inner: InnerResponse;
  /** The facts about the request that were known before its handlers ran. */
  readonly facts: Facts;
  /** The user that a guard around the cache has set. */
  readonly user: User | undefined;
  /** Whether middleware around the cache has read cookies. */
  readonly readsCookies: boolean;
  /** Passes the result to the waiting requests. */
  readonly done: (response?: CachedResponse) => void;
}

/** The stored parts of a response other than the body. */
type Head = Omit<CachedResponse, "Body">;

/** A cache, including the requests that are currently filling it. */
export class Cache {
  readonly #settings: Settings;
  readonly #store: GuardedStore;
  readonly #fills: Fills;
  readonly #renewals = new WeakSet<Request>();

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#store = new GuardedStore(settings.store);
    this.#fills = new Fills(settings.maxWait);
  }

  /** Serves a request from the cache, or runs the handlers and stores their response. */
  async handle(ctx: Context): Promise<void> {
    const method = ctx.Method();
    if (writes.has(method)) return await this.#forget(ctx, this.#settings.writeKeys(ctx));
    const key = this.#settings.key(ctx);
    if ((method !== "GET" && method !== "HEAD") || key === "") return await ctx.Next();
    // One cache may be used twice for a request, such as in an application and in one that is mounted in it.
    if (this.#fills.isOwn(key, callOf(ctx))) return await ctx.Next();
    // Without the value of a label, the response might be sent to requests with another value.
    if (variedLabels(exchangeOf(ctx)) === undefined) return await ctx.Next();
    for (const { rule: { header } } of labelsOf(exchangeOf(ctx))) {
      if (header !== "") varyBy(exchangeOf(ctx).draft, header);
    }
    const { headers } = ctx.Request();
    const isRenewal = this.#renewals.has(ctx.Request());
    const isReload = isRenewal || (!this.#settings.ignoreReload && wantsFresh(headers));
    const found = isReload ? undefined : await this.#find(ctx, key);
    if (found !== undefined && this.#serve(ctx, key, found)) return;
    if (method === "HEAD") return await ctx.Next();
    // Responses to requests with credentials are not shared, so such requests do not wait for each other.
    if (isReload || isIdentified(ctx) || this.#fills.isPassed(key)) return await this.#fill(ctx, key);
    const filling = this.#fills.outcome(key);
    if (filling === undefined) return await this.#fillFirst(ctx, key);
    const response = await filling;
    if (response !== undefined && matches(ctx, response)) {
      return this.#write(ctx, response, "hit; detail=collapsed");
    }
    await this.#fill(ctx, key);
  }

  /** Finds a matching entry, stored either under the key itself or as a variant. */
  async #find(ctx: Context, key: string): Promise<CachedResponse | undefined> {
    const first = await this.#store.get(ctx, key);
    if (first === undefined) return undefined;
    const found = matches(ctx, first) ? first : await this.#store.get(ctx, variantKey(ctx, key, first));
    if (found === undefined || !matches(ctx, found)) return undefined;
    return found.Public || !isIdentified(ctx) ? found : undefined;
  }

  /** Serves an entry if it is fresh, or if it is stale and can be revalidated in the background. */
  #serve(ctx: Context, key: string, response: CachedResponse): boolean {
    const age = ageOf(response);
    if (age <= response.Fresh) {
      this.#write(ctx, response, `hit; ttl=${Math.floor((response.Fresh - age) / 1000)}`);
      return true;
    }
    if (age > response.Fresh + this.#settings.staleFor) return false;
    this.#write(ctx, response, "hit; detail=stale");
    this.#renew(ctx, key);
    return true;
  }

  /** Writes an entry. Headers that outer middleware has set for this client are kept. */
  #write(ctx: Context, response: CachedResponse, status: string): void {
    const recorder = ctx.Recorder();
    ctx.StatusCode(response.Status);
    for (const name of response.Removed ?? []) ctx.Header(name, "");
    for (const [name, value] of response.Headers) {
      ctx.Header(name, name === "vary" ? joinedNames(recorder.GetHeader("vary"), value) : value);
    }
    ctx.Header("age", String(Math.floor(ageOf(response) / 1000)));
    ctx.Header("cache-status", `fw; ${status}`);
    // The error page for an error without a body is written later, in a format that this client accepts.
    if (response.Body.length > 0) ctx.Write(response.Body);
    if (response.Status === 200) applyConditions(ctx, response);
  }

  /** Runs the handlers for all requests that wait for the same key. */
  async #fillFirst(ctx: Context, key: string): Promise<void> {
    const done = this.#fills.begin(key, callOf(ctx), () => ctx.OnConnectionClose(() => done()));
    // Release the waiting requests, no matter how this request ends.
    ctx.OnClose(() => done());
    await this.#fill(ctx, key, done);
  }

  /** Runs the handlers and stores the response if allowed. */
  async #fill(ctx: Context, key: string, done: Page["done"] = ignore): Promise<void> {
    // The recorder keeps the body readable.
    ctx.Recorder();
    const page: Page = {
      ctx,
      key,
      since: this.#store.begin(),
      inner: new InnerResponse(ctx),
      facts: factsBefore(ctx),
      user: ctx.User(),
      readsCookies: exchangeOf(ctx).readsCookies,
      done,
    };
    onSend(exchangeOf(ctx), async () => {
      const isStored = await this.#keep(page);
      ctx.Header("cache-status", isStored ? "fw; fwd=miss; stored" : "fw; fwd=miss");
    });
    await ctx.Next();
    page.inner.noteEnd();
  }

  /** Stores a complete response, or collects a streamed response while it is sent. */
  async #keep(page: Page): Promise<boolean> {
    const { ctx, inner } = page;
    const { maxBody, maxAge } = this.#settings;
    // This check is cheap and applies to most responses that are not stored.
    if (maxAge === 0 && readHeader(exchangeOf(ctx).draft, "cache-control") === "") return this.#leave(page);
    const produced = inner.produced();
    const head = produced && this.#headOf(page, produced);
    if (produced === undefined || head === undefined) return this.#leave(page);
    if (!produced.hasBody) return await this.#settle(page, head, new Uint8Array());
    const { draft } = exchangeOf(ctx);
    if (Number(produced.all.get("content-length")) > maxBody) return this.#leave(page);
    const body = await readBody(draft, maxBody, false);
    // Copy the bytes, because outer middleware may still change them in place.
    if (body !== null) return await this.#settle(page, head, body.slice());
    if (!isStream(draft.body)) return this.#leave(page);
    this.#collect(page, head, produced.all.get("content-length"));
    return false;
  }

  #collect(page: Page, head: Head, length: string | null): void {
    const { ctx } = page;
    const { draft } = exchangeOf(ctx);
    const { promise, resolve } = Promise.withResolvers<void>();
    transformBody(draft, (stream) =>
      collect(stream, this.#settings.maxBody, (bytes) => {
        const settling = bytes === undefined ? this.#leave(page) : this.#settle(page, head, bytes);
        Promise.resolve(settling).then(() => resolve());
      }));
    if (length !== null) setHeader(draft, "content-length", length);
    // A shutdown waits until the response has been stored.
    ctx.OnClose(() => promise);
  }

  /** Returns the stored parts of a response, or `undefined` if it must not be stored. */
  #headOf(page: Page, { status, headers, removed, all, vary: named }: Produced): Head | undefined {
    const { ctx } = page;
    const { maxAge, omit } = this.#settings;
    const { fresh, isPublic } = permissionOf(status, headers, all, maxAge);
    // A response that comes from another cache has already spent a part of its lifetime there.
    const age = Number(headers.get("age")) * 1000 || 0;
    if (fresh <= age || (isIdentified(ctx) && !isPublic) || isGuarded(page)) return undefined;
    if (exchangeOf(ctx).extras?.isVariedInside === true) return undefined;
    const { headers: asked } = ctx.Request();
    // Handlers that have read cookies may write another page for a client that sends some.
    const vary = isPublic && readsCookies(page) ? joinedNames(named, "Cookie") : named;
    const names = namesIn(vary);
    const facts = factsAfter(ctx, page.facts);
    const own = [...headers].filter(([name]) => name !== "vary" && !unkept.has(name) && !omit.has(name));
    return {
      Status: status,
      Headers: names.length === 0 ? own : [...own, ["vary", joinedNames(vary)]],
      Stored: Date.now() - Math.max(0, age),
      Fresh: fresh,
      Vary: names.map((name) => [name, asked.get(name) ?? ""]),
      Public: isPublic,
      ID: crypto.randomUUID(),
      ...facts.length > 0 && { Facts: facts },
      ...removed.length > 0 && { Removed: removed },
    };
  }

  /** Stores a response and passes it to the waiting requests. */
  async #settle(page: Page, head: Head, Body: Uint8Array<ArrayBuffer>): Promise<boolean> {
    const response = { ...head, Body };
    if (holdsText(response, clientTexts(page.ctx))) return this.#leave(page);
    const isStored = Body.length <= this.#settings.maxBody && await this.#put(page, response);
    page.done(response);
    return isStored;
  }

  /** Releases the requests that wait for a response that will not be stored. */
  #leave(page: Page): false {
    this.#fills.pass(page.key);
    page.done();
    return false;
  }

  /** Stores a response under its key, or as a variant if the key holds another variant. */
  async #put({ ctx, key, since }: Page, response: CachedResponse): Promise<boolean> {
    const mayVary = response.Vary.length > 0 || response.Facts !== undefined;
    const first = mayVary ? await this.#store.get(ctx, key) : undefined;
    const isVariant = first !== undefined && !isAlone(first, response) && !matches(ctx, first);
    const place = isVariant ? variantKey(ctx, key, first) : key;
    return await this.#store.set(ctx, place, response, response.Fresh + this.#settings.staleFor, since);
  }

  /** Revalidates an entry in the background, at most once at a time. A shutdown waits for the revalidation. */
  #renew(ctx: Context, key: string): void {
    if (this.#fills.has(key)) return;
    const { url, headers } = ctx.Request();
    const request = new Request(url, { headers });
    // The whole response is needed, not a part or a 304 for this client.
    for (const name of conditions) request.headers.delete(name);
    this.#renewals.add(request);
    if (claimsTLS(ctx.Request())) notePlain(request);
    const done = this.#fills.begin(key);
    const renewing = this.#fetchAgain(ctx, request).finally(() => done());
    ctx.OnClose(() => renewing);
  }

  async #fetchAgain(ctx: Context, request: Request): Promise<void> {
    try {
      const exchange = exchangeOf(ctx);
      const remoteAddr = exchange.connection?.remoteAddr;
      const renewal = {
        // Use the same remote address, so that proxy headers are trusted if they were trusted for the first request.
        ...remoteAddr && { remoteAddr },
        // The call that has caused the renewal may have ended, so its exchange is not passed on.
        outer: passOn({
          ...exchange.target.outer,
          exchange: undefined,
          requestID: exchange.id,
          isRenewal: true,
        }),
      } satisfies PassedConnection;
      const response = await runShared(() => ctx.Application().fetch(request, renewal));
      // Read the whole body, because a streamed response is stored after its last byte.
      await response.body?.pipeTo(new WritableStream());
    } catch (error) {
      ctx.Logger().Error("Cannot revalidate a cached response:", error);
    }
  }

  /** Invalidates the cached responses for a URL after a successful write (RFC 9111, 4.4). */
  async #forget(ctx: Context, keys: readonly string[]): Promise<void> {
    const recorder = ctx.Recorder();
    onSend(exchangeOf(ctx), async () => {
      if (recorder.GetStatusCode() < 400) await Promise.all(keys.map((key) => this.#store.delete(ctx, key)));
    });
    await ctx.Next();
  }
}

/**
 * Reports whether a response may be specific to this client, because the client sent credentials or was authenticated
 * by a guard.
 */
function isIdentified(ctx: Context): boolean {
  return hasCredentials(ctx.Request().headers) || ctx.User() !== undefined;
}

/** Reports whether a response replaces the first one under its key, because neither is one of several variants. */
function isAlone(first: CachedResponse, { Facts = [] }: CachedResponse): boolean {
  return first.Vary.length === 0 && first.Facts === undefined && Facts.every(([name]) => name === "language");
}

/**
 * Reports whether the client was identified behind the cache. The cache would serve the response without running that
 * guard, so the response is not stored, even if it is public.
 */
function isGuarded(page: Page): boolean {
  const { ctx, user } = page;
  const { headers } = ctx.Request();
  if (ctx.User() !== user || (user === undefined && headers.has("authorization"))) return true;
  return headers.has("cookie") && readsCookies(page);
}

/** Reports whether handlers behind the cache were the first to read cookies. */
function readsCookies({ ctx, readsCookies: isReadBefore }: Page): boolean {
  return !isReadBefore && exchangeOf(ctx).readsCookies;
}

/** Reports whether a response contains one of the given strings, in a header or in its body. */
function holdsText({ Headers: headers, Body }: CachedResponse, texts: readonly string[]): boolean {
  const body = Buffer.from(Body.buffer, Body.byteOffset, Body.byteLength);
  return texts.some((text) => headers.some(([, value]) => value.includes(text)) || body.includes(text));
}

function ignore(): void {}

/**
 * Returns the age of an entry, in milliseconds. If the clock was set back, an entry may appear to be from the future.
 * Such an entry is treated as expired, because its lifetime would otherwise grow by the difference.
 */
function ageOf({ Stored }: CachedResponse): number {
  const age = Date.now() - Stored;
  return age < -mostSkew ? Infinity : Math.max(0, age);
}

/** Returns the request of a call, which is the same in all applications that it passes through. */
function callOf(ctx: Context): Request {
  return outermostExchange(exchangeOf(ctx)).request;
}
