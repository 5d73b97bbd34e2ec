/** Attacks on the asynchronous context: a user whose context becomes that of others, and one whose context is lost. */

import type { Attack, Send } from "../attack.ts";
import { all, noFault, says, so } from "../expect.ts";
import { get, postForm, request } from "../requests.ts";
import type { Outcome } from "../outcome.ts";

const bob = { "X-User": "bob" };

/** Sends bob's request, and then asks on the same and on another connection who is calling. */
function thenStart(first: string): Send {
  return async (wire) => {
    const start = "GET /contexts/start HTTP/1.1\r\nHost: localhost\r\n\r\n";
    const kept = first.replace("Connection: close\r\n", "");
    const outcomes = [await wire.send(kept + start + get("/contexts/start")), await wire.send(get("/contexts/start"))];
    return {
      replies: outcomes.flatMap(({ replies }) => replies),
      text: outcomes.map(({ text }) => text).join("\n"),
      end: outcomes.at(-1)?.end ?? "open",
    };
  };
}

const startsAsNobody = all(
  noFault(),
  so(
    "starts the other requests as nobody",
    ({ replies }) => replies.length === 4 && replies.slice(1).every(({ body }) => body === "nobody"),
  ),
);

/** Sends requests of 40 users at the same time, and lists the responses that contain another name. */
function atOnce(path: string): Send {
  return async (wire) => {
    const names = Array.from({ length: 40 }, (_, at) => `user${at}`);
    const outcomes = await Promise.all(names.map((name) => wire.send(get(path, { "X-User": name }))));
    const mixed = outcomes.filter(({ replies }, at) => !isOnly(replies[0]?.body ?? "", names[at] ?? ""));
    return { ...outcomes[0] as Outcome, figures: [mixed.length] };
  };
}

function isOnly(body: string, name: string): boolean {
  const found = [...body.matchAll(/(\w+);/g)].map(([, each]) => each);
  return found.length > 1 && found.every((each) => each === name);
}

const keepsEach = so("sends each user only the own name", ({ figures }) => figures?.[0] === 0);

/** Attacks on the asynchronous contexts of requests. */
export const contextAttacks: readonly Attack[] = [
  {
    name: "A user's first form does not put later requests into the user's asynchronous context",
    needs: ["contexts"],
    send: thenStart(
      request(
        "POST",
        "/contexts/named/form",
        { ...bob, "Content-Type": "application/x-www-form-urlencoded" },
        "name=tea",
      ),
    ),
    expect: startsAsNobody,
  },
  ...["file", "xml", "names", "stream", "events"].map((route): Attack => ({
    name: `A user's first response from "/${route}" does not put later requests into the user's asynchronous context`,
    needs: ["contexts of loaded code"],
    send: thenStart(get(`/contexts/named/${route}`, bob)),
    expect: startsAsNobody,
  })),
  {
    name: "A stream that many users read at once keeps the asynchronous context of each",
    needs: ["contexts"],
    send: atOnce("/contexts/named/stream"),
    expect: keepsEach,
  },
  ...["events", "names"].map((route): Attack => ({
    name: `A response from "/${route}" that many users read at once keeps the asynchronous context of each`,
    needs: ["contexts of loaded code"],
    send: atOnce(`/contexts/named/${route}`),
    expect: keepsEach,
  })),
  {
    name: "A task after the response runs in the asynchronous context of its request",
    needs: ["contexts of closed requests"],
    send: async (wire) => {
      await wire.send(get("/contexts/named/closing", bob));
      await wire.send(postForm("/contexts/named/form", "name=tea"));
      return await wire.send(get("/contexts/closed"));
    },
    expect: says(200, "bob"),
  },
];
