import { assertEquals, assertGreater } from "@std/assert";
import * as fw from "../../../../mod.ts";
import { shown } from "./cells.ts";
import { findMethods, type Kind, type Parameter } from "./documented.ts";
import { accepted, lenient, subjects, uncalled } from "./method_subjects.ts";

function nothing(): void {}

/** A value of each kind, and the kinds of parameters that accept it. */
const samples: readonly (readonly [value: unknown, ...Kind[]])[] = [
  [null],
  [true, "boolean"],
  [5, "number"],
  [5n, "bigint"],
  ["x", "string", "word"],
  [[], "array"],
  [{}, "object"],
  [nothing, "function"],
  [Symbol("x")],
];

/** The values to pass for the kinds of a parameter, in order of preference. */
const valid: readonly (readonly [kind: Kind, value: unknown])[] = [
  ["string", "/x"],
  ["word", "GET"],
  ["number", 404],
  ["bigint", 1n],
  ["boolean", true],
  ["function", nothing],
  ["array", []],
  ["bytes", new Uint8Array(1)],
  ["date", new Date(0)],
  ["object", {}],
];

function validFor({ kinds }: Parameter): unknown {
  return kinds.has("any") ? "x" : valid.find(([kind]) => kinds.has(kind))?.[1];
}

function wrongFor({ kinds, isOptional }: Parameter): unknown[] {
  if (kinds.has("any") || kinds.size === 0) return [];
  const other = samples.filter(([, ...accepting]) => !accepting.some((kind) => kinds.has(kind)));
  return [...isOptional ? [] : [undefined], ...other.map(([value]) => value)];
}

const methods = (await findMethods()).flatMap((method) => {
  const [owner = "", name = ""] = method.key.split(/\.(?=\w+$)/);
  return owner in subjects && name !== "constructor" && !(method.key in uncalled) ? [{ ...method, owner, name }] : [];
});

Deno.test("every class in the table has methods that take arguments", () => {
  const owners = new Set(methods.map(({ owner }) => owner));
  assertEquals([...new Set(Object.keys(subjects)).difference(owners)], []);
  assertGreater(methods.length, 250);
});

/** The reasons for accepted arguments that were needed. */
const needed = new Set<string>();

/** Reports whether an argument of the wrong kind is accepted for a reason. */
function isLenient(cell: string): boolean {
  const [reason] = Object.entries(lenient).find(([, cells]) => cells.test(cell)) ?? [];
  if (reason !== undefined) needed.add(reason);
  return reason !== undefined;
}

for (const [owner, subject] of Object.entries(subjects)) {
  Deno.test(`${owner} refuses arguments of the wrong kind with an error of fw, or accepts them for a reason`, async () => {
    const wrong: string[] = [];
    for (const { key, name, parameters } of methods.filter((each) => each.owner === owner)) {
      const right = accepted[key] ?? parameters.filter((each) => !each.isOptional || each.isRest).map(validFor);
      for (const [at, parameter] of parameters.entries()) {
        for (const value of wrongFor(parameter)) {
          const args = [...right];
          args[at] = value;
          const cell = `${key} ${parameter.name}=${shown(value)}`;
          try {
            await subject((each) => each[name](...args));
            if (!isLenient(cell)) wrong.push(`${cell}: accepted`);
          } catch (error) {
            if (error instanceof fw.FrameworkError || error instanceof fw.HTTPError) continue;
            wrong.push(`${cell}: ${error}`);
          }
        }
      }
    }
    assertEquals(wrong, []);
  });
}

Deno.test("every reason for accepted arguments is needed", () => {
  assertEquals(Object.keys(lenient).filter((reason) => !needed.has(reason)), []);
});
