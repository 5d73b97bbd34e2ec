/**
 * The site of the book: Markdown pages with a layout, search, security headers, cache and compression.
 *
 * Run it with `deno task example book/site` and open http://localhost:8080. `deno task book` also reloads pages when a
 * file changes, and `deno task book build FOLDER` writes the site for static hosting.
 *
 * Permissions: `--allow-net --allow-read=examples/book,README.md`.
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
import { llmsText } from "./llms.ts";
import { render } from "./markdown.ts";
import { movedPage, movedPages } from "./moved.ts";
import { anchorOf, buildIndex, type Index, plainText, search } from "./search.ts";

/** The settings of the site. */
export interface Setup {
  /** The folder of the book. Defaults to the folder above this one. */
  Folder?: URL;
  /** The public address, for canonical links and the sitemap. Without it, there are none. */
  Site?: string;
  /** The address of the repository's files, such as `https://git.example/fw/blob/main/`. If omitted, they are not linked. */
  Source?: string;
  /** The document whose first part is the home page. Defaults to the README of the repository. */
  Home?: URL;
  /** Whether pages reload when the server restarts. Defaults to `false`. */
  Reload?: boolean;
}

/** Creates the application. */
export function newApp(
  { Folder = here("../"), Site = "", Source = "", Home = here("../../../README.md"), Reload = false }: Setup = {},
): fw.Application {
  const base = Site === "" ? "/" : new URL(Site).pathname;
  const book = readBook(Folder);
  const files = new Map(book.pages.map((page) => [page.file, page]));
  let index: Index | undefined = undefined;
  const getIndex = () =>
    index ??= buildIndex(
      book.pages.map(({ path, title, kind, about, text }) => ({ path, title, kind: kind.title, about, text })),
    );

  const app = fw.Default().Configure(fw.WithBasePath(base));
  if (Site !== "") app.Configure(fw.WithSitemap(Site));
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
    const Root = path === "" ? base : rootOf(path);
    return ctx.View(view, {
      Book: book,
      Root,
      Path: path,
      Canonical: Site === "" || path === "" ? "" : new URL(path === "index.html" ? "" : path, Site).href,
      Reload,
      Version: config.version,
      Headings: [],
      ...data,
    });
  };
  /** Returns the address of a link in a file of the book, or in one above its folder. */
  const linkFrom = (file: string) => (href: string) => {
    if (/^(?:https?:|mailto:|#)/.test(href)) return href;
    const { pathname, hash } = new URL(href, `file:///examples/book/${file}`);
    const target = pathname.replace(/^\/examples\/book\//, "");
    if (files.has(target)) return `${rootOf(file)}${target.replace(".md", ".html")}${hash}`;
    if (target === "README.md") return rootOf(file) + (book.anchors.get(hash.slice(1)) ?? "");
    return Source === "" ? "" : `${Source}${pathname.slice(1)}${hash}`;
  };

  const pages = app.Party("/");
  if (!Reload) pages.Use(cache.New({ MaxAge: 3_600_000 }));
  pages.Get("/", (ctx) => {
    const [, Title = "", about = ""] = /^# (.+)\n([^]*?)(?=^## |$(?![^]))/m.exec(Deno.readTextFileSync(Home)) ?? [];
    // The later parts of the document are not on this page.
    const pitch = render(about, (href) => href.startsWith("#") ? "" : linkFrom("../../README.md")(href));
    const { html } = render(book.about, linkFrom("README.md"));
    return show(ctx, "home", "index.html", {
      Title,
      About: plainText(/^\*\*(.+?)\*\*/.exec(about.trim())?.[1] ?? ""),
      Pitch: pitch.html,
      Repository: Source.replace(/\/blob\/.*$/, ""),
      BookTitle: book.title,
      HTML: html,
    });
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
        IsProgram: /^\/\/ main_test\.ts$/m.test(page.text),
        Headings: headings,
        Before,
        After,
      });
    });
  }

  for (const [from, to] of Object.entries(movedPages).filter(([from, to]) => !files.has(from) && files.has(to))) {
    const Target = `../${to.replace(".md", ".html")}`;
    app.Get(`/${from.replace(".md", ".html")}`, (ctx) => ctx.HTML(movedPage(Target))).ExcludeSitemap();
  }
  // Addresses as people type them, without the name of the file.
  for (const { path } of [...book.kinds, ...book.pages]) {
    const short = path.replace(/\/index\.html$|\.html$/, "");
    app.Get(`/${short}`, (ctx) => ctx.Redirect(`${base}${path}`, 301)).ExcludeSitemap();
  }

  // The pages as Markdown, and their list for language models.
  for (const { file, text } of book.pages) {
    app.Get(`/${file}`, (ctx) => writeMarkdown(ctx, text)).ExcludeSitemap();
  }
  app.Get("/llms.txt", (ctx) => writeMarkdown(ctx, llmsText(book))).ExcludeSitemap();

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
    (ctx) => ctx.WriteString(`User-agent: *\nAllow: /\n${Site && `Sitemap: ${new URL("sitemap.xml", Site)}\n`}`),
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

function writeMarkdown(ctx: fw.Context, text: string): void {
  ctx.ContentType("text/markdown; charset=utf-8");
  ctx.WriteString(text);
}

/** Returns the relative address of the root for a page. The README of the repository is the home page. */
function rootOf(path: string): string {
  return "../".repeat(path.replace("../../", "").split("/").length - 1) || "./";
}

function here(path: string): URL {
  return new URL(path, import.meta.url);
}

if (import.meta.main) await newApp({ Reload: Deno.args.includes("--reload") }).Run(fw.Addr(":8080"));
