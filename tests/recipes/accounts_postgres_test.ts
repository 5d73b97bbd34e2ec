import { assertEquals } from "@std/assert";
import type { Sql } from "npm:postgres@^3";
import { ignoredFor } from "../state/sessions/redis_server.ts";
import { postgresIsMissing, startPostgres } from "./postgres_server.ts";
import { runRecipe } from "./recipe.ts";

interface Account {
  readonly id: string;
  readonly mail: string;
  readonly hash: string;
  readonly totp: string | null;
}

interface Recipe {
  readonly sql: Sql;
  readonly migrate: () => Promise<void>;
  readonly Accounts: new () => {
    byMail(mail: string): Promise<Account | undefined>;
    add(mail: string, hash: string): Promise<string | undefined>;
    change(account: Account, column: "hash", value: string): Promise<boolean>;
    reset(account: Account, hash: string, kept: readonly string[]): Promise<boolean>;
    addPasskey(account: Account, id: string, publicKey: Uint8Array, counter: number): Promise<boolean>;
    useStep(id: string, step: number): Promise<boolean>;
    useRecovery(id: string, digest: string): Promise<boolean>;
    attempt(key: string): Promise<boolean>;
  };
}

const times = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

Deno.test({
  name: `The recipe "accounts-postgres" lets only one of several requests succeed${ignoredFor(postgresIsMissing)}`,
  ignore: postgresIsMissing !== undefined,
  async fn() {
    await using server = await startPostgres();
    const { sql, migrate, Accounts } = await runRecipe<Recipe>(
      "accounts-postgres",
      ["sql", "migrate", "Accounts"],
      { "postgres://localhost/shop": server.url },
    );
    try {
      await Promise.all([migrate(), migrate(), migrate()]);
      const accounts = new Accounts();
      const added = await Promise.all(times.map((at) => accounts.add(at % 2 === 0 ? "Ada@x.org" : "ada@x.org", "h")));
      assertEquals(added.filter((id) => id !== undefined).length, 1);
      const account = await accounts.byMail("ADA@X.ORG") as Account;
      const count = async (results: Promise<boolean>[]) => (await Promise.all(results)).filter((each) => each).length;
      assertEquals(await count(times.map((at) => accounts.change(account, "hash", `h${at}`))), 1);
      assertEquals(await accounts.addPasskey(account, "stale", new Uint8Array(8), 0), false);
      const current = await accounts.byMail("ada@x.org") as Account;
      assertEquals(await accounts.addPasskey(current, "kept", new Uint8Array(8), 0), true);
      // Passkeys that are added at the same time as a reset do not outlive it.
      const [isReset] = await Promise.all([
        accounts.reset(current, "reset", ["kept"]),
        ...times.map((at) => accounts.addPasskey(current, `of a thief ${at}`, new Uint8Array(8), 0)),
      ]);
      assertEquals(isReset, true);
      assertEquals((await sql`SELECT id FROM passkey`).map(({ id }) => id), ["kept"]);
      assertEquals(await count(times.map(() => accounts.useStep(account.id, 7))), 1);
      assertEquals(await accounts.useStep(account.id, 6), false);
      await sql`INSERT INTO recovery VALUES (${account.id}, 'code')`;
      assertEquals(await count(times.map(() => accounts.useRecovery(account.id, "code"))), 1);
      assertEquals(await count(times.map(() => accounts.attempt("login ada"))), 6);
    } finally {
      await sql.end();
    }
  },
});
