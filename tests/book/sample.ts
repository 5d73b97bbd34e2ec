/**
 * A small book, for tests of the site.
 *
 * @module
 */

import { toFileUrl } from "@std/path";

const files: Readonly<Record<string, string>> = {
  "README.md": `# The book

How to use fw. Begin with [the first page](./tutorial/01-first-page.md).

## Tutorial

- [The first page](./tutorial/01-first-page.md): install fw and
  respond to a request

## How-to

Tasks and their \`code\`.

### Uploads

- [Limit the size of an upload](./howto/limit-upload-size.md): respond with 413 to large files
- [Accept only images](./howto/accept-only-images.md): check the first bytes

### Accounts

- [Log in with a password](./howto/login-with-password.md): a form and a session

## Reference

- [Sessions](./reference/sessions.md): data of a visitor
`,
  "tutorial/01-first-page.md":
    "# The first page\n\nInstall fw.\n\n```sh\ndeno run -A jsr:@fw/web/init my-app # creates it\n```\n",
  "howto/limit-upload-size.md": `# Limit the size of an upload

Pass \`MaxSize\`, and read [stores](../reference/sessions.md#stores), the [source](../../../src/core/app/party.ts)
and [all](../README.md#accounts).

\`\`\`ts ignore
// main.ts
import * as fw from "@fw/web";
const page = "<b>";
\`\`\`

## What it does

Do not run <script>alert(1)</script> or [a trap](javascript:alert(1)).

## What it does

| Option    | Default |
| --------- | ------- |
| \`MaxSize\` | 1       |

Words: multer, payload too large,
client_max_body_size
`,
  "howto/accept-only-images.md":
    "# Accept only images\n\nValidate uploaded pictures by their magic bytes. An upload has a limit.\n",
  "howto/login-with-password.md": "# Log in with a password\n\nHash the password.\n\nWords: signin\n",
  "reference/sessions.md":
    "# Sessions\n\nA session keeps the data of a visitor.\n\n## Stores\n\nRedis and SQLite.\n\n## Key rotation\n\nRotate keys.\n",
};

/**
 * Writes the sample book to a temporary folder, which is removed afterwards.
 *
 * @param run Called with the folder.
 */
export async function withSample(run: (folder: URL) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    for (const [name, text] of Object.entries(files)) {
      await Deno.mkdir(`${folder}/${name.split("/").slice(0, -1).join("/")}`, { recursive: true });
      await Deno.writeTextFile(`${folder}/${name}`, text);
    }
    await run(toFileUrl(`${folder}/`));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
