import { assertEquals } from "@std/assert";
import { folderPath } from "../../../../src/http/response/file/locate_file.ts";

Deno.test("folderPath() returns a separator at the end only for the root of a file system", () => {
  const rows: [Parameters<typeof folderPath>, string][] = [
    [["/", "linux"], "/"],
    [["/a/", "linux"], "/a"],
    [["/a/b/../c//", "darwin"], "/a/c"],
    [[new URL("file:///a%20b/"), "linux"], "/a b"],
    [["D:\\", "windows"], "D:\\"],
    [["d:/", "windows"], "D:\\"],
    [["D:\\a\\", "windows"], "D:\\a"],
    [["\\\\?\\C:\\a", "windows"], "C:\\a"],
    [["\\\\?\\c:\\", "windows"], "C:\\"],
    [["//?/C:/a/", "windows"], "C:\\a"],
    [["\\\\.\\C:\\a", "windows"], "C:\\a"],
    [["\\\\?\\UNC\\host\\share\\a", "windows"], "\\\\host\\share\\a"],
    [["\\\\host\\share", "windows"], "\\\\host\\share\\"],
    [[new URL("file:///c:/a%20b/"), "windows"], "C:\\a b"],
    [[new URL("file:///c:/"), "windows"], "C:\\"],
  ];
  for (const [given, expected] of rows) assertEquals(folderPath(...given), expected, String(given));
});
