/**
 * An object of each published class whose methods take arguments, and the arguments that its methods accept.
 *
 * @module
 */

import * as fw from "../../../../mod.ts";
import * as mvc from "../../../../mvc/mod.ts";
import * as live from "../../../../src/live/hub/mod.ts";
import * as websocket from "../../../../src/live/websocket/mod.ts";
import * as apikeys from "../../../../src/middleware/apikeys/mod.ts";
import * as keys from "../../../../src/state/keys/mod.ts";
import * as tokens from "../../../../src/state/keys/tokens.ts";
import * as sessions from "../../../../src/state/sessions/mod.ts";
import * as jobs from "../../../../src/work/jobs/mod.ts";
import * as mail from "../../../../src/work/mail/mod.ts";

/** Calls a method of an object of a class. */
// deno-lint-ignore no-explicit-any -- The arguments are wrong on purpose.
export type Use = (subject: any) => unknown;

/** Creates an object of a class and uses it. Rejects with the error of the use. */
type Subject = (use: Use) => unknown;

const secret = "0123456789abcdef0123456789abcdef";

function nothing(): void {}

function quiet(): fw.Application {
  const app = fw.New();
  app.Logger().SetLevel("disable");
  return app;
}

/** Uses an object in a handler. Errors that only appear when the response is sent count as well. */
async function inRequest(pick: (ctx: fw.Context) => unknown, use: Use, handler: fw.Handler = (ctx) => ctx.Next()) {
  const failures: unknown[] = [];
  const app = quiet();
  app.OnError((_ctx, error) => void failures.push(error));
  app.Post("/{id}", handler, async (ctx) => {
    try {
      await use(await pick(ctx));
    } catch (error) {
      failures.push(error);
    }
  });
  const body = new URLSearchParams({ a: "1" });
  const response = await app.fetch(new Request("http://localhost/5?n=1", { method: "POST", body }));
  await response.body?.cancel();
  for (const failure of failures) throw failure;
}

class Job {
  Run(): void {}
}

/** Uses an object of a hub, which is closed afterwards. */
async function withHub(use: (hub: live.Hub) => unknown): Promise<void> {
  await using hub = live.New();
  await use(hub);
}

/** The classes. Those of tests, of clients and of template engines are not listed. */
export const subjects: Readonly<Record<string, Subject>> = {
  "Application": (use) => use(quiet()),
  "Party": (use) => use(quiet().Party("/p")),
  "APIContainer": (use) => use(quiet().ConfigureContainer()),
  "Route": (use) => use(quiet().Get("/r", nothing)),
  "Macros": (use) => use(quiet().Macros()),
  "I18n": (use) => use(quiet().I18n),
  "Context": (use) => inRequest((ctx) => ctx, use),
  "Params": (use) => inRequest((ctx) => ctx.Params(), use),
  "Values": (use) => inRequest((ctx) => ctx.Values(), use),
  "Negotiation": (use) => inRequest((ctx) => ctx.Negotiation(), use),
  "Recorder": (use) => inRequest((ctx) => ctx.Recorder(), use),
  "mvc Application": (use) => use(mvc.New(quiet())),
  "sessions Sessions": (use) => {
    const manager = sessions.New();
    return inRequest(() => manager, use, manager.Handler());
  },
  "sessions Session": (use) => inRequest((ctx) => sessions.Get(ctx), use, sessions.New().Handler()),
  "jobs Queue": (use) => use(jobs.New(jobs.NewMemory()).Handle(Job)),
  "jobs Adder": (use) => use(jobs.New(jobs.NewMemory()).Handle(Job)),
  "jobs Operations": (use) => use(jobs.New(jobs.NewMemory()).Handle(Job)),
  "live Hub": (use) => withHub(use),
  "live RoomPresence": (use) => withHub((hub) => use(hub.Presence("room"))),
  "live LiveTopic": (use) => withHub((hub) => use(hub.Topic("topic"))),
  "HTMLEngine": (use) => use(fw.HTML("")),
  "mail Memory": (use) => use(mail.NewMemory()),
  "keys Keys": (use) => use(keys.New(secret)),
  "tokens Tokens": (use) => use(tokens.New({ Keys: keys.New(secret), Purpose: "reset", Lifetime: 1000 })),
  "apikeys Keys": (use) => use(apikeys.New({ Store: apikeys.NewMemory() })),
  "websocket Server": (use) => use(websocket.New()),
  "websocket Namespace": (use) => use(websocket.New().Namespace("room")),
};

/** The arguments of methods whose kinds do not determine them. */
export const accepted: Readonly<Record<string, readonly unknown[]>> = {
  "Context.ServeContent": ["x", "x.txt"],
  "Context.Stream": [["x"]],
  "Context.Events": [["x"]],
  "Context.SendFileWithRate": [new URL(import.meta.url), 1_000_000],
  "jobs Queue.Schedule": ["0 0 * * *", Job],
  "tokens Tokens.Issue": ["1", []],
};

/**
 * The arguments of the wrong kind that a method accepts, with the reason. The expressions match cells such as
 * `Context.URLParam name=5`.
 */
export const lenient: Readonly<Record<string, RegExp>> = {
  "A lookup stores nothing, and there is nothing under a name of another kind":
    /^(?:Context\.(?:URLParam|FormValue|PostValue|FormFile|Get(?:Response)?Header|GetCookie)\w*|Params\.\w+|Party\.GetRoute|Macros\.Get|Recorder\.GetHeader|HTMLEngine\.HasFunc) (?:name|key)=/,
  "There are no closest paths for a number of another kind": /^Context\.FindClosest n=/,
  "A default is returned as it is": / def=/,
  "The values of a request are a map, which has keys of any kind": /^Values\.\w+ key=/,
  "A reader returns the error": /^Context\.Read\w+ (?:schema|options)=/,
  "A problem without options has the status 400": /^Context\.(?:StopWith)?Problem problem=undefined$/,
  "A string is sent as UTF-8": /^Context\.Binary bytes="x"$/,
  "Any value can be offered, and Negotiate refuses one that cannot be sent": /^Negotiation\.\w+ (?:html|text|bytes)=/,
  "Only whether it is true matters": /^HTMLEngine\.Reload on=/,
  "Every body exceeds a limit of another kind": /^Recorder\.ReadBody limit=/,
  "Names and typed keys are keys, and every value that can be stored is a value":
    /^sessions Session\.(?:\w+ key="x"|Set\w* value=)/,
  "The class of a job is a job": /^jobs (?:Adder\.Add|Queue\.Schedule) job=function$/,
  "Clients send them, so that other kinds are only invalid":
    /^(?:keys Keys\.(?:Verify signed|Decrypt sealed)|tokens Tokens\.Verify token)=/,
};

/** The methods that are not called, with the reason. */
export const uncalled: Readonly<Record<string, string>> = {
  "Application.Run": "starts a server; its arguments are in the table of options",
  "Application.Listen": "starts a server; its arguments are in the table of options",
  "Application.onListen": "is internal",
  "Application.Report": "is internal",
};
