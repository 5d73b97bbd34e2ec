import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { entries } from "./entries.ts";
import { listOptions } from "./option_tables.ts";

interface Documented {
  readonly jsDoc?: {
    readonly tags?: readonly { readonly kind: string; readonly value?: string; readonly doc?: string }[];
  };
}

/** Returns the `@default` of each option by its type and name. Options without one are `undefined`. */
async function documentedDefaults(): Promise<Map<string, Map<string, string | undefined>>> {
  const found = new Map<string, Map<string, string | undefined>>();
  const cwd = fromFileUrl(new URL("../../", import.meta.url));
  const args = ["doc", "--json", ...entries.map(([, file]) => file)];
  const { stdout } = await new Deno.Command(Deno.execPath(), { args, cwd, stderr: "null" }).output();
  const { nodes } = JSON.parse(new TextDecoder().decode(stdout));
  for (const [name, file] of entries) {
    const { symbols } = nodes[Object.keys(nodes).find((url) => url.endsWith(`/${file}`)) ?? ""];
    for (const symbol of symbols) {
      for (const { def } of symbol.declarations) {
        if (def?.properties === undefined) continue;
        const properties: [string, string | undefined][] = def.properties.map((each: Documented & { name: string }) => [
          each.name,
          each.jsDoc?.tags?.find(({ kind }) => kind === "default")?.value,
        ]);
        found.set(`${name} ${symbol.name}`, new Map(properties));
      }
    }
  }
  return found;
}

/** Returns a default as it is documented. */
function shown(value: unknown): string {
  return typeof value === "number" ? String(value) : JSON.stringify(value).replaceAll(",", ", ");
}

/** Reports whether a default has to be documented. Functions and objects are described in words. */
function isPlain(value: unknown): boolean {
  return ["number", "boolean", "string"].includes(typeof value) && value !== "";
}

Deno.test("listOptions() lists published types, with the defaults of their documentation", async () => {
  const tables = await listOptions();
  assert(tables.length > 45, `found ${tables.length}`);
  const documented = await documentedDefaults();
  const wrong: string[] = [];
  for (const { Entry, Type, Options } of tables) {
    const defaults = documented.get(`${Entry} ${Type}`);
    if (defaults === undefined) wrong.push(`${Entry} has no type ${Type}`);
    for (const { Name, Default } of Options) {
      if (/^Max.*Size$/.test(Name)) wrong.push(`${Type}.${Name} is named ${Name.replace("Size", "")} everywhere else`);
      const said = defaults?.get(Name);
      const place = `${Entry} ${Type}.${Name}`;
      if (said === undefined && defaults?.has(Name) && isPlain(Default)) wrong.push(`${place} has no @default`);
      if (said === undefined || Default === undefined || typeof Default === "function") continue;
      if (said !== shown(Default)) wrong.push(`${place} is documented as ${said}, but it is ${shown(Default)}`);
    }
  }
  assertEquals(wrong, []);
});
