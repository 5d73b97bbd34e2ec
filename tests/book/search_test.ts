// deno-lint-ignore-file no-console -- the table of questions is meant to be read
import { assert, assertEquals, assertGreaterOrEqual, assertLess } from "@std/assert";
import { moreQuestions, questions } from "./questions.ts";
import { readEntries } from "./documentation.ts";
import { withSample } from "./sample.ts";
import { entryOfText, find, indexOf, indexOfBook, nameOf, read } from "./site.ts";

const book = read();
const whole = indexOfBook(book);

/** Returns the names of the pages found. */
function names(index: ReturnType<typeof indexOf>, question: string): string[] {
  return find(index, question).map(({ page }) => nameOf(page.path));
}

Deno.test("search() finds pages by their titles, other forms of words, other names and beginnings", () =>
  withSample((folder) => {
    const index = indexOfBook(read(folder));
    for (
      const [question, page] of [
        ["limit upload", "limit-upload-size"],
        ["limiting uploads", "limit-upload-size"],
        ["How do I limit the size of uploaded files?", "limit-upload-size"],
        ["multer", "limit-upload-size"],
        ["Payload Too Large", "limit-upload-size"],
        ["client_max_body_size", "limit-upload-size"],
        ["MaxSize", "limit-upload-size"],
        ["sign in", "login-with-password"],
        ["logging in", "login-with-password"],
        ["log-in", "login-with-password"],
        ["passw", "login-with-password"],
        ["pasword", "login-with-password"],
        ["magic byte", "accept-only-images"],
        ["validation of photos", "accept-only-images"],
        ["session", "sessions"],
      ] as const
    ) assertEquals(names(index, question)[0], page, question);
    return Promise.resolve();
  }));

Deno.test("search() finds nothing for other words, and everything it finds has a score", () =>
  withSample((folder) => {
    const index = indexOfBook(read(folder));
    for (const nothing of ["", "   ", "the", "?", "xylophone", "constructor", "__proto__", "toString"]) {
      assertEquals(names(index, nothing), [], nothing);
    }
    const hits = find(index, "upload");
    assert(hits.length > 1);
    assert(hits.every(({ score }, at) => score > 0 && score <= (hits[at - 1]?.score ?? Infinity)));
    return Promise.resolve();
  }));

Deno.test("search() links to the heading that answers best", () =>
  withSample((folder) => {
    const index = indexOfBook(read(folder));
    assertEquals(find(index, "rotate session keys")[0]?.heading, ["key-rotation", "Key rotation"]);
    assertEquals(find(index, "sessions")[0]?.heading, undefined);
    return Promise.resolve();
  }));

Deno.test("search() finds pages in the output of deno doc", () => {
  const output =
    "\x1b[38;5;245mDefined in \x1b[3mfile:///book/mail.ts\x1b[0m:1:1\n\n  # Send an e-mail\n\n  Use the\n  transport.\n\n  Words: smtp\n\n";
  const entry = entryOfText("send-mail", output);
  assertEquals([entry.title, entry.about], ["Send an e-mail", "Use the\ntransport."]);
  const index = indexOf([entry, entryOfText("sessions", "  # Sessions\n\n  Data of a visitor.\n")]);
  assertEquals(names(index, "smtp"), ["send-mail"]);
  assertEquals(names(index, "emails"), ["send-mail"]);
});

Deno.test("search() finds all search words of a page, on whatever line they are", () => {
  const pages = ["one", "two"].map((name) =>
    entryOfText(name, `# Page ${name}\n\nA text.\n\nWords: tea, coffee,\nlemonade ${name},\nwater${name}\n`)
  );
  const index = indexOf(pages);
  assertEquals(names(index, "waterone"), ["one"]);
  assertEquals(names(index, "lemonade two")[0], "two");
});

Deno.test("search() knows the forms of a word, and tells CORS from cores", () => {
  const index = indexOf([
    entryOfText("cores", "# Use all cores\n\nStart threads.\n"),
    entryOfText("cors", "# Allow CORS\n\nList the origins.\n"),
    entryOfText("settings", "# Configure and document it\n\nWrite a validator.\n"),
    entryOfText("missing", "# Why is a route not found?\n\nLook at the 404.\n"),
  ]);
  for (const [question, page] of [["cors", "cors"], ["core", "cores"], ["configuration", "settings"]] as const) {
    assertEquals(names(index, question)[0], page, question);
  }
  for (const question of ["documentation", "validates", "validation"]) {
    assertEquals(names(index, question)[0], "settings", question);
  }
  assertEquals(names(index, 'I only see "Cannot GET /"')[0], "missing");
});

Deno.test("search index: is smaller than 100 KB with gzip", async () => {
  const json = new Blob([JSON.stringify(whole)]);
  const packed = await new Response(json.stream().pipeThrough(new CompressionStream("gzip"))).bytes();
  console.log(`${json.size} bytes, ${packed.length} with gzip`);
  assertLess(packed.length, 100_000);
});

Deno.test("search() finds the words of other frameworks", () => {
  for (
    const [question, page] of [
      ["method override", "put-and-delete-from-forms"],
      ["before_action", "come-from-rails"],
      ["middleware groups", "come-from-laravel"],
      ["FastAPI Depends", "come-from-fastapi"],
      ["mass assignment", "mass-assignment"],
      ["single page", "serve-spa"],
      ["migration", "database-migrations"],
      ["htmx", "htmx"],
      ["breakpoint", "debug-with-breakpoints"],
      ["502", "status-502-504"],
    ] as const
  ) assertEquals(names(whole, question)[0], page, question);
});

Deno.test("search() finds every published symbol by its name", async () => {
  const symbols = (await readEntries()).flatMap((entry) =>
    entry.symbols.map(({ name }) => [name, entry.name] as const)
  );
  // Several entry points publish the same name.
  const lost = Map.groupBy(symbols.filter(([name]) => /^[A-Z]/.test(name)), ([name]) => name).entries()
    .filter(([name]) => !find(whole, name).some(({ heading }) => heading?.[1] !== undefined))
    .map(([name, all]) => `${name} of ${all.map(([, entry]) => entry).join()}`);
  assertEquals([...lost], []);
});

const known = new Set(book.pages.map(({ path }) => nameOf(path)));
const absent = questions.filter(({ pages }) => !pages.some((page) => known.has(page)));
const ways = {
  "by the search of the site": () => whole,
  "in the text of the pages": () => indexOf(book.pages.map(({ path, text }) => entryOfText(nameOf(path), text))),
};

for (const [way, create] of Object.entries(ways)) {
  Deno.test({
    name: `questions: at least 36 of 40 find their page first ${way}`,
    // The pages are written one after the other. From then on, an absent page is a question without an answer.
    ignore: absent.length > 4,
    fn() {
      assertEquals(questions.length, 40);
      const index = create();
      const rows = questions.map(({ question, pages }) => {
        const found = names(index, question);
        return {
          question,
          expected: pages[0],
          found: found[0],
          rank: found.findIndex((name) => pages.includes(name)) + 1,
        };
      });
      console.table(rows);
      assertGreaterOrEqual(rows.filter(({ rank }) => rank === 1).length, 36);
    },
  });

  Deno.test(`questions of people with the book alone: all 44 find their page first ${way}`, () => {
    assertEquals(moreQuestions.length, 44);
    const index = create();
    const lost = moreQuestions.map(({ question, pages }) => ({
      question,
      pages,
      found: names(index, question)[0] ?? "",
    }))
      .filter(({ pages, found }) => !pages.includes(found));
    assertEquals(lost, []);
  });
}
