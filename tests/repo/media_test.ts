import { assertEquals, assertLessOrEqual } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { mediaFiles } from "./media.ts";

/** The maximum compressed size of the scripts and styles in a `media.ts`, in bytes, by its folder. */
const most: Readonly<Record<string, number>> = {
  "src/http/page": 1_000,
  "src/core/app/dashboard": 1_250,
  "src/middleware/monitor": 2_500,
  "src/api/openapi/page": 12_000,
  "src/live/websocket/client": 4_300,
};

async function compressedSize(text: string): Promise<number> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return (await new Response(stream).bytes()).length;
}

Deno.test("mediaFiles() has created every media.ts from its sources (deno task media), and all are small", async () => {
  const root = fromFileUrl(new URL("../../", import.meta.url));
  const files = await mediaFiles();
  assertEquals([...files.keys()].map((file) => file.slice(root.length, -"/media.ts".length)), Object.keys(most));
  for (const [file, text] of files) {
    assertEquals(await Deno.readTextFile(file) === text, true, `${file} is not up to date: run deno task media`);
    const { style = { text: "" }, script = { text: "" } } = await import(file);
    const folder = file.slice(root.length, -"/media.ts".length);
    assertLessOrEqual(
      await compressedSize(style.text) + await compressedSize(script.text),
      (most[folder] ?? 0) + 40,
      folder,
    );
  }
});
