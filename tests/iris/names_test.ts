import { assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import config from "../../deno.json" with { type: "json" };
import { goNames } from "./go_names.ts";

/** A part of the output of `deno doc --json`, without types. */
// deno-lint-ignore no-explicit-any
type Doc = any;

/** The entry point and the class of the objects and modules in the table. An empty class is the module itself. */
const places: Readonly<Record<string, readonly [entry: string, ...classes: string[]]>> = {
  accept: [".", "NegotiationAccept"],
  accesslog: ["./middleware/accesslog"],
  accessLog: ["./middleware/accesslog", "AccessLog"],
  activation: ["./mvc", "AfterActivation", "BeforeActivation"],
  app: [".", "Application", "Party"],
  "app.I18n": [".", "I18n"],
  apps: ["./apps"],
  basicauth: ["./middleware/basicauth"],
  cache: ["./middleware/cache"],
  client: ["./client"],
  conn: ["./websocket", "Conn"],
  container: [".", "APIContainer"],
  cors: ["./middleware/cors"],
  ctx: [".", "Context"],
  engine: [".", "Engine", "HTMLEngine"],
  fw: ["."],
  "fw.Configuration": [".", "Configuration"],
  httptest: ["./httptest"],
  i18n: ["./i18n"],
  jwt: ["./middleware/jwt"],
  live: ["./client", "LiveClient"],
  logger: [".", "Logger"],
  macro: [".", "RegisteredType"],
  macros: [".", "Macros"],
  manager: ["./sessions", "Sessions"],
  methodoverride: ["./middleware/methodoverride"],
  monitor: ["./middleware/monitor"],
  mvc: ["./mvc"],
  "mvc.Application": ["./mvc", "Application"],
  negotiation: [".", "Negotiation"],
  params: [".", "Params"],
  party: [".", "Party"],
  ratelimit: ["./middleware/ratelimit"],
  recorder: [".", "Recorder"],
  recover: ["./middleware/recover"],
  requestid: ["./middleware/requestid"],
  rewrite: ["./middleware/rewrite"],
  route: [".", "Route"],
  server: ["./websocket", "Server"],
  session: ["./sessions", "Session"],
  sessions: ["./sessions"],
  signer: ["./middleware/jwt", "Signer"],
  user: [".", "User"],
  values: [".", "Values"],
  verifier: ["./middleware/jwt", "Verifier"],
  versioning: ["./versioning"],
  websocket: ["./websocket"],
};

/** A row of the table. */
interface Row {
  readonly part: string;
  readonly names: readonly string[];
  readonly ours: string;
  readonly remarks: string;
}

const [text = "", packages = ""] = await Promise.all(
  ["iris", "iris-packages"].map((name) =>
    Deno.readTextFile(new URL(`../../examples/book/reference/${name}.md`, import.meta.url))
  ),
);

function rowsOf(): Row[] {
  const rows: Row[] = [];
  const tables = [text, packages].flatMap((page) =>
    page.slice(page.indexOf("| --- | --- | --- | --- |")).split("\n").slice(1)
  );
  for (const line of tables.filter((line) => line.startsWith("| "))) {
    const [part = "", names = "", ours = "", remarks = ""] = line.slice(1, -1).split(" | ").map((cell) => cell.trim());
    rows.push({ part: part || (rows.at(-1)?.part ?? ""), names: quoted(names), ours, remarks });
  }
  return rows;
}

function quoted(text: string): string[] {
  return Array.from(text.matchAll(/`([^`]+)`/g), ([, name = ""]) => name);
}

/** Returns the public names of an entry point, and the members of its classes and interfaces. */
async function published(): Promise<Map<string, Set<string>>> {
  const files = Object.entries(config.exports).filter(([entry]) =>
    Object.values(places).some(([own]) => own === entry)
  );
  const found = new Map<string, Set<string>>();
  await Promise.all(files.map(async ([entry, file]) => {
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["doc", "--json", file],
      cwd: fromFileUrl(new URL("../../", import.meta.url)),
      stderr: "null",
    }).output();
    const modules: Doc[] = Object.values(JSON.parse(new TextDecoder().decode(stdout)).nodes);
    for (const { name, declarations } of modules.flatMap(({ symbols }) => symbols)) {
      add(entry, "", name);
      for (const { def } of declarations) {
        for (const member of [...def?.methods ?? [], ...def?.properties ?? []]) add(entry, name, member.name);
      }
    }
  }));
  return found;

  function add(entry: string, owner: string, name: string): void {
    const key = `${entry} ${owner}`;
    found.set(key, (found.get(key) ?? new Set()).add(name));
  }
}

function exists(known: Map<string, Set<string>>, place: string, name: string): boolean {
  const [entry, ...classes] = places[place] ?? ["?"];
  return (classes.length === 0 ? [""] : classes).some((each) => known.get(`${entry} ${each}`)?.has(name));
}

/** Names that the platform defines, so that no documentation lists them. */
const platform: ReadonlySet<string> = new Set(["app.fetch"]);

Deno.test("examples/book/reference/iris.md explains every public name of Iris once", () => {
  const rows = rowsOf();
  for (const [part, [, ...lines]] of Object.entries(goNames)) {
    const names = rows.filter((row) => row.part === part).flatMap((row) => row.names);
    assertEquals(names.toSorted(), lines.flatMap((line) => line.split(" ")).toSorted(), part);
  }
  assertEquals(rows.filter(({ part }) => goNames[part] === undefined), []);
  assertEquals(rows.filter(({ ours, remarks }) => ours === "—" && remarks === ""), [], "a reason is missing");
});

Deno.test("examples/book/reference/iris.md only refers to names that fw has", async () => {
  const known = await published();
  const missing: string[] = [];
  for (const { part, names, ours, remarks } of rowsOf()) {
    if (ours === "the same names") {
      const place = goNames[part]?.[0] ?? "";
      missing.push(...names.filter((name) => !exists(known, place, name)).map((name) => `${part}: ${name}`));
    }
    for (const token of [...quoted(ours), ...quoted(remarks)]) {
      if (token.startsWith("@fw/web/") && !(`.${token.slice("@fw/web".length)}` in config.exports)) missing.push(token);
      const [, place = "", name = ""] = /^([\w.]+)\.([A-Za-z]\w*)/.exec(token) ?? [];
      if (place in places && !platform.has(token) && !exists(known, place, name)) missing.push(`${part}: ${token}`);
    }
  }
  assertEquals(missing, []);
});

Deno.test("examples/book/reference/iris.md states how many names are the same, different and left out", () => {
  const counts = { same: 0, other: 0, left: 0 };
  for (const { names, ours, remarks } of rowsOf()) {
    const [only = ""] = names;
    const isSame = names.length === 1 && quoted(ours)[0]?.split(".").at(-1) === only.split(".").at(-1);
    if (ours === "the same names" || isSame) counts.same += names.length;
    else if (ours === "—" || remarks.includes("left out on purpose")) counts.left += names.length;
    else counts.other += names.length;
  }
  const { same, other, left } = counts;
  const stated = text.replaceAll(/\s+/g, " ");
  assertStringIncludes(
    stated,
    `Of ${same + other + left} names, ${same} are the same, ${other} have a different name or form`,
  );
  assertStringIncludes(stated, `and ${left} are left out`);
});

Deno.test("examples/book/reference/iris.md names everything that is left out on purpose", () => {
  const section = text.slice(text.indexOf("## Left out on purpose"), text.indexOf("## Names"));
  const names = (
    "SetExecutionRules Proceed mvc.Try AllowMethods ResumeExecution HandlerIndex UseOnce SetPartyMatcher " +
    "ResetRouterFilters None RemoveRoute RemoveHandler RefreshRouter WithPathIntelligence SetCustomPathWordFunc " +
    "WithResetOnFireErrorCode TrimParamFilePart"
  ).split(" ");
  assertEquals(names.filter((name) => !section.includes(`\`${name}\``)), []);
});
