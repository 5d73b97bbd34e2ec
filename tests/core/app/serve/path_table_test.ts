import { assert, assertEquals } from "@std/assert";
import type * as fw from "../../../../mod.ts";
import { overSocket, quiet } from "../../../serving.ts";

/** A row of the table in the guide. */
interface Row {
  readonly path: string;
  readonly route: string;
  readonly response: string;
}

/** Reads the table of paths from the guide, so that the test checks the documentation. */
async function readRows(): Promise<Row[]> {
  const guide = await Deno.readTextFile(new URL("../../../../examples/book/reference/routing.md", import.meta.url));
  const [, table = ""] = /\| The client sends[^\n]*\n\|[-| ]+\n((?:\|.*\n)+)/.exec(guide) ?? [];
  return table.trimEnd().split("\n").map((line) => {
    const [path = "", route = "", response = ""] = line.split("|").slice(1).map((cell) => cell.trim());
    return { path: path.slice(1, -1), route, response };
  });
}

/** Creates the application for a row. A guarded prefix is registered next to routes that match paths below it. */
function appOf({ route }: Row): fw.Application {
  const app = quiet();
  const show: fw.Handler = (ctx) => ctx.JSON(Object.fromEntries(ctx.Params().Entries()));
  const [, prefix] = /^a guarded `(.*)`$/.exec(route) ?? [];
  if (prefix === undefined) {
    app.Get(route.slice(1, -1), show);
    return app;
  }
  app.Get("/files/{rest:path}", show);
  app.Get("/one/{name}", show);
  app.Party(prefix).Use((ctx) => ctx.StopWithStatus(403));
  return app;
}

const rows = await readRows();

Deno.test("the table of paths in the guide has rows for slashes, dots and escapes", () => {
  for (const spelling of ["//", "/./", "/../", "%2e", "%2F", "%5C", "%252F", "%zz"]) {
    assert(rows.some(({ path }) => path.includes(spelling)), spelling);
  }
});

for (const row of rows) {
  Deno.test(`the guide is right that "${row.path}" for ${row.route} receives ${row.response}`, async () => {
    await overSocket(appOf(row), async (ask) => {
      const { status, headers, text } = await ask(row.path);
      const [, code = "", location, name, value] = /^(\d+)(?: to `(.*)`|, `(\w+)` is `(.*)`)?$/.exec(row.response) ??
        [];
      assertEquals(status, Number(code));
      if (location !== undefined) assertEquals(headers.get("location"), location);
      if (name !== undefined) assertEquals(JSON.parse(text), { [name]: value });
    });
  });
}
