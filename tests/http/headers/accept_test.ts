import { assertEquals } from "@std/assert";
import { acceptedType, chooseType } from "../../../src/http/headers/accept.ts";

const offered = ["text/plain", "application/json", "text/html"];

const acceptCases: readonly [header: string, chosen: string][] = [
  ["", "text/plain"],
  ["*/*", "text/plain"],
  ["application/json", "application/json"],
  ["application/*", "application/json"],
  ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "text/html"],
  ["text/plain;q=0.5, application/json;q=0.9", "application/json"],
  ["text/*;q=0.2, text/html;q=0.1, application/json;q=0", "text/plain"],
  ["application/json;q=0, */*", "text/plain"],
  ["image/png", "text/plain"],
  ["APPLICATION/JSON ; charset=utf-8 ; q=1", "application/json"],
  ["application/json;q=nonsense", "application/json"],
  [",;,/,", "text/plain"],
  ["image/gif, *; q=.2, application/json; q=.3", "application/json"],
  ["a/b,".repeat(100_000) + "text/html", "text/plain"],
];

for (const [header, chosen] of acceptCases) {
  Deno.test(`chooseType() for "${header.slice(0, 50)}" returns "${chosen}"`, () => {
    assertEquals(chooseType(header, offered), chosen);
  });
}

const levels = ["text/html", "text/html; level=1", "application/json;charset=utf-8"];

const acceptedCases: readonly [header: string, chosen: string | undefined][] = [
  ["", "text/html"],
  [" , ", "text/html"],
  ["*", "text/html"],
  ["text/html;level=1", "text/html; level=1"],
  ['text/html; LEVEL="1"', "text/html; level=1"],
  ["text/html;level=2", "text/html"],
  ["text/html;level=1;q=0, text/html;q=0.4", "text/html"],
  ["text/html;level=1;q=0.3, text/html;q=0.4", "text/html"],
  ["text/html;q=0, text/html;level=1;q=0.1", "text/html; level=1"],
  ["application/json", "application/json;charset=utf-8"],
  ["application/json;charset=utf-8;q=0.5;ext=1", "application/json;charset=utf-8"],
  ["*/*;q=0", undefined],
  ["text/*;q=0, application/xml", undefined],
  ["x".repeat(10_000), undefined],
];

for (const [header, chosen] of acceptedCases) {
  Deno.test(`acceptedType() for "${header.slice(0, 50)}" returns "${chosen}"`, () => {
    assertEquals(acceptedType(header, levels), chosen);
  });
}
