/**
 * The pages that fw and its examples serve, for visual checks. Each entry has the application and the data that fills
 * its pages.
 *
 * @module
 */

import * as fw from "../../mod.ts";
import * as openapi from "../../src/api/openapi/mod.ts";
import * as monitor from "../../src/middleware/monitor/mod.ts";
import type { Ask } from "../serving.ts";

/**
 * Imports the application of an example. The examples are a separate workspace member with their own compiler options.
 */
async function newApp(name: string, ...given: unknown[]): Promise<fw.Application> {
  const { newApp } = await import(new URL(`../../examples/${name}/main.ts`, import.meta.url).href);
  return newApp(...given);
}

/** An application with its pages. */
export interface Shown {
  /** The name of the example. */
  readonly name: string;
  /** Creates the application if it differs from the example's own. */
  readonly create?: () => Promise<fw.Application>;
  /** Additional request headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The arguments for creating the application. */
  readonly given?: readonly unknown[];
  readonly paths: readonly string[];
  /** Whether the page is only a heading without a style sheet. */
  readonly isBare?: boolean;
  /** The user name and password for the pages. */
  readonly user?: string;
  /** Sends requests that create data for the pages. */
  readonly fill?: (ask: Ask) => Promise<void>;
}

const long = "NoPlaceToBreak".repeat(14);
const silent = { Output() {} };

/** All applications. */
export const shown: readonly Shown[] = [
  { name: "hello", paths: ["/"] },
  { name: "mvc/hello", paths: ["/"], isBare: true },
  { name: "book/site", paths: ["/", "/reference/routing.html", "/search.html?q=session"] },
  { name: "realworld", paths: ["/", "/article/how-to-brew-tea", "/profile/ann", "/none", "/openapi"], fill: write },
  { name: "form", paths: ["/"] },
  { name: "upload", paths: ["/"] },
  {
    name: "public",
    given: [{ AccessLog: silent }],
    paths: ["/", "/admin", "/admin/monitor"],
    user: "admin:notice",
    fill: pin,
  },
  { name: "live/chat", paths: ["/"] },
  { name: "live/ticker", paths: ["/"] },
  { name: "answers", paths: ["/"] },
  {
    name: "long texts",
    create: newLongTexts,
    paths: ["/thrown", `/${long}`, "/files/", "/monitor", "/openapi", "/template", "/missing"],
    headers: { [`x-${long}`]: long, "x-url": long },
    fill: async (ask) => void await ask(`/routes/${long}`),
  },
];

/** Creates the application of an example. */
export function appOf({ name, given = [], create }: Shown): Promise<fw.Application> {
  return create?.() ?? newApp(name, ...given);
}

/** Creates an application with every page that fw serves, filled with long strings that cannot be wrapped. */
async function newLongTexts(): Promise<fw.Application> {
  const folder = await Deno.makeTempDir({ suffix: ` ${long.slice(0, 100)} With Blanks` });
  await Deno.mkdir(`${folder}/views`);
  await Deno.writeTextFile(`${folder}/${long}.txt`, "");
  await Deno.writeTextFile(`${folder}/views/page.html`, `<p><%= it.a.${long} %></p>`);
  const app = fw.New().Configure(fw.WithDevelopment);
  app.RegisterOnShutdown(() => Deno.remove(folder, { recursive: true }));
  app.RegisterView(fw.HTML(`${folder}/views`));
  const watched = monitor.New({ Title: long });
  app.UseRouter(watched.Handler());
  watched.Register(app.Party("/monitor"));
  app.Get("/thrown", () => {
    throw new Error(long, { cause: new Error(`${long}\n${long}`) });
  });
  app.Get("/template", (ctx) => ctx.View("page"));
  app.Get("/missing", (ctx) => ctx.View(long));
  app.HandleDir("/files", folder, { ShowList: true });
  app.Get(`/routes/${long}`, (ctx) => ctx.WriteString("")).SetName(long).Describe({ Summary: long, Tags: [long] });
  openapi.New({ Title: long, Version: "1.0.0", Description: long }).Serve(app);
  return app;
}

async function pin(ask: Ask): Promise<void> {
  const headers = { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin" };
  for (const text of ["Tea at four in the small kitchen", "Whose is the green cup?"]) {
    await ask("/notices", { method: "POST", headers, body: new URLSearchParams({ text }).toString() });
  }
}

async function write(ask: Ask): Promise<void> {
  const post = async (path: string, body: unknown, token = ""): Promise<string> => {
    const headers = { "content-type": "application/json", ...token !== "" && { authorization: `Token ${token}` } };
    return (await ask(`/api${path}`, { method: "POST", headers, body: JSON.stringify(body) })).text;
  };
  const user = { username: "ann", email: "ann@example.com", password: "correct horse" };
  const { token } = JSON.parse(await post("/users", { user })).user;
  const body = "Boil fresh water.\n\nPour it over the leaves, and wait for three minutes.";
  for (const title of ["How to brew tea", "On cups, saucers and a title that is a good deal longer than the others"]) {
    const article = { title, description: "What every drinker should know.", body, tagList: ["tea", "craft"] };
    await post("/articles", { article }, token);
  }
  await post("/articles/how-to-brew-tea/comments", { comment: { body: "Two minutes will do." } }, token);
  await post("/articles/how-to-brew-tea/favorite", {}, token);
}
