import { assertEquals } from "@std/assert";
import { readForwarded } from "../../../src/http/headers/forwarded.ts";

const none = { for: "", proto: "", host: "" };
const forwardedCases: [text: string, expected: readonly object[]][] = [
  ["for=192.0.2.60;proto=http;by=203.0.113.43", [{ ...none, for: "192.0.2.60", proto: "http" }]],
  ["For=192.0.2.43, FOR=198.51.100.17", [{ ...none, for: "192.0.2.43" }, { ...none, for: "198.51.100.17" }]],
  ['for="[2001:db8:cafe::17]:4711"', [{ ...none, for: "[2001:db8:cafe::17]:4711" }]],
  ['host="a.example:80" ; Proto=https', [{ ...none, host: "a.example:80", proto: "https" }]],
  ['for="a,b;proto=https", for=c', [{ ...none, for: "a,b;proto=https" }, { ...none, for: "c" }]],
  ['for="a\\",proto=https", for=c', [{ ...none, for: 'a",proto=https' }, { ...none, for: "c" }]],
  ["for=_hidden", [{ ...none, for: "_hidden" }]],
  ["", [none]],
  ["secret=1", [none]],
  ["for=a,,for=b", [{ ...none, for: "a" }, none, { ...none, for: "b" }]],
  // An unclosed quote, characters after a quote, or a repeated name: programs read these differently, so none is
  // trusted.
  ['for="a, for=b', []],
  ['for="a"b', []],
  ["for=a;for=b", []],
  ["for=a;FOR=b, for=c", []],
];

for (const [text, expected] of forwardedCases) {
  Deno.test(`readForwarded() parses ${JSON.stringify(text)}`, () => assertEquals(readForwarded(text), expected));
}
