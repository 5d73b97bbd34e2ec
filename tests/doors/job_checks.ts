/**
 * The checks for jobs, which have no request of their own.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import * as policy from "@fw/web/policy";
import { jobDoor } from "./job_door.ts";
import { type Check, newLogger, quietly } from "./properties.ts";

export const jobChecks: Readonly<Record<string, Check>> = {
  "limit: the rate": () =>
    quietly(jobDoor({ Rate: { Limit: 1, Period: 100 } }), {}, async ({ call }) => {
      const begun = performance.now();
      await call("who");
      await call("who");
      // The second job is delayed. Refusing it would lose it.
      assert(performance.now() - begun >= 90);
    }),

  "limit: the time": () =>
    quietly(jobDoor({ Timeout: 50 }), {}, async ({ call, journal }) => {
      const waited = call("wait");
      await journal.until("aborted");
      await waited;
    }),

  "validation: invalid input is refused with its field": (door) =>
    quietly(door, {}, async ({ call, journal }) => {
      const { status, text } = await call("echo", { data: '{"n":"x"}' });
      assertEquals([status, journal.count("echo")], [422, 0]);
      assertStringIncludes(text, '"n"');
    }),

  "policy: code that is not allowed is stopped, and the reason is logged once and not shown": async (door) => {
    const lines: string[] = [];
    const before = policy.Logger();
    policy.SetLogger(newLogger((line) => void lines.push(line)));
    try {
      await quietly(door, {}, async ({ call, journal }) => {
        const { status, text } = await call("judge");
        assertEquals([status, journal.count("judged")], [500, 0]);
        assertStringIncludes(text, "Forbidden");
      });
    } finally {
      policy.SetLogger(before);
    }
    assertEquals(lines.length, 1);
  },

  "errors: an HTTP error keeps its status and message": (door) =>
    quietly(door, {}, async ({ call }) => {
      assertStringIncludes((await call("conflict")).text, "The seat is taken");
    }),
};

const guarded = "Guards protect the request that adds the job; the job belongs to the application";
const unsent = "The result and the error of a job are stored for the application and its operators, and are not sent";
const inside = "The data comes from the application; limits apply to the request that it was taken from";

/** The properties that do not apply to jobs, with the reason. */
export const jobExceptions: Readonly<Record<string, string>> = {
  "identity: the code sees the user of the guard": "A job has no caller; pass the user's ID in its data",
  "identity: the code sees the owner of the key": "A job has no caller; pass the key's owner in its data",
  "guard: a policy": guarded,
  "guard: a missing key": guarded,
  "guard: a key with a wrong checksum": guarded,
  "guard: a key without the scope": guarded,
  "guard: a key without the role of its owner": guarded,
  "guard: a key where keys are denied": guarded,
  "guard: a missing token": guarded,
  "guard: a forged token": guarded,
  "guard: a password": guarded,
  "guard: a role": guarded,
  "guard: a webhook": guarded,
  "guard: an address": guarded,
  "guard: a gate that closes while the application runs": guarded,
  "guard: middleware of the application's own": guarded,
  "limit: the size": inside,
  "limit: the depth": inside,
  "language: the code and the messages use the language of the call":
    "A job has no client; pass the recipient's language in its data",
  "version: the code sees the version of the call": "A job has no client, and its name does not depend on a version",
  "results: a returned value passes the result handlers": unsent,
  "errors: an unexpected error is not shown": unsent,
  "sight: the access log has one line for the call":
    "The access log lists requests; a job is logged with its own fields",
};
