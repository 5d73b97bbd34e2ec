import { assertEquals } from "@std/assert";
import type { drizzle } from "npm:drizzle-orm@^0.45/postgres-js";
import postgres from "npm:postgres@^3";
import * as fw from "../../mod.ts";
import * as mvc from "../../mvc/mod.ts";
import * as timeout from "../../src/middleware/timeout.ts";
import { overSocket } from "../serving.ts";
import { ignoredFor } from "../state/sessions/redis_server.ts";
import { postgresIsMissing, startPostgres } from "./postgres_server.ts";
import { runRecipe } from "./recipe.ts";

/** The variables of both recipes. */
interface Recipe {
  readonly app: fw.Application;
  readonly inTransaction: fw.Handler;
  readonly transaction: fw.Key<unknown>;
}

/** The recipes, and how their transactions run a statement. */
const recipes: Readonly<Record<string, (transaction: unknown, statement: string) => Promise<unknown>>> = {
  postgres: (tx, statement) => (tx as postgres.TransactionSql).unsafe(statement),
  drizzle: (tx, statement) => (tx as ReturnType<typeof drizzle>).execute(statement),
};

const tables = `
  CREATE TABLE teas (id SERIAL PRIMARY KEY, name TEXT NOT NULL);
  CREATE FUNCTION at_commit() RETURNS TRIGGER LANGUAGE plpgsql AS $$
  BEGIN
    IF NEW.name = 'Slow' THEN PERFORM pg_sleep(0.3); END IF;
    IF NEW.name = 'Refused' THEN RAISE EXCEPTION 'refused at the commit'; END IF;
    RETURN NULL;
  END $$;
  CREATE CONSTRAINT TRIGGER late AFTER INSERT ON teas DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION at_commit();`;

for (const [page, execute] of Object.entries(recipes)) {
  Deno.test({
    name: `The recipe "${page}" commits before the response is sent, or not at all${ignoredFor(postgresIsMissing)}`,
    ignore: postgresIsMissing !== undefined,
    async fn(t) {
      await using server = await startPostgres();
      const outside = postgres(server.url, { onnotice() {} });
      await outside.unsafe(tables);
      const stored = async () => (await outside`SELECT name FROM teas ORDER BY id`).map(({ name }) => name);
      const { app, inTransaction, transaction } = await runRecipe<Recipe>(
        page,
        ["app", "inTransaction", "transaction"],
        { "postgres://localhost/shop": server.url },
      );
      const logged: string[] = [];
      app.Logger().SetOutput((line) => logged.push(line));
      const insert = (ctx: fw.Context, name: string) =>
        execute(ctx.Values().Get(transaction), `INSERT INTO teas (name) VALUES ('${name}')`);

      const inserted = Promise.withResolvers<void>();
      const gate = Promise.withResolvers<void>();
      app.Post("/throws", inTransaction, async (ctx) => {
        await insert(ctx, "Thrown");
        throw new Error("Out of tea");
      });
      app.Post("/conflict", inTransaction, async (ctx) => {
        await insert(ctx, "Conflict");
        throw new fw.HTTPError(409, "Sold");
      });
      app.Post("/redirect", inTransaction, async (ctx) => {
        await insert(ctx, "Redirected");
        ctx.Redirect("/", 303);
      });
      app.Post("/late", timeout.New({ After: 50 }), inTransaction, async (ctx) => {
        await insert(ctx, "Late");
        inserted.resolve();
        await gate.promise;
        ctx.Text("stored");
      });
      const controllers = app.Party("/controller");
      controllers.Use(inTransaction);
      mvc.New(controllers).Handle(
        class {
          async PostBy(ctx: fw.Context, status = 0) {
            await insert(ctx, `Status ${status}`);
            return mvc.Tuple({ status }, status);
          }
        },
      );

      await overSocket(app, async (_, port) => {
        const post = async (path: string) => {
          const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", redirect: "manual" });
          return [response.status, await response.text()] as const;
        };
        await t.step("the row is visible to others when the response arrives, even if the commit is slow", async () => {
          assertEquals(await post("/teas/Slow"), [200, '{"id":1,"name":"Slow"}']);
          assertEquals(await stored(), ["Slow"]);
        });
        await t.step("success and redirects commit, from handlers and controllers", async () => {
          assertEquals((await post("/redirect"))[0], 303);
          assertEquals((await post("/controller/201"))[0], 201);
          assertEquals(await stored(), ["Slow", "Redirected", "Status 201"]);
        });
        await t.step("errors and status codes from 400 roll back, and leave no connection behind", async () => {
          const paths = ["/teas/Coffee", "/throws", "/conflict", "/controller/422", "/teas/Refused"];
          // This is more than the number of connections of postgres.js.
          for (let round = 0; round < 3; round++) {
            const statuses = (await Promise.all(paths.map(post))).map(([status]) => status);
            assertEquals(statuses, [422, 500, 409, 422, 500]);
          }
          assertEquals((await stored()).length, 3);
          assertEquals(await post("/teas/Coffee"), [422, "Not a tea"]);
          assertEquals(await post("/teas/Refused"), [500, "Internal Server Error"]);
          assertEquals(logged.some((line) => line.includes("refused at the commit")), true);
        });
        await t.step("concurrent requests have separate transactions", async () => {
          const statuses = await Promise.all(["/teas/Assam", "/throws", "/teas/Sencha"].map(post));
          assertEquals(statuses.map(([status]) => status), [200, 500, 200]);
          assertEquals((await stored()).slice(3).sort(), ["Assam", "Sencha"]);
        });
        await t.step("the transaction of a handler that continues after a timeout is rolled back", async () => {
          const before = await stored();
          const response = post("/late");
          assertEquals((await response)[0], 503);
          await inserted.promise;
          gate.resolve();
          await app.Shutdown(); // waits for the pool
          assertEquals(await stored(), before);
        });
      });
      await outside.end();
    },
  });
}
