import { assertEquals } from "@std/assert";
import { chooseEncoding } from "../../../src/http/headers/accept_encoding.ts";

const offered = ["zstd", "br", "gzip"];

const cases: readonly [header: string | null, chosen: string | undefined][] = [
  [null, ""],
  ["", ""],
  ["gzip", "gzip"],
  ["gzip, deflate, br, zstd", "zstd"],
  ["gzip, deflate, br", "br"],
  ["GZIP", "gzip"],
  ["x-gzip", "gzip"],
  ["gzip;q=1, br;q=0.5", "gzip"],
  ["gzip;q=0.2, br;q=0.2", "br"],
  ["gzip;q=0", ""],
  ["*", "zstd"],
  ["*;q=0", undefined],
  ["*;q=0, gzip", "gzip"],
  ["identity;q=0", undefined],
  ["identity;q=0, gzip;q=0.1", "gzip"],
  ["identity;q=0, *", "zstd"],
  ["identity, gzip;q=0.5", ""],
  ["identity;q=0.5, gzip", "gzip"],
  ["identity, gzip", "gzip"],
  ["zstd;q=0, *", "br"],
  ["deflate", ""],
  ["gzip ; q = 0.8", "gzip"],
  ["gzip;q=nonsense", "gzip"],
  ["gzip;level=1;q=0", ""],
  [",,,gzip,,", "gzip"],
  [",".repeat(100_000) + "gzip", ""],
];

for (const [header, chosen] of cases) {
  const name = header === null ? "no header" : `"${header.slice(0, 40)}"`;
  Deno.test(`chooseEncoding() for ${name} returns ${JSON.stringify(chosen)}`, () => {
    assertEquals(chooseEncoding(header, offered), chosen);
  });
}
