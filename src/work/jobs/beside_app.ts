/**
 * Runs a queue together with an application.
 *
 * @module
 */

import type { Application } from "../../core/app/application.ts";
import { recordOf } from "../../core/app/party.ts";
import type { PanelCall } from "../../core/context/extension.ts";
import { installable } from "../../base/config/option_shapes.ts";
import { checkArgument } from "../../base/config/option_table.ts";
import type { Meter } from "../../core/exchange/meter.ts";
import type { Logger } from "../../base/log/logger.ts";
import { type Container, notedContainer } from "../../../mvc/inject/container.ts";
import type { Application as MVCApplication } from "../../../mvc/application.ts";
import type { JobInfo } from "./job.ts";

/** An application that a queue can run with. */
export type App = Application | MVCApplication;

/** The parts of a queue that an application uses. */
export interface AttachedQueue {
  /** The name of the queue. */
  readonly name: string;
  /** Reads its numbers for metrics and monitors. */
  readonly meter: Meter;
  /** Reads its panel on the development pages. */
  panel(call: PanelCall): unknown;
  /** Checks the dependencies, when the application is built. */
  build(): void;
  /** Runs jobs until the queue is stopped. */
  run(): Promise<void>;
  /** Takes no further jobs, when a shutdown begins. */
  interrupt(): void;
  /** Finishes running jobs, until a time as measured by `performance.now()`. */
  drain(until: number): Promise<void>;
  /** Disposes of dependencies, at the end of a shutdown. */
  close(): Promise<void>;
}

/** The parts of an application that a queue uses. */
export interface Attached {
  /** The application. */
  readonly app: object;
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
  const party = (Object(app) as Partial<MVCApplication>).Router ?? app as Application;
  checkArgument(party, installable, "app", "queue.RunWith");
  return party.Install({
    Name: "jobs",
    Many: true,
    Install(host) {
      host.Check(`queue "${queue.name}"`, () => queue.build(), "start");
      host.Meter(queue.meter);
      host.Panel(queue.name === "default" ? "Jobs" : `Jobs: ${queue.name}`, (call) => queue.panel(call));
      host.Run((signal) => {
        signal.addEventListener("abort", () => queue.interrupt());
        return queue.run();
      }, { Drain: (until) => queue.drain(until), Dispose: () => queue.close() });
      return {
        app: host.App,
        container: () => notedContainer(party === app ? recordOf(party) : app),
        logger: host.App.Logger() as Logger,
        observe: (job, error) => host.App.Report(error, requestOf(job)),
      };
    },
  });
}

/** Returns a request that identifies a job for the observers of errors. */
function requestOf({ Queue, Name, ID }: JobInfo): Request {
  const path = [Queue, Name, ID].map(encodeURIComponent).join("/");
  return new Request(`http://localhost/jobs/${path}`, { method: "JOB" });
}
