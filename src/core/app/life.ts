/**
 * The life of an application: started, interrupted, drained, ended. An application lives as long as anything that
 * passes requests to it does: its own servers, and the applications around it, which share its life.
 *
 * @module
 */

import { FrameworkError } from "../../base/errors/errors.ts";
import { markReported } from "../../base/errors/reported_errors.ts";
import type { Logger } from "../../base/log/logger.ts";
import { waitAtMost } from "../../http/server/wait.ts";
import { asyncScopes, type Branch } from "../exchange/ending/async_scope.ts";
import { currentBranch } from "../exchange/ending/ending.ts";
import { cutOff } from "../exchange/ending/finish.ts";
import type { Built } from "./build/build.ts";
import type { ForeignFetch } from "./mount.ts";
import type { Hosted, Living } from "./record/hosted.ts";
import type { MountedApp, Registry } from "./record/registry.ts";

/** The minimum time for a shutdown task. */
const LEAST_TASK_MS = 1_000;

/** A task to run when an application stops. */
type Task = () => unknown;

/** The branch of shutdown tasks. */
const shutdownBranch: Branch = { parent: undefined };

/** Reports whether the running code is a shutdown task, which must not wait for the shutdown. */
export function isShutdownTask(): boolean {
  return currentBranch() === shutdownBranch;
}

/**
 * The life of one application and of the applications that it passes requests to. Each step is taken once, however many
 * ways lead to the application.
 */
export class Life implements Living {
  readonly #registry: Registry;
  readonly #logger: Logger;
  readonly interruptTasks: Task[] = [];
  readonly shutdownTasks: Task[] = [];
  built: Built | undefined = undefined;
  /** The reasons why the application runs: its own servers (this object), and the applications around it. */
  readonly #holders = new Set<object>();
  /** The holders that are shutting down. */
  readonly #leaving = new Set<object>();
  #isStarted = false;
  /** The interrupt tasks that are currently running. They run once per shutdown. */
  #interrupted: Promise<void> | undefined = undefined;
  #ending: Promise<void> | undefined = undefined;

  /** Creates the life of an application without starting anything. */
  constructor(registry: Registry) {
    this.#registry = registry;
    this.#logger = registry.logger;
  }

  /** Returns the shutdown that is in progress or has ended, if any. */
  get ending(): Promise<void> | undefined {
    return this.#ending;
  }

  /** Reports whether everything that passes requests to the application is shutting down. */
  get #isLeft(): boolean {
    return this.#holders.size > 0 && this.#leaving.size === this.#holders.size;
  }

  get #inner(): readonly Living[] {
    return [...this.#registry.inner].map(({ life }) => life);
  }

  /** Reports whether requests to this application can reach another one. */
  reaches(other: Living): boolean {
    return other === this || this.#inner.some((inner) => inner.reaches(other));
  }

  /** Lets the application serve requests, again if it has ended before. */
  hold(holder: object): void {
    this.#leaving.delete(holder);
    this.#holders.add(holder);
    this.#ending = this.#interrupted = undefined;
    this.#revive();
    for (const inner of this.#inner) inner.hold(this);
  }

  #revive(): void {
    if (this.built === undefined) return;
    const { runtime } = this.built;
    this.built.isLeaving = false;
    if (runtime.leaving.signal.aborted) runtime.leaving = new AbortController();
    if (runtime.cutOff.signal.aborted) runtime.cutOff = new AbortController();
  }

  /** Starts the work of the extensions, in the order of their installation. */
  start(): void {
    for (const inner of this.#inner) inner.start();
    if (this.#isStarted) return;
    this.#isStarted = true;
    for (const work of this.#registry.works) work.start();
  }

  /** Sends `connection: close` with every response and runs the tasks that report that the application is not ready. */
  async leave(holder: object): Promise<void> {
    this.#leaving.add(holder);
    if (!this.#isLeft) return;
    for (const work of this.#registry.works.toReversed()) work.interrupt();
    if (this.built !== undefined) this.built.isLeaving = true;
    const inner = Promise.all(this.#inner.map((each) => each.leave(this)));
    // The rest of the time is for the requests.
    const until = performance.now() + (this.built?.runtime.config.ShutdownTimeout ?? 0) / 2;
    await (this.#interrupted ??= this.#runAll(this.interruptTasks, until, 0));
    await inner;
  }

  /** Notifies endless responses, such as event streams, that the application is shutting down. */
  endStreams(): void {
    if (!this.#isLeft) return;
    this.built?.runtime.leaving.abort(stopReason("The server is shutting down"));
    for (const inner of this.#inner) inner.endStreams();
  }

  /**
   * Closes sockets, until a time on the `performance.now()` clock. At a shutdown, also finishes work. A server that
   * reloads its certificate only closes the sockets.
   */
  closeSockets(until: number): Promise<void> | undefined {
    const sockets = [...this.built?.runtime.drains ?? []].map((drain) => drain(until));
    const work = !this.#isLeft ? [] : [
      ...this.#registry.works.toReversed().map((each) => each.drain(until)),
      ...this.#inner.map((inner) => inner.drain(until)),
    ];
    const drains = [...sockets, ...work].filter((drain) => drain !== undefined);
    return drains.length === 0 ? undefined : Promise.allSettled(drains).then(() => {});
  }

  /** Closes sockets and finishes work, if every holder is shutting down. */
  drain(until: number): Promise<void> | undefined {
    return this.#isLeft ? this.closeSockets(until) : undefined;
  }

  /** Cuts off the requests in flight. */
  cutOff(): void {
    if (!this.#isLeft) return;
    if (this.built !== undefined) {
      cutOff(this.built);
      this.built.runtime.cutOff.abort(stopReason("The server has stopped"));
    }
    for (const inner of this.#inner) inner.cutOff();
  }

  /** Ends the application, if nothing else holds it. */
  end(holder: object, deadline: number): Promise<void> {
    if (this.#holders.size > 0) {
      this.#holders.delete(holder);
      this.#leaving.delete(holder);
      if (this.#holders.size > 0) return Promise.resolve();
    }
    return this.#ending ??= this.#windUp(deadline);
  }

  async #windUp(deadline: number): Promise<void> {
    this.#isStarted = false;
    const works = this.#registry.works.toReversed();
    // If requests are cut off immediately, the work has not been drained yet.
    await Promise.allSettled(works.map((work) => work.drain(performance.now())));
    const trailing = this.built?.runtime.trailing ?? new Set();
    // Work that continues after responses were sent may start further work, such as that of error observers.
    for (let isInTime = true; isInTime && trailing.size > 0;) {
      isInTime = await waitAtMost(Promise.all(trailing), deadline - performance.now());
    }
    const { branches } = await asyncScopes();
    await branches.run(shutdownBranch, () => this.#runAll(this.shutdownTasks, deadline));
    // The user's tasks may still need the resources that the extensions close.
    const disposals = this.#registry.works.map((work) => () => work.dispose());
    await branches.run(shutdownBranch, () => this.#runAll(disposals, deadline));
    for (const inner of this.#inner.toReversed()) await inner.end(this, deadline);
    this.#logger.Flush();
  }

  /**
   * Runs tasks one after another, in reverse order of registration. Each task runs even if others fail or do not end.
   *
   * @param until The time at which a task is abandoned, as measured by `performance.now()`.
   * @param least The minimum time for a task, in milliseconds.
   */
  async #runAll(tasks: readonly Task[], until: number, least: number = LEAST_TASK_MS): Promise<void> {
    for (const task of tasks.toReversed()) {
      const running = Promise.try(task).catch((error) => this.#logger.Error("Cannot finish a shutdown task:", error));
      if (await waitAtMost(running, Math.max(until - performance.now(), least))) continue;
      this.#logger.Error("Cannot finish a shutdown task: it has not ended within the shutdown timeout");
    }
  }
}

/** Returns the reason why streams end. The server receives it as well, and must not log it. */
function stopReason(message: string): DOMException {
  const reason = new DOMException(message, "AbortError");
  markReported(reason);
  return reason;
}

/** The applications, by their `fetch` functions. */
const applications = new WeakMap<object, Hosted<Registry>>();

/** Registers an application under its `fetch` function, so that a mount of the function shares its life. */
export function noteApplication(fetch: object, application: Hosted<Registry>): void {
  applications.set(fetch, application);
}

/** Returns the `fetch` function of an application. */
export function fetchOf(inner: ForeignFetch | { readonly fetch: ForeignFetch }): ForeignFetch {
  const { fetch } = Object(inner) as { readonly fetch?: unknown };
  return typeof inner !== "function" && typeof fetch === "function" ? fetch as ForeignFetch : inner as ForeignFetch;
}

/** The place at which an application is served. */
export type Place = Omit<MountedApp, "registry">;

/**
 * Records that an application passes requests to another one, which is then built, started and ended with it. A
 * function that does not belong to an fw application has no life to share.
 *
 * @throws {FrameworkError} If the other application passes requests to the first one.
 */
export function hostApp(outer: Registry, fetch: object, place: Place): void {
  const inner = applications.get(fetch);
  if (inner === undefined) return;
  outer.assertNotBuilt("mount an application");
  if (outer.life !== undefined && inner.life.reaches(outer.life)) {
    throw new FrameworkError(
      "FW_STATE",
      `Cannot mount an application at "${place.prefix}": it passes requests to this one, so that they would never end`,
    );
  }
  outer.inner.add(inner);
  outer.mounts.push({ ...place, registry: inner.registry });
}
