import { assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { newApp } from "../../examples/jobs/main.ts";
import * as httptest from "../../src/tools/httptest/mod.ts";
import { freePort } from "../free_port.ts";

/** Runs a test with a separate folder. */
async function withFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await run(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("examples/jobs packs each order once, and keeps jobs that fail", async () => {
  await withFolder(async (folder) => {
    const { app, queue, store } = newApp(`${folder}/shop.db`);
    app.Logger().SetLevel("disable");
    await store.Migrate();
    const test = httptest.New(app);
    const { job } = await (await app.fetch(new Request("http://localhost/orders/Assam", { method: "POST" }))).json();
    await test.POST("/orders/Coffee").Expect().Status(202);
    await test.GET("/jobs").Expect().JSON({
      Queue: "default",
      Waiting: 2,
      Due: 2,
      Running: 0,
      Failed: 0,
      Done: 0,
      OldestDue: (await queue.Stats()).OldestDue,
    });
    await queue.Drain();
    await test.GET(`/jobs/${job}`).Expect().JSON({ state: "done", result: "Assam is packed" });
    const [failed] = await queue.List({ State: "failed" });
    assertMatch(failed?.Error ?? "", /This is a tea house/);
    await test.POST(`/jobs/${failed?.ID}/retry`).Expect().JSON({ retried: 1 });
    await app.Shutdown();
  });
});

/** Orders as soon as the server is listening. */
async function order(url: string): Promise<Response> {
  for (;;) {
    try {
      return await fetch(url, { method: "POST" });
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

for (const name of ["hono", "serve"]) {
  Deno.test(`examples/jobs/${name}.ts adds jobs, runs them, and stops on SIGTERM`, async () => {
    const file = fromFileUrl(new URL(`../../examples/jobs/${name}.ts`, import.meta.url));
    const code = (await Deno.readTextFile(file)).split("\n").filter((line) => line !== "" && !line.startsWith("/**"));
    assertEquals(code.length <= 15, true);
    await withFolder(async (folder) => {
      const port = freePort();
      const process = new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--no-check", file, `${folder}/jobs.db`, `${port}`],
        stdout: "piped",
        stderr: "null",
      }).spawn();
      const response = await order(`http://127.0.0.1:${port}${name === "hono" ? "/orders" : ""}/Assam`);
      assertEquals([response.status, (await response.json()).IsNew], [202, true]);
      let output = "";
      for await (const text of process.stdout.pipeThrough(new TextDecoderStream())) {
        output += text;
        if (output.includes("Packed Assam")) process.kill("SIGTERM");
      }
      assertEquals((await process.status).success, true);
      assertMatch(output, /Packed Assam queue=default job=pack/);
    });
  });
}
