/**
 * Multipart bodies and their expected entries or errors. All form readers must agree with this list.
 *
 * @module
 */

/** A field, or a file with its name, type and content. */
export type Entry =
  | readonly [name: string, value: string]
  | readonly [
    name: string,
    filename: string,
    type: string,
    text: string,
  ];

/** A body and its expected entries. */
export interface Case {
  readonly name: string;
  /** The content type. Defaults to `multipart/form-data; boundary=X`. */
  readonly type?: string;
  readonly body: string;
  /** The entries, or the status of the error. */
  readonly expected: readonly Entry[] | 400 | 413;
  /** The result of the platform's `formData()` if it is wrong. This is why fw does not use it. */
  readonly native?: string;
}

/** Creates a part with the boundary `X`. */
export function part(header: string, value: string): string {
  return `--X\r\n${header}\r\n\r\n${value}\r\n`;
}

/** Creates a field with the boundary `X`. */
export function field(name: string, value: string): string {
  return part(`Content-Disposition: form-data; name="${name}"`, value);
}

/** Creates a file with the boundary `X`. */
export function file(name: string, filename: string, value: string): string {
  return part(
    `Content-Disposition: form-data; name="${name}"; filename="${filename}"\r\nContent-Type: text/plain`,
    value,
  );
}

const end = "--X--\r\n";
const octets = "application/octet-stream";

/** All cases. */
export const cases: readonly Case[] = [
  { name: "one field", body: field("a", "1") + end, expected: [["a", "1"]] },
  {
    name: "a field and a file",
    body: field("a", "1") + file("f", "x.txt", "hello") + end,
    expected: [["a", "1"], ["f", "x.txt", "text/plain", "hello"]],
  },
  { name: "no part at all", body: end, expected: [] },
  { name: "no line break behind the last delimiter", body: field("a", "1") + "--X--", expected: [["a", "1"]] },
  {
    name: "repeated fields",
    body: field("a", "1") + field("b", "2") + field("a", "3") + end,
    expected: [["a", "1"], ["a", "3"], ["b", "2"]],
  },
  { name: "an empty value", body: field("a", "") + end, expected: [["a", ""]] },
  { name: "an empty name", body: field("", "1") + end, expected: [["", "1"]], native: "dropped" },
  {
    name: "an empty file",
    body: file("f", "e.txt", "") + end,
    expected: [["f", "e.txt", "text/plain", ""]],
  },
  { name: "a file input without a chosen file", body: file("f", "", "") + end, expected: [], native: "an empty file" },
  {
    name: "a file without a name",
    body: file("f", "", "hello") + end,
    expected: [["f", "", "text/plain", "hello"]],
  },
  {
    name: "a file without a type",
    body: part('Content-Disposition: form-data; name="f"; filename="x"', "1") + end,
    expected: [["f", "x", octets, "1"]],
  },
  {
    name: "a field with a type",
    body: part('Content-Disposition: form-data; name="a"\r\nContent-Type: application/json', "{}") + end,
    expected: [["a", "{}"]],
  },
  {
    name: "a quote in a name, escaped by a browser",
    body: file("a%22b", "c%22d.txt", "1") + end,
    expected: [['a"b', 'c"d.txt', "text/plain", "1"]],
    native: "a%22b",
  },
  {
    name: "a quote in a name, escaped by a backslash",
    body: file('a\\"b', 'c\\"d.txt', "1") + end,
    expected: [['a"b', 'c"d.txt', "text/plain", "1"]],
    native: '"a\\"b"',
  },
  {
    name: "a line break in a name, escaped by a browser",
    body: field("a%0D%0Ab", "1") + end,
    expected: [["a\r\nb", "1"]],
    native: "a%0D%0Ab",
  },
  { name: "a percent sign in a name", body: field("100%25", "1") + end, expected: [["100%25", "1"]] },
  {
    name: "semicolons and equal signs in names",
    body: file("a;b=c", "x;y=z.txt", "1") + end,
    expected: [["a;b=c", "x;y=z.txt", "text/plain", "1"]],
    native: '"a',
  },
  {
    name: "names without quotes",
    body: part("Content-Disposition: form-data; name=a; filename=x.txt", "1") + end,
    expected: [["a", "x.txt", octets, "1"]],
  },
  {
    name: "names in UTF-8",
    body: field("größe", "ä") + file("雪", "☃ 😀.txt", "☃") + end,
    expected: [["größe", "ä"], ["雪", "☃ 😀.txt", "text/plain", "☃"]],
  },
  {
    name: "an RFC 5987 name",
    body: part("Content-Disposition: form-data; name=\"f\"; filename*=UTF-8''%e2%82%ac%20rates.txt", "1") + end,
    expected: [["f", "€ rates.txt", octets, "1"]],
    native: "a field",
  },
  {
    name: "an RFC 5987 name beside a plain one, with a language",
    body: part(`Content-Disposition: form-data; name="f"; filename="e.txt"; filename*=utf-8'en'%E2%82%AC.txt`, "1") +
      end,
    expected: [["f", "€.txt", octets, "1"]],
    native: "e.txt",
  },
  {
    name: "an RFC 5987 name in Latin-1",
    body: part("Content-Disposition: form-data; name*=iso-8859-1''gr%F6%DFe", "1") + end,
    expected: [["größe", "1"]],
    native: "dropped",
  },
  {
    name: "an RFC 5987 name that cannot be decoded",
    body: part("Content-Disposition: form-data; name=\"f\"; filename*=UTF-8''%zz.txt", "1") + end,
    expected: 400,
    native: "a field",
  },
  {
    name: "an RFC 5987 name that cannot be decoded, beside a plain one",
    body: part('Content-Disposition: form-data; name="f"; filename="e.txt"; filename*=UTF-8\'\'%zz.txt', "1") + end,
    expected: [["f", "e.txt", octets, "1"]],
  },
  {
    name: "an RFC 5987 name of another charset, beside a plain one",
    body: part("Content-Disposition: form-data; name=\"f\"; filename*=utf-7''x; filename=e.txt", "1") + end,
    expected: [["f", "e.txt", octets, "1"]],
  },
  {
    name: "names that end in a backslash, as browsers send them",
    body: file("a\\", "foo\\", "1") + end,
    expected: [["a\\", "foo", "text/plain", "1"]],
    native: "foo\\",
  },
  {
    name: "a field's name that ends in a backslash",
    body: field("a\\", "1") + end,
    expected: [["a\\", "1"]],
  },
  {
    name: "file names that end in separators",
    body: file("a", "C:\\dir\\sub\\", "1") + file("b", "dir/sub//", "2") + file("c", "\\/", "3") + end,
    expected: [["a", "sub", "text/plain", "1"], ["b", "sub", "text/plain", "2"], ["c", "", "text/plain", "3"]],
    native: "C:\\dir\\sub\\",
  },
  {
    name: "a Windows path as file name",
    body: file("f", "C:\\dir\\new.txt", "1") + end,
    expected: [["f", "new.txt", "text/plain", "1"]],
    native: "C:\\dir\\new.txt",
  },
  {
    name: "header names in other letters, and more headers",
    body: part('content-DISPOSITION: Form-Data;NAME="a"\r\nX-Other: 1\r\nContent-Length: 1', "1") + end,
    expected: [["a", "1"]],
    native: "dropped",
  },
  {
    name: "a folded header",
    body: part('Content-Disposition: form-data;\r\n  name="a"', "1") + end,
    expected: [["a", "1"]],
    native: "dropped",
  },
  {
    name: "line breaks in a value, also first and last",
    body: field("a", "\r\n1\r\n\r\n2\n\r3\r\n") + end,
    expected: [["a", "\r\n1\r\n\r\n2\n\r3\r\n"]],
  },
  { name: "a value of carriage returns", body: field("a", "\r\r\r") + end, expected: [["a", "\r\r\r"]] },
  { name: "dashes at the end of a value", body: field("a", "--\r\n--") + end, expected: [["a", "--\r\n--"]] },
  {
    name: "the boundary inside a line",
    body: field("a", "1--X\r\n2 --X\r\n --X--") + end,
    expected: [["a", "1--X\r\n2 --X\r\n --X--"]],
  },
  {
    name: "a longer boundary at the start of a line",
    body: field("a", "1\r\n--XY\r\n2\r\n--X-") + end,
    expected: [["a", "1\r\n--XY\r\n2\r\n--X-"]],
  },
  {
    name: "spaces behind a delimiter",
    body: '--X \t \r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--X--',
    expected: [["a", "1"]],
  },
  {
    name: "text before the first and behind the last part",
    body: `before\r\n${field("a", "1")}${end}behind\r\n--X\r\nnot: read`,
    expected: [["a", "1"]],
  },
  {
    name: "a part that is nothing but its header",
    body: '--X\r\nContent-Disposition: form-data; name="a"\r\n\r\n--X--',
    expected: [["a", ""]],
  },
  { name: "a field of prototypes", body: field("__proto__", "1") + end, expected: [["__proto__", "1"]] },
  {
    name: "bytes that are not UTF-8",
    body: field("a", "\u{fffd}") + end,
    expected: [["a", "\u{fffd}"]],
  },
  {
    name: "nested braces in the boundary",
    type: 'multipart/form-data; boundary="{a{b}c}"',
    body: '--{a{b}c}\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--{a{b}c}--',
    expected: [["a", "1"]],
  },
  {
    name: "braces in a boundary without quotes, after a charset",
    type: "Multipart/Form-Data; charset=utf-8; Boundary={{}}",
    body: '--{{}}\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--{{}}--',
    expected: [["a", "1"]],
  },
  {
    name: "a boundary that begins like its own delimiter",
    type: "multipart/form-data; boundary=----",
    body: '------\r\nContent-Disposition: form-data; name="a"\r\n\r\n-----\r\n--\r\n--------\r\n',
    expected: [["a", "-----\r\n--"]],
  },
  { name: "an empty body", body: "", expected: 400 },
  { name: "no boundary in the body", body: "a=1&b=2", expected: 400 },
  { name: "no boundary in the type", type: "multipart/form-data", body: field("a", "1") + end, expected: 400 },
  { name: "an empty boundary", type: 'multipart/form-data; boundary=""', body: end, expected: 400 },
  {
    name: "a boundary of 70 characters",
    type: `multipart/form-data; boundary=${"x".repeat(70)}`,
    body: `--${"x".repeat(70)}--`,
    expected: [],
  },
  {
    name: "a boundary of 71 characters",
    type: `multipart/form-data; boundary=${"x".repeat(71)}`,
    body: `--${"x".repeat(71)}--`,
    expected: 400,
    native: "taken",
  },
  { name: "no last delimiter", body: field("a", "1"), expected: 400, native: "an empty form" },
  {
    name: "an end inside a value",
    body: field("a", "1") + field("b", "2").slice(0, -3),
    expected: 400,
    native: "b lost",
  },
  { name: "an end inside a header", body: field("a", "1") + "--X\r\nContent-Dis", expected: 400, native: "b lost" },
  { name: "an end inside the last delimiter", body: field("a", "1") + "--X-", expected: 400, native: "an empty form" },
  {
    name: "bare line feeds",
    body: '--X\nContent-Disposition: form-data; name="a"\n\n1\n--X--\n',
    expected: 400,
    native: "an empty form",
  },
  { name: "a part without header", body: part("", "1") + end, expected: 400, native: "dropped" },
  { name: "a part without disposition", body: part("X-Other: 1", "1") + end, expected: 400, native: "dropped" },
  {
    name: "a part without name",
    body: part("Content-Disposition: form-data", "1") + end,
    expected: 400,
    native: "dropped",
  },
  {
    name: "another disposition",
    body: part('Content-Disposition: attachment; name="a"', "1") + end,
    expected: 400,
    native: "taken",
  },
  {
    name: "two names",
    body: part('Content-Disposition: form-data; name="a"; name="b"', "1") + end,
    expected: 400,
    native: "taken",
  },
  {
    name: "two dispositions",
    body: part('Content-Disposition: form-data; name="a"\r\nContent-Disposition: form-data; name="b"', "1") + end,
    expected: 400,
    native: "taken",
  },
  {
    name: "a quote that is not closed",
    body: part('Content-Disposition: form-data; name="a', "1") + end,
    expected: 400,
    native: "taken",
  },
  {
    name: "something behind a quote",
    body: part('Content-Disposition: form-data; name="a"b', "1") + end,
    expected: 400,
    native: "taken",
  },
  {
    name: "an RFC 5987 name of another charset",
    body: part("Content-Disposition: form-data; name*=utf-7''a", "1") + end,
    expected: 400,
    native: "dropped",
  },
  {
    name: "an RFC 5987 name without charset",
    body: part("Content-Disposition: form-data; name*=a", "1") + end,
    expected: 400,
    native: "dropped",
  },
  {
    name: "spaces and empty parameters",
    body: part('Content-Disposition: form-data ;; x ; name = "a" ; filename= x.txt ', "1") + end,
    expected: [["a", "x.txt", octets, "1"]],
    native: "dropped",
  },
  { name: "a short epilogue", body: `${end}${"x".repeat(60_000)}`, expected: [], native: "refused" },
  { name: "a long epilogue", body: `${end}${"x".repeat(70_000)}`, expected: 400 },
  {
    name: "a header line without colon",
    body: part('Content-Disposition: form-data; name="a"\r\nnonsense', "1") + end,
    expected: 400,
    native: "dropped",
  },
  {
    name: "NUL in a header",
    body: part('Content-Disposition: form-data; name="a\0b"', "1") + end,
    expected: 400,
  },
  {
    name: "a bare line feed in a header",
    body: part('Content-Disposition: form-data; name="a\nb"', "1") + end,
    expected: 400,
    native: "taken",
  },
  {
    name: "1,000 parts",
    body: Array.from({ length: 1000 }, () => field("a", "1")).join("") + end,
    expected: Array.from({ length: 1000 }, () => ["a", "1"] as const),
  },
  {
    name: "1,001 parts",
    body: Array.from({ length: 1001 }, () => field("a", "1")).join("") + end,
    expected: 413,
    native: "taken",
  },
  {
    name: "a header of 16 KiB",
    body: part(`Content-Disposition: form-data; name="a"\r\nX-Other: ${"x".repeat(16_333)}`, "1") + end,
    expected: [["a", "1"]],
    native: "refused",
  },
  {
    name: "a header of more than 16 KiB",
    body: part(`Content-Disposition: form-data; name="a"\r\nX-Other: ${"x".repeat(16_334)}`, "1") + end,
    expected: 413,
  },
];
