/**
 * Runs a queue together with an application.
 *
 * @module
 */

import type { Application } from "../app/application.ts";
import { recordOf, registryOf } from "../app/party.ts";
import type { Companion } from "../app/record/registry.ts";
import type { Logger } from "../log/logger.ts";
import { type Container, notedContainer } from "../../mvc/inject/container.ts";
import type { Application as MVCApplication } from "../../mvc/application.ts";
import type { JobInfo } from "./job.ts";

/** An application that a queue can run with. */
export type App = Application | MVCApplication;

/** The parts of a queue that an application uses. */
export interface AttachedQueue extends Companion {
  /** Checks the dependencies, when the application is built. */
  build(): void;
  /** Disposes of dependencies, at the end of a shutdown. */
  close(): Promise<void>;
}

/** The parts of an application that a queue uses. */
export interface Attached {
  /** Returns the dependencies of the application, if it has any. */
  readonly container: () => Container | undefined;
  readonly logger: Logger;
  /** Notifies the `OnError` observers of the application. */
  readonly observe: (job: JobInfo, error: Error) => void;
}

/**
 * Attaches a queue to an application.
 *
 * @param app The application.
 * @param queue The queue.
 */
export function attach(app: App, queue: AttachedQueue): Attached {
  const party = "Router" in app ? app.Router : app;
  const registry = registryOf(party);
  registry.assertNotBuilt("run a job queue with the application");
  registry.builders.push(() => queue.build());
  registry.companions.push(queue);
  registry.closers.push(() => queue.close());
  return {
    container: () => notedContainer("Router" in app ? app : recordOf(party)),
    logger: registry.logger,
    observe: (job, error) => registry.observe?.(requestOf(job), error),
  };
}

/** Returns a request that identifies a job for the observers of errors. */
function requestOf({ Queue, Name, ID }: JobInfo): Request {
  const path = [Queue, Name, ID].map(encodeURIComponent).join("/");
  return new Request(`http://localhost/jobs/${path}`, { method: "JOB" });
}
