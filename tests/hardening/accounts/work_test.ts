import { assertEquals, assertGreater } from "@std/assert";
import { stub } from "@std/testing/mock";
import { DatabaseSync, StatementSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import { ada, Ground, setCost } from "./ground.ts";

type Method = (this: { sourceSQL?: string }, ...args: unknown[]) => unknown;

/** Records every statement with the number of rows that it writes, and every message to a thread, until it is disposed. */
class Work {
  readonly statements: string[] = [];
  readonly hashes: unknown[] = [];
  readonly #restore: (() => void)[] = [];

  constructor() {
    this.#watch(DatabaseSync, "exec", (_, [sql]) => this.statements.push(String(sql)));
    for (const name of ["run", "get", "all"]) {
      this.#watch(StatementSync, name, ({ sourceSQL }, _, result) => {
        const changes = name === "run" ? (result as { changes: number }).changes : 0;
        this.statements.push(`${sourceSQL} (${changes})`);
      });
    }
    this.#watch(Worker, "postMessage", (_, [job]) => this.hashes.push((job as { name?: unknown }).name));
  }

  [Symbol.dispose](): void {
    for (const restore of this.#restore) restore();
  }

  #watch(
    type: { readonly prototype: object },
    name: string,
    note: (self: { sourceSQL?: string }, args: readonly unknown[], result: unknown) => void,
  ): void {
    const prototype = type.prototype as Record<string, Method>;
    const method = prototype[name] as Method;
    prototype[name] = function (...args) {
      const result = method.apply(this, args);
      note(this, args, result);
      return result;
    };
    this.#restore.push(() => prototype[name] = method);
  }
}

Deno.test("init --accounts: known and unknown addresses cause the same statements, writes and hashes", async () => {
  // Delays must not end while a busy machine pauses the test.
  const now = Date.now();
  using _ = stub(Date, "now", () => now);
  setCost("fast");
  const folder = await Deno.makeTempDir();
  const ground = new Ground(folder);
  // The application is built but not started, so that no worker runs the jobs during a request.
  await ground.app.Build();
  try {
    await ground.add();
    const workOf = async (path: string, mail: string) => {
      const browser = ground.browser();
      using work = new Work();
      const { Status } = await browser.post(path, { mail, password: "wrong" });
      return { Status, statements: work.statements, hashes: work.hashes };
    };
    for (const path of ["/login", "/signup", "/reset"]) {
      // The first request of a process is one with an unknown address. The last ones are delayed, or their mails dropped.
      for (let attempt = 0; attempt < 8; attempt++) {
        const unknown = await workOf(path, "bob@example.org");
        assertEquals(await workOf(path, ada), unknown, `${path}, attempt ${attempt}`);
        assertGreater(unknown.statements.length, 1);
        assertEquals(unknown.hashes, unknown.Status === 422 ? ["argon2Verify"] : []);
      }
    }
  } finally {
    await ground.app.Shutdown();
    await Deno.remove(folder, { recursive: true });
  }
});
