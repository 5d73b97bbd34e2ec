/**
 * The doors that a client opens with an HTTP request of its own.
 *
 * @module
 */

import * as fw from "@fw/web";
import * as apps from "@fw/web/apps";
import * as versioning from "@fw/web/versioning";
import { controllers, desk, Journal, prepare } from "./desk.ts";
import type { Action, CallOptions, Door, Setup, Verdict } from "./door.ts";
import { serving } from "./serving.ts";

/** Builds the application behind a door. */
type Builder = (setup: Setup, journal: Journal) => fw.Application;

/** Creates a door whose calls are POST requests over a socket. */
function httpDoor(
  name: Door["name"],
  build: Builder,
  request: (action: Action, options: CallOptions) => { path: string; init: RequestInit },
): Door {
  return {
    name,
    open: (setup, run) => {
      const journal = new Journal();
      return serving(build(setup, journal), journal, (port) => async (action, options = {}) => {
        const { path, init } = request(action, options);
        const signal = options.signal ?? null;
        return await verdictOf(await fetch(`http://127.0.0.1:${port}${path}`, { ...init, signal }));
      }, run);
    },
  };
}

/** Reads a response to its end. */
export async function verdictOf(response: Response): Promise<Verdict> {
  return { status: response.status, text: await response.text() };
}

/** Returns the request for an action. */
export function posted(action: Action, { headers, data = "{}" }: CallOptions): RequestInit {
  void action;
  return { method: "POST", headers: { "content-type": "application/json", ...headers }, body: data };
}

/** Builds an application with the desk at `/desk`. */
export function plainSite(setup: Setup, journal: Journal): fw.Application {
  const app = fw.New();
  prepare(app, setup);
  desk(app.Party("/desk"), setup, journal).Handle(controllers.Desk);
  return app;
}

function versionedSite(setup: Setup, journal: Journal): fw.Application {
  const app = fw.New();
  prepare(app, setup);
  const party = app.Party("/desk");
  desk(versioning.NewGroup(party, "2.x"), setup, journal).Handle(controllers.Desk);
  for (const action of ["who", "echo", "secret", "conflict", "crash", "judge", "hold", "wait", "pause"]) {
    party.Post(`/${action}`, () => journal.note("decoy"));
  }
  return app;
}

function mountedSite(setup: Setup, journal: Journal): fw.Application {
  const app = fw.New();
  prepare(app, setup);
  const outer = app.Party("/outer");
  for (const guard of setup.guards ?? []) outer.Use(guard);
  const inner = fw.New();
  prepare(inner, { ...setup.observe && { observe: setup.observe } });
  desk(inner.Party("/desk"), {}, journal).Handle(controllers.Desk);
  outer.Mount("/inner", inner.fetch);
  return app;
}

function switchedSite(setup: Setup, journal: Journal): fw.Application {
  const inner = fw.New();
  prepare(inner, { ...setup.observe && { observe: setup.observe } });
  desk(inner.Party("/desk"), {}, journal).Handle(controllers.Desk);
  const app = apps.Switch([
    { Pattern: "other.example.com", Target: fw.New() },
    { Pattern: /^127\./, Target: inner },
  ]);
  prepare(app, setup);
  for (const guard of setup.guards ?? []) app.UseRouter(guard);
  return app;
}

function streamSite(setup: Setup, journal: Journal): fw.Application {
  const app = fw.New();
  prepare(app, setup);
  desk(app.Party("/desk"), setup, journal).Handle(controllers.StreamDesk);
  return app;
}

export const route: Door = httpDoor(
  "route",
  plainSite,
  (action, options) => ({ path: `/desk/${action}`, init: posted(action, options) }),
);

export const version: Door = httpDoor("version", versionedSite, (action, options) => ({
  path: `/desk/${action}`,
  init: posted(action, { ...options, headers: { "accept-version": "2.1.0", ...options.headers } }),
}));

export const language: Door = httpDoor("language", plainSite, (action, options) => ({
  path: `/${options.headers?.["accept-language"] ?? "el"}/desk/${action}`,
  init: posted(action, { ...options, headers: { ...options.headers, "accept-language": "en" } }),
}));

export const mount: Door = httpDoor(
  "mount",
  mountedSite,
  (action, options) => ({ path: `/outer/inner/desk/${action}`, init: posted(action, options) }),
);

export const switched: Door = httpDoor(
  "switch",
  switchedSite,
  (action, options) => ({ path: `/desk/${action}`, init: posted(action, options) }),
);

export const jsonStream: Door = httpDoor("JSON stream", streamSite, (action, options) => ({
  path: `/desk/${action}`,
  init: posted(action, {
    ...options,
    data: `${options.data ?? "{}"}\n`,
    headers: { ...options.headers, "content-type": "application/x-ndjson" },
  }),
}));

/** Calls `app.fetch` without a connection. */
export const inProcess: Door = {
  name: "in process",
  open: (setup, run) => {
    const journal = new Journal();
    const app = plainSite(setup, journal);
    return serving(app, journal, () => async (action, options = {}) => {
      const { signal = null } = options;
      const request = new Request(`http://localhost/desk/${action}`, { ...posted(action, options), signal });
      return await verdictOf(await app.fetch(request));
    }, run);
  },
};
