import { assertEquals } from "@std/assert";
import { isJSONStream, isTextual } from "../../../src/http/headers/content_type.ts";

Deno.test("isTextual() and isJSONStream() know the names of the formats", () => {
  const rows: readonly (readonly [type: string, isText: boolean, isLines: boolean])[] = [
    ["text/plain", true, false],
    ["application/json", true, false],
    ["application/problem+json", true, false],
    ["image/svg+xml", true, false],
    ["application/yaml", true, false],
    ["application/x-yaml", true, false],
    ["application/javascript", true, false],
    ["application/x-www-form-urlencoded", true, false],
    ["application/x-ndjson", true, true],
    ["application/ndjson", true, true],
    ["application/jsonl", true, true],
    ["application/x-jsonlines", true, true],
    ["application/json-seq", true, true],
    ["application/octet-stream", false, false],
    ["application/vnd.msgpack", false, false],
    ["application/jsonp", false, false],
    ["image/png", false, false],
    ["", false, false],
  ];
  for (const [type, ...expected] of rows) assertEquals([isTextual(type), isJSONStream(type)], expected, type);
});
