/**
 * Generates the reference pages of options: every option with its type, unit, default and meaning.
 *
 * @module
 */

import { fromFileUrl } from "@std/path";
import { inOneLine, type Property } from "./documentation.ts";
import { anchorOf, type OptionType, optionTypes } from "./options.ts";

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
    entries:
      /\/(?:apikeys|auth|policy|tokens|middleware\/(?:auth|basicauth|cors|csrf|ipfilter|jwt|oauth|ratelimit|secure|timeout))$/,
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
    entries: /\/(?:apps|client|httptest|mcp|mvc|openapi|versioning)$/,
  },
};

/** Returns the name of the page with the options of an entry point. */
export function pageOfEntry(entry: string): string {
  const [name] = Object.entries(areas).find(([, { entries }]) => entries.test(entry)) ?? [];
  if (name === undefined) throw new Error(`Cannot document the options of ${entry}: add it to one of the areas`);
  return name;
}

/** Generates the pages, by name. */
export async function optionPages(): Promise<Map<string, string>> {
  const sections = new Map(Object.keys(areas).map((name) => [name, [] as string[]]));
  for (const type of await optionTypes()) sections.get(pageOfEntry(type.entry.name))?.push(await sectionOf(type));
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

async function sectionOf({ entry, title, declaration, options, bases }: OptionType): Promise<string> {
  const also = bases.map((base) => `[\`${base.title}\`](./${pageOfEntry(base.entry.name)}.md#${anchorOf(base)})`);
  const parts = await Promise.all(options.map((option) => partOf(title, option)));
  return `## ${title}

${inOneLine(declaration.jsDoc?.doc ?? "")} Import it from [\`${entry.name}\`](../../../${entry.file}).${
    also.length === 0 ? "" : ` It also accepts the options in ${also.join(" and ")}.`
  }

${parts.join("\n\n")}`;
}

/** Returns an option with a heading of its own, so that other pages can link to it. */
async function partOf(title: string, option: Property): Promise<string> {
  const doc = (option.jsDoc?.doc ?? "").replaceAll(/^```[^]*?^```$/gm, "");
  const type = await typeOf(option);
  const unit = type.includes("number") ? /\bin (milliseconds|seconds|bytes|characters)\b/.exec(doc)?.[1] : undefined;
  const meaning = inOneLine(doc).replace(/ ?Defaults to [^]*?\.(?= |$)/, "").trim();
  return `### ${title}.${option.name}

Type: \`${type}\`${unit === undefined ? "" : `, ${unit}`}.${defaultOf(option)} ${meaning}`;
}

function defaultOf({ jsDoc, optional }: Property): string {
  const value = jsDoc?.tags?.find(({ kind }) => kind === "default")?.value;
  if (value !== undefined) return ` Default: \`${value}\`.`;
  const words = /Defaults to ([^]*?)\.(?: |\n|$)/.exec(jsDoc?.doc ?? "")?.[1];
  return words !== undefined ? ` Default: ${inOneLine(words)}.` : optional ? "" : " Required.";
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
