import { assertEquals } from "@std/assert";
import config from "../../deno.json" with { type: "json" };
import { readChapters, withLinks } from "./chapters.ts";

const address = "https://github.example/fw/web";
const links = {
  "README.md":
    "[a](./examples/README.md#sessions) [b](./examples/recipes.md) [c](./.github/ARCHITECTURE.md) [d](#speed)",
  "examples/README.md":
    "[a](#views) [b](./operations.md#tls) [`c`](./hello/main.ts) [d](../CHANGELOG.md) [e](https://x.example)",
};

Deno.test("withLinks() links to the chapter pages, and to other files if the repository is known", async () => {
  const chapters = await readChapters();
  const shown = (file: keyof typeof links) => withLinks(links[file], file, chapters, "");
  const page = `https://jsr.io/${config.name}/doc`;
  assertEquals(shown("README.md"), `[a](${page}/sessions) [b](${page}) c [d](#speed)`);
  assertEquals(shown("examples/README.md"), `[a](${page}/view) [b](${page}) \`c\` d [e](https://x.example)`);
});

Deno.test("withLinks() links to the tagged files in the repository", async () => {
  const chapters = await readChapters();
  const files = `${address}/blob/v${config.version}`;
  const shown = (file: keyof typeof links) => withLinks(links[file], file, chapters, address).split(" ");
  assertEquals(shown("README.md").slice(2), [`[c](${files}/.github/ARCHITECTURE.md)`, "[d](#speed)"]);
  assertEquals(shown("examples/README.md").slice(2, 4), [
    `[\`c\`](${files}/examples/hello/main.ts)`,
    `[d](${files}/CHANGELOG.md)`,
  ]);
});

Deno.test("readChapters() returns the guide and the additional documents, each with an existing entry point", async () => {
  const chapters = await readChapters();
  const titles = chapters.map(({ title }) => title);
  assertEquals(["Routing", "Sessions", "Recipes"].filter((title) => !titles.includes(title)), []);
  const entries = chapters.flatMap(({ entries }) => entries);
  assertEquals(entries.filter((entry) => !(entry in config.exports)), []);
});
