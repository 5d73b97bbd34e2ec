/**
 * The part of the subject with the page of jobs.
 *
 * @module
 */

import * as fw from "@fw/web";
import * as jobs from "@fw/web/jobs";
import * as page from "@fw/web/jobs/page";
import * as basicauth from "@fw/web/middleware/basicauth";
import { secret } from "./expect.ts";

/** The features that this part adds to the subject. */
export const jobFeatures: readonly string[] = ["page of jobs"];

/** Text that is markup if a page does not escape it. */
const markup = `"><script>alert(1)</script>`;

function fail(data: string): never {
  throw new jobs.PermanentError(`${markup}\n${markup} of ${data.length} characters`);
}

const store = jobs.NewMemory();
const Logger = fw.New().Logger().SetLevel("disable");
const shown = jobs.New(store, { Name: markup, Logger }).Handle(fail);
const mail = jobs.New(store, { Name: "mail", Logger }).Handle(fail);
const hidden = jobs.New(store, { Name: "hidden", Logger }).Handle(fail);
const queues = [shown, mail, hidden];
await Promise.all(queues.map((queue) => queue.Add(fail, secret)));
for (const queue of queues) await queue.Drain();
const [hiddenJob] = await hidden.List();

/** Adds a page, a page behind a guard, and the number of failed jobs. */
export function addJobs(app: fw.Application): void {
  page.New([shown, mail], { Title: markup }).Register(app.Party("/jobs-page"));
  const guarded = app.Party("/jobs-guarded");
  guarded.Use(basicauth.New({ Users: [{ Name: "ann", Password: "sesame" }], MaxTries: 0 }));
  page.New(mail).Register(guarded);
  app.Get(
    "/jobs-failed",
    async (ctx) => ctx.JSON(await Promise.all(queues.map(async (each) => (await each.Stats()).Failed))),
  );
  app.Get("/jobs-hidden", (ctx) => ctx.WriteString(hiddenJob?.ID ?? ""));
}
