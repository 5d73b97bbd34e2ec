import { assertEquals, assertThrows } from "@std/assert";
import { HTTPError } from "../../../src/base/errors/errors.ts";
import { decodeText, encoderOf } from "../../../src/base/text/charset.ts";

Deno.test("encoderOf() encodes UTF-8 and the single-byte charsets, with question marks for other characters", () => {
  const rows: [charset: string, text: string, bytes: number[]][] = [
    ["utf-8", "é€", [0xc3, 0xa9, 0xe2, 0x82, 0xac]],
    ["iso-8859-1", "aé", [0x61, 0xe9]],
    ["iso-8859-7", "aι漢😀", [0x61, 0xe9, 0x3f, 0x3f]],
    ["windows-1252", "€", [0x80]],
    ["koi8-r", "да", [0xc4, 0xc1]],
    ["us-ascii", "a\0\x7f", [0x61, 0, 0x7f]],
  ];
  for (const [charset, text, bytes] of rows) assertEquals([...encoderOf(charset)?.(text) ?? []], bytes, charset);
});

Deno.test("encoderOf() returns undefined for other charsets", () => {
  for (const charset of ["klingon", "", "utf-16", "utf-16le", "shift_jis", "gb18030", "iso-2022-jp", "replacement"]) {
    assertEquals(encoderOf(charset), undefined, charset);
  }
});

Deno.test("decodeText() follows the byte order mark, then the charset, then UTF-8", () => {
  const rows: [bytes: number[], charset: string, text: string][] = [
    [[0xe9], "iso-8859-1", "é"],
    [[0xff, 0xfe, 0x61, 0], "", "a"],
    [[0xfe, 0xff, 0, 0x61], "utf-8", "a"],
    [[0xef, 0xbb, 0xbf, 0x61], "", "a"],
    [[0x61, 0], "utf-16le", "a"],
    [[], "", ""],
  ];
  for (const [bytes, charset, text] of rows) assertEquals(decodeText(Uint8Array.from(bytes), charset), text, charset);
});

Deno.test("decodeText() responds with 415 to unknown charsets and with 400 to invalid bytes", () => {
  const bytes = Uint8Array.from([0xe9]);
  assertEquals(assertThrows(() => decodeText(bytes, "klingon"), HTTPError).Status, 415);
  assertEquals(assertThrows(() => decodeText(bytes, ""), HTTPError).Status, 400);
});
