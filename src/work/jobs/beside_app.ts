/**
 * Runs a queue together with an application.
 *
 * @module
 */

import type { Application } from "../../core/app/application.ts";
import { recordOf } from "../../core/app/party.ts";
import type { Host } from "../../core/context/extension.ts";
import { installable } from "../../base/config/option_shapes.ts";
import { checkArgument } from "../../base/config/option_table.ts";
import { type Container, notedContainer } from "../../../mvc/inject/container.ts";
import type { Application as MVCApplication } from "../../../mvc/application.ts";
import type { JobInfo } from "./job.ts";

/** An application that a queue can run with. */
export type App = Application | MVCApplication;

/**
 * Attaches a queue to an application.
 *
 * @param app The application.
 * @param install Uses the application. Its second argument returns the dependencies of the application, if it has any.
 */
export function attach(app: App, install: (host: Host, container: () => Container | undefined) => void): void {
  const party = (Object(app) as Partial<MVCApplication>).Router ?? app as Application;
  checkArgument(party, installable, "app", "queue.RunWith");
  const container = () => notedContainer(party === app ? recordOf(party) : app);
  party.Install({ Name: "jobs", Many: true, Install: (host) => install(host, container) });
}

/** Returns a request that identifies a job for the observers of errors. */
export function requestOf({ Queue, Name, ID }: JobInfo): Request {
  const path = [Queue, Name, ID].map(encodeURIComponent).join("/");
  return new Request(`http://localhost/jobs/${path}`, { method: "JOB" });
}
