import { assert, assertEquals, assertGreater } from "@std/assert";
import { accepted, data, otherArguments, unreached } from "./accepted.ts";
import { type Cell, cellsOf, dispose, fault } from "./cells.ts";
import { coreRecipes } from "./core_recipes.ts";
import { type Door, findDoors } from "./documented.ts";
import { featureRecipes } from "./feature_recipes.ts";
import { middlewareRecipes } from "./middleware_recipes.ts";
import type { Recipes } from "./recipe.ts";
import { listOptions } from "../../../repo/option_tables.ts";

const recipes: Recipes = { ...coreRecipes, ...middlewareRecipes, ...featureRecipes };
const doors = (await findDoors()).filter(({ type }) => !Object.hasOwn(data, type.key));

/** Returns the key of the recipe. A function with several arguments has one for each type. */
function keyOf({ key, type }: Door): string {
  const long = `${key} ${type.key}`;
  return Object.hasOwn(recipes, long) ? long : key;
}

/** The accepted rows. */
const rows = new Set(
  Object.values(accepted).flat().flatMap((row) => {
    const [option = "", ...values] = row.split(" ");
    return values.length === 0 ? [option] : values.map((value) => `${option}=${value}`);
  }),
);
/** The rows that were needed. */
const needed = new Set<string>();

/** Reports whether a cell is accepted for a reason. */
function isAccepted({ row }: Cell): boolean {
  needed.add(row);
  return Object.hasOwn(otherArguments, row) || rows.has(row);
}

Deno.test("every published function that takes options has a recipe", () => {
  const keys = new Set(doors.map(keyOf));
  assertGreater(keys.size, 130);
  const known = new Set([...Object.keys(recipes), ...Object.keys(unreached)]);
  assertEquals([...keys.difference(known)], [], "functions without a recipe");
  assertEquals([...known.difference(keys)], [], "recipes of functions that do not exist");
});

Deno.test("every documented option has a row in the table of its type", async () => {
  const tables = new Map(
    (await listOptions()).map(({ Entry, Type, Options }) => [
      `${Entry} ${Type}`,
      new Set(Options.map(({ Name }) => Name)),
    ]),
  );
  const missing: string[] = [];
  for (const { type } of doors) {
    if (type.key === "Configuration" || type.key === "BodyTimeout") continue;
    const [entry = "", name = ""] = type.key.includes(".") ? type.key.split(".") : ["", type.key];
    const rows = tables.get(`@fw/web${entry === "" ? "" : `/${entry}`} ${name}`);
    for (const option of type.options) {
      const isOwn = type.key === "jobs.ListFilter" && option.name === "Queue";
      if (!isOwn && rows?.has(option.name) !== true) missing.push(`${type.key}.${option.name}`);
    }
  }
  assertEquals([...new Set(missing)], []);
});

for (const door of doors) {
  const recipe = recipes[keyOf(door)];
  if (recipe === undefined) continue;
  Deno.test({
    name: `${door.key}() refuses wrong ${door.type.key} where they are passed`,
    // Calls with accepted values may open connections, which are closed only as far as possible.
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      const [call, least = {}] = typeof recipe === "function" ? [recipe] : recipe;
      await dispose(await call(least));
      const cells = cellsOf(door, recipe);
      assert(cells.length > 0);
      const wrong: string[] = [];
      for (const cell of cells) {
        const found = await fault(recipe, cell);
        if (found !== undefined && !isAccepted(cell)) wrong.push(`${cell.id}: ${found}`);
      }
      assertEquals(wrong, [], "refuse the values in the table of the type, or add rows with a reason to accepted.ts");
    },
  });
}

Deno.test("every accepted value of the table is accepted", () => {
  assertEquals([...rows.difference(needed)], []);
});
