import { assertEquals } from "@std/assert";
import { contentType } from "@std/media-types";
import { fileType } from "../../../../src/http/response/file/describe_file.ts";

Deno.test("fileType() returns the content types of the standard library", () => {
  const letters = [...".abcdefghijklmnopqrstuvwxyz0123456789"];
  const long = "html jpeg json wasm woff2 webmanifest jsonld geojson wbxml avif webp tiff yaml toml docx HTML Json"
    .split(" ");
  const short = letters.flatMap((a) =>
    letters.flatMap((b) => letters.slice(1).map((c) => (a + b + c).replaceAll(".", "")))
  );
  const wrong = [...long, ...short].filter((each) =>
    fileType(`a.${each}`) !== (contentType(each) ?? "application/octet-stream")
  );
  assertEquals(wrong, []);
  assertEquals(fileType("tea.html"), "text/html; charset=UTF-8");
  assertEquals(fileType("tea"), "application/octet-stream");
});
