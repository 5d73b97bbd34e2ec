import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { newApp } from "../../examples/sight/main.ts";
import { withPage } from "../browser.ts";

/** Serves the example while a function runs, and collects its log and access log. */
async function serving(
  work: (base: string, seen: { log: string[]; access: string[] }) => Promise<void>,
): Promise<void> {
  const seen = { log: [] as string[], access: [] as string[] };
  const app = newApp({ AccessLog: { Output: (line) => void seen.access.push(line) } });
  app.Logger().SetTimeFormat("").SetOutput((line) => void seen.log.push(line));
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, app.fetch);
  try {
    await work(`http://127.0.0.1:${server.addr.port}`, seen);
  } finally {
    await server.shutdown();
    await app.Shutdown();
  }
}

async function text(url: string): Promise<{ status: number; body: string; headers: Headers }> {
  const response = await fetch(url);
  return { status: response.status, body: await response.text(), headers: response.headers };
}

Deno.test("examples/sight uses the same request ID in the log, the access log and the response", async () => {
  await serving(async (base, { log, access }) => {
    const tea = await text(`${base}/teas/2`);
    const id = tea.headers.get("x-request-id") ?? "";
    assertEquals([tea.status, tea.body, id.length], [200, "Assam", 36]);
    assertEquals(log, [`[INFO] brewed request_id=${id} route=/teas/{id:int} tea=2`]);
    const entry = JSON.parse(access[0] ?? "");
    assertEquals([entry["request_id"], entry.route, entry.fields], [id, "/teas/{id:int}", { tea: 2 }]);
    assertEquals((await text(`${base}/spill`)).status, 500);
    assertMatch(log[1] ?? "", /^\[ERRO\] Cannot serve GET \/spill: Error: the cup is broken request_id=\S{36}\n/);
    assertEquals(JSON.parse(access[1] ?? "").error, "the cup is broken");
  });
});

Deno.test("examples/sight is live and ready, and exports metrics for Prometheus", async () => {
  await serving(async (base) => {
    assertEquals((await text(`${base}/livez`)).body, '{"status":"alive"}');
    assertEquals((await text(`${base}/readyz`)).status, 200);
    const { body, headers } = await text(`${base}/metrics`);
    assertStringIncludes(headers.get("content-type") ?? "", "version=0.0.4");
    assertStringIncludes(body, 'http_route="/readyz",http_response_status_code="200"} 1\n');
  });
});

Deno.test("examples/sight shows process statistics on a page that updates automatically", async () => {
  await serving(async (base) => {
    for (let i = 0; i < 30; i++) await text(`${base}/teas/${i % 4}`);
    await text(`${base}/spill`);
    await withPage(async (page) => {
      const problems: string[] = [];
      page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
      await page.goto(`${base}/monitor`);
      await page.locator("#state.live").waitFor();
      assertEquals(await page.title(), "Tea house");
      assertEquals(await page.locator(".tile").count(), 8);
      const rows = await page.locator("#routes tr").allTextContents();
      assert(rows.some((row) => row.startsWith("GET /teas/{id:int}30")), rows.join("\n"));
      assertEquals(await page.locator("#routes td.bad").allTextContents(), ["1"]);
      const before = await page.locator("#process").textContent();
      // On a busy machine, it may take several updates until one of them shows the load.
      for (let requests = 0; requests <= 5;) {
        for (let i = 0; i < 40; i++) await text(`${base}/`);
        requests = Number((await page.locator(".tile p").first().textContent())?.replace(",", ""));
      }
      await page.locator("#process", { hasNotText: before ?? "" }).waitFor();
      const picture = Deno.env.get("FW_PICTURES");
      if (picture !== undefined) await page.screenshot({ path: `${picture}/monitor.png`, fullPage: true });
      assertEquals(problems, []);
    });
  });
});
