/**
 * Sends one request to an application with accounts, and kills the process before a statement of SQLite. It writes the
 * number of statements if it survives.
 *
 * Only statements that change stored data at once are counted. A kill before any other statement leaves the same data as
 * a kill before the next one of these: a statement that reads changes nothing, and neither does a transaction until its
 * COMMIT.
 *
 * @module
 */

import { DatabaseSync, StatementSync } from "node:sqlite";
import { Ground, setCost } from "./ground.ts";

/** Calls a function before each statement that changes stored data at once. */
function beforeChanges(call: () => void): void {
  const connections = new WeakMap<object, DatabaseSync>();
  const see = (database: DatabaseSync | undefined, sql: string) => {
    const changes = database?.isTransaction
      ? /^\s*COMMIT/.test(sql)
      // A list of statements that begins with BEGIN is a whole transaction.
      : !/^\s*(?:SELECT|PRAGMA|BEGIN[^;]*$)/.test(sql);
    if (changes) call();
  };
  const { prepare, exec } = DatabaseSync.prototype;
  DatabaseSync.prototype.prepare = function (...args) {
    const statement = prepare.apply(this, args);
    connections.set(statement, this);
    return statement;
  };
  DatabaseSync.prototype.exec = function (sql) {
    see(this, sql);
    exec.call(this, sql);
  };
  const statements = StatementSync.prototype as unknown as Record<string, (...args: unknown[]) => unknown>;
  for (const name of ["run", "get", "all"]) {
    const method = statements[name];
    statements[name] = function (this: StatementSync, ...args) {
      see(connections.get(this), this.sourceSQL);
      return method?.apply(this, args);
    };
  }
}

if (import.meta.main) {
  const [folder = "", secret = "", path = "", body = "", last = ""] = Deno.args;
  let [isBuilt, count] = [false, 0];
  // Statements are prepared when the application is built.
  beforeChanges(() => {
    if (isBuilt && ++count === Number(last)) Deno.kill(Deno.pid, "SIGKILL");
  });
  setCost("fast");
  const ground = new Ground(folder, secret);
  await ground.app.Build();
  isBuilt = true;
  await ground.browser().post(path, Object.fromEntries(new URLSearchParams(body)));
  await ground.mailed();
  Deno.stdout.writeSync(new TextEncoder().encode(String(count)));
  await ground.app.Shutdown();
}
