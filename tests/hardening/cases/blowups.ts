/** Attacks on parsers, with inputs that make a careless parser take quadratic time or worse. */

import type { Attack } from "../attack.ts";
import { beside, costsLittleMore, growing, growsLinearly } from "../growth.ts";
import { boundary, fieldPart, filePart, get, multipart, post, postForm, postJSON } from "../requests.ts";

const type = `multipart/form-data; boundary=${boundary}`;

interface Row {
  readonly name: string;
  readonly advisory?: string;
  readonly needs?: readonly string[];
  readonly size: number;
  readonly make: (size: number) => string;
}

function disposition(parameters: string, content = "x"): string {
  return multipart([`Content-Disposition: form-data; name="f"${parameters}`, content]);
}

const forms = { needs: ["forms"] };
const cookies = { needs: ["cookies"] };
const files = { needs: ["files"] };
const sent = { needs: ["sent files"] };

const rows: readonly Row[] = [
  {
    name: "a path of trailing slashes",
    size: 15_000,
    make: (n) => get(`/ping${"/".repeat(n)}`),
  },
  { name: "a path of slashes with a letter behind them", size: 15_000, make: (n) => get(`/ping${"/".repeat(n)}x`) },
  { name: "a path of leading slashes", size: 15_000, make: (n) => get(`${"/".repeat(n)}ping`) },
  { name: "a path of dots and slashes", size: 7_000, make: (n) => get(`/${"./".repeat(n)}`) },
  { name: "a path of ways up", size: 5_000, make: (n) => get(`/files/${"../".repeat(n)}`) },
  { name: "a path of escapes", size: 5_000, make: (n) => get(`/param/${"%41".repeat(n)}`) },
  { name: "a path of broken escapes", size: 15_000, make: (n) => get(`/param/${"%".repeat(n)}`) },
  { name: "a path of escaped slashes", size: 5_000, make: (n) => get(`/param/${"%2f".repeat(n)}`) },
  {
    name: "a wildcard path of escaped slashes",
    size: 5_000,
    make: (n) => get(`/files/a${"%2f".repeat(n)}`),
  },
  {
    name: "a wildcard path of escaped slashes and letters",
    size: 3_700,
    make: (n) => get(`/files/${"a%2f".repeat(n)}b`),
  },
  {
    name: "a path of parameters and hyphens",
    advisory: "CVE-2024-45296",
    size: 15_000,
    make: (n) => get(`/param/${"-a".repeat(n / 2)}/x`),
  },
  {
    name: "a path of segments",
    advisory: "CVE-2024-52798",
    size: 7_000,
    make: (n) => get(`/users/${"a/".repeat(n)}b`),
  },
  { name: "a number of digits and a letter", size: 15_000, make: (n) => get(`/float/${"1".repeat(n)}x`) },
  { name: "a number of zeros, a dot and a letter", size: 15_000, make: (n) => get(`/float/${"0".repeat(n)}.x`) },
  { name: "an integer of digits", size: 15_000, make: (n) => get(`/int/${"1".repeat(n)}`) },
  {
    name: "a long integer for a controller",
    needs: ["controllers"],
    size: 15_000,
    make: (n) => get(`/users/${"1".repeat(n)}`),
  },
  { name: "a mail address of dots", size: 15_000, make: (n) => get(`/mail/${"a.".repeat(n / 2)}@`) },
  { name: "a mail address of hyphens", size: 15_000, make: (n) => get(`/mail/a@${"a-".repeat(n / 2)}`) },
  { name: "a query of broken escapes", size: 7_000, make: (n) => get(`/query?${"%&".repeat(n)}`) },
  { name: "a query of one name", size: 5_000, make: (n) => get(`/query?${"a&".repeat(n)}`) },
  { name: "a query of plus signs", size: 15_000, make: (n) => get(`/query?a=${"+".repeat(n)}`) },
  {
    name: "a query of brackets",
    size: 7_000,
    make: (n) => get(`/readquery?a${"[]".repeat(n)}=b`),
  },
  {
    name: "a list of brackets in a query",
    advisory: "CVE-2025-15284",
    size: 2_500,
    make: (n) => get(`/readquery?${"a[]=b&".repeat(n)}`),
  },
  {
    ...forms,
    name: "a form of malformed escapes",
    advisory: "CVE-2024-45590",
    size: 250_000,
    make: (n) => postForm("/form", "%".repeat(n)),
  },
  {
    ...forms,
    name: "a form of malformed escapes and ampersands",
    size: 250_000,
    make: (n) => postForm("/form", "%&".repeat(n)),
  },
  {
    ...forms,
    name: "a form of names",
    size: 20_000,
    make: (n) => postForm("/form", Array.from({ length: n }, (_, i) => `n${i}`).join("&")),
  },
  { ...forms, name: "a form of one name", size: 100_000, make: (n) => postForm("/form", "a=b&".repeat(n)) },
  { ...forms, name: "a form of equals signs", size: 500_000, make: (n) => postForm("/form", "=".repeat(n)) },
  {
    ...forms,
    name: "a form of brackets",
    advisory: "CVE-2024-45590",
    size: 100_000,
    make: (n) => postForm("/readform", `a${"[b]".repeat(n)}=c`),
  },
  { ...forms, name: "a number field of digits", size: 500_000, make: (n) => postForm("/truth", `n=${"1".repeat(n)}x`) },
  { ...forms, name: "a number field of blanks", size: 500_000, make: (n) => postForm("/truth", `n=${"+".repeat(n)}x`) },
  {
    ...forms,
    name: "a part header of semicolons",
    size: 3_900,
    make: (n) => post("/form", type, disposition(";".repeat(n))),
  },
  {
    ...forms,
    name: "a part header of spaces",
    advisory: "CVE-2022-44571",
    size: 3_900,
    make: (n) => post("/form", type, disposition(`;${" ".repeat(n)}x`)),
  },
  {
    ...forms,
    name: "a part header of backslashes",
    size: 3_900,
    make: (n) => post("/form", type, disposition(`; filename="${"\\".repeat(n)}`)),
  },
  {
    ...forms,
    name: "a part header of quotes",
    size: 3_900,
    make: (n) => post("/form", type, disposition(`; x=${'"'.repeat(n)}`)),
  },
  {
    ...forms,
    name: "a part header of parameters",
    size: 1_200,
    make: (n) => post("/form", type, disposition("; a=".repeat(n))),
  },
  {
    ...forms,
    name: "a part header of lines",
    size: 1_200,
    make: (n) => post("/form", type, multipart([`Content-Disposition: form-data; name="f"${"\r\na:".repeat(n)}`, "x"])),
  },
  {
    ...forms,
    name: "a part header of folds",
    size: 1_200,
    make: (n) => post("/form", type, disposition("\r\n ".repeat(n))),
  },
  {
    ...forms,
    name: "an extended name of escapes",
    size: 1_200,
    make: (n) => post("/form", type, disposition(`; filename*=UTF-8''${"%41".repeat(n)}`)),
  },
  {
    ...forms,
    name: "a file of carriage returns",
    size: 500_000,
    make: (n) => post("/form", type, multipart(filePart("a", "\r".repeat(n)))),
  },
  {
    ...forms,
    name: "a file that starts with a carriage return",
    advisory: "CVE-2023-46136",
    size: 500_000,
    make: (n) => post("/form", type, multipart(filePart("a", `\r${"x".repeat(n)}`))),
  },
  {
    ...forms,
    name: "a file of line breaks",
    size: 250_000,
    make: (n) => post("/form", type, multipart(filePart("a", "\r\n".repeat(n)))),
  },
  {
    ...forms,
    name: "a file of boundary prefixes",
    size: 50_000,
    make: (n) => post("/form", type, multipart(filePart("a", "\r\n-----".repeat(n)))),
  },
  {
    ...forms,
    name: "a file of near-boundaries",
    size: 20_000,
    make: (n) => post("/form", type, multipart(filePart("a", `\r\n--${boundary}x`.repeat(n)))),
  },
  {
    ...forms,
    name: "a file of boundaries followed by spaces",
    size: 5_000,
    make: (n) => post("/form", type, multipart(filePart("a", `\r\n--${boundary}${" ".repeat(100)}x`.repeat(n)))),
  },
  {
    ...forms,
    name: "a preamble without a boundary",
    size: 500_000,
    make: (n) => post("/form", type, `${"x".repeat(n)}\r\n${multipart(fieldPart("a", "b"))}`),
  },
  {
    ...forms,
    name: "fields with the same name",
    size: 250,
    make: (n) => post("/form", type, multipart(...Array.from({ length: n }, () => fieldPart("a", "b")))),
  },
  {
    needs: ["uploads"],
    name: "files with the same name",
    size: 240,
    make: (n) =>
      post(`/upload?to=same-${n}`, type, multipart(...Array.from({ length: n }, () => filePart("a.txt", "b")))),
  },
  {
    ...cookies,
    name: "a cookie header of semicolons",
    advisory: "CVE-2016-1000232",
    size: 15_000,
    make: (n) => get("/cookie", { Cookie: ";".repeat(n) }),
  },
  {
    ...cookies,
    name: "a cookie header of spaces",
    advisory: "CVE-2017-15010",
    size: 15_000,
    make: (n) => get("/cookie", { Cookie: `a${" ".repeat(n)}=b` }),
  },
  {
    ...cookies,
    name: "a cookie header of escapes",
    size: 5_000,
    make: (n) => get("/cookie?name=a", { Cookie: `a=${"%".repeat(n)}` }),
  },
  {
    ...cookies,
    name: "a cookie header with one name",
    size: 5_000,
    make: (n) => get("/cookie", { Cookie: "a=b;".repeat(n) }),
  },
  {
    needs: ["sessions"],
    name: "a repeated session cookie",
    size: 3_000,
    make: (n) => get("/session", { Cookie: "sid=a;".repeat(n) }),
  },
  {
    ...files,
    name: "a range of commas",
    advisory: "CVE-2025-62727",
    size: 15_000,
    make: (n) => get("/files/a.txt", { Range: `bytes=${",".repeat(n)}` }),
  },
  {
    ...files,
    name: "a range of spaces",
    advisory: "CVE-2025-62727",
    size: 15_000,
    make: (n) => get("/files/a.txt", { Range: `bytes=0-${" ".repeat(n)}x` }),
  },
  {
    ...files,
    name: "a range of digits",
    advisory: "CVE-2022-44570",
    size: 15_000,
    make: (n) => get("/files/a.txt", { Range: `bytes=${"1".repeat(n)}` }),
  },
  {
    ...files,
    name: "an entity tag list of commas",
    advisory: "CVE-2017-16119",
    size: 15_000,
    make: (n) => get("/files/a.txt", { "If-None-Match": ",".repeat(n) }),
  },
  {
    ...files,
    name: "an entity tag list of spaces",
    advisory: "CVE-2017-16119",
    size: 15_000,
    make: (n) => get("/files/a.txt", { "If-None-Match": `"a"${" ".repeat(n)}"b"` }),
  },
  {
    ...files,
    name: "a date of letters",
    size: 15_000,
    make: (n) => get("/files/a.txt", { "If-Modified-Since": "1 ".repeat(n / 2) }),
  },
  {
    name: "a forwarded list of commas",
    advisory: "CVE-2017-16118, CVE-2025-25200, CVE-2025-55152",
    size: 15_000,
    make: (n) => get("/where", { "X-Forwarded-For": ",".repeat(n) }),
  },
  {
    name: "a forwarded list of spaces",
    advisory: "CVE-2025-25200, CVE-2025-55152",
    size: 15_000,
    make: (n) => get("/where", { "X-Forwarded-For": `1${" ".repeat(n)}1` }),
  },
  { name: "a host of colons", size: 15_000, make: (n) => get("/where", { Host: ":".repeat(n) }) },
  { name: "a host of dots", size: 15_000, make: (n) => get("/where", { Host: "a.".repeat(n / 2) }) },
  { name: "a host of digits and a letter", size: 15_000, make: (n) => get("/where", { Host: `a:${"1".repeat(n)}x` }) },
  {
    name: "an accept header of commas",
    advisory: "CVE-2016-10539",
    size: 15_000,
    make: (n) =>
      get("/throw", {
        Accept: ",".repeat(n),
        "Accept-Language": `${" ".repeat(n)}x`,
        "Accept-Encoding": ";".repeat(n),
      }),
  },
  { name: "a content type of semicolons", size: 15_000, make: (n) => post("/form", `text/plain${";".repeat(n)}`, "x") },
  {
    name: "a content type of spaces",
    advisory: "CVE-2022-44572",
    size: 15_000,
    make: (n) => post("/form", `multipart/form-data;${" ".repeat(n)}boundary=x`, "x"),
  },
  {
    name: "a content type with an open quote",
    size: 15_000,
    make: (n) => post("/form", `multipart/form-data; boundary="${"\\".repeat(n)}`, "x"),
  },
  { needs: ["json"], name: "JSON of brackets", size: 500_000, make: (n) => postJSON("/json", "[".repeat(n)) },
  { needs: ["json"], name: "JSON of digits", size: 500_000, make: (n) => postJSON("/json", "1".repeat(n)) },
  {
    needs: ["json"],
    name: "JSON with one key",
    size: 100_000,
    make: (n) => postJSON("/json", `{${Array.from({ length: n }, () => '"a":1').join()}}`),
  },
  {
    needs: ["json"],
    name: "JSON with values that do not match a schema",
    size: 10_000,
    make: (n) => postJSON("/strict", JSON.stringify(Array.from({ length: n }, (_, i) => `v${i}`))),
  },
  {
    needs: ["json"],
    name: "JSON with nested lists that do not match a schema",
    size: 2_000,
    make: (n) => postJSON("/strict", "[".repeat(n) + "]".repeat(n)),
  },
  { name: "a redirect's address of tabs", size: 5_000, make: (n) => get(`/redirect?to=/${"%09".repeat(n)}`) },
  { ...sent, name: "a download's name of quotes", size: 5_000, make: (n) => get(`/download?name=${"%22".repeat(n)}`) },
  {
    needs: ["views"],
    name: "a page of characters that must be escaped",
    size: 15_000,
    make: (n) => get(`/page?name=${"<".repeat(n)}`),
  },
];

/**
 * Creates a request with a boundary of repeated letters, and a file that is similar to the boundary or completely
 * different.
 */
function repeated(letter: string): string {
  const border = `b${"a".repeat(69)}`;
  const file = `Content-Disposition: form-data; name="f"; filename="a"\r\n\r\n${letter.repeat(4_000_000)}`;
  return post("/form", `multipart/form-data; boundary=${border}`, `--${border}\r\n${file}\r\n--${border}--\r\n`);
}

/** All attacks on parsers. */
export const blowupAttacks: readonly Attack[] = [
  ...rows.map(({ name, advisory, needs, size, make }) => ({
    name: `The time for ${name} is at most linear`,
    ...advisory !== undefined && { advisory },
    ...needs !== undefined && { needs },
    send: growing(size, make),
    expect: growsLinearly,
  })),
  {
    ...forms,
    name: "A file with the letters of the boundary takes about as long as other files",
    send: (wire) => beside(repeated("z"), repeated("a"))(wire),
    expect: costsLittleMore,
  },
];
