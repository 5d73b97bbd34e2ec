/**
 * The liveness and readiness of a process.
 *
 * @module
 */

import { notify } from "../../base/async/callback.ts";
import { milliseconds, record, timeLimit } from "../../base/config/option_kinds.ts";
import { installable, path } from "../../base/config/option_shapes.ts";
import { checkArgument, type Filled, optionTable, readOptions } from "../../base/config/option_table.ts";
import { type Context, exchangeOf } from "../../core/context/context.ts";
import type { Host, HostApp, HostParty } from "../../core/context/extension.ts";
import type { Handler } from "../../core/context/handler.ts";
import { asPage } from "../../core/exchange/handler_facts.ts";
import { leavingSignal } from "../../core/exchange/peer/outer_call.ts";
import { type Checkable, type CheckFunc, type Finding, NamedCheck } from "./check.ts";

/** Options for {@linkcode New}. */
export interface Options {
  /** The checks, by name. */
  Checks?: { readonly [name: string]: CheckFunc | Checkable };
  /**
   * The time limit for a check, in milliseconds.
   *
   * @default {1000}
   */
  Timeout?: number;
  /**
   * The time for which results are cached, in milliseconds.
   *
   * @default {1000}
   */
  MaxAge?: number;
  /**
   * The path that reports liveness.
   *
   * @default {"/livez"}
   */
  LivePath?: string;
  /**
   * The path that reports readiness.
   *
   * @default {"/readyz"}
   */
  ReadyPath?: string;
}

const table = optionTable<Options>("middleware/health.Options", "health")({
  Checks: record({}),
  Timeout: timeLimit(1_000),
  MaxAge: milliseconds(1_000),
  LivePath: path("/livez"),
  ReadyPath: path("/readyz"),
});

/** The application or party that {@linkcode Health.Register} adds the paths to. */
export type Registrable = Pick<HostParty, "Install">;

/** The results of all checks. */
interface Round {
  readonly until: number;
  readonly findings: ReadonlyMap<NamedCheck, Finding>;
}

/** The health endpoints of a process, created by {@linkcode New}. */
export class Health {
  readonly #options: Filled<Options>;
  readonly #checks: readonly NamedCheck[];
  #round: Promise<Round> | undefined = undefined;
  #last: Round | undefined = undefined;
  #isStopped = false;
  /** Aborted when a shutdown of the application begins. */
  #leaving: AbortSignal | undefined = undefined;
  /** The application whose extensions are checked as well. */
  #app: HostApp | undefined = undefined;
  readonly #contributed = new Map<unknown, NamedCheck>();

  /**
   * Created by {@linkcode New}.
   *
   * @param options The options.
   */
  constructor(options: Options) {
    const { Checks, Timeout } = this.#options = readOptions(table, options);
    this.#checks = Object.entries(Checks).map(([name, check]) => new NamedCheck(name, check, Timeout));
  }

  /**
   * Registers both paths. The process becomes not ready when a shutdown begins, and the checks release their resources
   * when it ends. The readiness also includes the checks of extensions, also those of mounted applications.
   *
   * @param app The application, or a party for paths below its prefix.
   * @returns This object, for chaining.
   */
  Register(app: Registrable): this {
    const { LivePath, ReadyPath } = this.#options;
    const Install = (host: Host) => {
      this.#app = host.App;
      host.Page(LivePath, this.Live());
      host.Page(ReadyPath, this.Ready());
      host.Run((signal) => void (this.#leaving = signal), { Dispose: () => this.Close() });
    };
    checkArgument(app, installable, "app", "health.Register");
    app.Install({ Name: "health", Many: true, Install });
    return this;
  }

  /**
   * Creates the liveness handler. It responds with 200 while the process is running.
   *
   * @returns The handler.
   */
  Live(): Handler {
    return asPage<Handler>(function livez(ctx) {
      ctx.Header("cache-control", "no-store");
      ctx.JSON({ status: "alive" });
    });
  }

  /**
   * Creates the readiness handler. It responds with 200, or with 503 if a check fails or the process is shutting down.
   *
   * @returns The handler.
   */
  Ready(): Handler {
    const readyz: Handler = async (ctx) => {
      const { findings } = await this.#look(ctx);
      const isStopping = this.#isStopping(ctx);
      const isReady = !isStopping && [...findings.values()].every((finding) => finding.isOK);
      ctx.StatusCode(isReady ? 200 : 503);
      ctx.Header("cache-control", "no-store");
      ctx.JSON({ status: isStopping ? "stopping" : isReady ? "ready" : "not ready", checks: shown(findings) });
    };
    return asPage(readyz);
  }

  /** Makes the process not ready permanently. */
  Stop(): void {
    this.#isStopped = true;
  }

  /** Releases the resources of the checks. */
  Close(): void {
    for (const check of Object.values(this.#options.Checks)) {
      // The process is ending, so a failure is not reported, and the other checks are closed, too.
      if (typeof check !== "function") notify(() => check.CloseCheck?.(), () => {});
    }
  }

  /** Reports whether the process is shutting down. An application that is run again is ready. */
  #isStopping(ctx: Context): boolean {
    return this.#isStopped || this.#leaving?.aborted === true || leavingSignal(exchangeOf(ctx).target).aborted;
  }

  /**
   * Returns the results. Concurrent requests share them, so that requests to a public path cannot overload a database.
   */
  #look(ctx: Context): Promise<Round> | Round {
    if (this.#last !== undefined && performance.now() < this.#last.until) return this.#last;
    return this.#round ??= this.#runAll(ctx).finally(() => this.#round = undefined);
  }

  /** Returns the checks of the application's extensions. */
  #ofExtensions(): readonly NamedCheck[] {
    const taken = new Set([...this.#checks, ...this.#contributed.values()].map(({ name }) => name));
    return this.#app?.Extensions().flatMap((extension) =>
      Object.entries(extension.Checks).map(([name, run]) => {
        const known = this.#contributed.get(run);
        if (known !== undefined) return known;
        const check = new NamedCheck(freeName(name, extension.Name, taken), run, this.#options.Timeout);
        this.#contributed.set(run, check);
        return check;
      })
    ) ?? [];
  }

  async #runAll(ctx: Context): Promise<Round> {
    const checks = [...this.#checks, ...this.#ofExtensions()];
    const found = await Promise.all(checks.map(async (check) => [check, await check.run()] as const));
    for (const [check, finding] of found) report(ctx, check, finding);
    return this.#last = { until: performance.now() + this.#options.MaxAge, findings: new Map(found) };
  }
}

/** Returns a name that no other check has, because results are shown by name. */
function freeName(name: string, extension: string, taken: Set<string>): string {
  let free = name;
  for (let at = 1; taken.has(free); at++) free = `${extension}: ${name}${at === 1 ? "" : ` ${at}`}`;
  taken.add(free);
  return free;
}

/** Logs a result that has changed. Clients only see whether a check failed. */
function report(ctx: Context, check: NamedCheck, finding: Finding): void {
  if (!check.isNews(finding)) return;
  if (finding.isOK) ctx.Application().Logger().Infof('The health check "%s" has recovered', check.name);
  else ctx.Application().Logger().Errorf('The health check "%s" failed: %s', check.name, finding.reason);
}

function shown(findings: ReadonlyMap<NamedCheck, Finding>): Record<string, unknown> {
  const checks: Record<string, unknown> = Object.create(null);
  for (const [check, { isOK, latency }] of findings) {
    checks[check.name] = { status: isOK ? "ok" : "failed", latencyMs: Number(latency.toFixed(1)) };
  }
  return checks;
}
