/**
 * Compares the decisions of a policy with its condition for lists, for tests.
 *
 * @module
 */

import { func, list, required } from "../../base/config/option_kinds.ts";
import { optionTable, readOptions } from "../../base/config/option_table.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import type { ActionOf, ConditionOf, ListedActionOf, UserOf } from "./policy.ts";
import { Where } from "./policy.ts";
import { ask, nameOf, type Policy } from "./verdict.ts";

/** The rows and users for {@linkcode Compare}. */
export interface Comparison<U, R, C> {
  /** The users, of which each should see other rows. */
  Users: readonly U[];
  /** All rows. */
  Rows: readonly R[];
  /**
   * Runs the application's query with the condition of a user.
   *
   * @param condition The condition.
   * @returns The rows that the query found.
   */
  List: (condition: C) => readonly R[] | Promise<readonly R[]>;
  /** Returns a value that is different for each row. If omitted, it is the member `ID` or `id`. */
  Key?: (row: R) => unknown;
}

// deno-lint-ignore no-explicit-any -- The types of the rows and the condition are those of each call.
const table = optionTable<Comparison<any, any, any>>("policy.Comparison", "Compare")({
  Users: required(list()),
  Rows: required(list()),
  List: required(func()),
  Key: func(),
});

/**
 * Compares the lists that a policy's condition selects with the rows that its method allows, in a test. If they differ,
 * a list shows what a page refuses, or hides what it shows.
 *
 * @param policy The class, or an instance of it.
 * @param action The action, such as `view`, of which the policy has the method and the method `viewWhere`.
 * @param comparison The users, the rows and the query.
 * @throws {FrameworkError} If a list differs, with the user and the rows.
 */
export async function Compare<P extends object, A extends ActionOf<P> & ListedActionOf<P>, R>(
  policy: Policy<P>,
  action: A,
  comparison: Comparison<UserOf<P, A>, R, Awaited<ConditionOf<P, A>>>,
): Promise<void> {
  const { Users, Rows, List, Key = idOf } = readOptions(table, comparison);
  const differences: string[] = [];
  for (const user of Users) {
    const condition = await Where(user as never, policy, action as never);
    const listed = new Set((await List(condition as never)).map(Key));
    for (const row of Rows) {
      const key = Key(row);
      const { isAllowed } = await ask({ user, policy, action, args: [row] });
      if (isAllowed === listed.has(key)) continue;
      differences.push(
        `  ${nameOf({ policy, action })} ${isAllowed ? "allows" : "denies"} row "${key}" to user ` +
          `"${idOf(user)}", but the list ${isAllowed ? "lacks" : "contains"} it`,
      );
    }
  }
  if (differences.length === 0) return;
  throw new FrameworkError("FW_AUTH", `Cannot accept the lists of the policy:\n${differences.join("\n")}`);
}

function idOf(value: unknown): unknown {
  const { ID, id } = Object(value);
  return ID ?? id;
}
