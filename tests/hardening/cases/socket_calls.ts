/** Attacks on events that a request of the same kind would withstand. */

import type { Attack, Step } from "../attack.ts";
import { secret, so } from "../expect.ts";
import type { Outcome } from "../outcome.ts";
import type { Wire } from "../wire.ts";
import { frame, handshake } from "./websocket.ts";

/** Opens a connection and sends messages. */
function talk(path: string, ...messages: string[]): Step[] {
  const opening = handshake(path.includes("EIO=") ? { protocol: "" } : {}, path);
  return [
    { write: opening },
    { replies: 1 },
    { wait: 50 },
    ...messages.flatMap((message) => [{ write: frame(message) }, { wait: 60 }]),
  ];
}

/** The events of a controller whose replies must not contain the password. */
const events = ["account", "later", "list", "tuple", "anything", "_anything", "_OnRoomJoin", "_OnAnyEvent"];
const resultAttacks: Attack[] = [
  ...events.map((event): Attack => ({
    name: `The reply to the event "${event}" passes through the result handler`,
    needs: ["results of events"],
    send: talk("/account-ws", `[1,1,"","${event}",null]`),
    expect: so("sends the name only", ({ text }) => text.includes("ada") && !text.includes(secret)),
  })),
  {
    name: "The repeated reply to an event passes through the result handler",
    needs: ["results of events"],
    send: talk("/account-ws", '[14,1,"","later",null,"k"]', '[14,2,"","later",null,"k"]'),
    expect: so(
      "sends the name twice",
      ({ text }) => text.split("ada").length === 3 && !text.includes(secret),
    ),
  },
  ...events.map((event): Attack => ({
    name: `The acknowledgement of the Socket.IO event "${event}" passes through the result handler`,
    needs: ["results of events"],
    send: talk("/account-io?EIO=4&transport=websocket", "40", `421["${event}"]`),
    expect: so("sends the name only", ({ text }) => text.includes("ada") && !text.includes(secret)),
  })),
];

/** Runs a conversation with one server while a client is connected to the other one. */
function beside(witness: readonly Step[], attacker: readonly Step[]): (wire: Wire) => Promise<Outcome> {
  return async (wire) => {
    const [outcome] = await Promise.all([wire.steps(witness), wire.steps(attacker)]);
    return outcome;
  };
}

const apart = { needs: ["servers on one hub"] };
const serverAttacks: Attack[] = [
  {
    name: "A server that disconnects its user does not disconnect that of another server",
    ...apart,
    send: beside([...talk("/shop-ws?user=3"), { wait: 400 }, ...said('[1,1,"","echo","still here"]')], [
      ...talk("/news-ws?user=3"),
      ...said('[1,1,"","kick",null]'),
    ]),
    expect: so("keeps the other connection", ({ text }) => text.includes("still here")),
  },
  {
    name: "A server does not receive the messages to the user of another server",
    ...apart,
    send: beside([...talk("/news-ws?user=2"), { wait: 400 }, ...said('[1,1,"","echo","done"]')], [
      ...talk("/shop-ws?user=2"),
      ...said('[1,1,"","tell",null]'),
    ]),
    expect: so("sends nothing of the other server", ({ text }) => text.includes("done") && !text.includes(secret)),
  },
  {
    name: "A server does not repeat the reply of another server to the same key",
    ...apart,
    send: async (wire) => {
      await wire.steps(talk("/shop-ws?user=3", '[14,1,"","pay",null,"key"]'));
      return await wire.steps(talk("/news-ws?user=3", '[14,1,"","pay",null,"key"]'));
    },
    expect: so("replies itself", ({ text }) => text.includes("nothing") && !text.includes(secret)),
  },
  {
    name: "A server does not list the members of another server",
    ...apart,
    send: beside(
      [...talk("/news-ws?user=4", '[7,1,"","tea"]'), { wait: 300 }, ...said('[1,2,"","members",null]')],
      [...talk("/shop-ws?user=4", '[7,1,"","tea"]'), { wait: 600 }],
    ),
    expect: so("lists its own member", ({ text }) => text.includes("nothing") && !text.includes(secret)),
  },
];

function said(message: string): Step[] {
  return [{ write: frame(message) }, { wait: 100 }];
}

/** Integers that a number rounds, or that it would write with other digits. */
const integers = ["9007199254740993", "-9007199254740993", "1152921504606846976", "18446744073709551615"];
const integerAttacks: Attack[] = integers.flatMap((digits) => [
  ...["echo", "emit", "all", "room"].map((event): Attack => ({
    name: `The integer ${digits} keeps its digits in the event "${event}"`,
    needs: ["integers in events"],
    send: talk("/integer-ws", `[1,1,"","${event}",{"id":${digits}}]`),
    expect: so("sends the same digits", ({ text }) => text.includes(`{"id":${digits}}`)),
  })),
  {
    name: `The integer ${digits} keeps its digits in a repeated reply`,
    needs: ["integers in events"],
    send: talk("/integer-ws", `[14,1,"","echo",${digits},"${digits}"]`, `[14,2,"","echo",null,"${digits}"]`),
    expect: so(
      "sends the same digits",
      ({ text }) => text.includes(`[3,1,${digits}]`) && text.includes(`[3,2,${digits}]`),
    ),
  },
]);

/** All attacks on events. */
export const socketCallAttacks: readonly Attack[] = [...resultAttacks, ...serverAttacks, ...integerAttacks];
