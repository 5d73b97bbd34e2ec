import { assert, assertEquals } from "@std/assert";
import { Body } from "../../../../src/http/body/body.ts";
import { type BodyLimits, defaultLimits } from "../../../../src/http/body/source/body_limits.ts";
import { formFile } from "../../../../src/core/accessors/form_files.ts";
import { file, part } from "../../../testdata/forms/cases.ts";
import { ways } from "../../../testdata/forms/requests.ts";

const type = "multipart/form-data; boundary=X";

function body(text: string, way = "chunked", memory = defaultLimits.postMaxMemory, sizes = [5]): Body {
  const limits: BodyLimits = { ...defaultLimits, postMaxMemory: memory };
  return new Body(ways[way]?.(text, type, sizes) as Request, limits);
}

Deno.test("FileHeader has the last segment of the client's file name without control characters", async () => {
  const names: Record<string, string> = {
    "../../x": "x",
    "..\\..\\x": "x",
    "/etc/passwd": "passwd",
    "C:\\x": "x",
    "a/b": "b",
    "a/": "a",
    "foo\\": "foo",
    "dir\\foo\\/\\": "foo",
    "/": "",
    "../": "",
    ".": "",
    "..": "",
    "a/..": "",
    ".hidden": ".hidden",
    "x\u0001\u007f\u0085y": "xy",
    "\u202egpj.exe": "gpj.exe",
    "a%0D%0Ab": "ab",
    "  spaces  ": "  spaces",
    [`${"x".repeat(300)}.txt`]: `${"x".repeat(251)}.txt`,
    ["ü".repeat(200)]: "ü".repeat(127),
    [`${"😀".repeat(100)}.tar.gz`]: `${"😀".repeat(63)}.gz`,
    [`a.${"x".repeat(300)}`]: `a.${"x".repeat(253)}`,
    "evil.html.": "evil.html",
    "evil.html . .": "evil.html",
    "...": "",
    "   ": "",
    ". .": "",
    "evil.html::$DATA": "evil.html__$DATA",
    "a<b>c|d?e*f": "a<b>c|d?e*f",
    "CON": "_CON",
    "con.tar.gz": "_con.tar.gz",
    "nul .txt": "_nul .txt",
    "COM1": "_COM1",
    "lpt\u00b9.doc": "_lpt\u00b9.doc",
    "CONIN$": "_CONIN$",
    "console.log": "console.log",
    "com10.txt": "com10.txt",
    [`con${" ".repeat(300)}x`]: "_con",
    "ev\ufeffil.html": "evil.html",
  };
  for (const [name, expected] of Object.entries(names)) {
    const [, header] = await formFile(body(`${file("f", name, "1")}--X--`), "f");
    assertEquals(header?.Filename, expected, name);
  }
});

Deno.test("FileHeader.Header contains the headers of the part and can be replaced", async () => {
  const lines = 'Content-Disposition: form-data; name="f"; filename="☃"\r\nX-Two: 1\r\nX-Two: 2';
  const [found, header] = await formFile(body(`${part(lines, "1")}--X--`), "f");
  assert(header !== null);
  assertEquals([found?.name, header.Header.get("x-two")], ["☃", "1, 2"]);
  header.Header = new Headers({ "x-two": "3" });
  header.Header.set("x-three", "4");
  assertEquals([header.Header.get("x-two"), header.Header.get("x-three")], ["3", "4"]);
});
