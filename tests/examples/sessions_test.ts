import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import type { Page } from "npm:playwright-core@^1";
import { newApp } from "../../examples/sessions/login/main.ts";
import { withPage } from "../browser.ts";
import { freePort } from "../free_port.ts";
import { ignoredFor, serverIsMissing, startRedis } from "../sessions/redis_server.ts";
import { Visitor } from "../sessions/visitor.ts";
import { permissionsOf } from "../repo/example.ts";

async function visit(work: (page: Page, base: string) => Promise<void>): Promise<void> {
  const app = newApp();
  app.Logger().SetLevel("disable");
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => app.fetch(request));
  await withPage((page) => work(page, `http://127.0.0.1:${server.addr.port}`));
}

async function cookieOf(page: Page): Promise<string> {
  const cookie = (await page.context().cookies()).find(({ name }) => name === "login");
  assertEquals([cookie?.name, cookie?.httpOnly, cookie?.sameSite], ["login", true, "Lax"]);
  return cookie?.value ?? "";
}

async function logIn(page: Page, name: string, password: string): Promise<void> {
  await page.getByLabel("Name").fill(name);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Log in" }).click();
}

Deno.test("examples/sessions/login counts visits, rejects a wrong password, and logs in and out", async () => {
  await visit(async (page, base) => {
    await page.goto(`${base}/`);
    await page.reload();
    assertEquals(await page.locator("h1").textContent(), "Hello, stranger");
    assertEquals(await page.locator("#visits").textContent(), "2");
    const stranger = await cookieOf(page);

    await page.getByRole("link", { name: "Log in" }).click();
    await logIn(page, "ada", "wrong");
    assertEquals(await page.getByRole("status").textContent(), "That name and password do not go together.");
    assertEquals(await page.locator("#failures").textContent(), "1");
    await page.reload();
    assertEquals(await page.getByRole("status").count(), 0, "a message is shown once");

    await logIn(page, "ada", "engine");
    await page.waitForURL(`${base}/`);
    assertEquals(await page.locator("h1").textContent(), "Hello, ada");
    assertEquals(await page.getByRole("status").textContent(), "Welcome, ada.");
    assertEquals(await page.locator("#visits").textContent(), "3", "the data is kept");
    assertMatch(await page.locator("time").getAttribute("datetime") ?? "", /^\d{4}-\d\d-\d\dT/);
    const ada = await cookieOf(page);
    assertNotEquals(ada, stranger, "a login changes the id");
    await page.reload();
    assertEquals([await page.getByRole("status").count(), await page.locator("#visits").textContent()], [0, "4"]);

    // The page for an unknown path shows the user, and its form works.
    await page.goto(`${base}/nowhere`);
    assertEquals(await page.locator("h1").textContent(), "There is no page /nowhere");
    assertEquals(await page.locator("#user").textContent(), "ada");
    assertMatch(await page.locator('input[name="csrf_token"]').getAttribute("value") ?? "", /.{20}/);
    await page.getByRole("button", { name: "Log out" }).click();
    assertEquals(await page.locator("h1").textContent(), "Hello, stranger");
    assertEquals(await page.getByRole("status").textContent(), "You have logged out.");
    assertEquals(await page.locator("#visits").textContent(), "1");
    assertNotEquals(await cookieOf(page), ada);

    // The old cookie is no longer valid.
    await page.context().addCookies([{ name: "login", value: ada, url: base }]);
    await page.goto(`${base}/`);
    assertEquals(await page.locator("h1").textContent(), "Hello, stranger");
  });
});

Deno.test("examples/sessions/login creates a session per browser", async () => {
  await visit(async (page, base) => {
    await page.goto(`${base}/login`);
    await logIn(page, "grace", "compiler");
    await page.waitForURL(`${base}/`);
    await withPage(async (other) => {
      await other.goto(`${base}/`);
      assertEquals(await other.locator("h1").textContent(), "Hello, stranger");
    });
    assertEquals(await page.locator("h1").textContent(), "Hello, grace");
  });
});

Deno.test({
  name: `examples/sessions/redis shares a login between two processes behind one address${ignoredFor(serverIsMissing)}`,
  ignore: serverIsMissing !== undefined,
  fn: async () => {
    await using redis = await startRedis();
    const port = freePort();
    const main = new URL("../../examples/sessions/redis/main.ts", import.meta.url);
    await using example = new Deno.Command(Deno.execPath(), {
      args: ["run", ...await permissionsOf("sessions/redis"), main.href],
      env: { REDIS_URL: redis.URL, PORT: String(port) },
      stdout: "null",
      stderr: "null",
    }).spawn();
    const body = new URLSearchParams({ name: "ada" });
    const login = await onceServed(() => fetch(`http://127.0.0.1:${port}/login`, { method: "POST", body }));
    const [cookie = ""] = login.headers.get("set-cookie")?.split(";") ?? [];
    const processes = new Set<number>([(await login.json()).process]);
    let visits = 0;
    // On a busy machine, the second process may start much later than the first one.
    for (const end = performance.now() + 60_000; processes.size < 2 && performance.now() < end;) {
      // Each request uses a new connection, which the system assigns to one of the processes.
      using client = Deno.createHttpClient({});
      const visitor = new Visitor((request) => fetch(request, { client }), `http://127.0.0.1:${port}`);
      visitor.cookie = cookie;
      const seen = JSON.parse(await visitor.ask("/"));
      assertEquals([seen.name, seen.visits], ["ada", ++visits]);
      processes.add(seen.process);
    }
    assert(processes.size === 2, "all requests went to one process");
    example.kill("SIGTERM");
    assertEquals((await example.status).code, 0);
  },
});

async function onceServed(ask: () => Promise<Response>): Promise<Response> {
  for (let attempt = 0;; attempt++) {
    try {
      return await ask();
    } catch (error) {
      if (attempt === 1200) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
