import { fromFileUrl } from "@std/path";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { AsyncLocalStorage } from "node:async_hooks";
import { setImmediate } from "node:timers";
import * as fw from "../../mod.ts";
import * as auth from "../../src/middleware/auth.ts";
import { computeHash } from "../../src/middleware/password_hash.ts";
import { HashThreads } from "../../src/middleware/hash_workers.ts";
import { quiet } from "../serving.ts";

const cheap = { Memory: 64, Iterations: 1 };

Deno.test("auth.VerifyPassword() does not block the event loop", async () => {
  const hash = await auth.HashPassword("tea");
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  assertEquals(await auth.VerifyPassword("tea", hash), true);
  isDone = true;
  // If the hash were computed in this thread, there would only be a few turns before and after it.
  assert(turns > 20, `${turns}`);
});

Deno.test("auth.VerifyPassword() responds with 503 and Retry-After if it would wait for more than two seconds", async () => {
  const hash = await auth.HashPassword("tea");
  const app = quiet();
  app.Get("/", async (ctx) => ctx.WriteString(String(await auth.VerifyPassword("tea", hash))));
  await app.Build();
  const responses = await Promise.all(
    Array.from({ length: 400 }, async () => await app.fetch(new Request("http://localhost/"))),
  );
  const bodies = await Promise.all(responses.map((response) => response.text()));
  const refused = responses.filter(({ status }) => status === 503);
  assert(refused.length > 0 && refused.length < 400, `${refused.length}`);
  assertEquals(responses.every(({ status }) => status === 200 || status === 503), true);
  for (const { headers } of refused) assert(Number(headers.get("retry-after")) >= 2, `${headers.get("retry-after")}`);
  assertEquals(new Set(bodies), new Set(["true", "Service Unavailable"]));
  assertEquals(await (await app.fetch(new Request("http://localhost/"))).text(), "true");
});

Deno.test("HTTPError with RetryAfter sends the header in whole seconds", async () => {
  const app = quiet();
  app.Get("/", () => {
    throw new fw.HTTPError(429, "Later", { RetryAfter: 1_200 });
  });
  const response = await app.fetch(new Request("http://localhost/"));
  assertEquals([response.status, response.headers.get("retry-after"), await response.text()], [429, "2", "Later"]);
});

Deno.test("computeHash() rejects with the error of the function, and computes the next hash", async () => {
  await assertRejects(() => computeHash({ name: "argon2id", options: { password: "tea" } }), Error, "Salt");
  assertEquals(await auth.VerifyPassword("tea", await auth.HashPassword("tea", cheap)), true);
});

Deno.test("computeHash() keeps the asynchronous context of its caller", async () => {
  const users = new AsyncLocalStorage<string>();
  await users.run("bob", async () => {
    await auth.HashPassword("tea", cheap);
    assertEquals(users.getStore(), "bob");
  });
});

Deno.test("HashThreads.run() uses at most the given number of threads, one job each", async () => {
  const threads = new HashThreads(2);
  const options = {
    password: "tea",
    salt: new Uint8Array(16),
    iterations: 1,
    memorySize: 64,
    parallelism: 1,
    hashLength: 16,
    outputType: "hex",
  };
  const hashes = await Promise.all(Array.from({ length: 10 }, () => threads.run({ name: "argon2id", options })));
  assertEquals(new Set(hashes).size, 1);
});

Deno.test("auth.HashPassword() needs no permission, and does not keep the program running", async () => {
  const program = `
    import * as auth from "${new URL("../../src/middleware/auth.ts", import.meta.url).href}";
    const hash = await auth.HashPassword("tea", { Memory: 64 });
    const found = [await auth.VerifyPassword("tea", hash), await auth.VerifyPassword("tea", null)];
    console.log(JSON.stringify(found));
  `;
  const folder = await Deno.makeTempDir();
  await Deno.writeTextFile(`${folder}/main.ts`, program);
  const config = fromFileUrl(new URL("../../deno.json", import.meta.url));
  const { stdout, stderr, code } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--no-check", "--no-lock", `--config=${config}`, `${folder}/main.ts`],
  }).output();
  await Deno.remove(folder, { recursive: true });
  const decoder = new TextDecoder();
  assertEquals([decoder.decode(stdout).trim(), code], ["[true,false]", 0], decoder.decode(stderr));
});
