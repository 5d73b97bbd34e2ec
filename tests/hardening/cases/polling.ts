/** Attacks on Socket.IO sessions over long polling. */

import type { Attack, Step } from "../attack.ts";
import { responds, respondsInTurn, secret, so } from "../expect.ts";
import type { Outcome } from "../outcome.ts";
import { get, request } from "../requests.ts";
import type { Wire } from "../wire.ts";
import { handshake } from "./websocket.ts";

const base = "/polling-io?EIO=4&transport=polling";
const ada = { "x-user": "ada" };
const needs = ["polling"];

/** Opens a session of the user "ada", with a message for her, and returns the path of its requests. */
async function opened(wire: Wire): Promise<string> {
  const { replies } = await wire.send(get(base, ada));
  const path = `${base}&sid=${JSON.parse(replies[0]?.body.slice(1) ?? "").sid}`;
  await wire.send(request("POST", path, ada, '40\x1e420["secret"]'));
  return path;
}

/** Attacks an open session. */
function inSession(attack: (wire: Wire, path: string) => Promise<Outcome>): (wire: Wire) => Promise<Outcome> {
  return async (wire) => await attack(wire, await opened(wire));
}

/** Sends a request body, and then polls. */
function posting(body: string): (wire: Wire) => Promise<Outcome> {
  return inSession(async (wire, path) => {
    const first = await wire.send(request("POST", path, ada, body));
    const second = await wire.send(get(path, ada));
    return { ...second, replies: [...first.replies, ...second.replies] };
  });
}

const foreign: Readonly<Record<string, (path: string) => string>> = {
  "a poll by another user": (path) => get(path, { "x-user": "eve" }),
  "a poll without a user": (path) => get(path),
  "a message by another user": (path) => request("POST", path, { "x-user": "eve" }, "1"),
  "an upgrade by another user": (path) => handshake({ protocol: "" }, path.replace("polling&", "websocket&")),
  "a poll from another origin": (path) => get(path, { ...ada, origin: "https://evil.example" }),
};

const malformed: Readonly<Record<string, string>> = {
  "an unknown type": "9",
  "an upgrade": "5",
  "no type": "",
  "empty messages": "\x1e\x1e\x1e",
  "invalid base64": "b====",
  "an unexpected attachment": "bAQID",
  "invalid UTF-8": "42\xff\xfe",
  "deep nesting": `42${"[".repeat(900)}`,
  "many attachments": '4599-["x"]',
};

/** All attacks on long polling. */
export const pollingAttacks: readonly Attack[] = [
  ...Object.entries(foreign).map(([kind, write]): Attack => ({
    name: `The session of a polling client withstands ${kind}`,
    needs,
    send: inSession(async (wire, path) => {
      const { replies: [refused] } = await wire.send(write(path));
      const { replies, ...outcome } = await wire.send(get(path, ada));
      return { ...outcome, replies: [...refused === undefined ? [] : [refused], ...replies] };
    }),
    expect: so("refuses, and sends the message to its user", ({ replies: [refused, polled] }) => {
      const isRefused = refused !== undefined && refused.status >= 400 && !refused.body.includes(secret);
      return isRefused && polled?.status === 200 && polled.body.includes(secret);
    }),
  })),
  {
    name: "A guessed session ID of a polling client is unknown",
    needs,
    send: get(`${base}&sid=00000000-0000-4000-8000-000000000000`, ada),
    expect: responds(400),
  },
  ...Object.entries(malformed).map(([fault, body]): Attack => ({
    name: `A polling client that sends ${fault} loses its session only`,
    needs,
    send: posting(body),
    expect: respondsInTurn(400, 400),
  })),
  {
    name: "A polling client cannot send more than the limit",
    needs,
    send: posting(`42["echo","${"x".repeat(20_000)}"]`),
    expect: respondsInTurn(413, 400),
  },
  {
    name: "A polling client cannot hold several polls open",
    needs,
    send: inSession(async (wire, path) => {
      await wire.send(get(path, ada));
      const poll: Step[] = [{ write: get(path, ada) }, { replies: 1 }];
      const [first, second] = await Promise.all([wire.steps(poll), wire.steps([{ wait: 100 }, ...poll])]);
      return { ...second, replies: [...first.replies, ...second.replies] };
    }),
    expect: so("ends the session", ({ replies: [first, second] }) => first?.body === "1" && second?.status === 400),
  },
  {
    name: "An address cannot open any number of polling sessions",
    needs,
    send: async (wire) => {
      const path = base.replace("polling-io", "crowded-io");
      const outcomes: Outcome[] = [];
      for (let at = 0; at < 8; at++) outcomes.push(await wire.send(get(path)));
      return { text: "", end: "open", replies: outcomes.flatMap(({ replies }) => replies) };
    },
    expect: respondsInTurn(200, 200, 200, 200, 200, 429, 429, 429),
  },
];
