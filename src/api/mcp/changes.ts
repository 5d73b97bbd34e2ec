/**
 * Notifies clients of changed lists and resources.
 *
 * @module
 */

import { whenAborted } from "../../base/async/when_aborted.ts";
import { isJSONObject } from "../../base/data/plain_object.ts";
import { HTTPError } from "../../base/errors/errors.ts";
import { type Context, exchangeOf } from "../../core/context/context.ts";
import { leavingSignal } from "../../core/exchange/peer/outer_call.ts";
import { whenSessionEnds } from "../../core/exchange/stream_terms.ts";
import { MessageStream } from "./wire/message_stream.ts";
import { type Message, notificationOf, type Params, resultOf } from "./wire/messages.ts";
import { meta } from "./wire/revisions.ts";

/** A list that clients can ask for. */
export type ListName = "tools" | "prompts" | "resources";

/** A change: a list, or the URI of a resource. */
export type Change = { readonly list: ListName } | { readonly uri: string };

/** The filters of revision 2026-07-28, by list. */
const filters: Readonly<Record<ListName, string>> = {
  tools: "toolsListChanged",
  prompts: "promptsListChanged",
  resources: "resourcesListChanged",
};

/** The open streams of one endpoint. */
export class Changes {
  readonly #max: number;
  readonly #listeners = new Set<(change: Change) => void>();
  /** The functions that end the streams of sessions, by session ID. */
  readonly #sessions = new Map<string, Set<() => void>>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Notifies the clients that listen in this process. */
  publish(change: Change): void {
    for (const listener of this.#listeners) listener(change);
  }

  /**
   * Opens the stream of a session.
   *
   * @param ctx The request.
   * @param session The ID of the session.
   * @param isSubscribed Reports whether the session has subscribed to a resource.
   */
  openSession(ctx: Context, session: string, isSubscribed: (uri: string) => Promise<boolean>): Response {
    return this.#open(ctx, {
      session,
      listen: (send) => async (change) => {
        if ("uri" in change && !await isSubscribed(change.uri)) return;
        send(...wordsOf(change), {});
      },
    });
  }

  /** Ends the streams of a session in this process. */
  endSession(session: string): void {
    for (const end of this.#sessions.get(session) ?? []) end();
  }

  /** Opens the stream of a subscription. The client receives only the changes that it has asked for. */
  openSubscription(ctx: Context, { id, params }: Message): Response {
    const wanted = readFilter(params["notifications"]);
    const _meta = { [meta.subscription]: id };
    return this.#open(ctx, {
      first: notificationOf("notifications/subscriptions/acknowledged", { _meta, notifications: wanted }),
      last: resultOf(id ?? 0, { resultType: "complete", _meta }),
      listen: (send) => (change) => {
        const isWanted = "uri" in change
          ? wanted["resourceSubscriptions"]?.includes(change.uri)
          : wanted[filters[change.list]];
        if (isWanted) send(...wordsOf(change), { _meta });
      },
    });
  }

  #open(ctx: Context, { session, first, last, listen }: Opening): Response {
    if (this.#listeners.size >= this.#max) throw new HTTPError(503, "Cannot open a stream: too many are open");
    const leaving = leavingSignal(exchangeOf(ctx).target);
    const stream = new MessageStream(() => close());
    const listener = listen((method, params, more) => stream.send(notificationOf(method, { ...params, ...more })));
    const end = () => {
      close();
      if (last !== undefined) stream.send(last);
      stream.end();
    };
    const ends = session === undefined ? undefined : this.#sessions.get(session) ?? new Set();
    const waits = [whenAborted(leaving, end)];
    const close = () => {
      for (const forget of waits) forget();
      this.#listeners.delete(listener);
      ends?.delete(end);
      if (session !== undefined && ends?.size === 0) this.#sessions.delete(session);
    };
    const response = stream.open();
    this.#listeners.add(listener);
    if (session !== undefined && ends !== undefined) this.#sessions.set(session, ends.add(end));
    if (first !== undefined) stream.send(first);
    waits.push(whenSessionEnds(exchangeOf(ctx), end));
    if (leaving.aborted) end();
    return response;
  }
}

/** The messages of a stream. */
interface Opening {
  readonly session?: string;
  readonly first?: unknown;
  /** Sent when the application shuts down. */
  readonly last?: unknown;
  readonly listen: (send: (method: string, params: Params, more: Params) => void) => (change: Change) => void;
}

interface Filter {
  [name: string]: true | readonly string[] | undefined;
  resourceSubscriptions?: readonly string[];
}

function readFilter(given: unknown): Filter {
  const wanted = isJSONObject(given) ? given as Params : {};
  const filter: Filter = {};
  for (const name of Object.values(filters)) if (wanted[name] === true) filter[name] = true;
  const uris = wanted["resourceSubscriptions"];
  if (Array.isArray(uris)) filter.resourceSubscriptions = uris.filter((uri) => typeof uri === "string");
  return filter;
}

function wordsOf(change: Change): [method: string, params: Params] {
  return "uri" in change
    ? ["notifications/resources/updated", { uri: change.uri }]
    : [`notifications/${change.list}/list_changed`, {}];
}
