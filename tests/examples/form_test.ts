import { assertEquals } from "@std/assert";
import { newApp } from "../../examples/form/main.ts";
import { withPage } from "../browser.ts";
import { logged, overSocket } from "../serving.ts";

/** Runs curl and returns its output. */
async function curl(...args: string[]): Promise<string> {
  const { stdout } = await new Deno.Command("curl", { args: ["-s", ...args] }).output();
  return new TextDecoder().decode(stdout);
}

Deno.test("examples/form responds to curl, urlencoded and multipart", async () => {
  const { app, lines } = logged(newApp());
  await overSocket(app, async (_, port) => {
    const base = `http://127.0.0.1:${port}`;
    const expected = { status: "posted", message: "hello & more", nick: "anonymous" };
    const plain = await curl("--data-urlencode", "message=hello & more", `${base}/form_post`);
    assertEquals(JSON.parse(plain), expected);
    const parts = await curl("-F", "message=hello & more", "-F", 'nick=Ada "A"', `${base}/form_post`);
    assertEquals(JSON.parse(parts), { ...expected, nick: 'Ada "A"' });
    assertEquals(await curl("-d", "name=ada&message=hi", `${base}/post?id=1234`), "");
    assertEquals(lines.some((line) => line.includes("id: 1234; page: 0; name: ada; message: hi")), true);
    assertEquals(
      await curl("-w", " %{http_code}", "-d", "amount=many", `${base}/order`),
      'Cannot read form field "amount" as an integer: current value is "many" 400',
    );
  });
});

Deno.test("examples/form works in a browser", async () => {
  await overSocket(logged(newApp()).app, async (_, port) => {
    await withPage(async (page) => {
      const shown = async (): Promise<unknown> => JSON.parse(await page.locator("body").innerText());
      await page.goto(`http://127.0.0.1:${port}/`);
      await page.getByLabel("Message").fill("größe\n☃");
      await page.getByRole("button", { name: "Send" }).click();
      await page.waitForURL("**/form_post");
      // Browsers send line breaks as CRLF.
      assertEquals(await shown(), { status: "posted", message: "größe\r\n☃", nick: "anonymous" });

      await page.goto(`http://127.0.0.1:${port}/`);
      await page.getByLabel("Sign it").check();
      await page.getByLabel("Nick").fill('ada "the" first');
      await page.getByLabel("Message").fill("hi");
      await page.getByRole("button", { name: "Send" }).click();
      await page.waitForURL("**/form_post");
      assertEquals(await shown(), { status: "posted", message: "hi", nick: 'ada "the" first' });

      await page.goto(`http://127.0.0.1:${port}/`);
      await page.getByLabel("Tea").fill("Assam  ");
      await page.getByLabel("Amount").fill("3");
      for (const label of ["with a cup", "with honey", "as a gift"]) await page.getByLabel(label).check();
      await page.getByRole("button", { name: "Order" }).click();
      await page.waitForURL("**/order");
      assertEquals(await shown(), { tea: "Assam", amount: 3, isGift: true, extras: ["cup", "honey"] });
    });
  });
});
