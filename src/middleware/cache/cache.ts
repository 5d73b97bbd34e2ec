/**
 * The cache at work: look up, wait, fill, renew.
 *
 * @module
 */

import { type Context, exchangeOf } from "../../context/context.ts";
import type { Recorder } from "../../context/recorder.ts";
import { sendNotModified } from "../not_modified.ts";
import type { CachedResponse } from "./cached_response.ts";
import { hasCredentials, permissionOf, refusesCached } from "./policy.ts";
import type { Store } from "./store.ts";

/** How a cache works. */
export interface Settings {
  readonly maxAge: number;
  readonly staleFor: number;
  readonly maxBody: number;
  readonly key: (ctx: Context) => string;
  readonly store: Store;
  readonly ignoreReload: boolean;
}

/** Headers that belong to one connection or one response. */
const unkept: ReadonlySet<string> = new Set([
  "age",
  "cache-status",
  "connection",
  "content-length",
  "date",
  "keep-alive",
]);
const writes: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH", "DELETE"]);
/** How long a key whose response could not be kept is passed by, so that its requests do not queue for one another. */
const passFor = 5000;
const mostPassed = 10_000;

/** One cache, with the requests that fill it right now. */
export class Cache {
  readonly #settings: Settings;
  readonly #filling = new Map<string, Promise<CachedResponse | undefined>>();
  readonly #passed = new Map<string, number>();
  readonly #renewals = new WeakSet<Request>();

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** Serves a request from the cache, or runs the handlers and keeps what they respond. */
  async handle(ctx: Context): Promise<void> {
    const method = ctx.Method();
    const key = this.#settings.key(ctx);
    if (writes.has(method)) return await this.#forget(ctx, key);
    if ((method !== "GET" && method !== "HEAD") || key === "") return await ctx.Next();
    const { headers } = ctx.Request();
    const isRenewal = this.#renewals.has(ctx.Request());
    const isReload = isRenewal || (!this.#settings.ignoreReload && refusesCached(headers));
    const found = isReload ? undefined : await this.#find(ctx, key);
    if (found !== undefined && this.#serve(ctx, key, found)) return;
    if (method === "HEAD") return await ctx.Next();
    // What one client's credentials bring is not shared, so such a request is neither waited for nor made to wait.
    if (isReload || hasCredentials(headers) || this.#isPassed(key)) return await this.#fill(ctx, key);
    const filling = this.#filling.get(key);
    if (filling === undefined) return await this.#fillFirst(ctx, key);
    const response = await filling;
    if (response !== undefined && matches(response, headers)) {
      return this.#write(ctx, response, "hit; detail=collapsed");
    }
    await this.#fill(ctx, key);
  }

  /** Finds an entry that fits the request: under its key, or among the variants of it. */
  async #find(ctx: Context, key: string): Promise<CachedResponse | undefined> {
    const { headers } = ctx.Request();
    const first = await this.#settings.store.Get(key);
    if (first === undefined) return undefined;
    const found = matches(first, headers) ? first : await this.#settings.store.Get(variantKey(key, first, headers));
    if (found === undefined || !matches(found, headers)) return undefined;
    return found.Public || !hasCredentials(headers) ? found : undefined;
  }

  /** Serves an entry if it is fresh, or stale and about to be renewed. */
  #serve(ctx: Context, key: string, response: CachedResponse): boolean {
    const age = Date.now() - response.Stored;
    if (age <= response.Fresh) {
      this.#write(ctx, response, `hit; ttl=${Math.floor((response.Fresh - age) / 1000)}`);
      return true;
    }
    if (age > response.Fresh + this.#settings.staleFor) return false;
    this.#write(ctx, response, "hit; detail=stale");
    this.#renew(ctx, key);
    return true;
  }

  #write(ctx: Context, response: CachedResponse, status: string): void {
    ctx.StatusCode(response.Status);
    for (const [name, value] of response.Headers) ctx.Header(name, value);
    ctx.Header("age", String(Math.max(0, Math.floor((Date.now() - response.Stored) / 1000))));
    ctx.Header("cache-status", `fw; ${status}`);
    ctx.Write(response.Body);
    if (response.Status === 200) sendNotModified(ctx, ctx.Recorder());
  }

  /** Runs the handlers for all that wait for the same key. */
  async #fillFirst(ctx: Context, key: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<CachedResponse | undefined>();
    this.#filling.set(key, promise);
    const done = (response?: CachedResponse) => {
      if (this.#filling.get(key) === promise) this.#filling.delete(key);
      resolve(response);
    };
    // However the request ends, those who wait must not wait for ever.
    ctx.OnClose(() => done());
    await this.#fill(ctx, key, done);
  }

  /** Runs the handlers and keeps the response if it may be kept. */
  async #fill(ctx: Context, key: string, done?: (response?: CachedResponse) => void): Promise<void> {
    ctx.Recorder().OnSend(async (recorder) => {
      const response = await this.#keep(ctx, key, recorder);
      if (response === undefined) this.#pass(key);
      ctx.Header("cache-status", response === undefined ? "fw; fwd=miss" : "fw; fwd=miss; stored");
      done?.(response);
    });
    await ctx.Next();
  }

  async #keep(ctx: Context, key: string, recorder: Recorder): Promise<CachedResponse | undefined> {
    const headers = recorder.Headers();
    const { headers: asked } = ctx.Request();
    const { fresh, isPublic } = permissionOf(recorder.StatusCode(), headers, this.#settings.maxAge);
    if (fresh === 0 || (hasCredentials(asked) && !isPublic)) return undefined;
    const body = recorder.Body() ?? await recorder.ReadBody(this.#settings.maxBody);
    if (body === null || body.length > this.#settings.maxBody) return undefined;
    const vary = (headers.get("vary") ?? "").split(",").map((name) => name.trim().toLowerCase()).filter(Boolean).sort();
    const response: CachedResponse = {
      Status: recorder.StatusCode(),
      Headers: [...headers].filter(([name]) => !unkept.has(name)),
      Body: body,
      Stored: Date.now(),
      Fresh: fresh,
      Vary: vary.map((name) => [name, asked.get(name) ?? ""]),
      Public: isPublic,
    };
    await this.#store(key, response, asked);
    return response;
  }

  /** Keeps a response under its key, or beside it where another variant lies there. */
  async #store(key: string, response: CachedResponse, asked: Headers): Promise<void> {
    const { store, staleFor } = this.#settings;
    const first = response.Vary.length === 0 ? undefined : await store.Get(key);
    const isVariant = first !== undefined && first.Vary.length > 0 && !matches(first, asked);
    await store.Set(isVariant ? variantKey(key, first, asked) : key, response, response.Fresh + staleFor);
  }

  /** Renews an entry in the background, once at a time; a shutdown waits for it. */
  #renew(ctx: Context, key: string): void {
    if (this.#filling.has(key)) return;
    const { url, headers } = ctx.Request();
    const request = new Request(url, { headers });
    this.#renewals.add(request);
    const renewing = this.#fetchAgain(ctx, request).finally(() => this.#filling.delete(key));
    this.#filling.set(key, renewing);
    ctx.OnClose(() => renewing.then(() => undefined));
  }

  async #fetchAgain(ctx: Context, request: Request): Promise<undefined> {
    try {
      // From the same address: what a proxy says of host and scheme must count as it did for the first request.
      const remoteAddr = exchangeOf(ctx).connection?.remoteAddr;
      const response = await ctx.Application().fetch(request, remoteAddr && { remoteAddr });
      await response.body?.cancel();
    } catch (error) {
      ctx.Logger().Error("Cannot renew a cached response:", error);
    }
    return undefined;
  }

  /** A write makes what was kept for its URL untrue, unless it failed (RFC 9111, 4.4). */
  async #forget(ctx: Context, key: string): Promise<void> {
    ctx.Recorder().OnSend(async (recorder) => {
      if (recorder.StatusCode() < 400) await this.#settings.store.Delete(key);
    });
    await ctx.Next();
  }

  #pass(key: string): void {
    if (this.#passed.size >= mostPassed) this.#passed.clear();
    this.#passed.set(key, Date.now() + passFor);
  }

  #isPassed(key: string): boolean {
    const until = this.#passed.get(key);
    if (until === undefined) return false;
    if (until > Date.now()) return true;
    this.#passed.delete(key);
    return false;
  }
}

/** Reports whether the headers that a response depends on are those of a request. */
function matches(response: CachedResponse, headers: Headers): boolean {
  return response.Vary.every(([name, value]) => (headers.get(name) ?? "") === value);
}

/** Where a variant lies: bound to the very entry beside it, so that forgetting that one forgets them all. */
function variantKey(key: string, { Stored, Vary }: CachedResponse, headers: Headers): string {
  return JSON.stringify([key, Stored, ...Vary.map(([name]) => [name, headers.get(name) ?? ""])]);
}
