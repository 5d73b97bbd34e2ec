/**
 * Sends one request to an application with accounts, and kills the process before a statement of SQLite. It writes the
 * number of statements if it survives.
 *
 * @module
 */

import { DatabaseSync, StatementSync } from "node:sqlite";
import { Ground } from "./ground.ts";

if (import.meta.main) {
  const [folder = "", secret = "", path = "", body = "", last = ""] = Deno.args;
  const ground = new Ground(folder, secret);
  await ground.app.Build();
  let count = 0;
  const countStatements = (type: { readonly prototype: object }, name: string) => {
    const prototype = type.prototype as Record<string, (...args: unknown[]) => unknown>;
    const method = prototype[name];
    prototype[name] = function (this: { sourceSQL?: string }, ...args) {
      // A kill before a statement that reads is the same as one before the next statement that writes.
      const isRead = /^\s*(?:SELECT|PRAGMA)/.test(this.sourceSQL ?? String(args[0]));
      if (!isRead && ++count === Number(last)) Deno.kill(Deno.pid, "SIGKILL");
      return method?.apply(this, args);
    };
  };
  countStatements(DatabaseSync, "exec");
  for (const name of ["run", "get", "all"]) countStatements(StatementSync, name);
  await ground.browser().post(path, Object.fromEntries(new URLSearchParams(body)));
  await ground.mailed();
  Deno.stdout.writeSync(new TextEncoder().encode(String(count)));
  await ground.app.Shutdown();
}
