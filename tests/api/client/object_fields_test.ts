import { assertEquals, assertStringIncludes } from "@std/assert";
import { z } from "npm:zod@^4";
import * as mvc from "../../../mvc/mod.ts";
import * as client from "../../../src/api/client/mod.ts";
import { overSocket, quiet } from "../../serving.ts";

const range = z.object({ from: z.number(), to: z.number().optional(), note: z.string().optional() });
const filter = z.object({
  range: range.optional(),
  all: z.array(range).optional(),
  tags: z.set(z.string()).optional(),
  link: z.string().optional(),
  day: z.date().optional(),
});
const upload = z.object({ meta: range, file: z.instanceof(File).optional() });
const trace = z.object({ "x-range": range });
const byAnything = z.object({ value: z.any() });

class Search {
  Get(query = mvc.Query(filter)) {
    return { ...query, tags: [...query.tags ?? []] };
  }
  Post(form = mvc.Form(upload)) {
    return { meta: form.meta, file: form.file?.name };
  }
  Put(header = mvc.Header(trace)) {
    return header["x-range"];
  }
  Delete(query = mvc.Query(byAnything)) {
    return query;
  }
}

type SearchClient = client.Client<Search>;

async function calls(search: SearchClient): Promise<void> {
  const note = 'a "б" & c=d; ü\n🍵';
  const nested = { from: 1, to: 2.5, note };
  assertEquals((await search.Get({ Query: { range: nested } }))[0], { range: nested, tags: [] });
  assertEquals((await search.Get({ Query: { range: { from: 1 }, all: [nested, { from: 3 }] } }))[0], {
    range: { from: 1 },
    all: [nested, { from: 3 }],
    tags: [],
  });
  const day = new Date("2026-01-02T03:04:05.000Z");
  const others = { tags: new Set(["a", "b"]), link: "https://a.example/?b=c", day };
  assertEquals((await search.Get({ Query: others }))[0], { ...others, tags: ["a", "b"], day: day.toISOString() });
  assertEquals((await search.Post({ Form: { meta: nested } }))[0]?.meta, nested);
  const file = new File(["x"], "x.txt");
  assertEquals((await search.Post({ Form: { meta: nested, file } }))[0], { meta: nested, file: "x.txt" });
  assertEquals((await search.Put({ Header: { "x-range": nested } }))[0], nested);
  assertEquals((await search.Delete({ Query: { value: new URL("https://a.example/b") } }))[0], {
    value: "https://a.example/b",
  });
  for (const value of [[[1]], new Uint8Array(1), new Blob([])]) {
    const [, error] = await search.Delete({ Query: { value } });
    assertStringIncludes(error?.message ?? "", "cannot be sent");
  }
}

Deno.test("New() sends objects in a query, a form and a header as the server reads them, in process", async () => {
  const app = quiet();
  mvc.New(app.Party("/search")).Handle(Search);
  await calls(client.New<Search>("http://localhost/search", { Fetch: app.fetch }));
});

Deno.test("New() sends objects in a query, a form and a header as the server reads them, over a socket", async () => {
  const app = quiet();
  mvc.New(app.Party("/search")).Handle(Search);
  await overSocket(app, (_ask, port) => calls(client.New<Search>(`http://127.0.0.1:${port}/search`)));
});
