/**
 * Creates argon2id hashes and verifies argon2, bcrypt, scrypt and PBKDF2 hashes.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import { setImmediate } from "node:timers";
import { runShared } from "../base/async/async_context.ts";
import { loadModule } from "../base/async/lazy_module.ts";
import { count } from "../base/config/option_kinds.ts";
import { optionTable, readOptions } from "../base/config/option_table.ts";
import { FrameworkError } from "../base/errors/errors.ts";
import { readDerived, verifyDerived } from "./password/derived_hash.ts";
import { WaitingTime } from "./password/waiting_time.ts";
import type { HashJob } from "./hash_workers.ts";

/**
 * The maximum time that a hash waits for others, in milliseconds. Without a limit, an attacker who guesses passwords
 * could make all logins wait.
 */
const MOST_WAITING_MS = 2_000;

const waiting = new WaitingTime(MOST_WAITING_MS);
let last: Promise<unknown> = Promise.resolve();
let run: ((job: HashJob) => Promise<unknown>) | undefined;

/**
 * Computes a hash after the previous ones.
 *
 * @param job The function to call, and its options.
 * @returns The result of the function.
 * @throws {HTTPError} With status 503 and `Retry-After` if it would have to wait for more than two seconds.
 */
export function computeHash<T>(job: HashJob): Promise<T> {
  // The threads serve all requests.
  return waiting.run(() => runShared(async () => await (run ??= await loadThreads())(job)) as Promise<T>);
}

async function loadThreads(): Promise<(job: HashJob) => Promise<unknown>> {
  const { HashThreads, NoThread } = await loadModule(() => import("./hash_workers.ts"));
  const threads = new HashThreads();
  return async (job) => {
    try {
      return await threads.run(job);
    } catch (error) {
      if (!(error instanceof NoThread)) throw error;
      run = hashHere;
      return await hashHere(job);
    }
  };
}

/** Computes a hash in this thread after all previous ones. */
async function hashHere({ name, options }: HashJob): Promise<unknown> {
  const before = last;
  const { promise, resolve } = Promise.withResolvers<void>();
  last = promise;
  try {
    await before;
    const hashes = await loadModule(() => import("npm:hash-wasm@^4"));
    return await (hashes[name] as (options: unknown) => Promise<unknown>)(options);
  } finally {
    setImmediate(resolve);
  }
}

/** The cost parameters of a hash. The defaults are OWASP's recommendation for argon2id. */
export interface HashOptions {
  /**
   * The memory size, in KiB.
   *
   * @default {19456}
   */
  Memory?: number;
  /**
   * The number of passes over the memory.
   *
   * @default {2}
   */
  Iterations?: number;
  /**
   * The number of lanes.
   *
   * @default {1}
   */
  Parallelism?: number;
}

/** The parameters of an argon2 hash. */
interface Parameters {
  readonly kind: string;
  readonly memory: number;
  readonly iterations: number;
  readonly parallelism: number;
}

const ARGON2 =
  /^\$(argon2(?:id|i|d))\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,3})\$[A-Za-z0-9+/]{11,128}\$[A-Za-z0-9+/]{11,128}$/;
const BCRYPT = /^\$2[abxy]?\$\d\d\$[./A-Za-z0-9]{53}$/;

/** The maximum memory size, in KiB. Verifying a hash with a larger size could exhaust the memory of the process. */
const mostMemory = 1 << 20;

const table = optionTable<HashOptions>("middleware/auth.HashOptions", "a password hash")({
  Memory: { ...count(19_456, { from: 8, to: mostMemory }), unit: "KiB" },
  Iterations: count(2, { to: 999 }),
  Parallelism: count(1, { to: 255 }),
});

/**
 * Hashes a password with argon2id, to store it for logins. The hash contains the salt and the parameters.
 *
 * Computing a hash takes tens of milliseconds of CPU time, in another thread, so a core handles about 20 to 40 logins
 * per second. Beyond that, logins are refused with 503 instead of waiting for long. Protect them with a rate limit.
 *
 * @param password The password, which must not be empty.
 * @param options The cost parameters. Defaults to the OWASP recommendation.
 * @returns The hash, which starts with `$argon2id$`.
 * @throws {HTTPError} With status 503 and `Retry-After` if it would wait for more than two seconds.
 */
export async function HashPassword(password: string, options: HashOptions = {}): Promise<string> {
  if (typeof password !== "string" || password === "") {
    throw new FrameworkError("FW_AUTH", "Cannot hash the password: it must be a non-empty string");
  }
  const { memory, iterations, parallelism } = costOf(options);
  const cost = { iterations, memorySize: memory, parallelism };
  const salt = new Uint8Array(randomBytes(16));
  const output = { hashLength: 32, outputType: "encoded" };
  return await computeHash({ name: "argon2id", options: { password, salt, ...cost, ...output } });
}

/** Reports whether a string is a hash supported by {@linkcode verifyHash}. */
export function isReadableHash(hash: string): boolean {
  return BCRYPT.test(hash) || readDerived(hash) !== undefined ||
    (parametersOf(hash)?.memory ?? Infinity) <= mostMemory;
}

/** Verifies a password against a supported hash. */
export async function verifyHash(password: string, hash: string): Promise<boolean> {
  if (password === "") return false;
  const derived = readDerived(hash);
  if (derived !== undefined) return await waiting.run(() => verifyDerived(password, derived));
  if (!BCRYPT.test(hash)) return await computeHash({ name: "argon2Verify", options: { password, hash } });
  // bcrypt only uses the first 72 bytes, so two longer passwords with the same prefix would be equivalent.
  if (Buffer.byteLength(password) > 72) return false;
  return await computeHash({ name: "bcryptVerify", options: { password, hash } });
}

/**
 * Returns a hash that no password has, for logins of users that do not exist. It is not computed, because the first
 * such login would otherwise take twice as long as others.
 */
export function hashOfNobody(options: HashOptions): string {
  const { kind, memory, iterations, parallelism } = costOf(options);
  const digest = "HiDl31RzV2yPKv2Ngcv9mg$Y2vCul3f6V1QVdM20tvpv+umSw5Iu8mmowNFWDuzlno";
  return `$${kind}$v=19$m=${memory},t=${iterations},p=${parallelism}$${digest}`;
}

/** Reports whether a hash is weaker than a new hash or of another kind. */
export function isOutdated(hash: string, options: HashOptions = {}): boolean {
  const found = parametersOf(hash);
  const wanted = costOf(options);
  return found === undefined || found.kind !== wanted.kind || found.memory < wanted.memory ||
    found.iterations < wanted.iterations || found.parallelism !== wanted.parallelism;
}

function parametersOf(hash: string): Parameters | undefined {
  const [, kind, memory, iterations, parallelism] = ARGON2.exec(hash) ?? [];
  if (kind === undefined) return undefined;
  return { kind, memory: Number(memory), iterations: Number(iterations), parallelism: Number(parallelism) };
}

function costOf(options: HashOptions): Parameters {
  const { Memory, Iterations, Parallelism } = readOptions(table, options);
  if (Memory < 8 * Parallelism) {
    const least = `${8 * Parallelism} for ${Parallelism} lanes`;
    throw new FrameworkError(
      "FW_CONFIG",
      `Cannot hash the password: Memory must be at least ${least}, not "${Memory}"`,
    );
  }
  return { kind: "argon2id", memory: Memory, iterations: Iterations, parallelism: Parallelism };
}
