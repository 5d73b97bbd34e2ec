import * as auth from "jsr:@fw/web/middleware/auth";
import * as mvc from "jsr:@fw/web/mvc";
import { Database } from "./database.ts";
import { conflict, missing } from "./errors.ts";

/** An account. */
export interface User {
  id: number;
  username: string;
  email: string;
  password: string;
  bio: string | null;
  image: string | null;
}

/** An account as shown to other users. */
export interface Profile {
  username: string;
  bio: string | null;
  image: string | null;
  following: boolean;
}

/** The changes to an account. */
export type UserChange = { [K in keyof Omit<User, "id">]?: User[K] | undefined };

/** Stores accounts and followers. */
export class Users {
  readonly #database = mvc.Inject(Database);

  /** Finds an account by its ID. */
  byID(id: number): User | undefined {
    return this.#database.first<User>("SELECT * FROM users WHERE id = ?", id);
  }

  /** Finds an account by its name. */
  byName(username: string): User {
    return this.#database.first<User>("SELECT * FROM users WHERE username = ?", username) ?? missing("profile");
  }

  /** Finds an account by its email address and password. */
  async byPassword(email: string, password: string): Promise<User | undefined> {
    const user = this.#database.first<User>("SELECT * FROM users WHERE email = ?", email);
    // An unknown address takes as long as a wrong password, so that the timing does not reveal which addresses exist.
    return await auth.VerifyPassword(password, user?.password) ? user : undefined;
  }

  /** Creates an account. */
  async register(username: string, email: string, password: string): Promise<User> {
    const hash = await auth.HashPassword(password);
    // Checked after the await, because another request could otherwise take the name between the check and the
    // insertion.
    this.#assertFree({ username, email });
    const sql = "INSERT INTO users (username, email, password) VALUES (?, ?, ?) RETURNING id";
    const { id } = this.#database.first<User>(sql, username, email, hash) ?? missing("user");
    return this.byID(id) ?? missing("user");
  }

  /** Updates an account. */
  async change(user: User, change: UserChange): Promise<User> {
    const password = change.password === undefined ? user.password : await auth.HashPassword(change.password);
    this.#assertFree(change, user.id);
    const { username, email, bio, image } = { ...user, ...defined(change) } as User;
    this.#database.run(
      "UPDATE users SET username = ?, email = ?, password = ?, bio = ?, image = ? WHERE id = ?",
      username,
      email,
      password,
      bio || null,
      image || null,
      user.id,
    );
    return this.byID(user.id) ?? missing("user");
  }

  /** Returns an account's public profile, as seen by a viewer. */
  profile(user: User, viewer: User | undefined): Profile {
    const { username, bio, image } = user;
    const following = viewer !== undefined &&
      this.#database.first("SELECT 1 FROM follows WHERE follower = ? AND followed = ?", viewer.id, user.id) !==
        undefined;
    return { username, bio, image, following };
  }

  follow(viewer: User, user: User): void {
    this.#database.run("INSERT OR IGNORE INTO follows VALUES (?, ?)", viewer.id, user.id);
  }

  unfollow(viewer: User, user: User): void {
    this.#database.run("DELETE FROM follows WHERE follower = ? AND followed = ?", viewer.id, user.id);
  }

  #assertFree(wanted: UserChange, except = 0): void {
    for (const name of ["username", "email"] as const) {
      const value = wanted[name];
      if (value === undefined) continue;
      const taken = this.#database.first(`SELECT 1 FROM users WHERE ${name} = ? AND id <> ?`, value, except);
      if (taken !== undefined) conflict(name);
    }
  }
}

/** Returns a copy of an object without its undefined members, so that omitted fields stay unchanged. */
export function defined<T extends object>(change: T): Partial<T> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as Partial<T>;
}
