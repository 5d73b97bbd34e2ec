import { assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { newApp, type Setup } from "../../examples/public/main.ts";
import type { Application } from "../../mod.ts";
import { withPage } from "../browser.ts";

/** Serves the example while a function runs. */
async function serving(
  work: (base: string, seen: { access: Record<string, unknown>[]; app: Application }) => Promise<void>,
  setup: Setup = {},
): Promise<void> {
  const access: Record<string, unknown>[] = [];
  const app = newApp({ AccessLog: { Output: (line) => void access.push(JSON.parse(line)) }, ...setup });
  app.Logger().SetLevel("disable");
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, app.fetch);
  try {
    await work(`http://127.0.0.1:${server.addr.port}`, { access, app });
  } finally {
    await server.shutdown();
    await app.Shutdown();
  }
}

async function ask(url: string, init: RequestInit = {}): Promise<{ status: number; text: string; headers: Headers }> {
  const response = await fetch(url, { redirect: "manual", ...init });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

function post(text: string, headers: Record<string, string> = {}): RequestInit {
  return {
    method: "POST",
    body: new URLSearchParams({ text }),
    headers: { "sec-fetch-site": "same-origin", ...headers },
  };
}

function basic(password: string): Record<string, string> {
  return { authorization: `Basic ${btoa(`admin:${password}`)}` };
}

Deno.test("examples/public: every response has its headers, and every request is in the log under its ID", async () => {
  await serving(async (base, { access }) => {
    for (const path of ["/", "/absent", "/api/notices", "/admin", "/%zz"]) {
      const { headers } = await ask(`${base}${path}`);
      assertEquals(headers.get("x-content-type-options"), "nosniff", path);
      assertMatch(headers.get("content-security-policy") ?? "", /script-src 'self' 'nonce-/);
      assertMatch(headers.get("ratelimit") ?? "", /^"all";r=\d+;t=\d+/);
      assertEquals(access.at(-1)?.["request_id"], headers.get("x-request-id"), path);
    }
    const moved = await ask(`${base}/index.html`);
    assertEquals([moved.status, moved.headers.get("location")], [301, "/"]);
    assertEquals((await ask(`${base}/readyz`)).headers.get("ratelimit"), null);
  });
});

Deno.test("examples/public: forms from other sites and forms that are too large are rejected, and writes are rate limited", async () => {
  await serving(async (base) => {
    assertEquals((await ask(`${base}/notices`, post("spam", { "sec-fetch-site": "cross-site" }))).status, 403);
    assertEquals((await ask(`${base}/notices`, post("x".repeat(20_000)))).status, 413);
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++) statuses.push((await ask(`${base}/notices`, post(`notice ${i}`))).status);
    assertEquals(statuses, [303, 303, 303, 303, 303, 429]);
    assertEquals(JSON.parse((await ask(`${base}/api/notices`)).text).length, 5);
  });
});

Deno.test("examples/public: only pages of configured origins can read the API", async () => {
  await serving(async (base) => {
    const allowed = async (origin: string) =>
      (await ask(`${base}/api/notices`, { headers: { origin } })).headers.get("access-control-allow-origin");
    assertEquals(await allowed("https://www.example.org"), "https://www.example.org");
    assertEquals(await allowed("https://example.org.evil.example"), null);
    const headers = { origin: "https://example.org", "access-control-request-method": "GET" };
    assertEquals((await ask(`${base}/api/notices`, { method: "OPTIONS", headers })).status, 204);
  });
});

Deno.test("examples/public: administration requires an allowed address, a password and a role, and five failed attempts block it", async () => {
  await serving(async (base, { app }) => {
    assertEquals((await ask(`${base}/admin`)).status, 401);
    const stranger = { remoteAddr: { transport: "tcp", hostname: "203.0.113.9", port: 1 } } as const;
    const outside = await app.fetch(new Request("http://localhost/admin", { headers: basic("notice") }), stranger);
    assertEquals(outside.status, 403);
    assertEquals((await ask(`${base}/admin`, { headers: basic("notice") })).status, 200);
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++) statuses.push((await ask(`${base}/admin`, { headers: basic(`guess${i}`) })).status);
    assertEquals(statuses, [401, 401, 401, 401, 401, 429]);
  });
});

Deno.test("examples/public counts requests for authorized clients and compresses pages", async () => {
  await serving(async (base) => {
    const page = await ask(`${base}/`);
    assertEquals([page.headers.get("vary"), page.status], ["accept-encoding", 200]);
    for (const path of ["/admin/metrics", "/admin/monitor", "/admin/monitor/stats"]) {
      assertEquals((await ask(`${base}${path}`)).status, 401);
      assertEquals((await ask(`${base}${path}`, { headers: basic("notice") })).status, 200, path);
    }
    const { text } = await ask(`${base}/admin/metrics`, { headers: basic("notice") });
    assertMatch(text, /http_route="\/",http_response_status_code="200"\} 1/);
  });
});

Deno.test("examples/public behind a proxy sees client addresses, which clients cannot forge", async () => {
  const headers = { "x-forwarded-for": "198.51.100.7", "x-forwarded-proto": "https" };
  await serving(async (base, { access }) => {
    const page = await ask(`${base}/`, { headers });
    assertMatch(page.headers.get("set-cookie") ?? "", /^__Host-csrf=.*; Secure/);
    assertEquals(access.at(-1)?.ip, "198.51.100.7");
    assertEquals((await ask(`${base}/admin`, { headers })).status, 403, "the client's address is not the proxy's");
  }, { Proxies: ["loopback"] });
  await serving(async (base, { access }) => {
    const page = await ask(`${base}/`, { headers });
    assertMatch(page.headers.get("set-cookie") ?? "", /^csrf=/);
    assertNotEquals(access.at(-1)?.ip, "198.51.100.7");
  });
});

Deno.test("examples/public works in a browser, including its script with a nonce and a form that sends DELETE", async () => {
  await serving(async (base) => {
    await withPage(async (page) => {
      const problems: string[] = [];
      page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
      await page.goto(base);
      assertEquals(await page.locator("#left").textContent(), "200 letters left");
      await page.getByLabel("Notice").fill("<b>tea</b> at four");
      assertEquals(await page.locator("#left").textContent(), "182 letters left");
      await page.getByRole("button", { name: "Put up" }).click();
      assertEquals(await page.locator("li").allTextContents(), ["<b>tea</b> at four"]);
      await page.setExtraHTTPHeaders(basic("notice"));
      await page.goto(`${base}/admin`);
      assertEquals(await page.locator("h1").textContent(), "Hello, admin");
      await page.getByRole("button", { name: "Take down" }).click();
      assertEquals(await page.locator("li").count(), 0);
      assertEquals(problems, [], "nothing was blocked that the page needs");
    });
  });
});
