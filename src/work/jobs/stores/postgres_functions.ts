/**
 * The functions in PostgreSQL that implement the methods of the store.
 *
 * @module
 */

import { columns } from "./job_columns.ts";
import { type Dialect, statementsFor } from "./statements.ts";

/** The code of the error if a process uses another version of the tables. */
export const otherVersion = "FW001";

/**
 * Returns the definition of a function that takes and returns JSON. `@` represents the schema. The function fails if
 * the process uses another version of the tables, because another process has updated them.
 *
 * @param name The name.
 * @param body The statements. They use the argument `input` and its most common properties, and store the result in
 * `output`. Without a result, the function returns an empty array.
 * @param variables The declarations of other variables. Defaults to the property `IDs` of the argument.
 * @param settings Settings in addition to {@linkcode usesIndex}.
 */
export function jsonFunction(name: string, body: string, variables: string = idsIn("IDs"), settings = ""): string {
  return `
    CREATE FUNCTION @.${name}(input jsonb) RETURNS json LANGUAGE plpgsql ${usesIndex} ${settings} AS $$
    DECLARE
      now double precision := input->>'Now';
      of_queue text := input->>'Queue';
      of_name text := input->>'Name';
      output json;
      installed integer := (SELECT max(version) FROM @.version);
      ${variables}
    BEGIN
      IF installed <> coalesce((input->>'Version')::integer, 1) THEN
        RAISE EXCEPTION 'the job tables have version %', installed USING ERRCODE = '${otherVersion}';
      END IF;
      ${body}
      RETURN coalesce(output, '[]');
    END $$;`;
}

/** Declares a variable with the IDs in a list, which are its items or their property `ID`. */
export function idsIn(list: string): string {
  return `ids text[] := ARRAY(
    SELECT coalesce(each->>'ID', each #>> '{}') FROM jsonb_array_elements(input->'${list}') each
  );`;
}

/** The columns of a job `j` as strings, because PostgreSQL looks up the type of each value of an object. */
export const record: string = `ARRAY[${columns.map((column) => `j.${column}::text`).join(", ")}]`;

/**
 * The settings of the functions. The planner knows nothing of a queue that was empty when its statistics
 * were collected, and it needs more time than the statements, so plans are kept and use the indexes.
 * A table without an index then seems so expensive that PostgreSQL would compile each statement, which takes 100 ms.
 */
const usesIndex = `SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off
  SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off`;

/** The arguments that functions have as variables. */
const variables = { Now: "now", Queue: "of_queue", Name: "of_name", Group: "of_group", Count: "most" };

/** The names of arguments that are numbers. */
const isNumber = /(?:At|Until|Token|MaxRunning|Limit|Period)$/;

/** The parts of statements for PostgreSQL. */
const dialect: Dialect = {
  named: (condition) =>
    `id = ANY (ARRAY(SELECT id FROM @jobs WHERE id = ANY (ids) AND ${condition} ORDER BY seq FOR UPDATE))`,
  some: (condition) => `id = ANY (ARRAY(SELECT id FROM @jobs WHERE ${condition} LIMIT 1000 FOR UPDATE SKIP LOCKED))`,
  each: (condition) => `CROSS JOIN LATERAL (SELECT id, seq FROM @jobs WHERE ${condition}) AS j`,
  added: (property) => `e.value->>'${property}'`,
  row: (values) => `SELECT ${values} FROM jsonb_array_elements(input->'Jobs') AS e(value)`,
  items: (argument) => `jsonb_array_elements(input->'${argument}') AS e(value)`,
  texts: (argument) => `jsonb_array_elements_text(input->'${argument}') AS e(value)`,
  place: "ctid",
  isFound: "ctid = ANY (places)",
  isFull: "group_name = ANY (full_groups)",
  // A transaction that is adding a job with the same key may take long. That job has the key then.
  lock: "pg_try_advisory_xact_lock(@lock_of('key', queue, key))",
  isHandled: "name = ANY (names)",
  write: (sql) =>
    sql.replaceAll("@", "@.").replaceAll(/:([\w.]+)/g, (_, name: string) => {
      const type = isNumber.test(name) ? "::double precision" : "";
      return variables[name as keyof typeof variables] ?? `(input #>> '{${name.replaceAll(".", ",")}}')${type}`;
    }),
};

/** The statements that all databases have in common, by name. */
export const statements: Readonly<Record<string, string>> = statementsFor(dialect);
