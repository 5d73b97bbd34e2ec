/** Attacks on the page of jobs: markup in names and errors, forged forms, and jobs that the page does not show. */

import type { Attack } from "../attack.ts";
import { all, header, never, noFault, responds, says } from "../expect.ts";
import { get, post } from "../requests.ts";

const needs = ["page of jobs"];
const form = "application/x-www-form-urlencoded";
const own = { "Sec-Fetch-Site": "same-origin" };
const retryAll = "queue=mail&id=";

/** Sends the form of the page. */
function retry(body: string, headers: Record<string, string> = own, path = "/jobs-page"): string {
  return post(path, form, body, headers);
}

const forgeries: readonly (readonly [string, Record<string, string>])[] = [
  ["another site", { "Sec-Fetch-Site": "cross-site" }],
  ["a sibling subdomain", { "Sec-Fetch-Site": "same-site" }],
  ["another origin in an old browser", { "Origin": "https://evil.example" }],
  ["a sandboxed frame", { "Origin": "null" }],
  ["another site that claims the host", { "Sec-Fetch-Site": "cross-site", "Origin": "http://localhost" }],
];

const unknownQueues: readonly (readonly [string, string])[] = [
  ["a queue that it does not show", "hidden"],
  ["a queue named __proto__", "__proto__"],
  ["a queue named constructor", "constructor"],
  ["an empty name", ""],
  ["a name with a line break", "mail%0d%0aSet-Cookie:%20a=b"],
];

/** All attacks on the page of jobs. */
export const jobAttacks: readonly Attack[] = [
  {
    name: "The page of jobs escapes titles, queues and errors",
    needs,
    send: get("/jobs-page"),
    expect: all(responds(200), never("<script>"), header("content-security-policy", /default-src 'none'/)),
  },
  {
    name: "The page of jobs does not repeat the query",
    needs,
    send: get("/jobs-page?retried=%22%3E%3Cscript%3Ealert(1)%3C/script%3E"),
    expect: all(responds(200), never("<script>")),
  },
  {
    name: "The page of jobs does not show the data of jobs",
    needs,
    send: get("/jobs-page"),
    expect: never(),
  },
  {
    name: "The page of jobs is not stored by caches and not shown in frames",
    needs,
    send: get("/jobs-page"),
    expect: all(header("cache-control", /no-store/), header("content-security-policy", /frame-ancestors 'none'/)),
  },
  ...forgeries.map(([name, headers]): Attack => ({
    name: `The page of jobs accepts no form from ${name}`,
    needs,
    send: retry(retryAll, headers),
    expect: responds(403),
  })),
  ...unknownQueues.map(([name, queue]): Attack => ({
    name: `The form of the page of jobs does not reach ${name}`,
    needs,
    send: retry(`queue=${queue}&id=`),
    expect: all(responds(404), never("Set-Cookie")),
  })),
  {
    name: "The form of the page of jobs does not reach a job of another queue",
    needs,
    send: async (wire) => {
      const { replies } = await wire.send(get("/jobs-hidden"));
      return await wire.send(retry(`queue=mail&id=${replies[0]?.body}`));
    },
    expect: header("location", /^\?retried=0$/),
  },
  {
    name: "The form of the page of jobs ignores an ID with a line break",
    needs,
    send: retry("queue=mail&id=x%0d%0aSet-Cookie:%20a=b"),
    expect: all(header("location", /^\?retried=0$/), never("Set-Cookie")),
  },
  {
    name: "The form of the page of jobs is not sent by a link",
    needs,
    send: get("/jobs-page?queue=mail&id="),
    expect: all(responds(200), noFault()),
  },
  {
    name: "The form of the page of jobs cannot be bypassed with JSON",
    needs,
    send: post("/jobs-page", "application/json", '{"queue":"mail","id":""}', { "Sec-Fetch-Site": "cross-site" }),
    expect: responds(403),
  },
  {
    name: "The page of jobs stays behind the guard of its party",
    needs,
    send: get("/jobs-guarded"),
    expect: all(responds(401), never("mail")),
  },
  {
    name: "The form of the page of jobs stays behind the guard of its party",
    needs,
    send: retry(retryAll, own, "/jobs-guarded"),
    expect: responds(401),
  },
  {
    name: "None of the attacks on the page of jobs has run a job again",
    needs,
    send: get("/jobs-failed"),
    expect: says(200, "[1,1,1]"),
  },
];
