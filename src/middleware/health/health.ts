/**
 * Whether the process lives, and whether it can serve.
 *
 * @module
 */

import { FrameworkError } from "../../base/errors.ts";
import type { Context } from "../../context/context.ts";
import type { Handler } from "../../context/handler.ts";
import { type Checkable, type CheckFunc, type Finding, NamedCheck } from "./check.ts";

/** What is checked, how long that may take, and where it is asked for. */
export interface Options {
  /** What the application needs, by name. */
  Checks?: { readonly [name: string]: CheckFunc | Checkable };
  /** How long a check may take, in milliseconds; 1000 unless given. */
  Timeout?: number;
  /** How long findings count before the checks run again, in milliseconds; 1000 unless given. */
  MaxAge?: number;
  /** The path that tells whether the process lives; `/livez` unless given. */
  LivePath?: string;
  /** The path that tells whether it can serve; `/readyz` unless given. */
  ReadyPath?: string;
}

/** The part of an application that {@linkcode Health.Register} uses. */
export interface Registrable {
  /** Registers a route. */
  Get(path: string, ...handlers: Handler[]): unknown;
  /** Runs a task when a shutdown begins. */
  RegisterOnInterrupt(task: () => void): void;
  /** Runs a task after the shutdown. */
  RegisterOnShutdown(task: () => void): void;
}

/** The findings of one round. */
interface Round {
  readonly until: number;
  readonly findings: ReadonlyMap<NamedCheck, Finding>;
}

/** Tells of the health of a process, created by {@linkcode New}. */
export class Health {
  readonly #options: Options;
  readonly #checks: readonly NamedCheck[];
  readonly #maxAge: number;
  #round: Promise<Round> | undefined = undefined;
  #last: Round | undefined = undefined;
  #isStopping = false;

  /**
   * Created by {@linkcode New}.
   *
   * @param options What is checked.
   */
  constructor(options: Options) {
    const { Checks = {}, Timeout = 1000, MaxAge = 1000 } = options;
    if (!(Timeout > 0)) {
      throw new FrameworkError("FW_CONFIG", `Cannot limit a health check to "${Timeout}" ms: it must be more than 0`);
    }
    this.#options = options;
    this.#maxAge = MaxAge;
    this.#checks = Object.entries(Checks).map(([name, check]) => new NamedCheck(name, check, Timeout));
  }

  /**
   * Registers both paths, becomes not ready when a shutdown begins, and closes what the checks hold at its end.
   *
   * @param app The application.
   * @returns This health.
   */
  Register(app: Registrable): this {
    const { LivePath = "/livez", ReadyPath = "/readyz" } = this.#options;
    app.Get(LivePath, this.Live());
    app.Get(ReadyPath, this.Ready());
    app.RegisterOnInterrupt(() => this.Stop());
    app.RegisterOnShutdown(() => this.Close());
    return this;
  }

  /**
   * Creates the handler that tells whether the process lives: it responds 200 as long as it can respond at all.
   *
   * @returns The handler.
   */
  Live(): Handler {
    return function livez(ctx) {
      ctx.Header("cache-control", "no-store");
      ctx.JSON({ status: "alive" });
    };
  }

  /**
   * Creates the handler that tells whether the process can serve: 200, or 503 while a check fails or the process stops.
   *
   * @returns The handler.
   */
  Ready(): Handler {
    return async (ctx) => {
      const { findings } = await this.#look(ctx);
      const isReady = !this.#isStopping && [...findings.values()].every((finding) => finding.isOK);
      ctx.StatusCode(isReady ? 200 : 503);
      ctx.Header("cache-control", "no-store");
      ctx.JSON({ status: this.#isStopping ? "stopping" : isReady ? "ready" : "not ready", checks: shown(findings) });
    };
  }

  /** Makes the process not ready, for good: what `Register` does when a shutdown begins. */
  Stop(): void {
    this.#isStopping = true;
  }

  /** Closes what the checks hold. */
  Close(): void {
    for (const check of Object.values(this.#options.Checks ?? {})) {
      if (typeof check !== "function") check.CloseCheck?.();
    }
  }

  /** The findings, which all that ask at the same time share: a public path must not become a load on a database. */
  #look(ctx: Context): Promise<Round> | Round {
    if (this.#last !== undefined && performance.now() < this.#last.until) return this.#last;
    return this.#round ??= this.#runAll(ctx).finally(() => this.#round = undefined);
  }

  async #runAll(ctx: Context): Promise<Round> {
    const found = await Promise.all(this.#checks.map(async (check) => [check, await check.run()] as const));
    for (const [check, finding] of found) report(ctx, check, finding);
    return this.#last = { until: performance.now() + this.#maxAge, findings: new Map(found) };
  }
}

/** Tells the log what has changed; the client learns only that. */
function report(ctx: Context, check: NamedCheck, finding: Finding): void {
  if (!check.isNews(finding)) return;
  if (finding.isOK) ctx.Application().Logger().Infof('The health check "%s" is well again', check.name);
  else ctx.Application().Logger().Errorf('The health check "%s" fails: %s', check.name, finding.reason);
}

function shown(findings: ReadonlyMap<NamedCheck, Finding>): Record<string, unknown> {
  const checks: Record<string, unknown> = Object.create(null);
  for (const [check, { isOK, latency }] of findings) {
    checks[check.name] = { status: isOK ? "ok" : "failed", latencyMs: Number(latency.toFixed(1)) };
  }
  return checks;
}
