/**
 * The functions in PostgreSQL that implement the methods of the store.
 *
 * @module
 */

import { columns } from "./job_columns.ts";

/** The code of the error if a process uses another version of the tables. */
export const otherVersion = "FW001";

/** Optional parts of a function. */
interface Parts {
  /** The declarations of its variables. If omitted, `ids` contains the property `IDs` of the argument. */
  readonly variables?: string;
  /** Its settings. */
  readonly settings?: string;
}

/**
 * Returns the definition of a function that takes and returns JSON. `@` represents the schema. The function fails if
 * the process uses another version of the tables, because another process has updated them.
 *
 * @param name The name.
 * @param body The statements. They use the argument `input` and its time `now`, and store the result in `output`.
 * @param parts Other parts of the definition.
 */
export function jsonFunction(name: string, body: string, { variables = takesIDs, settings = "" }: Parts = {}): string {
  return `
    CREATE FUNCTION @.${name}(input jsonb) RETURNS json LANGUAGE plpgsql ${settings} AS $$
    DECLARE
      now double precision := input->>'Now';
      output json;
      installed integer;
      ${variables}
    BEGIN
      SELECT max(version) INTO installed FROM @.version;
      IF installed <> coalesce((input->>'Version')::integer, 1) THEN
        RAISE EXCEPTION 'the job tables have version %', installed USING ERRCODE = '${otherVersion}';
      END IF;
      ${body}
      RETURN output;
    END $$;`;
}

/** Declares a variable with the property `IDs` of the argument. */
export const takesIDs: string = "ids text[] := ARRAY(SELECT jsonb_array_elements_text(input->'IDs'));";

/** The columns of a job `j` as strings, because PostgreSQL looks up the type of each value of an object. */
export const record: string = `ARRAY[${columns.map((column) => `j.${column}::text`).join(", ")}]`;

/**
 * The settings of functions that run often. The planner knows nothing of a queue that was empty when its statistics
 * were collected, and it needs more time than the statements, so plans are kept and use the indexes.
 * A table without an index then seems so expensive that PostgreSQL would compile each statement, which takes 100 ms.
 */
export const usesIndex: string =
  "SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off";
