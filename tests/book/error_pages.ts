/**
 * Generates the reference pages of the error codes from the pages of `jsr:@fw/web/explain`.
 *
 * @module
 */

import { type ErrorCode, ErrorCodes } from "../../src/base/errors/errors.ts";
import { controllerPages } from "../../src/tools/explain/controller_pages.ts";
import { inputPages } from "../../src/tools/explain/input_pages.ts";
import { type PageSources, renderPage } from "../../src/tools/explain/page.ts";
import { pages as rendered } from "../../src/tools/explain/pages.ts";
import { routingPages } from "../../src/tools/explain/routing_pages.ts";
import { serverPages } from "../../src/tools/explain/server_pages.ts";
import { statePages } from "../../src/tools/explain/state_pages.ts";

interface Group {
  readonly title: string;
  readonly about: string;
  readonly words: string;
  readonly pages: PageSources;
}

const groups: Readonly<Record<string, Group>> = {
  "routing-errors": {
    title: "Route and response errors",
    about: "codes for path templates, routes, headers, cookies and return values",
    words:
      "invalid route, invalid header, headers already sent, Cannot set headers after they are sent, ERR_HTTP_HEADERS_SENT",
    pages: routingPages,
  },
  "input-errors": {
    title: "Input errors",
    about: "codes for path parameters, fields, bodies, uploads and schemas",
    words: "400 Bad Request, 413 Content Too Large, 415 Unsupported Media Type, 422, body too large, invalid JSON",
    pages: inputPages,
  },
  "controller-errors": {
    title: "Controller and view errors",
    about: "codes for controllers, dependencies, typed clients and views",
    words: "cannot resolve dependency, can't resolve dependencies, circular dependency, template not found, provider",
    pages: controllerPages,
  },
  "server-errors": {
    title: "Server errors",
    about: "codes for configuration, listening, the runtime, files and time limits",
    words: "EADDRINUSE, port already in use, missing environment variable, permission denied, timeout, 503",
    pages: serverPages,
  },
  "state-errors": {
    title: "Session, store and live connection errors",
    about: "codes for sessions, stores, jobs, translations, WebSockets, email and logins",
    words: "session store, Redis connection, ECONNREFUSED, unauthorized, 401",
    pages: statePages,
  },
};

/** Generates the pages, by name. */
export function errorPages(): Map<string, string> {
  const pages = Object.entries(groups).map(([name, group]) => [name, pageOf(group)] as const);
  return new Map([["error-codes", list()], ...pages]);
}

function list(): string {
  const rows = Object.entries(groups).flatMap(([name, { pages }]) =>
    Object.keys(pages).map((code) =>
      `| [\`${code}\`](./${name}.md#${code.toLowerCase()}) | ${ErrorCodes[code as ErrorCode]} |`
    )
  );
  return `# Error codes

Errors created by fw itself have a \`Code\`, which is also part of their name, as in
\`FrameworkError [FW_TEMPLATE]: Cannot parse path template …\`. The section for each code
describes the cause and the remedy, with an example. \`deno run jsr:@fw/web/explain FW_TEMPLATE\` prints the same text.

| Code | Meaning |
| --- | --- |
${rows.join("\n")}

Words: error code, FW_, exception, Code, error message
`;
}

function pageOf({ title, about, words, pages }: Group): string {
  const sections = Object.keys(pages).map((name) => {
    const code = name as ErrorCode;
    const page = rendered[code];
    const text = renderPage(code, page).replace(/\nSee "[^]*$/, "");
    // The examples run in the tests of the explanations: the first one has to fail.
    const section = text.replace(/^# (\w+): (.+)$/m, "## $1\n\n$2.").replaceAll(
      /^## (Cause|Remedy|Example)$/gm,
      "### $1",
    )
      .replaceAll("```ts\n", "```ts ignore\n").replaceAll("```sh\n", "```text\n");
    return `${section.trim()}\n\nSee [${page.chapter}](./${slug(page.chapter)}.md).`;
  });
  return `# ${title}

This page explains the ${about}. For a list of all codes, see [Error codes](./error-codes.md).

${sections.join("\n\n")}

Words: ${words}
`;
}

function slug(chapter: string): string {
  return chapter.toLowerCase().replaceAll(" ", "-");
}
