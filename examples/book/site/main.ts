/**
 * The site of the book: Markdown pages with a layout, search, security headers, cache and compression.
 *
 * Run it with `deno task example book/site` and open http://localhost:8080. `deno task book` also reloads pages when a
 * file changes, and `deno task book build FOLDER` writes the site for static hosting.
 *
 * Permissions: `--allow-net --allow-read=examples/book`.
 *
 * @module
 */

import { stripTypeScriptTypes } from "node:module";
import * as fw from "jsr:@fw/web";
import * as cache from "jsr:@fw/web/middleware/cache";
import * as compress from "jsr:@fw/web/middleware/compress";
import * as etag from "jsr:@fw/web/middleware/etag";
import * as secure from "jsr:@fw/web/middleware/secure";
import config from "../../../deno.json" with { type: "json" };
import { readBook } from "./book.ts";
import { render } from "./markdown.ts";
import { anchorOf, buildIndex, type Index, search } from "./search.ts";

/** The settings of the site. */
export interface Setup {
  /** The folder of the book. Defaults to the folder above this one. */
  Folder?: URL;
  /** The public address, for canonical links and the sitemap. Defaults to `http://localhost:8080/`. */
  Site?: string;
  /** The address of the repository's files, such as `https://git.example/fw/blob/main/`. If omitted, they are not linked. */
  Source?: string;
  /** Whether pages reload when the server restarts. Defaults to `false`. */
  Reload?: boolean;
}

/** Creates the application. */
export function newApp(
  { Folder = here("../"), Site = "http://localhost:8080/", Source = "", Reload = false }: Setup = {},
): fw.Application {
  const book = readBook(Folder);
  const files = new Map(book.pages.map((page) => [page.file, page]));
  let index: Index | undefined = undefined;
  const getIndex = () =>
    index ??= buildIndex(
      book.pages.map(({ path, title, kind, about, text }) => ({ path, title, kind: kind.title, about, text })),
    );

  const app = fw.Default().Configure(fw.WithSitemap(Site), fw.WithBasePath(new URL(Site).pathname));
  app.RegisterView(
    fw.HTML(here("./views/")).Layout("layout").AddFunc("anchor", (title: string) => anchorOf(title, new Set())),
  );
  app.UseRouter(
    secure.New({
      ContentSecurityPolicy: {
        "default-src": ["'none'"],
        "connect-src": ["'self'"],
        "font-src": null,
        "img-src": ["'self'"],
        "style-src": ["'self'"],
      },
    }),
    compress.New(),
    etag.New(),
  );

  // Paths are relative to the page, so that the site works below any path.
  const show = (ctx: fw.Context, view: string, path: string, data: fw.Map) => {
    const Root = path === "" ? new URL(Site).pathname : rootOf(path);
    return ctx.View(view, {
      Book: book,
      Root,
      Path: path,
      Canonical: new URL(path, Site).href,
      Reload,
      Version: config.version,
      Headings: [],
      ...data,
    });
  };
  /** Returns the address of a link in a file of the book. */
  const linkFrom = (file: string) => (href: string) => {
    if (/^(?:https?:|mailto:|#)/.test(href)) return href;
    const { pathname, hash } = new URL(href, `file:///examples/book/${file}`);
    const target = pathname.replace(/^\/examples\/book\//, "");
    if (files.has(target)) return href.replace(".md", ".html");
    if (target === "README.md") return rootOf(file) + (book.anchors.get(hash.slice(1)) ?? "");
    return Source === "" ? "" : `${Source}${pathname.slice(1)}${hash}`;
  };

  const pages = app.Party("/");
  if (!Reload) pages.Use(cache.New({ MaxAge: 3_600_000 }));
  pages.Get("/", (ctx) => {
    const { html } = render(book.about, linkFrom("README.md"));
    return show(ctx, "home", "index.html", { Title: book.title, About: "", HTML: html, Canonical: Site });
  });
  for (const kind of book.kinds) {
    pages.Get(`/${kind.path}`, (ctx) => {
      const { html } = render(kind.about, linkFrom("README.md"));
      return show(ctx, "list", kind.path, {
        Title: kind.title,
        About: `All pages of the part “${kind.title}”.`,
        Kind: kind,
        HTML: html,
      });
    });
  }
  for (const [at, page] of book.pages.entries()) {
    pages.Get(`/${page.path}`, (ctx) => {
      const { html, headings } = render(page.text, linkFrom(page.file));
      const [Before, After] = [book.pages[at - 1], book.pages[at + 1]];
      return show(ctx, "page", page.path, {
        Title: page.title,
        About: page.about,
        Kind: page.kind,
        Page: page,
        HTML: html,
        Headings: headings,
        Before,
        After,
      });
    });
  }

  app.HandleMany("GET", "/search /search.html", (ctx) => {
    const question = ctx.URLParam("q").slice(0, 200);
    const Hits = question === "" ? [] : search(getIndex(), question, 20);
    return show(ctx, "search", "search.html", { Title: "Search", About: "Search the book.", Question: question, Hits });
  }).forEach((route) => route.ExcludeSitemap());
  app.OnErrorCode(404, (ctx) => {
    const question = ctx.Path().replace(/\.html$|[^\w]/g, " ").trim();
    const hits = question === "" || ctx.Path() === "/404.html" ? [] : search(getIndex(), question, 5);
    return show(ctx, "error", "", { Title: "Page not found", About: "", Hits: hits });
  });

  app.HandleDir("/assets", here("./public"));
  for (const name of ["search", "words"]) {
    app.Get(`/assets/${name}.js`, (ctx) => {
      const source = stripTypeScriptTypes(Deno.readTextFileSync(here(`./${name}.ts`)));
      ctx.ContentType("text/javascript; charset=utf-8");
      ctx.WriteString(
        source.replace(/from "(\.\/\w+)\.ts"/g, 'from "$1.js"').replace(
          /^\s*\/\*\*[^]*?\*\/\n|[ \t]+$/gm,
          "",
        ),
      );
    }).ExcludeSitemap();
  }
  app.Get("/assets/search.json", (ctx) => ctx.JSON(getIndex())).ExcludeSitemap();
  app.Get(
    "/robots.txt",
    (ctx) => ctx.WriteString(`User-agent: *\nAllow: /\nSitemap: ${new URL("sitemap.xml", Site)}\n`),
  ).ExcludeSitemap();
  if (Reload) {
    app.Get("/reload", (ctx) =>
      ctx.Events(async function* (_, signal) {
        yield "up";
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
      })).ExcludeSitemap();
  }
  return app;
}

/** Returns the relative address of the root for a page. */
function rootOf(path: string): string {
  return "../".repeat(path.split("/").length - 1) || "./";
}

function here(path: string): URL {
  return new URL(path, import.meta.url);
}

if (import.meta.main) await newApp({ Reload: Deno.args.includes("--reload") }).Run(fw.Addr(":8080"));
