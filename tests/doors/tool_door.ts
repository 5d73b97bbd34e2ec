/**
 * The door for agents: a tool call over the Model Context Protocol.
 *
 * @module
 */

import * as fw from "@fw/web";
import * as mcp from "@fw/web/mcp";
import { controllers, desk, Journal, prepare } from "./desk.ts";
import type { Action, CallOptions, Door, Setup, Verdict } from "./door.ts";
import { serving } from "./serving.ts";

function site(setup: Setup, journal: Journal): fw.Application {
  const app = fw.New();
  prepare(app, setup);
  desk(app.Party("/desk"), setup, journal).Handle(controllers.Desk);
  mcp.New(app, { Name: "desk", Controllers: [controllers.Desk], Sessions: false });
  return app;
}

/** Calls the tool of an action. */
async function call(url: string, action: Action, { headers, data, signal }: CallOptions): Promise<Verdict> {
  const name = `Desk_Post${action[0]?.toUpperCase()}${action.slice(1)}`;
  const given = action === "echo" ? `{"body":${data ?? "{}"}}` : "{}";
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    body: `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"${name}","arguments":${given}}}`,
    signal: signal ?? null,
  });
  const text = await response.text();
  if (response.status !== 200) return { status: response.status, text };
  const { result, error } = JSON.parse(text);
  if (error !== undefined) return { status: error.code, text };
  const content = result.content?.[0]?.text ?? "";
  if (!result.isError) return { status: 200, text: content };
  // The result of a refused call begins with the status.
  return { status: Number(/\b([45]\d\d)\b/.exec(content)?.[1] ?? 500), text: content };
}

export const toolCall: Door = {
  name: "tool call",
  open: (setup, run) => {
    const journal = new Journal();
    return serving(
      site(setup, journal),
      journal,
      (port) => (action, options = {}) => call(`http://127.0.0.1:${port}/mcp`, action, options),
      run,
    );
  },
};
