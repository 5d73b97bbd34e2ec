/** Every page of the book is listed, has the form that the others have, and its program is correct. */

import { assert, assertEquals } from "@std/assert";
import { commonFiles } from "../../src/tools/init/common.ts";
import { contentsFile, listedIn, pageFiles, readBook, readText } from "./pages.ts";
import { leads, pageProblems } from "./page_problems.ts";
import { filesOf, programsOf, runPrograms } from "./programs.ts";
import { blocksOf, linksOf } from "./markdown.ts";
import { memberExamples } from "./member_examples.ts";
import { publishedNames, unknownNames } from "./names.ts";
import { teaPage } from "./tea_page.ts";

Deno.test("the table of contents lists every page once, by its title", async () => {
  const listed = listedIn(await readText(contentsFile));
  assertEquals(listed.map(({ file }) => file).sort(), await pageFiles());
  const pages = await readBook();
  const titles = pages.map(({ text }) => /^# (.+)/.exec(text)?.[1]);
  assertEquals(listed.map(({ title }) => title), titles);
});

Deno.test("the names and titles of pages are unique", async () => {
  const pages = await readBook();
  for (const key of ["name", "title"] as const) {
    const values = pages.map((page) => page[key].toLowerCase());
    assertEquals(values.filter((value, at) => values.indexOf(value) !== at), []);
  }
  assertEquals(pages.map(({ name }) => name).filter((name) => !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)), []);
});

Deno.test("pages have a title, search words, a short text, a program if they show a task, and working links", async () => {
  const problems = (await Promise.all((await readBook()).map(pageProblems))).flat();
  assertEquals(problems, []);
});

Deno.test("the names of options, functions and methods on the pages exist", async () => {
  const known = await publishedNames();
  assertEquals((await readBook()).flatMap((each) => unknownNames(each, known)), []);
  const text = "# Tea\n\nSet `MaxAeg`, `HTTPOnly: false` or `fw.WithPorxy`, or `MaxAge` of `fw.WithProxy`.\n";
  assertEquals(unknownNames(teaPage(text), known).map((line) => /`(\w+)`/.exec(line)?.[1]), [
    "MaxAeg",
    "HTTPOnly",
    "WithPorxy",
  ]);
});

Deno.test("the links of the other documents work", async () => {
  const broken: string[] = [];
  const folders: Record<string, string> = { "README.md": "", "examples/README.md": "examples/" };
  folders[contentsFile] = "examples/book/";
  for (const file of [".github/ARCHITECTURE.md", ".github/CONTRIBUTING.md", ".github/AGENTS.md"]) {
    folders[file] = ".github/";
  }
  for (const [file, folder] of Object.entries(folders)) {
    for (const { path, anchor, line } of linksOf(await readText(file))) {
      const target = path === "" ? file : new URL(folder + path, "file:///").pathname.slice(1);
      if (!await leads(target, anchor)) broken.push(`${file}:${line}: ${path}#${anchor}`);
    }
  }
  assertEquals(broken, []);
});

Deno.test("the programs on the pages and the examples of methods are typed correctly, and their tests pass", async () => {
  const { success, output } = await runPrograms(
    programsOf(await readBook()).set("member-examples", [await memberExamples()]),
  );
  assert(success, output);
});

const program = `# Tea

\`\`\`ts ignore
// main.ts
export const tea: string = "green";
\`\`\`

\`\`\`html
<!-- views/index.html -->
<p>
\`\`\`

\`\`\`ts ignore
// main_test.ts
import { tea } from "./main.ts";

Deno.test("tea is black", () => {
  if (tea !== "black") throw new Error("it is " + tea);
  Deno.statSync("views/index.html");
});
\`\`\`
`;

Deno.test("filesOf() lists the code blocks whose first line is a path", () => {
  const files = filesOf(teaPage(program));
  assertEquals(files.map(({ path, line }) => [path, line]), [["main.ts", 3], ["views/index.html", 8], [
    "main_test.ts",
    13,
  ]]);
  assertEquals(files[1]?.code, "\n<p>\n");
});

Deno.test("runPrograms() reports failures and type errors with the page and its line", async () => {
  const failing = await runPrograms(programsOf([teaPage(program)]));
  assertEquals(failing.success, false);
  assert(failing.output.includes("tea: tea is black"), failing.output);
  assert(failing.output.includes("examples/book/howto/tea.md:18 (main_test.ts)"), failing.output);
  const mistyped = await runPrograms(programsOf([teaPage(program.replace('"green"', "1"))]));
  assertEquals(mistyped.success, false);
  assert(mistyped.output.includes("examples/book/howto/tea.md:5 (main.ts)"), mistyped.output);
  const right = await runPrograms(programsOf([teaPage(program.replace("green", "black"))]));
  assert(right.success, right.output);
});

Deno.test("programsOf() leaves out the tutorial, which has a runner of its own", () => {
  assertEquals([...programsOf([{ ...teaPage(program), kind: "tutorial" }])], []);
});

Deno.test("deploy-docker: the page shows the Dockerfile that init creates", async () => {
  const page = (await readBook()).find(({ name }) => name === "deploy-docker");
  const shown = page === undefined ? undefined : blocksOf(page.text).find(({ info }) => info === "dockerfile")?.code;
  assertEquals(shown, `# Dockerfile\n${new Map(commonFiles("app", [])).get("Dockerfile")}`);
});
