import { assertEquals } from "@std/assert";
import { fromFileURL, isInside, pathIn } from "../../../src/base/text/file_name.ts";

Deno.test("fromFileURL() decodes the path of a file URL on every system", () => {
  const url = new URL("file:///C:/a%20b/%C3%A9.txt");
  assertEquals(fromFileURL(url, "windows"), "C:\\a b\\\u00e9.txt");
  for (const system of ["linux", "darwin"] as const) assertEquals(fromFileURL(url, system), "/C:/a b/\u00e9.txt");
});

Deno.test("isInside() compares whole names, also in the root of a file system", () => {
  const rows = [
    ["linux", "/a", "/a", true],
    ["linux", "/a", "/a/b", true],
    ["linux", "/a", "/ab", false],
    ["linux", "/", "/etc", true],
    ["darwin", "/a", "/a\\b", false],
    ["windows", "C:\\a", "C:\\a\\b", true],
    ["windows", "C:\\a", "C:\\ab", false],
    ["windows", "D:\\", "D:\\b", true],
    ["windows", "D:\\", "C:\\b", false],
    ["windows", "\\\\host\\share\\", "\\\\host\\share\\b", true],
  ] as const;
  for (const [system, folder, path, expected] of rows) assertEquals(isInside(folder, path, system), expected, path);
});

Deno.test("pathIn() adds one separator, and none in the root of a file system", () => {
  assertEquals(pathIn("/", "a/b", "linux"), "/a/b");
  assertEquals(pathIn("/x\\", "a", "darwin"), "/x\\/a");
  assertEquals(pathIn("D:\\", "a", "windows"), "D:\\a");
  assertEquals(pathIn("D:\\x", "a", "windows"), "D:\\x/a");
});
