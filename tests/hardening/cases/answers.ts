/** Attacks on the answers of other users. */

import type { Attack } from "../attack.ts";
import { all, never, noFault, responds, respondsInTurn, secret } from "../expect.ts";
import { readReplies } from "../outcome.ts";
import { get, request } from "../requests.ts";

const answered = { needs: ["answers"] };

function as(user: string): Record<string, string> {
  return user === "" ? {} : { Authorization: `Bearer ${user}` };
}

let last = 0;

/**
 * Starts an answer as one user, attacks it, and lets its owner read it again. The outcome contains the responses to the
 * attack and the status of the owner's response, but not its text.
 */
function onAnother(attack: (id: string, position: string) => string): Attack["send"] {
  return async (wire) => {
    const id = `chat${++last}`;
    const begun = await wire.steps([{ write: request("POST", `/answers/${id}`, as("ada"), "") }, { text: secret }, {
      abort: true,
    }]);
    const position = /^id: (.*)$/m.exec(begun.text)?.[1] ?? "";
    const outcome = await wire.send(attack(id, position));
    const still = await wire.steps([{ write: get(`/answers/${id}/stream`, as("ada")) }, { text: secret }, {
      abort: true,
    }]);
    await wire.send(request("POST", `/answers/${id}/stop`, as("ada"), ""));
    return { ...outcome, replies: [...outcome.replies, ...readReplies(still.text, true)] };
  };
}

const stolen: readonly (readonly [name: string, status: number, attack: (id: string, position: string) => string])[] = [
  ["is not read by its ID", 204, (id) => get(`/answers/${id}/stream`, as("bob"))],
  ["is not read by its ID after its end", 204, (id) => get(`/answers/${id}/ended`, as("bob"))],
  ["is not read by a client without a user", 401, (id) => get(`/answers/${id}/stream`)],
  [
    "is not read by the position of a part",
    204,
    (id, position) => get(`/answers/${id}/stream`, { ...as("bob"), "Last-Event-ID": position.replace(/\d+$/, "1") }),
  ],
  [
    "is not read by the position of a part in one's own conversation",
    204,
    (_id, position) => get("/answers/mine/ended", { ...as("bob"), "Last-Event-ID": position.replace(/\d+$/, "1") }),
  ],
  ["is not read by an ID that names its owner", 204, (id) => get(`/answers/ada%2F${id}/stream`, as("bob"))],
  ["is not read by an ID that spells a key", 204, (id) => get(`/answers/ada%22,%22${id}/stream`, as("bob"))],
  ["is not stopped by its ID", 204, (id) => request("POST", `/answers/${id}/stop`, as("bob"), "")],
  ["is not stopped by a client without a user", 401, (id) => request("POST", `/answers/${id}/stop`, {}, "")],
];

const positions = ["", ".", "x.1", "9e9", "-1", "__proto__.1", `${"9".repeat(400)}.${"9".repeat(400)}`, "\u00ff.1"];

/** Attacks on answers. */
export const answerAttacks: readonly Attack[] = [
  ...stolen.map(([name, status, attack]) => ({
    ...answered,
    name: `the answer of another user ${name}`,
    send: onAnother(attack),
    expect: all(respondsInTurn(status, 200), never()),
  })),
  ...positions.map((position) => ({
    ...answered,
    name: `the position ${JSON.stringify(position.slice(0, 20))} of an answer does not fail the server`,
    send: get("/answers/none/ended", { ...as("bob"), "Last-Event-ID": position }),
    expect: noFault(),
  })),
  {
    ...answered,
    name: "two requests do not start two answers at once",
    send: onAnother((id) => request("POST", `/answers/${id}`, as("ada"), "")),
    expect: all(respondsInTurn(409, 200), never()),
  },
  {
    ...answered,
    name: "an oversized ID of a conversation is rejected",
    send: request("POST", `/answers/${"x".repeat(5_000)}`, as("bob"), ""),
    expect: responds(400),
  },
];
