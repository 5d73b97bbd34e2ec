// Cases about return values. Each value is either a response or an error.

import * as mvc from "../../../../mvc/mod.ts";
import type { Case } from "../case.ts";

function circle(): object {
  const value: { self?: unknown } = {};
  return value.self = value;
}

const values: Record<string, [make: () => unknown, expected: string]> = {
  "a Map": [() => new Map([["a", new Set([1])]]), '200 {"a":[1]}'],
  "a Set": [() => new Set([1, 2]), "200 [1,2]"],
  "a Blob": [() => new Blob(["b"]), "200 b"],
  "a File": [() => new File(["f"], "f.txt"), "200 f"],
  "an ArrayBuffer": [() => new Uint8Array([65]).buffer, "200 A"],
  "a DataView": [() => new DataView(new Uint8Array([65]).buffer), "200 A"],
  "URLSearchParams": [() => new URLSearchParams({ a: "1" }), "200 a=1"],
  "an iterator": [() => [1, 2].values(), "200 [1,2]"],
  "a generator": [
    function* () {
      yield "a";
      yield "b";
    },
    "200 ab",
  ],
  "an async generator": [
    async function* () {
      yield await Promise.resolve("a");
    },
    "200 a",
  ],
  "a status and an object": [() => mvc.Tuple(202, { name: "Ada", message: "hi" }), '202 {"name":"Ada","message":"hi"}'],
  "Headers": [() => new Headers(), "500 Internal Server Error"],
  "a function": [() => () => 1, "500 Internal Server Error"],
  "a list of Responses": [() => [new Response("a")], "500 Internal Server Error"],
  "a circle": [circle, "500 Internal Server Error"],
};

/** Cases about return values. */
export const returnedCases: readonly Case[] = Object.entries(values).map(([name, [make, expected]]) => ({
  name: `10: ${name} is a response or an error`,
  async run({ m, ask }) {
    class Returning {
      Get() {
        return make();
      }
    }
    m.Handle(Returning);
    await ask("/");
  },
  works: [expected],
}));
