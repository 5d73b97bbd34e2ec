import * as mvc from "jsr:@fw/web/mvc";
import { Database, type Row } from "./database.ts";
import { forbidden, missing } from "./errors.ts";
import { defined, type Profile, type User, Users } from "./users.ts";

/** An article as returned by the API. Lists omit the body. */
export interface Article {
  slug: string;
  title: string;
  description: string;
  body?: string;
  tagList: string[];
  createdAt: string;
  updatedAt: string;
  favorited: boolean;
  favoritesCount: number;
  author: Profile;
}

/** A page of articles and the total number of articles. */
export interface ArticlePage {
  articles: Article[];
  articlesCount: number;
}

/** The fields of a new article. */
export interface ArticleInput {
  title: string;
  description: string;
  body: string;
  tagList?: string[] | undefined;
}

/** The changes to an article. */
export type ArticleChange = { [K in keyof ArticleInput]?: ArticleInput[K] | undefined };

/** The filter for a list of articles. */
export interface Filter {
  tag?: string | undefined;
  author?: string | undefined;
  favorited?: string | undefined;
  /** Restricts the list to authors that this user follows. */
  followedBy?: User;
  limit: number;
  offset: number;
}

/** A comment as returned by the API. */
export interface Comment {
  id: number;
  createdAt: string;
  updatedAt: string;
  body: string;
  author: Profile;
}

/** The SQL condition of each filter. */
const conditions: Readonly<Record<string, string>> = {
  tag: "EXISTS (SELECT 1 FROM tags WHERE tags.article = articles.id AND tags.name = ?)",
  author: "articles.author = (SELECT id FROM users WHERE username = ?)",
  favorited: `EXISTS (SELECT 1 FROM favorites JOIN users ON users.id = favorites.user
    WHERE favorites.article = articles.id AND users.username = ?)`,
  followedBy: "articles.author IN (SELECT followed FROM follows WHERE follower = ?)",
};

/** Stores articles with their tags, favorites and comments. */
export class Articles {
  readonly #database = mvc.Inject(Database);
  readonly #users = mvc.Inject(Users);

  /** Lists articles, newest first. */
  list({ limit, offset, followedBy, ...texts }: Filter, viewer: User | undefined): ArticlePage {
    const wanted = Object.entries({ ...texts, followedBy: followedBy?.id }).filter(([, value]) => value !== undefined);
    const where = ["1", ...wanted.map(([name]) => conditions[name] ?? "0")].join(" AND ");
    const values = wanted.map(([, value]) => value ?? "");
    const rows = this.#database.all(
      `SELECT * FROM articles WHERE ${where} ORDER BY created DESC, id DESC LIMIT ? OFFSET ?`,
      ...values,
      limit,
      offset,
    );
    const count = this.#database.first(`SELECT count(*) AS n FROM articles WHERE ${where}`, ...values);
    const articles = rows.map((row) => this.#show(row, viewer)).map(({ body: _, ...article }) => article);
    return { articles, articlesCount: Number(count?.["n"]) };
  }

  find(slug: string, viewer: User | undefined): Article {
    return this.#show(this.#row(slug), viewer);
  }

  create(input: ArticleInput, author: User): Article {
    const now = new Date().toISOString();
    const slug = this.#database.together(() => {
      const free = this.#freeSlug(input.title);
      const { id } = this.#database.first<{ id: number }>(
        `INSERT INTO articles (slug, author, title, description, body, created, updated)
          VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id`,
        free,
        author.id,
        input.title,
        input.description,
        input.body,
        now,
        now,
      ) ?? missing("article");
      this.#tag(id, input.tagList ?? []);
      return free;
    });
    return this.find(slug, author);
  }

  change(slug: string, change: ArticleChange, user: User): Article {
    const row = this.#own(slug, user);
    const { title, description, body } = { ...row, ...defined(change) } as unknown as ArticleInput;
    const next = this.#database.together(() => {
      const renamed = title === row["title"] ? slug : this.#freeSlug(title);
      this.#database.run(
        "UPDATE articles SET slug = ?, title = ?, description = ?, body = ?, updated = ? WHERE slug = ?",
        renamed,
        title,
        description,
        body,
        new Date().toISOString(),
        slug,
      );
      if (change.tagList !== undefined) this.#tag(Number(row["id"]), change.tagList);
      return renamed;
    });
    return this.find(next, user);
  }

  remove(slug: string, user: User): void {
    this.#database.run("DELETE FROM articles WHERE id = ?", Number(this.#own(slug, user)["id"]));
  }

  favorite(slug: string, user: User): Article {
    this.#database.run("INSERT OR IGNORE INTO favorites VALUES (?, ?)", user.id, Number(this.#row(slug)["id"]));
    return this.find(slug, user);
  }

  unfavorite(slug: string, user: User): Article {
    const article = Number(this.#row(slug)["id"]);
    this.#database.run("DELETE FROM favorites WHERE user = ? AND article = ?", user.id, article);
    return this.find(slug, user);
  }

  tags(): string[] {
    const rows = this.#database.all("SELECT name FROM tags GROUP BY name ORDER BY count(*) DESC, name LIMIT 50");
    return rows.map((row) => String(row["name"]));
  }

  comments(slug: string, viewer: User | undefined): Comment[] {
    const article = Number(this.#row(slug)["id"]);
    const rows = this.#database.all("SELECT * FROM comments WHERE article = ? ORDER BY created DESC, id DESC", article);
    return rows.map((row) => this.#showComment(row, viewer));
  }

  comment(slug: string, body: string, author: User): Comment {
    const article = Number(this.#row(slug)["id"]);
    const sql = "INSERT INTO comments (article, author, body, created) VALUES (?, ?, ?, ?) RETURNING *";
    const row = this.#database.first(sql, article, author.id, body, new Date().toISOString());
    return this.#showComment(row ?? missing("comment"), author);
  }

  removeComment(slug: string, id: number, user: User): void {
    const article = Number(this.#row(slug)["id"]);
    const row = this.#database.first("SELECT author FROM comments WHERE id = ? AND article = ?", id, article);
    if ((row ?? missing("comment"))["author"] !== user.id) forbidden("comment");
    this.#database.run("DELETE FROM comments WHERE id = ?", id);
  }

  #row(slug: string): Row {
    return this.#database.first("SELECT * FROM articles WHERE slug = ?", slug) ?? missing("article");
  }

  #own(slug: string, user: User): Row {
    const row = this.#row(slug);
    return row["author"] === user.id ? row : forbidden("article");
  }

  #tag(article: number, names: readonly string[]): void {
    this.#database.run("DELETE FROM tags WHERE article = ?", article);
    for (const name of names) this.#database.run("INSERT OR IGNORE INTO tags VALUES (?, ?)", article, name);
  }

  #freeSlug(title: string): string {
    const words = title.normalize("NFKD").toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ["article"];
    const base = words.join("-").slice(0, 80);
    let slug = base;
    for (let at = 2; this.#database.first("SELECT 1 FROM articles WHERE slug = ?", slug) !== undefined; at++) {
      slug = `${base}-${at}`;
    }
    return slug;
  }

  #show(row: Row, viewer: User | undefined): Article & { body: string } {
    const id = Number(row["id"]);
    const tags = this.#database.all("SELECT name FROM tags WHERE article = ? ORDER BY name", id);
    const count = this.#database.first(
      "SELECT count(*) AS n, coalesce(max(user = ?), 0) AS own FROM favorites WHERE article = ?",
      viewer?.id ?? 0,
      id,
    );
    return {
      slug: String(row["slug"]),
      title: String(row["title"]),
      description: String(row["description"]),
      body: String(row["body"]),
      tagList: tags.map((tag) => String(tag["name"])),
      createdAt: String(row["created"]),
      updatedAt: String(row["updated"]),
      favorited: count?.["own"] === 1,
      favoritesCount: Number(count?.["n"]),
      author: this.#profile(Number(row["author"]), viewer),
    };
  }

  #showComment(row: Row, viewer: User | undefined): Comment {
    const createdAt = String(row["created"]);
    const author = this.#profile(Number(row["author"]), viewer);
    return { id: Number(row["id"]), createdAt, updatedAt: createdAt, body: String(row["body"]), author };
  }

  #profile(id: number, viewer: User | undefined): Profile {
    return this.#users.profile(this.#users.byID(id) ?? missing("profile"), viewer);
  }
}
