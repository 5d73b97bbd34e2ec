import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { walk } from "@std/fs/walk";
import { fromFileUrl, relative, toFileUrl } from "@std/path";
import * as fw from "../../mod.ts";
import { checkOptions } from "../../src/config/check_options.ts";
import * as accesslog from "../../src/middleware/accesslog/mod.ts";
import * as csrf from "../../src/middleware/csrf/mod.ts";
import * as etag from "../../src/middleware/etag.ts";
import * as health from "../../src/middleware/health/mod.ts";
import * as jwt from "../../src/middleware/jwt/mod.ts";
import * as sessions from "../../src/sessions/mod.ts";
import * as store from "../../src/store/mod.ts";
import * as websocket from "../../src/websocket/mod.ts";

const rules = {
  Name: "string",
  Size: "number",
  On: "boolean",
  Do: "function",
  Box: "object",
  List: "array",
  Tags: "strings",
  Either: ["string", "strings"],
  Mode: { oneOf: ["evict", "refuse"] },
  Store: { methods: ["Get", "Set"] },
} as const;

function check(options: unknown): void {
  checkOptions("tea", options as { [Name in keyof typeof rules]?: unknown }, rules);
}

Deno.test("checkOptions() accepts values of the declared type and undefined", () => {
  check({});
  check({ Name: "", Size: NaN, On: false, Do: check, Box: {}, List: [1], Tags: ["a"], Either: "a", Mode: "evict" });
  check({ Either: ["a"], Store: { Get: check, Set: check } });
  check(Object.fromEntries(Object.keys(rules).map((name) => [name, undefined])));
});

for (
  const [options, message] of [
    [{ Nmae: "x" }, 'the option "Nmae" of tea: there is no such option; its options are: Name, Size, On, Do, '],
    [{ name: "x" }, 'the option "name" of tea: there is no such option'],
    [{ toString: 1 }, 'the option "toString" of tea: there is no such option'],
    [{ Name: 5 }, 'the option "Name" of tea: it must be a string, not a number'],
    [{ Size: "5" }, 'the option "Size" of tea: it must be a number, not a string'],
    [{ On: "yes" }, 'the option "On" of tea: it must be a boolean, not a string'],
    [{ Do: {} }, 'the option "Do" of tea: it must be a function, not an object'],
    [{ Box: [] }, 'the option "Box" of tea: it must be an object, not an array'],
    [{ Box: null }, 'the option "Box" of tea: it must be an object, not null'],
    [{ List: {} }, 'the option "List" of tea: it must be an array, not an object'],
    [{ Tags: "a" }, 'the option "Tags" of tea: it must be an array of strings, not a string'],
    [{ Tags: [1] }, 'the option "Tags" of tea: it must be an array of strings, not an array'],
    [{ Either: 1 }, 'the option "Either" of tea: it must be a string or an array of strings, not a number'],
    [{ Mode: "evcit" }, 'the option "Mode" of tea: it must be "evict" or "refuse", not "evcit"'],
    [
      { Store: new Map() },
      'the option "Store" of tea: it must be an object with the methods "Get", "Set", not an object',
    ],
    ["abc", "the options of tea: they must be an object, not a string"],
    [null, "the options of tea: they must be an object, not null"],
  ] as const
) {
  Deno.test(`checkOptions() rejects ${JSON.stringify(options)}`, () => {
    const error = assertThrows(() => check(options), fw.FrameworkError, `Cannot use ${message}`);
    assertEquals(error.Code, "FW_CONFIG");
  });
}

Deno.test("csrf, sessions, jwt, store and websocket reject options that the compiler would reject", () => {
  // deno-lint-ignore no-explicit-any
  const any = (value: unknown): any => value;
  for (
    const [create, message] of [
      [() => csrf.New({ Keys: any("abc") }), '"Keys" of csrf: it must be an object with the methods "Sign", "Verify"'],
      [
        () => sessions.New(any({ Expiry: 1 })),
        '"Expiry" of sessions: there is no such option; its options are: Cookie',
      ],
      [
        () => sessions.New({ Store: any(store.NewMemory()) }),
        '"Store" of sessions: it must be an object with the methods',
      ],
      [() => jwt.New(any({ Algorithm: "HS256" })), '"Algorithm" of jwt: there is no such option'],
      [
        () => store.NewMemory({ WhenFull: any("evcit") }),
        '"WhenFull" of store.NewMemory: it must be "evict" or "refuse"',
      ],
      [() => etag.New({ MaxBody: -1 }), '"MaxBody" of etag: it must be a non-negative number, not -1'],
      [() => accesslog.New({ MaxAge: NaN }), '"MaxAge" of accesslog: it must be a non-negative number, not NaN'],
      [() => health.New({ MaxAge: -1 }), '"MaxAge" of health: it must be a non-negative number, not -1'],
      [() => fw.WithProxy({ Trust: any("10.0.0.0/8") }), "Cannot use a proxy: Trust and Take must be arrays"],
      [() => websocket.New({ Rooms: any({ Histroy: 5 }) }), '"Histroy" of Rooms: there is no such option'],
    ] as const
  ) assertThrows(create, fw.FrameworkError, message);
});

interface Factory {
  readonly title: string;
  readonly create: (options: unknown) => unknown;
}

/** The middleware that `import "@fw/web"` loads, which has few options and no room for their checks. */
const withoutChecks: ReadonlySet<string> = new Set(["middleware/logger.ts", "middleware/recover.ts"]);

/** Finds the functions `New…` that take options, in the folders of middleware, sessions, stores and live connections. */
async function factories(): Promise<Factory[]> {
  const found: Factory[] = [];
  const root = new URL("../../src/", import.meta.url);
  for (const folder of ["middleware", "sessions", "store", "live", "websocket", "mcp", "openapi"]) {
    for await (const { path } of walk(new URL(folder, root), { includeDirs: false, exts: [".ts"] })) {
      const source = await Deno.readTextFile(path);
      for (const [, name = "", list = ""] of source.matchAll(/^export function (New\w*)(?:<[^(]*>)?\(([^)]*)\)/gm)) {
        const at = list.split(",").findIndex((each) => /^\s*(?:options|config)\b/.test(each));
        const file = relative(fromFileUrl(root), path).replaceAll("\\", "/");
        if (at < 0 || withoutChecks.has(file)) continue;
        const create = (await import(toFileUrl(path).href))[name];
        found.push({
          title: `${name} of ${file}`,
          create: (options) => create(...Array(at).fill({}), options),
        });
      }
    }
  }
  return found;
}

Deno.test("every New() of middleware, sessions, stores and live connections rejects unknown options and wrong types", async () => {
  const all = await factories();
  assert(all.length >= 30, `found ${all.length}`);
  for (const { title, create } of all) {
    const { message } = assertThrows(() => create({ Nonsense: 1 }), fw.FrameworkError, '"Nonsense" of', title);
    const names = message.split("its options are: ")[1]?.split(", ") ?? [];
    assert(names.length > 0, title);
    for (const name of names) {
      const wrong = assertThrows(() => create({ [name]: Symbol("wrong") }), fw.FrameworkError, undefined, title);
      assertStringIncludes(wrong.message, `Cannot use the option "${name}" of`, title);
    }
  }
});
