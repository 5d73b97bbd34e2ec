/**
 * Generates the reference pages with the members of the classes that programs use most: signatures, parameters, results,
 * errors and an example of each, from the comments in the code.
 *
 * @module
 */

import { fromFileUrl } from "@std/path";
import { type Declaration, inOneLine, readEntries } from "./documentation.ts";

/** A tag of a comment. */
interface Tag {
  readonly kind: string;
  readonly name?: string;
  readonly doc?: string;
  readonly type?: { readonly repr?: string } | string;
}

/** A documented member, with one declaration for each of its overloads. */
export interface Member {
  readonly name: string;
  readonly signatures: readonly string[];
  readonly doc: string;
  readonly tags: readonly Tag[];
  /** A line of code that uses the member. */
  readonly example: string;
}

/** A page, and the class whose members it lists. */
interface MemberPage {
  readonly title: string;
  readonly about: string;
  readonly words: string;
  /** The entry point and the names of the class and its bases. */
  readonly classes: readonly [entry: string, ...names: string[]];
  /** The name of the object in programs. */
  readonly object: string;
  /** Selects the members. Defaults to all. */
  readonly members?: RegExp;
}

const ofBody = /^(?:Form|Post|Read|GetBody|Upload|SetMax|CompressReader|Validate)/;
const ofResponse = new RegExp(
  "^(?:AddHeader|Binary|ContentType|Events|FallbackView|GetErr|GetResponseHeader|GetStatusCode|GetViewData|HTML|Header|" +
    "IsStopped|JSON|Markdown|MsgPack|Negotiat|NotFound|On[A-Z]|Problem|ReadableStream|Recorder|Redirect|RemoveCookie|" +
    "Send|ServeFile|ServeContent|SetCookie|SetErr|SetStatus|StatusCode|Stop|Stream|Text|View|Write|XML|YAML)",
);
const context = ["@fw/web", "Context"] as const;

/** The pages, by name. */
const memberPages: Readonly<Record<string, MemberPage>> = {
  context: {
    title: "Context methods",
    about:
      "Every handler receives a `Context`, usually named `ctx`. This page lists the methods that describe the request. " +
      "[Forms and bodies](./context-body.md) and [responses](./context-response.md) have pages of their own.",
    words:
      "request, req, c, ctx, req.url, req.originalUrl, get the request URL, current URL, what is ctx, context object, req.method, user agent",
    classes: context,
    object: "ctx",
    members: new RegExp(`^(?!${ofBody.source.slice(1)})(?!${ofResponse.source.slice(1)})`),
  },
  "context-body": {
    title: "Context methods for forms and bodies",
    about: "This page lists the methods of `ctx` that read forms, files and request bodies.",
    words: "req.body, request body, form data, body parser",
    classes: context,
    object: "ctx",
    members: ofBody,
  },
  "context-response": {
    title: "Context methods for responses",
    about: "This page lists the methods of `ctx` that write the response.",
    words: "response, res, res.send, res.json, res.render, reply",
    classes: context,
    object: "ctx",
    members: ofResponse,
  },
  party: {
    title: "Party methods",
    about:
      "A party is a group of routes with a common path prefix. An application is a party, too, so `app` has all of " +
      "these methods. [Routing](./routing.md) explains them.",
    words: "router, route group, app.use, app.get, blueprint, namespace",
    classes: ["@fw/web", "Party"],
    object: "party",
  },
  application: {
    title: "Application methods",
    about: "`fw.New` and `fw.Default` return an `Application`. It also has all [methods of a party](./party.md).",
    words: "app, app.listen, server, start, shutdown",
    classes: ["@fw/web", "Application"],
    object: "app",
  },
  session: {
    title: "Session methods",
    about: "`sessions.Get(ctx)` and `manager.Start(ctx)` return a `Session`. [Sessions](./sessions.md) explains them.",
    words: "req.session, session store, flash",
    classes: ["@fw/web/sessions", "Session"],
    object: "session",
  },
  queue: {
    title: "Queue methods",
    about: "`jobs.New` returns a `Queue`. [Jobs](./jobs.md) explains it.",
    words: "bull, sidekiq, celery, delayed job, worker",
    classes: ["@fw/web/jobs", "Queue", "Operations", "Adder"],
    object: "queue",
  },
};

/** Generates the pages, by name. */
export async function membersPages(): Promise<Map<string, string>> {
  const pages = Object.entries(memberPages).map(async ([name, page]) => [name, await textOf(page)] as const);
  return new Map(await Promise.all(pages));
}

/** Lists the members of all pages, with the object that has them. */
export async function allMembers(): Promise<(Member & { readonly object: string })[]> {
  const pages = Object.values(memberPages);
  return (await Promise.all(
    pages.map(async (page) => (await membersOf(page)).map((member) => ({ ...member, object: page.object }))),
  ))
    .flat();
}

async function textOf(page: MemberPage): Promise<string> {
  const sections = (await membersOf(page)).map((member) => sectionOf(page.object, member));
  return `# ${page.title}

${page.about} \`deno task guide\` generates this list from the code.

${sections.join("\n\n")}

Words: ${page.words}
`;
}

async function membersOf({ classes: [entry, ...names], members = /./ }: MemberPage): Promise<Member[]> {
  const { symbols } = (await readEntries()).find(({ name }) => name === entry) ?? { symbols: [] };
  const found: Member[] = [];
  for (const name of names) {
    const declaration = symbols.find((symbol) => symbol.name === name)?.declarations[0];
    if (declaration === undefined) throw new Error(`Cannot find "${name}" in "${entry}"`);
    found.push(...await readMembers(declaration));
  }
  return found.filter(({ name }) => members.test(name)).sort((a, b) => a.name < b.name ? -1 : 1);
}

/** The report of `deno doc` about a member. */
interface Reported {
  readonly name: string;
  readonly jsDoc?: { readonly doc?: string; readonly tags?: readonly Tag[] };
  readonly location: { readonly filename: string; readonly line: number };
}

async function readMembers({ def }: Declaration): Promise<Member[]> {
  const reported = [...def?.methods ?? [], ...def?.properties ?? []] as unknown as Reported[];
  const groups = Map.groupBy(reported.filter(({ name }) => /^(?:[A-Z]|fetch$)/.test(name)), ({ name }) => name);
  return await Promise.all(Array.from(groups, async ([name, overloads]) => {
    // The last of several declarations is the implementation, which programs do not see.
    const visible = overloads.length > 1 ? overloads.slice(0, -1) : overloads;
    const signatures = await Promise.all(visible.map(signatureOf));
    const { doc = "", tags = [] } = visible[0]?.jsDoc ?? {};
    return { name, signatures, doc: withoutCode(doc), tags, example: exampleOf(name, tags) };
  }));
}

/** Returns the declaration of a member as it is written in the source, without its body. */
async function signatureOf({ location: { filename, line } }: Reported): Promise<string> {
  const text = (await Deno.readTextFile(fromFileUrl(filename))).split("\n").slice(line).join("\n");
  let depth = 0;
  let end = 0;
  for (; end < text.length; end++) {
    const char = text[end] ?? "";
    if (
      depth === 0 &&
      (char === ";" || char === "=" && text[end + 1] !== ">" ||
        (char === "{" && /[^:&|<,]\s*$/.test(text.slice(0, end))))
    ) break;
    if ("({[<".includes(char)) depth++;
    else if (")}]".includes(char) || (char === ">" && text[end - 1] !== "=")) depth--;
  }
  const signature = text.slice(0, end).replace(/\s+/g, " ")
    .replace(/^ ?(?:(?:async|override|readonly|get|public) )+/, "")
    .replaceAll(/([([]) | ?,? (?=[)\]])/g, "$1").trim();
  return signature.includes("(") ? signature : `${signature};`;
}

/** Returns the example in one line, or the line of a longer example that calls the member. */
function exampleOf(name: string, tags: readonly Tag[]): string {
  const examples = tags.filter(({ kind }) => kind === "example").map(({ doc = "" }) => doc.trim());
  const line = examples.map((doc) => /^`(.*)`$/.exec(doc)?.[1]).find((found) => found !== undefined);
  if (line !== undefined) return line;
  const lines = examples.flatMap((doc) => doc.split("\n")).map((each) => each.trim());
  const calls = lines.filter((each) => new RegExp(`\\.${name}\\b`).test(each) && isWhole(each));
  return calls[0] ?? "";
}

/** Reports whether a line of code closes all brackets that it opens. */
function isWhole(line: string): boolean {
  const count = (brackets: string) => [...line].filter((char) => brackets.includes(char)).length;
  return count("({[") === count(")}]");
}

function withoutCode(doc: string): string {
  return inOneLine(doc.replaceAll(/^```[^]*?^```$/gm, ""));
}

function sectionOf(object: string, { name, signatures, doc, tags, example }: Member): string {
  const lines = tags.flatMap(({ kind, name: parameter, doc: text = "", type }) => {
    const said = withoutCode(text);
    if (kind === "param") return [`- \`${parameter}\`: ${said}`];
    if (kind === "return" || kind === "returns") return [`- Returns: ${said}`];
    if (kind === "throws") return [`- Throws${type === undefined ? "" : ` \`${typeName(type)}\``}: ${said}`];
    return [];
  });
  const parts = [
    `### ${object}.${name}`,
    `\`\`\`ts ignore\n${signatures.join("\n")}\n\`\`\``,
    doc,
    lines.join("\n"),
    example === "" ? "" : `Example: ${example.includes("`") ? `\`\`${example}\`\`` : `\`${example}\``}`,
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

function typeName(type: NonNullable<Tag["type"]>): string {
  return typeof type === "string" ? type : type.repr ?? "Error";
}
