/** Attacks on calls that pass through a mounted application, and on generators that hold a value of their request. */

import type { Attack } from "../attack.ts";
import { all, header, never, noFault, responds, says, so } from "../expect.ts";
import type { Outcome } from "../outcome.ts";
import { get, request } from "../requests.ts";
import type { Wire } from "../wire.ts";

const ada = { "X-User": "ada" };
const page = "/called/shelf/deep/shop/page";
const form = "/called/shelf/deep/shop/form";

/** Repeats a request until it has the expected body, because a server needs time to detect a disconnect. */
async function until(wire: Wire, path: string, text: string): Promise<Outcome> {
  let outcome = await wire.send(get(path));
  for (let i = 0; i < 100 && outcome.replies[0]?.body !== text; i++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    outcome = await wire.send(get(path));
  }
  return outcome;
}

/** Attacks on what a mounted application shares with the application around it. */
export const mountAttacks: readonly Attack[] = [
  {
    name: "A page of a mounted application's user is not cached for others",
    needs: ["mounted calls"],
    send: async (wire) => {
      await wire.send(get(page, ada));
      return await wire.send(get(page));
    },
    expect: all(says(200, "nobody"), never()),
  },
  {
    name: "A form token of a mounted application is not cached for others",
    needs: ["mounted calls"],
    send: async (wire) => {
      const [first, second] = [await wire.send(get(form)), await wire.send(get(form))];
      return { ...second, replies: [...second.replies, ...first.replies] };
    },
    expect: so("sends each client its own token", ({ replies: [one, other] }) => {
      return one?.status === 200 && one.body.length > 20 && one.body !== other?.body;
    }),
  },
  {
    name: "A redirect of a mounted application stays below its prefix",
    needs: ["mounted calls"],
    send: get("/called/shelf/deep/go"),
    expect: header("location", /^\/called\/shelf\/deep\/login$/),
  },
  {
    name: "A redirect of a mounted application does not take its prefix from the client",
    needs: ["mounted calls"],
    send: get("//evil.example/..//called/shelf/deep/go", { "X-Forwarded-Prefix": "//evil.example" }),
    expect: so("does not redirect to another host", ({ replies }) => {
      return replies.every(({ headers }) =>
        headers.every(([name, value]) => name.toLowerCase() !== "location" || !/^\/\/|^https?:/.test(value))
      );
    }),
  },
  {
    name: "The work of a mounted application ends with the timeout around it",
    needs: ["mounted calls"],
    send: async (wire) => {
      for (let i = 0; i < 5; i++) await wire.send(get("/hurried/slow"));
      return await until(wire, "/hurried/running", "0");
    },
    expect: says(200, "0"),
  },
  {
    name: "The work of a mounted application ends if its client disconnects",
    needs: ["mounted calls"],
    send: async (wire) => {
      for (let i = 0; i < 5; i++) {
        await wire.steps([{ write: get("/known/slow") }, { wait: 30 }, { abort: true }]);
      }
      return await until(wire, "/known/running", "0");
    },
    expect: says(200, "0"),
  },
  {
    name: "A mounted application refuses a call without the user of the application around it",
    needs: ["mounted calls"],
    send: get("/known/members"),
    expect: responds(401),
  },
  {
    name: "A mounted application does not keep the user of an earlier call",
    needs: ["mounted calls"],
    send: async (wire) => {
      await wire.send(get("/known/members", ada));
      return await wire.send(get("/known/members"));
    },
    expect: all(responds(401), noFault()),
  },
];

/** Attacks that leave generators behind. */
export const generatorAttacks: readonly Attack[] = [
  {
    name: "HEAD requests leave no generator open",
    needs: ["held generators"],
    send: async (wire) => {
      for (let i = 0; i < 20; i++) await wire.send(request("HEAD", "/generators/rows"));
      return await until(wire, "/generators/open", "0");
    },
    expect: says(200, "0"),
  },
  {
    name: "Clients that disconnect leave no generator open",
    needs: ["held generators"],
    send: async (wire) => {
      for (let i = 0; i < 10; i++) {
        await wire.steps([{ write: get("/generators/rows") }, { text: "row" }, { abort: true }]);
      }
      return await until(wire, "/generators/open", "0");
    },
    expect: says(200, "0"),
  },
  {
    name: "A generator never uses a value that has been disposed of",
    needs: ["held generators"],
    send: async (wire) => {
      for (let i = 0; i < 10; i++) {
        await wire.send(request("HEAD", "/generators/rows"));
        await wire.steps([{ write: get("/generators/rows") }, { text: "row" }, { abort: true }]);
      }
      await until(wire, "/generators/open", "0");
      return await wire.send(get("/generators/misused"));
    },
    expect: says(200, "0"),
  },
];
