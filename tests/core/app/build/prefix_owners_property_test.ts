import { assert } from "@std/assert";
import fc from "npm:fast-check@^4";
import * as fw from "../../../../mod.ts";
import { overSocket, quiet } from "../../../serving.ts";

/** The way in which a path is registered. */
type Kind = "Get" | "Any" | "HandleDir" | "Mount" | "FromFetch" | "party";

interface RandomRoute {
  readonly kind: Kind;
  readonly template: readonly string[];
  readonly isRest: boolean;
}

interface RandomParty {
  readonly prefix: readonly string[];
  readonly guard: "Use" | "UseRouter" | "argument";
  /** Whether the party also has its own routes. */
  readonly hasRoute: boolean;
}

/** A path with its segments, and the spelling of each separator and segment. */
interface RandomPath {
  readonly segments: readonly string[];
  readonly borders: readonly string[];
  readonly isEscaped: readonly boolean[];
  readonly tail: string;
}

const words = ["files", "admin", "a", "7"];
const word = fc.constantFrom(...words);
const segment = fc.oneof({ weight: 3, arbitrary: word }, {
  arbitrary: fc.constantFrom("{x}", "{n:int}", "{f:file}"),
  weight: 2,
});
const route: fc.Arbitrary<RandomRoute> = fc.record({
  kind: fc.constantFrom<Kind>("Get", "Any", "HandleDir", "Mount", "FromFetch", "party"),
  template: fc.array(segment, { maxLength: 3 }),
  isRest: fc.boolean(),
});
const party: fc.Arbitrary<RandomParty> = fc.record({
  prefix: fc.array(
    fc.oneof({ weight: 4, arbitrary: word }, { arbitrary: fc.constantFrom("{x}", "{n:int}"), weight: 1 }),
    {
      minLength: 1,
      maxLength: 3,
    },
  ),
  guard: fc.constantFrom<RandomParty["guard"]>("Use", "UseRouter", "argument"),
  hasRoute: fc.boolean(),
});
/** The separators that are equivalent to a slash between two segments. */
const border = fc.constantFrom(
  ..."/ / / / // /// /./ /%2e/ /z/../ /z/%2e%2E/ /z/y/../../ %2F %2f /%2F %2F%2f /z%2F..%2F %2Fz%2F..%2f /.%2F".split(
    " ",
  ),
  "/z/..%2F",
);
const path: fc.Arbitrary<RandomPath> = fc.array(word, { minLength: 1, maxLength: 4 }).chain((segments) =>
  fc.record({
    segments: fc.constant(segments),
    borders: fc.array(border, { minLength: segments.length, maxLength: segments.length }),
    isEscaped: fc.array(fc.boolean(), { minLength: segments.length, maxLength: segments.length }),
    tail: fc.constantFrom("", "", "", "/", "//", "/.", "/z/..", "%2F", "?q=/admin", "/%2e"),
  })
);

function write({ segments, borders, isEscaped, tail }: RandomPath): string {
  const parts = segments.map((text, at) => {
    // The first separator is at the root, where an escaped slash does not separate anything.
    const before = at === 0 ? (borders[at] ?? "/").replaceAll(/^%2f/gi, "/") : borders[at];
    return `${before}${isEscaped[at] ? text.replace(/^./, (char) => `%${char.charCodeAt(0).toString(16)}`) : text}`;
  });
  return `${parts.join("")}${tail}`;
}

/** Reports whether a path is below a prefix, computed in the most obvious way. */
function isBelow(segments: readonly string[], prefix: readonly string[]): boolean {
  return segments.length >= prefix.length && prefix.every((part, at) => accepts(part, segments[at] ?? ""));
}

function accepts(part: string, text: string): boolean {
  return part === text || part === "{x}" || part === "{n:int}" && /^\d+$/.test(text);
}

/** Reports whether a route's own path contains a prefix. If so, only its own middleware applies. */
function isSpelled(template: readonly string[], prefix: readonly string[]): boolean {
  if (template.length < prefix.length) return template.every((part) => !part.startsWith("{"));
  return prefix.every((part, at) => template[at] === part || !template[at]?.startsWith("{"));
}

interface Heard {
  served: readonly string[] | undefined;
  readonly guards: Set<RandomParty>;
}

function build(
  routes: readonly RandomRoute[],
  parties: readonly RandomParty[],
  folder: string,
  heard: Heard,
): fw.Application {
  const app = quiet();
  const pathOf = (parts: readonly string[]) =>
    `/${parts.map((part, at) => part.replace(/^\{(.)/, `{$1${at}`)).join("/")}`;
  for (const each of routes) {
    const full = [...each.template, ...each.isRest ? ["{*}"] : []];
    const at = pathOf(each.template);
    const serve: fw.Handler = (ctx) => {
      heard.served = full;
      ctx.WriteString("served");
    };
    const foreign = () => {
      heard.served = full;
      return new Response("served");
    };
    const rest = each.isRest ? "/{rest:path}" : "";
    if (each.kind === "Get") app.Get(`${at}${rest}`, serve);
    else if (each.kind === "Any") app.Any(`${at}${rest}`, serve);
    else if (each.kind === "FromFetch") app.Get(`${at}${rest}`, fw.FromFetch(foreign));
    else if (each.kind === "party") app.Party(at).Get(rest || "/", serve);
    else if (each.kind === "Mount") {
      app.Mount(at, (request) => (heard.served = [...each.template, "{*}"], new Response(request.url)));
    } else app.HandleDir(at, folder);
  }
  for (const each of parties) {
    const guard: fw.Handler = (ctx) => (heard.guards.add(each), ctx.Next());
    const party = each.guard === "argument" ? app.Party(pathOf(each.prefix), guard) : app.Party(pathOf(each.prefix));
    if (each.guard !== "argument") party[each.guard](guard);
    if (each.hasRoute) party.Get("/own", (ctx) => ctx.WriteString("own"));
  }
  return app;
}

async function layFolder(): Promise<string> {
  const folder = await Deno.makeTempDir();
  for (const one of words) {
    for (const two of words) {
      await Deno.mkdir(`${folder}/${one}/${two}`, { recursive: true });
      for (const three of words) await Deno.writeTextFile(`${folder}/${one}/${two}/${three}`, "FILE");
    }
  }
  return folder;
}

Deno.test("Party: no handler below a guarded prefix runs unguarded, for random routes, parties and spellings", async () => {
  const folder = await layFolder();
  let served = 0;
  let guarded = 0;
  try {
    const sample = fc.tuple(
      fc.array(route, { minLength: 1, maxLength: 5 }),
      fc.array(party, { minLength: 1, maxLength: 3 }),
      fc.array(path, { minLength: 12, maxLength: 12 }),
    );
    await fc.assert(
      fc.asyncProperty(sample, async ([routes, parties, paths]) => {
        const heard: Heard = { served: undefined, guards: new Set() };
        await overSocket(build(routes, parties, folder, heard), async (ask) => {
          for (const each of paths) {
            heard.served = undefined;
            heard.guards.clear();
            const { status, text } = await ask(write(each));
            const isFile = text === "FILE";
            if (heard.served === undefined && !isFile) continue;
            served++;
            const said = `${write(each)} (${status}) of ${JSON.stringify({ routes, parties, template: heard.served })}`;
            for (const owner of parties) {
              if (!isBelow(each.segments, owner.prefix)) continue;
              // The response does not show which folder served a file, so it may be one whose path contains the prefix.
              const templates = heard.served === undefined
                ? routes.filter((one) => one.kind === "HandleDir").map((one) => [...one.template, "{*}"])
                : [heard.served];
              if (templates.some((template) => isSpelled(template, owner.prefix))) continue;
              guarded++;
              assert(heard.guards.has(owner), `/${owner.prefix.join("/")} did not guard ${said}`);
            }
          }
        });
      }),
      { numRuns: 120 },
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  assert(served > 100 && guarded > 30, `too little was tried: ${served} served, ${guarded} guarded`);
});
