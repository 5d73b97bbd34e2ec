import { assert, assertEquals } from "@std/assert";
import { entryOf } from "../repo/book_entries.ts";
import { headingsOf } from "./markdown.ts";
import { optionLinkProblems } from "./option_links.ts";
import { pageOfEntry } from "./option_pages.ts";
import { anchorOf, optionTypes, typesUsedIn } from "./options.ts";
import { readBook } from "./pages.ts";
import { newSite } from "./site.ts";
import { teaPage } from "./tea_page.ts";

const text = `# Tea

Set \`Origins: "*"\`, \`MaxAge\` and \`Tea\`.

\`\`\`ts
app.UseRouter(cors.New({ MaxAge: 60 }));
\`\`\`
`;
const page = teaPage(text);

Deno.test("every option on a how-to page links to the reference at its first mention", async () => {
  const problems = (await Promise.all((await readBook()).map(optionLinkProblems))).flat();
  assertEquals(problems, []);
});

Deno.test("every option has a heading of its own on the option pages", async () => {
  const pages = new Map((await readBook()).map(({ name, text }) => [name, headingsOf(text)]));
  const types = await optionTypes();
  assert(types.length > 90, `found ${types.length}`);
  for (const type of types) {
    const headings = pages.get(pageOfEntry(type.entry.name)) ?? [];
    for (const name of ["", ...type.options.map((option) => option.name)]) {
      const title = name === "" ? type.title : `${type.title}.${name}`;
      assertEquals(headings.filter((heading) => heading.anchor === anchorOf(type, name)).map((each) => each.title), [
        title,
      ]);
    }
  }
});

Deno.test("optionLinkProblems() reports options without a link, with their lines and the right links", async () => {
  const folder = "../reference/guard-options.md";
  assertEquals(await optionLinkProblems(page), [
    `${page.file}:3: \`Origins: "*"\` must link to ${folder}#corsoptionsorigins`,
    `${page.file}:3: \`MaxAge\` must link to ${folder}#corsoptionsmaxage`,
  ]);
  const linked = text.replace('`Origins: "*"`', `[$&](${folder}#corsoptionsorigins)`)
    .replace("`MaxAge`", `[$&](${folder}#corsoptionsmaxage)`);
  assertEquals(await optionLinkProblems({ ...page, text: linked }), []);
});

Deno.test("optionLinkProblems() reports links to types that the page does not use, and to other options", async () => {
  const folder = "../reference/guard-options.md";
  for (
    const wrong of [
      "../reference/middleware-options.md#cacheoptionsmaxage",
      `${folder}#corsoptions`,
      `${folder}#corsoptionsorigins`,
      `${folder}#corsoptionsteas`,
    ]
  ) {
    const linked = `# Tea\n\nSet [\`MaxAge\`](${wrong}) of \`cors.New\`.\n`;
    assertEquals(await optionLinkProblems({ ...page, text: linked }), [
      `${page.file}:3: \`MaxAge\` must link to ${folder}#corsoptionsmaxage`,
    ]);
  }
  const other = `# Tea\n\nSet [\`Tea\`](${folder}#corsoptionsmaxage) of \`cors.New\`.\n`;
  assertEquals(await optionLinkProblems({ ...page, text: other }), [
    `${page.file}:3: \`Tea\` must link to one of its options`,
  ]);
});

Deno.test("optionLinkProblems() expects code with several options to link to their type", async () => {
  const code = '`cors.New({ Origins: ["a"], MaxAge })`';
  const link = "../reference/guard-options.md#corsoptions";
  assertEquals(await optionLinkProblems({ ...page, text: `# Tea\n\nUse ${code}.\n` }), [
    `${page.file}:3: ${code} must link to ${link}`,
  ]);
  assertEquals(await optionLinkProblems({ ...page, text: `# Tea\n\nUse [${code}](${link}).\n` }), []);
});

Deno.test("typesUsedIn() follows functions, methods, members and bases", async () => {
  const titles = async (text: string) => Array.from(await typesUsedIn(text), ({ title }) => title).sort();
  assertEquals(await titles("cors.New()"), ["cors.Options"]);
  assertEquals(await titles("jwt.New(options)"), ["jwt.Options", "jwt.VerificationOptions"]);
  assertEquals(await titles("const queue = jobs.Other(); queue.Schedule(task)"), ["jobs.ScheduleOptions"]);
  assertEquals(await titles("basicauth.New()"), ["basicauth.Account", "basicauth.Options"]);
  assertEquals(await titles("queue.Schedule(task)"), []);
});

Deno.test("links to options lead to the site's and to the package's pages", async () => {
  const howto = (await readBook()).find(({ name }) => name === "authenticate-websocket");
  const entry = entryOf(howto ?? page);
  const link = '[`From: [jwt.FromQuery("token")]`](https://jsr.io/@fw/book/doc/guard-options#jwtoptionsfrom)';
  assert(entry.replaceAll("\n * ", " ").includes(link));
  const ask = async (path: string) => await (await newSite().fetch(new Request(`http://localhost/${path}`))).text();
  const html = await ask("howto/authenticate-websocket.html");
  assert(html.includes('<a href="../reference/guard-options.html#jwtoptionsfrom"><code>From: [jwt.FromQuery('));
  assert((await ask("reference/guard-options.html")).includes('<h3 id="jwtoptionsfrom">'));
});
