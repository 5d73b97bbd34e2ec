/** Attacks on several routes at the same path, of which only one may run, and on files behind guards. */

import type { Attack } from "../attack.ts";
import { all, never, so } from "../expect.ts";
import { headerOf, type Outcome } from "../outcome.ts";
import { get, request } from "../requests.ts";
import type { Wire } from "../wire.ts";
import { hashedFile, recorders, refusals } from "./one_route_names.ts";

/** Sends requests for a path, and then asks how often the route outside the guard has run. */
function counted(path: string, headers: Record<string, string>): (wire: Wire) => Promise<Outcome> {
  return async (wire) => {
    const texts: string[] = [];
    for (const method of ["POST", "GET", "GET", "DELETE"]) {
      texts.push((await wire.send(request(method, path, headers))).text);
    }
    const { replies, end } = await wire.send(get(`/runs?of=${path}`));
    return { replies, text: texts.join("\n"), end };
  };
}

const isNeverRun = so(
  "runs no other route",
  ({ replies: [counter] }) => counter?.status === 200 && counter.body === "0",
);

const routeAttacks: readonly Attack[] = refusals.flatMap((refusal, at) =>
  recorders.flatMap((recorder): Attack[] => [
    {
      needs: ["routes of versions"],
      name: `A route outside a version does not run after ${refusal} inside it, around both: ${recorder}`,
      send: counted(`/versions/${at}/${recorder}`, { "Accept-Version": "2.0.0" }),
      expect: all(isNeverRun, never()),
    },
    {
      needs: ["overlapping routes"],
      name: `An overlapping route does not run after ${refusal} of the first one, around both: ${recorder}`,
      send: counted(`/overlap/${at}/${recorder}`, {}),
      expect: all(isNeverRun, never()),
    },
  ])
);

const clients: Record<string, Record<string, string>> = {
  password: { Authorization: `Basic ${btoa("ann:sesame")}` },
  cookie: { Cookie: "key=open" },
  user: { "X-Key": "open" },
};

const fileAttacks: readonly Attack[] = Object.entries(clients).flatMap(([guard, headers]) =>
  [`/${hashedFile}`, "/icon", "/page", "/marked"].map((path): Attack => ({
    needs: ["guarded files"],
    name: `A client without credentials does not get what a cache has seen behind a guard by ${guard}: ${path}`,
    send: async (wire) => {
      const first = await wire.send(get(`/guarded/${guard}${path}`, headers));
      const second = await wire.send(get(`/guarded/${guard}${path}`));
      return { ...second, replies: [...first.replies, ...second.replies] };
    },
    expect: all(
      so("is private", ({ replies: [first] }) => {
        const said = headerOf(first, "cache-control");
        return first?.status === 200 && said.startsWith("private") && !/public|s-maxage/.test(said);
      }),
      so("refuses the second client", ({ replies: [, second] }) => second?.status === 401),
      never(),
    ),
  }))
);

/** The attacks on routes and files behind guards. */
export const oneRouteAttacks: readonly Attack[] = [...routeAttacks, ...fileAttacks];
