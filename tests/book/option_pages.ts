/**
 * Generates the reference pages of options: every option with its type, unit, default and meaning.
 *
 * @module
 */

import { fromFileUrl } from "@std/path";
import {
  type Declaration,
  type Entry,
  inOneLine,
  namespaceOf,
  type Property,
  readEntries,
  table,
} from "./documentation.ts";

interface Area {
  readonly title: string;
  /** Completes the sentence "This page lists the options for …". */
  readonly about: string;
  readonly words: string;
  /** Matches the entry points. The first area that matches contains the options of an entry point. */
  readonly entries: RegExp;
}

const areas: Readonly<Record<string, Area>> = {
  "application-options": {
    title: "Application options",
    about: "`@fw/web` itself: the configuration, cookies, files, responses and proxies",
    words: "configuration, settings, default, maximum body size, cookie options, limits",
    entries: /^@fw\/web$/,
  },
  "guard-options": {
    title: "Guard options",
    about: "the middleware that protects an application: authentication, CORS, CSRF, security headers and limits",
    words: "cors, csrf, helmet, content security policy, jwt, basic auth, oauth, rate limit, ip filter, timeout",
    entries: /\/middleware\/(?:auth|basicauth|cors|csrf|ipfilter|jwt|oauth|ratelimit|secure|timeout)$/,
  },
  "middleware-options": {
    title: "Other middleware options",
    about: "middleware for caching, compression, logs, metrics and health checks",
    words: "cache, gzip, brotli, etag, access log, morgan, request ID, health check, metrics, rewrite",
    entries: /\/middleware\//,
  },
  "store-options": {
    title: "Session and store options",
    about: "sessions and for stores shared between processes",
    words: "session cookie, session lifetime, redis, sqlite, kv, store",
    entries: /\/(?:sessions|store|keys)\b/,
  },
  "live-options": {
    title: "Live connection options",
    about: "WebSockets, topics, hubs and model answers",
    words: "websocket, ping interval, idle timeout, maximum message size, nats, redis, socket.io",
    entries: /\/(?:live|websocket|answers)\b/,
  },
  "job-options": {
    title: "Job, mail and webhook options",
    about: "queues, schedules, mailers and webhooks",
    words: "queue, retry, backoff, concurrency, cron, smtp, webhook",
    entries: /\/(?:jobs|mail|webhooks)\b/,
  },
  "contract-options": {
    title: "Controller, client and tool options",
    about: "controllers, views, the typed client, OpenAPI, agents and tests",
    words: "client, fetch, retry, openapi, swagger ui, mcp, httptest",
    entries: /./,
  },
};

/** Reports whether an interface contains options. */
const isOptions = /(?:Options|Config|Configuration)$/;

/** Generates the pages, by name. */
export async function optionPages(): Promise<Map<string, string>> {
  const sections = new Map(Object.keys(areas).map((name) => [name, [] as string[]]));
  for (const entry of await readEntries()) {
    const [area = ""] = Object.entries(areas).find(([, { entries }]) => entries.test(entry.name)) ?? [];
    sections.get(area)?.push(...await sectionsOf(entry));
  }
  return new Map(Array.from(sections, ([name, parts]) => [name, pageOf(areas[name] as Area, parts)]));
}

function pageOf({ title, about, words }: Area, sections: readonly string[]): string {
  return `# ${title}

This page lists the options for ${about}. Options without a default are off or unset if omitted.
\`deno task guide\` generates this list from the code.

${sections.join("\n\n")}

Words: ${words}
`;
}

async function sectionsOf({ name, file, symbols }: Entry): Promise<string[]> {
  const found: string[] = [];
  const named = symbols.filter((each) => isOptions.test(each.name));
  // The options that others extend, such as `UploadLimits`, would otherwise be listed nowhere.
  const bases = new Set(named.flatMap(({ declarations }) => declarations.flatMap(basesOf)));
  for (const symbol of symbols.filter((each) => named.includes(each) || bases.has(each.name))) {
    const declaration = symbol.declarations.find(({ kind }) => kind === "interface");
    const properties = declaration?.def?.properties ?? [];
    if (declaration === undefined || properties.length === 0) continue;
    const rows = await Promise.all(properties.map(rowOf));
    const also = basesOf(declaration).map((base) => `\`${base}\``).join(" and ");
    found.push(`## ${namespaceOf(name)}.${symbol.name}

${inOneLine(declaration.jsDoc?.doc ?? "")} Import it from [\`${name}\`](../../../${file}).${
      also === "" ? "" : ` It also accepts the options in ${also}.`
    }

${table(["Option", "Type", "Default", "Meaning"], rows)}`);
  }
  return found;
}

/** Returns the names of the interfaces that an interface extends. */
function basesOf({ def }: Declaration): string[] {
  return (def?.extends ?? []).map(({ repr = "" }) => repr).filter((repr) => /^\w+$/.test(repr));
}

async function rowOf(property: Property): Promise<string[]> {
  const doc = (property.jsDoc?.doc ?? "").replaceAll(/^```[^]*?^```$/gm, "");
  const type = await typeOf(property);
  const unit = type.includes("number") ? /\bin (milliseconds|seconds|bytes|characters)\b/.exec(doc)?.[1] : undefined;
  return [
    `\`${property.name}\``,
    `\`${type}\`${unit === undefined ? "" : `, ${unit}`}`,
    defaultOf(property),
    inOneLine(doc).replace(/ ?Defaults to [^]*?\.(?= |$)/, "").trim(),
  ];
}

function defaultOf({ jsDoc, optional }: Property): string {
  const value = jsDoc?.tags?.find(({ kind }) => kind === "default")?.value;
  if (value !== undefined) return `\`${value}\``;
  const words = /Defaults to ([^]*?)\.(?: |\n|$)/.exec(jsDoc?.doc ?? "")?.[1];
  return words !== undefined ? inOneLine(words) : optional ? "" : "required";
}

/** Returns the type of a property as it is written in the source. */
async function typeOf({ name, location }: Property): Promise<string> {
  const lines = (await Deno.readTextFile(fromFileUrl(location.filename))).split("\n").slice(location.line);
  const text = lines.join("\n").replace(new RegExp(`^\\s*(?:readonly )?${name}\\??:\\s*`), "");
  let depth = 0;
  let end = 0;
  for (; end < text.length && (depth > 0 || text[end] !== ";"); end++) {
    if ("({[<".includes(text[end] ?? "")) depth++;
    else if (")}]".includes(text[end] ?? "") || (text[end] === ">" && text[end - 1] !== "=")) depth--;
  }
  return text.slice(0, end).replace(/\s+/g, " ").replace(/^\| /, "");
}
