/** Attacks with uploads: names that lead to other folders, mislabeled bodies, too many parts. */

import type { Attack, Expectation } from "../attack.ts";
import { all, either, never, noFault, refuses, responds, saysJSON, so } from "../expect.ts";
import { joined, responded } from "../cookies.ts";
import type { Outcome } from "../outcome.ts";
import { boundary, fieldPart, filePart, get, multipart, post, postParts } from "../requests.ts";
import { utf8, type Wire } from "../wire.ts";

const needs = ["uploads"];
const type = `multipart/form-data; boundary=${boundary}`;
let cases = 0;

/** Uploads to a separate folder and then lists its files. The list is the last response. */
function upload(body: string, contentType = type): (wire: Wire) => Promise<Outcome> {
  const to = `case-${++cases}`;
  return async (wire) => {
    const sent = await wire.send(post(`/upload?to=${to}`, contentType, body));
    const listed = await wire.send(get(`/tree?to=${to}`));
    return joined(responded(sent), listed);
  };
}

/** Uploads files to a handler whose callback rejects pages, and then lists the folder. */
function uploadChecked(...filenames: string[]): (wire: Wire) => Promise<Outcome> {
  const to = `case-${++cases}`;
  return async (wire) => {
    const body = multipart(...filenames.map((name) => filePart(name)));
    const sent = await wire.send(post(`/upload-checked?to=${to}`, type, body));
    return joined(responded(sent), await wire.send(get(`/tree?to=${to}`)));
  };
}

function uploadNamed(filename: string): (wire: Wire) => Promise<Outcome> {
  return upload(multipart(filePart(filename)));
}

/** Expects that all saved files are inside the folder and that no partial file is left. */
function staysInside(): Expectation {
  return so("saves inside the folder or not at all", (outcome) => {
    const names = tree(outcome);
    return names !== undefined && names.every((name) => name.startsWith("in/") && !name.endsWith(".part"));
  });
}

/** Expects that the folder contains exactly these files, with these sizes. */
function leaves(...names: string[]): Expectation {
  return so(`leaves ${names.join(", ") || "nothing"}`, (outcome) => tree(outcome)?.join() === names.join());
}

function tree(outcome: Outcome): string[] | undefined {
  const last = outcome.replies.at(-1);
  return outcome.replies.length > 1 && last?.status === 200 ? JSON.parse(last.body) : undefined;
}

const inside = all(noFault(), staysInside());
const nothing = all(refuses(), leaves());

const names: readonly (readonly [string, string, string?])[] = [
  ["dots and slashes", "../evil.txt", "CVE-2021-23772"],
  ["many levels up", "../../../../../../tmp/evil.txt", "CVE-2021-23772"],
  ["an absolute path", "/tmp/evil.txt"],
  ["backslashes", "..\\\\..\\\\evil.txt"],
  ["a drive", "C:\\\\evil.txt"],
  ["two dots alone", ".."],
  ["one dot alone", "."],
  ["a zero byte", "evil.txt\0.png"],
  ["an escaped slash", "..%2fevil.txt"],
  ["a folder below", "sub/folder/evil.txt"],
  ["an empty name", ""],
  ["blanks only", "   "],
  ["3,000 letters", "e".repeat(3000)],
  ["300 letters of three bytes each", utf8("€".repeat(300))],
  ["a mark that turns the direction of writing", utf8("evil\u202etxt.exe")],
  ["a line break, escaped as browsers do", "evil%0d%0aX-Injected: 1.txt"],
  ["bytes that are not UTF-8", "evil\xff\xfe.txt"],
  ["the name of a prototype", "__proto__"],
  ["the name of a device", "con.txt"],
  ["a stream", "evil.txt::$DATA"],
];

/** Names that Windows stores as `evil.html`. */
const pages: readonly (readonly [string, string])[] = [
  ["a dot", "evil.html."],
  ["a blank", "evil.html "],
  ["dots and blanks", "evil.html. . ."],
  ["a mark that some file systems ignore", utf8("evil.html\u2060")],
];

/** All attacks by uploads. */
export const uploadAttacks: readonly Attack[] = [
  ...names.map(([name, filename, advisory]): Attack => ({
    name: `A file named with ${name} stays inside the folder`,
    ...advisory !== undefined && { advisory },
    needs,
    send: uploadNamed(filename),
    expect: inside,
  })),
  ...pages.map(([name, filename]): Attack => ({
    name: `A callback that rejects pages rejects one whose name ends with ${name}`,
    needs: ["checked uploads"],
    send: uploadChecked(filename),
    expect: nothing,
  })),
  {
    name: "Files whose names are the same on Windows are both saved",
    needs: ["checked uploads"],
    send: uploadChecked("r.txt", "r.txt.", "R.TXT"),
    expect: leaves("in/R (2).TXT:7", "in/r (1).txt:7", "in/r.txt:7"),
  },
  {
    name: "A stream and a device are saved under names that are files on Windows",
    needs: ["checked uploads"],
    send: uploadChecked("evil.html::$DATA", "aux.txt"),
    expect: leaves("in/_aux.txt:7", "in/evil.html__$DATA:7"),
  },
  {
    name: "An extended name (RFC 5987) with dots and slashes stays inside the folder",
    needs,
    send: upload(multipart([
      'Content-Disposition: form-data; name="file"; filename="a.txt"; filename*=UTF-8\'\'..%2f..%2fevil.txt',
      "content",
    ])),
    expect: inside,
  },
  {
    name: "An extended name in an unknown charset is rejected or ignored",
    needs,
    send: upload(multipart([
      "Content-Disposition: form-data; name=\"file\"; filename*=X-NONE''%ff%fe",
      "content",
    ])),
    expect: inside,
  },
  {
    name: "Two files with the same name are both saved",
    needs: ["uploads", "unique uploads"],
    send: upload(multipart(filePart("a.txt", "one"), filePart("a.txt", "three"))),
    expect: all(responds(200), so("keeps both", (outcome) => tree(outcome)?.length === 2)),
  },
  {
    name: "A body truncated inside a file leaves no file",
    needs,
    send: upload(multipart(filePart("a.txt", "content")).slice(0, -30)),
    expect: nothing,
  },
  {
    name: "A body truncated inside the last boundary leaves no file",
    advisory: "CVE-2025-7338",
    needs,
    send: upload(multipart(filePart("a.txt", "content")).slice(0, -6)),
    expect: nothing,
  },
  {
    name: "A body truncated inside a header leaves no file",
    needs,
    send: upload(multipart(filePart("a.txt", "content")).slice(0, 60)),
    expect: nothing,
  },
  {
    name: "A multipart body that does not contain its boundary is rejected",
    needs,
    send: upload("nothing of the kind"),
    expect: nothing,
  },
  { name: "An empty multipart body is refused", needs, send: upload(""), expect: nothing },
  {
    name: "A multipart type without a boundary is rejected",
    needs,
    send: upload(multipart(filePart("a.txt")), "multipart/form-data"),
    expect: nothing,
  },
  {
    name: "A multipart type with an empty boundary is rejected",
    needs,
    send: upload(multipart(filePart("a.txt")), "multipart/form-data; boundary="),
    expect: nothing,
  },
  {
    name: "A boundary of 300 characters is rejected",
    needs,
    send: upload("x", `multipart/form-data; boundary=${"b".repeat(300)}`),
    expect: nothing,
  },
  {
    name: "A boundary with a line break in its escapes is rejected",
    needs,
    send: upload("x", 'multipart/form-data; boundary="a\\\r\\\nb"'),
    expect: nothing,
  },
  {
    name: "Two boundaries in one type do not hide a file",
    needs,
    send: upload(multipart(filePart("a.txt")), `multipart/form-data; boundary=other; boundary=${boundary}`),
    expect: either(nothing, all(responds(200), leaves("in/a.txt:7"))),
  },
  {
    name: "A part header with a malformed line is rejected",
    advisory: "CVE-2022-24434",
    needs,
    send: upload(
      `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n : \r\n\r\nx\r\n--${boundary}--\r\n`,
    ),
    expect: nothing,
  },
  {
    name: "A part without a name is rejected",
    advisory: "CVE-2025-48997",
    needs,
    send: upload(multipart(['Content-Disposition: form-data; name=""; filename="a.txt"', "x"])),
    expect: either(nothing, inside),
  },
  {
    name: "A part without a disposition is rejected",
    needs,
    send: upload(multipart(["Content-Type: text/plain", "x"])),
    expect: nothing,
  },
  {
    name: "A part with two dispositions is rejected",
    needs,
    send: upload(multipart([
      'Content-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Disposition: form-data; name="file"; filename="../b.txt"',
      "x",
    ])),
    expect: either(nothing, inside),
  },
  {
    name: "A part header of 100 KB is rejected",
    needs,
    send: upload(
      multipart([`Content-Disposition: form-data; name="file"; filename="a.txt"\r\nX: ${"y".repeat(100_000)}`, "x"]),
    ),
    expect: nothing,
  },
  {
    name: "20,000 empty fields in one body are rejected",
    advisory: "CVE-2023-25576, CVE-2023-25577, CVE-2023-27530",
    needs,
    send: upload(multipart(...Array.from({ length: 20_000 }, () => fieldPart("f", "")))),
    expect: nothing,
  },
  {
    name: "5,000 empty files in one body are rejected without leaving partial files",
    needs,
    send: upload(multipart(...Array.from({ length: 5_000 }, () => filePart("a.txt", "")))),
    expect: all(refuses(), staysInside()),
  },
  {
    name: "A field of 12 MB is rejected",
    advisory: "CVE-2024-47874",
    needs,
    send: upload(multipart(fieldPart("f", "x".repeat(12 << 20)))),
    expect: nothing,
  },
  {
    name: "A nested multipart body is not parsed",
    needs,
    send: upload(multipart([
      'Content-Disposition: form-data; name="outer"\r\nContent-Type: multipart/mixed; boundary=inner',
      '--inner\r\nContent-Disposition: file; filename="../evil.txt"\r\n\r\nx\r\n--inner--',
    ])),
    expect: all(responds(400), leaves()),
  },
  {
    name: "A part with a transfer encoding is saved unchanged",
    needs,
    send: upload(multipart([
      'Content-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Transfer-Encoding: base64',
      "Li4vLi4v",
    ])),
    expect: either(nothing, all(responds(200), leaves("in/a.txt:8"))),
  },
  {
    name: "Lines that end in a bare line feed are not boundaries",
    needs,
    send: upload(multipart(filePart("a.txt")).replaceAll("\r\n", "\n")),
    expect: nothing,
  },
  {
    name: "A boundary inside a line is content",
    needs,
    send: upload(multipart(filePart("a.txt", `x--${boundary}--y`))),
    expect: all(responds(200), leaves(`in/a.txt:${boundary.length + 6}`)),
  },
  {
    name: "A boundary followed by other characters is content",
    needs,
    send: upload(multipart(filePart("a.txt", `\r\n--${boundary}more`))),
    expect: all(responds(200), leaves(`in/a.txt:${boundary.length + 8}`)),
  },
  {
    name: "Data after the last boundary is not a file",
    needs,
    send: upload(
      `${
        multipart(filePart("a.txt"))
      }--${boundary}\r\nContent-Disposition: form-data; name="f"; filename="b.txt"\r\n\r\nx\r\n`,
    ),
    expect: either(nothing, all(responds(200), leaves("in/a.txt:7"))),
  },
  {
    name: "A megabyte after the last boundary does not block the request",
    needs,
    send: upload(multipart(filePart("a.txt")) + "x".repeat(1 << 20)),
    expect: staysInside(),
  },
  {
    name: "The file name passed to a handler does not contain a folder",
    advisory: "CVE-2021-23772",
    needs,
    send: postParts("/filename", filePart("../../evil.txt")),
    expect: saysJSON(200, { name: "evil.txt" }),
  },
  {
    name: "The file name passed to a handler does not contain a backslash",
    needs,
    send: postParts("/filename", filePart("..\\\\..\\\\evil.txt")),
    expect: all(responds(200), never("..")),
  },
  {
    name: "The file name passed to a handler does not contain control characters",
    needs,
    send: postParts("/filename", filePart("e%0d%0avil\x07.txt")),
    expect: all(responds(200, 400), never("\\u0007"), never("\\r")),
  },
  {
    name: "A field is not accepted as a file",
    needs,
    send: postParts("/filename", fieldPart("file", "text")),
    expect: refuses(),
  },
  {
    name: "An upload with a urlencoded type is not an upload",
    needs,
    send: upload(multipart(filePart("a.txt")), "application/x-www-form-urlencoded"),
    expect: nothing,
  },
];
