import * as mvc from "jsr:@fw/web/mvc";
import { z } from "npm:zod@^4";
import { type Article, type ArticlePage, Articles, type Comment } from "./articles.ts";
import { currentUser, Tokens, viewer } from "./auth.ts";
import { unauthorized } from "./errors.ts";
import { type Profile, type User, Users } from "./users.ts";

// The schemas of the request bodies. The messages are those of the specification.

const blank = "can't be blank";
const text = z.string(blank).trim().min(1, blank);
const name = text.max(64, "is too long");
const email = text.pipe(z.email("is invalid"));
const password = text.min(8, "is too short (minimum is 8 characters)");
const nothing = z.string().nullish().transform((value) => value ?? "");

/** The body of POST /users. */
const registration = z.object({ user: z.object({ username: name, email, password }) });
/** The body of POST /users/login. */
const login = z.object({ user: z.object({ email: text, password: text }) });
/** The body of PUT /user. */
const userChange = z.object({
  user: z.object({
    username: name.optional(),
    email: email.optional(),
    password: password.optional(),
    bio: nothing.optional(),
    image: nothing.optional(),
  }),
});
/** The body of POST /articles. */
const newArticle = z.object({
  article: z.object({ title: text, description: text, body: text, tagList: z.array(text).optional() }),
});
/** The body of PUT /articles/{slug}. */
const articleChange = z.object({
  article: z.object({
    title: text.optional(),
    description: text.optional(),
    body: text.optional(),
    tagList: z.array(text).optional(),
  }),
});
/** The body of POST /articles/{slug}/comments. */
const newComment = z.object({ comment: z.object({ body: text }) });
/** The query of GET /articles. */
const articleFilter = z.object({
  tag: z.string().optional(),
  author: z.string().optional(),
  favorited: z.string().optional(),
  limit: z.number().int().min(0).max(100).default(20),
  offset: z.number().int().min(0).default(0),
});

/** An account as returned to its owner. */
interface Account {
  user: { email: string; token: string; username: string; bio: string | null; image: string | null };
}

async function account(user: User, tokens: Tokens): Promise<Account> {
  const { email, username, bio, image } = user;
  return { user: { email, token: await tokens.sign(user), username, bio, image } };
}

/** Serves /api/users: registration and login. */
class UsersController {
  readonly #users = mvc.Inject(Users);
  readonly #tokens = mvc.Inject(Tokens);

  /** Creates an account. */
  async Post({ user } = mvc.Body(registration)): Promise<mvc.Tuple<Account, number>> {
    const created = await this.#users.register(user.username, user.email, user.password);
    return mvc.Tuple(await account(created, this.#tokens), 201);
  }

  /** Logs a user in. */
  async PostLogin({ user } = mvc.Body(login)): Promise<Account> {
    const found = await this.#users.byPassword(user.email, user.password);
    return await account(found ?? unauthorized("credentials", "invalid"), this.#tokens);
  }
}

/** Serves /api/user: the current user's account. */
class UserController {
  readonly #users = mvc.Inject(Users);
  readonly #tokens = mvc.Inject(Tokens);

  /** Returns the account. */
  async Get(me = mvc.Inject(currentUser)): Promise<Account> {
    return await account(me, this.#tokens);
  }

  /** Updates the account. */
  async Put(me = mvc.Inject(currentUser), { user } = mvc.Body(userChange)): Promise<Account> {
    return await account(await this.#users.change(me, user), this.#tokens);
  }
}

/** Serves /api/profiles. */
class ProfilesController {
  readonly #users = mvc.Inject(Users);

  /** Returns a user's public profile. */
  GetBy(username: string, reader = mvc.Inject(viewer)): { profile: Profile } {
    return { profile: this.#users.profile(this.#users.byName(username), reader) };
  }

  /** Follows a user. */
  PostByFollow(username: string, me = mvc.Inject(currentUser)): { profile: Profile } {
    this.#users.follow(me, this.#users.byName(username));
    return this.GetBy(username, me);
  }

  /** Unfollows a user. */
  DeleteByFollow(username: string, me = mvc.Inject(currentUser)): { profile: Profile } {
    this.#users.unfollow(me, this.#users.byName(username));
    return this.GetBy(username, me);
  }
}

/** Serves /api/articles. */
class ArticlesController {
  readonly #articles = mvc.Inject(Articles);

  /** Lists articles, newest first. */
  Get(filter = mvc.Query(articleFilter), reader = mvc.Inject(viewer)): ArticlePage {
    return this.#articles.list(filter, reader);
  }

  /** Lists the articles of the authors that the user follows. */
  GetFeed(me = mvc.Inject(currentUser), { limit, offset } = mvc.Query(articleFilter)): ArticlePage {
    return this.#articles.list({ followedBy: me, limit, offset }, me);
  }

  /** Returns an article. */
  GetBy(slug: string, reader = mvc.Inject(viewer)): { article: Article } {
    return { article: this.#articles.find(slug, reader) };
  }

  /** Publishes an article. */
  Post(me = mvc.Inject(currentUser), { article } = mvc.Body(newArticle)): mvc.Tuple<{ article: Article }, number> {
    return mvc.Tuple({ article: this.#articles.create(article, me) }, 201);
  }

  /** Updates an article. */
  PutBy(slug: string, me = mvc.Inject(currentUser), { article } = mvc.Body(articleChange)): { article: Article } {
    return { article: this.#articles.change(slug, article, me) };
  }

  /** Deletes an article. */
  DeleteBy(slug: string, me = mvc.Inject(currentUser)): number {
    this.#articles.remove(slug, me);
    return 204;
  }

  /** Adds an article to the user's favorites. */
  PostByFavorite(slug: string, me = mvc.Inject(currentUser)): { article: Article } {
    return { article: this.#articles.favorite(slug, me) };
  }

  /** Removes an article from the user's favorites. */
  DeleteByFavorite(slug: string, me = mvc.Inject(currentUser)): { article: Article } {
    return { article: this.#articles.unfavorite(slug, me) };
  }

  /** Lists an article's comments. */
  GetByComments(slug: string, reader = mvc.Inject(viewer)): { comments: Comment[] } {
    return { comments: this.#articles.comments(slug, reader) };
  }

  /** Adds a comment to an article. */
  PostByComments(
    slug: string,
    me = mvc.Inject(currentUser),
    { comment } = mvc.Body(newComment),
  ): mvc.Tuple<{ comment: Comment }, number> {
    return mvc.Tuple({ comment: this.#articles.comment(slug, comment.body, me) }, 201);
  }

  /** Deletes a comment. */
  DeleteByCommentsBy(slug: string, id = 0, me = mvc.Inject(currentUser)): number {
    this.#articles.removeComment(slug, id, me);
    return 204;
  }
}

/** Serves /api/tags. */
class TagsController {
  readonly #articles = mvc.Inject(Articles);

  /** Lists the most popular tags. */
  Get(): { tags: string[] } {
    return { tags: this.#articles.tags() };
  }
}

/** Registers the controllers of the API. */
export function handleAPI(api: mvc.Application): void {
  api.Party("/users").Handle(UsersController);
  api.Party("/user").Handle(UserController);
  api.Party("/profiles").Handle(ProfilesController);
  api.Party("/articles").Handle(ArticlesController);
  api.Party("/tags").Handle(TagsController);
}
