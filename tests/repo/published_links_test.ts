import { assertEquals } from "@std/assert";
import config from "../../deno.json" with { type: "json" };
import { withLinks } from "./published_links.ts";

const page = `https://jsr.io/${config.name}/doc`;
const book = "https://jsr.io/@fw/book/doc";
const links = {
  "README.md": "[a](./examples/book/reference/sessions.md#stores) [b](./examples/book/README.md) " +
    "[c](./.github/ARCHITECTURE.md) [d](#speed)",
  "examples/book/tutorial/02-forms.md": "[a](./01-first-page.md) [b](#next) [`c`](../../hello/main.ts) " +
    "[d](../../../CHANGELOG.md) [e](https://x.example) [f](../../../src/state/keys/mod.ts) " +
    "[`{ g: [1] }`](../reference/guard-options.md#corsoptionsorigins)",
};

Deno.test("withLinks() links to pages of the book and to entry points, and mentions other files", () => {
  const shown = (file: keyof typeof links) => withLinks(links[file], file, "");
  assertEquals(shown("README.md"), `[a](${book}/sessions#stores) [b](${book}) c [d](#speed)`);
  assertEquals(
    shown("examples/book/tutorial/02-forms.md"),
    `[a](${book}/first-page) [b](#next) \`c\` d [e](https://x.example) [f](${page}/keys) ` +
      `[\`{ g: [1] }\`](${book}/guard-options#corsoptionsorigins)`,
  );
});

Deno.test("withLinks() links to the tagged files in the repository if its URL is known", () => {
  const address = "https://github.example/fw/web";
  const files = `${address}/blob/v${config.version}`;
  const shown = (file: keyof typeof links) => withLinks(links[file], file, address).split(" ");
  assertEquals(shown("README.md").slice(2), [`[c](${files}/.github/ARCHITECTURE.md)`, "[d](#speed)"]);
  assertEquals(shown("examples/book/tutorial/02-forms.md").slice(2, 4), [
    `[\`c\`](${files}/examples/hello/main.ts)`,
    `[d](${files}/CHANGELOG.md)`,
  ]);
});
