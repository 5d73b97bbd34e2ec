import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { Buffer } from "node:buffer";
import type { Page } from "npm:playwright-core@^1";
import { newApp } from "../../examples/upload/main.ts";
import { withPage } from "../browser.ts";
import { logged, overSocket } from "../serving.ts";

/** Serves the example with a folder that is removed afterwards. */
async function serving(work: (base: string, folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "upload-" });
  const target = join(folder, "uploads");
  await overSocket(logged(newApp(target)).app, (_, port) => work(`http://127.0.0.1:${port}`, target));
  await Deno.remove(folder, { recursive: true });
}

function saved(folder: string): Record<string, number> {
  const found: Record<string, number> = {};
  for (const { name } of Deno.readDirSync(folder)) found[name] = Deno.statSync(join(folder, name)).size;
  return found;
}

Deno.test("examples/upload saves files sent by curl", async () => {
  await serving(async (base, folder) => {
    const files = await Deno.makeTempDir();
    await Deno.writeTextFile(join(files, "a.txt"), "hello");
    await Deno.writeFile(join(files, "large ☃.bin"), new Uint8Array(3 << 20));
    await Deno.writeFile(join(files, "larger.bin"), new Uint8Array(6 << 20));
    const send = async (...names: string[]): Promise<string> => {
      const parts = names.flatMap((name) => ["-F", `files[]=@${join(files, name)}`]);
      const args = ["-s", "-w", " %{http_code}", ...parts, `${base}/upload`];
      return new TextDecoder().decode((await new Deno.Command("curl", { args }).output()).stdout);
    };
    assertEquals(
      await send("a.txt", "large ☃.bin", "a.txt"),
      '{"total":3145738,"files":[{"name":"127.0.0.1-a.txt","size":5},' +
        '{"name":"127.0.0.1-large ☃.bin","size":3145728},{"name":"127.0.0.1-a (1).txt","size":5}]} 200',
    );
    const expected = { "127.0.0.1-a.txt": 5, "127.0.0.1-large ☃.bin": 3 << 20, "127.0.0.1-a (1).txt": 5 };
    assertEquals(saved(folder), expected);
    assertEquals(await send("larger.bin"), "Larger than 5 MiB 413");
    assertEquals(await send("a.txt", "larger.bin"), "Larger than 5 MiB 413");
    assertEquals(saved(folder), expected);
    await Deno.remove(files, { recursive: true });
  });
});

function chosen(name: string, size: number): { name: string; mimeType: string; buffer: Buffer } {
  return { name, mimeType: "application/octet-stream", buffer: Buffer.alloc(size) };
}

async function submit(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Upload" }).click();
  await page.waitForSelector("form:not([aria-busy])");
}

Deno.test("examples/upload works in a browser, and shows its progress", async () => {
  await serving(async (base, folder) => {
    await withPage(async (page) => {
      await page.goto(base);
      await page.evaluate(`{
        window.seen = [];
        const progress = document.querySelector("progress");
        new MutationObserver(() => window.seen.push(progress.value)).observe(progress, { attributes: true });
      }`);
      const input = page.locator("input[type=file]");
      await input.setInputFiles([chosen('quote " ☃.txt', 5), chosen("large.bin", 4 << 20)]);
      await submit(page);
      assertEquals(await page.locator("li").allTextContents(), [
        '127.0.0.1-quote " ☃.txt, 5 bytes',
        "127.0.0.1-large.bin, 4194304 bytes",
      ]);
      assertEquals(saved(folder), { '127.0.0.1-quote " ☃.txt': 5, "127.0.0.1-large.bin": 4 << 20 });
      const seen = await page.evaluate("window.seen") as number[];
      assert(await page.locator("progress").isVisible());
      assertEquals(seen.at(-1), 1);

      await input.setInputFiles([chosen("larger.bin", 6 << 20)]);
      await submit(page);
      assertEquals(await page.getByRole("alert").textContent(), "Larger than 5 MiB");
      assertEquals(await page.locator("li").count(), 0);

      await input.setInputFiles([]);
      await submit(page);
      assertEquals(await page.getByRole("alert").textContent(), "Choose a file first");
      assertEquals(Object.keys(saved(folder)).length, 2);
    });
  });
});

Deno.test("examples/upload works in a browser when the form is sent without the script", async () => {
  await serving(async (base, folder) => {
    await withPage(async (page) => {
      await page.goto(base);
      await page.locator("input[type=file]").setInputFiles([chosen("plain.txt", 7)]);
      await page.evaluate("document.querySelector('form').submit()");
      await page.waitForURL("**/upload");
      assertEquals(JSON.parse(await page.locator("body").innerText()).total, 7);
      assertEquals(saved(folder), { "127.0.0.1-plain.txt": 7 });
    });
  });
});
