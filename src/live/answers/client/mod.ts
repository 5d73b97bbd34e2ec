/**
 * A `fetch` function for browsers that reads model answers without losing parts. If the network or the server process
 * fails, it reconnects and continues after the last part. It has no dependencies and works with the AI SDK's `useChat`.
 *
 * @example Continue answers in useChat
 * ```ts ignore
 * import { useChat } from "@ai-sdk/react";
 * import { DefaultChatTransport } from "ai";
 * import * as client from "@fw/web/answers/client";
 *
 * const transport = new DefaultChatTransport({ api: "/api/chat", fetch: client.NewFetch() });
 * const chat = useChat({ id: "chat1", resume: true, transport });
 * ```
 *
 * @module
 */

import { func, milliseconds } from "../../../base/config/option_kinds.ts";
import { optionTable, readOptions } from "../../../base/config/option_table.ts";
import { continued, type Reconnect } from "./continued.ts";

/** A function with the parameters and the result of `fetch`. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** Options for {@linkcode NewFetch}. */
export interface FetchOptions {
  /**
   * Returns the URL that continues an answer, given the URL and body of the request that started it. Defaults
   * to the URL that `useChat` uses: the URL of the request, the `id` in its JSON body, and `stream`.
   */
  readonly ResumeURL?: (url: string, body: string) => string;
  /**
   * The time to keep trying to reconnect after the connection is lost, in milliseconds.
   *
   * @default {120000}
   */
  readonly Patience?: number;
  /** The function that sends requests. Defaults to the global `fetch`. */
  readonly Fetch?: Fetch;
}

const table = optionTable<FetchOptions>("answers/client.FetchOptions", "NewFetch")({
  ResumeURL: func(resumeURLOf),
  Patience: milliseconds(120_000, { to: Infinity }),
  Fetch: func(),
});

/**
 * Creates a function for use in place of `fetch`. If the connection of an answer is lost, the function connects again
 * and continues after the last part, so that its caller sees one uninterrupted response. All other responses are
 * returned unchanged. A request that starts an answer is never sent twice.
 *
 * @param options The URL that continues an answer, and for how long to try.
 * @returns The function.
 */
export function NewFetch(options: FetchOptions = {}): Fetch {
  const settings = readOptions(table, options);
  const { ResumeURL, Patience, Fetch: send = globalThis.fetch.bind(globalThis) } = settings;
  return async (input, init) => {
    const response = await send(input, init);
    const isAnswer = response.headers.get("x-vercel-ai-ui-message-stream") !== null && response.body !== null;
    if (!response.ok || !isAnswer) return response;
    const request = input instanceof Request ? input : undefined;
    const signal = init?.signal ?? request?.signal;
    const url = request?.url ?? String(input);
    const isStart = (init?.method ?? request?.method ?? "GET").toUpperCase() !== "GET";
    const target = isStart ? ResumeURL(url, typeof init?.body === "string" ? init.body : "") : url;
    const headers = new Headers(init?.headers ?? request?.headers);
    for (const name of ["content-type", "content-length"]) headers.delete(name);
    const credentials = init?.credentials ?? request?.credentials;
    const reconnect: Reconnect = (lastID) => {
      if (lastID !== "") headers.set("last-event-id", lastID);
      return send(target, { headers, ...credentials && { credentials }, ...signal && { signal } });
    };
    const body = continued(response, reconnect, { patience: Patience, signal: signal ?? undefined });
    return new Response(body, { status: response.status, headers: response.headers });
  };
}

function resumeURLOf(url: string, body: string): string {
  const { id } = JSON.parse(body);
  return `${url}/${encodeURIComponent(id)}/stream`;
}
