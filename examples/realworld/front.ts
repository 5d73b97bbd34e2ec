import * as mvc from "jsr:@fw/web/mvc";
import type * as fw from "jsr:@fw/web";
import { Articles } from "./articles.ts";
import { Users } from "./users.ts";

const perPage = 10;

/** Serves the HTML pages. Readers do not need an account. */
export class FrontController {
  Ctx!: fw.Context;
  readonly #articles = mvc.Inject(Articles);
  readonly #users = mvc.Inject(Users);

  /** Shows the latest articles (GET /). */
  Get(): mvc.View {
    const tag = this.Ctx.URLParam("tag") || undefined;
    const page = Math.max(1, this.Ctx.URLParamIntDefault("page", 1));
    const found = this.#articles.list({ tag, limit: perPage, offset: (page - 1) * perPage }, undefined);
    const hasMore = page * perPage < found.articlesCount;
    return new mvc.View({ Name: "home", Data: { ...found, tags: this.#articles.tags(), tag, page, hasMore } });
  }

  /** Shows an article (GET /article/{slug}). */
  GetArticleBy(slug: string): mvc.View {
    const article = this.#articles.find(slug, undefined);
    const comments = this.#articles.comments(slug, undefined);
    return new mvc.View({ Name: "article", Data: { title: article.title, article, comments } });
  }

  /** Shows a user's profile (GET /profile/{username}). */
  GetProfileBy(username: string): mvc.View {
    const profile = this.#users.profile(this.#users.byName(username), undefined);
    const found = this.#articles.list({ author: username, limit: 50, offset: 0 }, undefined);
    return new mvc.View({ Name: "profile", Data: { title: username, profile, ...found } });
  }
}
