/**
 * The door of a cache: a stale response is renewed after it has been sent.
 *
 * @module
 */

import * as fw from "@fw/web";
import * as cache from "@fw/web/middleware/cache";
import { controllers, desk, Journal, prepare } from "./desk.ts";
import type { Action, CallOptions, Door, Setup, Verdict } from "./door.ts";
import { serving } from "./serving.ts";

function site(setup: Setup, journal: Journal): fw.Application {
  const app = fw.New();
  prepare(app, setup);
  const party = app.Party("/desk");
  party.Use(cache.New({ MaxAge: 1, StaleFor: 60_000 }), (ctx) => {
    // The first request stores the response, and the second one renews it.
    const isRenewal = journal.count("asked") > 0;
    journal.note("asked");
    if (isRenewal) ctx.Header("cache-control", "max-age=3600");
    ctx.Header("x-run", isRenewal ? "renewal" : "first");
    return ctx.Next();
  });
  desk(party, setup, journal).Handle(controllers.CachedDesk);
  return app;
}

/** Sends one request. */
async function ask(url: string, action: Action, { headers = {}, data }: CallOptions): Promise<Run> {
  const query = data === undefined ? "" : `?n=${JSON.parse(data.replace(/"n":(\d+)/, '"n":"$1"')).n}`;
  const response = await fetch(`${url}/desk/${action}${query}`, { headers });
  return { status: response.status, text: await response.text(), run: response.headers.get("x-run") };
}

/** A response and the run that created it. */
interface Run extends Verdict {
  readonly run: string | null;
}

/** Stores a response, lets a second request renew it, and returns what a third request receives. */
async function renewed(journal: Journal, send: () => Promise<Run>): Promise<Verdict> {
  const first = await send();
  if (first.status !== 200) return first;
  await stale();
  await send();
  await journal.until("asked", 2);
  for (;;) {
    const verdict = await send();
    if (verdict.run !== "first") return verdict;
  }
}

/** Waits until a response with a lifetime of one millisecond is stale. */
export function stale(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 5));
}

export const renewal: Door = {
  name: "cache renewal",
  open: (setup, run) => {
    const journal = new Journal();
    return serving(site(setup, journal), journal, (port) => {
      const send = (action: Action, options: CallOptions = {}) => {
        journal.note("sent");
        return ask(`http://127.0.0.1:${port}`, action, options);
      };
      return {
        ask: send,
        call: (action: Action, options?: CallOptions) => renewed(journal, () => send(action, options)),
      };
    }, run);
  },
};
