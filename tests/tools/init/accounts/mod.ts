/**
 * Accounts: sign-up, login, second factors, passkeys and settings. This code belongs to the application: change it.
 */
import * as fw from "@fw/web";
import * as auth from "@fw/web/auth";
import * as jobs from "@fw/web/jobs";
import * as jobFile from "@fw/web/jobs/sqlite";
import * as keys from "@fw/web/keys";
import type * as mail from "@fw/web/mail";
import * as csrf from "@fw/web/middleware/csrf";
import * as ratelimit from "@fw/web/middleware/ratelimit";
import * as secure from "@fw/web/middleware/secure";
import * as sessions from "@fw/web/sessions";
import * as sessionFile from "@fw/web/sessions/sqlite";
import { openDatabase } from "./database.ts";
import { Factors } from "./factors.ts";
import { Links } from "./links.ts";
import { Passkeys } from "./passkeys.ts";
import { Settings } from "./settings.ts";
import { SignIn } from "./sign_in.ts";
import { Accounts } from "./store.ts";

/** The options of {@linkcode useAccounts}. */
export interface Options {
  /** The folder for the databases. If it is empty, everything is lost when the process ends. */
  readonly Folder: string;
  /** A secret of at least 32 characters, such as the output of `keys.Generate()`. */
  readonly Secret: string;
  /** The URL of the application, for links in mails and for passkeys. */
  readonly URL: string;
  /** The sender of mails. */
  readonly From: string;
  /** The transport of mails. */
  readonly Transport: mail.Transport;
}

/** The parts that other code of the application may need. */
export interface Site {
  readonly manager: sessions.Sessions;
  readonly queue: jobs.Queue;
  readonly accounts: Accounts;
  /** A guard for routes that only users with a second factor may see. */
  readonly requireFactor: fw.Handler;
}

/** Reads the options from the environment. */
export function optionsFromEnv(transport: mail.Transport): Options {
  const env = (name: string) => Deno.env.get(name) ?? "";
  return {
    Folder: env("DATA"),
    Secret: env("SECRET") || keys.Generate(),
    URL: env("PUBLIC_URL") || "http://localhost:8080",
    From: env("MAIL_FROM") || "accounts@example.com",
    Transport: transport,
  };
}

/** Adds accounts to an application: `/signup`, `/login`, `/account` and so on, and `ctx.User()` for all later routes. */
export function useAccounts(app: fw.Application, options: Options): Site {
  const { Folder, Secret, URL: url, From, Transport } = options;
  const ring = keys.New(Secret);
  const isStored = Folder !== "";
  if (isStored) Deno.mkdirSync(Folder, { recursive: true });
  const database = openDatabase(isStored ? `${Folder}/accounts.db` : ":memory:");
  const jobStore = isStored ? jobFile.New({ File: `${Folder}/jobs.db` }) : jobs.NewMemory();
  const isReady = Promise.resolve(jobStore.Migrate?.()); // creates the tables of the jobs
  const sessionStore = isStored ? sessionFile.New({ File: `${Folder}/sessions.db` }) : sessions.NewMemory();
  app.RegisterOnShutdown(async () => {
    await sessionStore.Close?.();
    await jobStore.Close?.();
    database.close();
  });

  const accounts = new Accounts(database);
  const queue = jobs.New(jobStore).RunWith(app);
  const day = 24 * 3_600_000;
  const manager = sessions.New({
    Cookie: url.startsWith("https:") ? "__Host-sid" : "sid",
    Store: sessionStore,
    Expires: 14 * day,
    Rolling: true,
    MaxLifetime: 90 * day,
    CacheControl: "no-store",
  });
  const links = new Links(ring, accounts, queue, { App: app, Transport, From, URL: url, isReady });

  app.I18n.Load(new URL("./locales/", import.meta.url), "en", "de");
  app.Use(
    secure.New(),
    csrf.New(),
    auth.Session({
      Sessions: manager,
      Load(id) {
        const account = accounts.byID(id);
        return account && { ID: id, Name: account.mail, Roles: [], Method: "session" };
      },
    }),
  );
  const party = app.Party("/");
  party.RegisterView(fw.HTML(new URL("./views", import.meta.url), ".html").Layout("layout"));
  party.HandleDir("/accounts", new URL("./public", import.meta.url)).SetName("accounts");
  // This limit per address protects the CPU. The limits per account are in sign_in.ts.
  const limit = ratelimit.New({ Name: "accounts", Limit: 30, Period: 60_000 });
  const parts = { accounts, links, factors: new Factors(accounts, ring), manager, keys: ring };
  new SignIn(parts).register(party, limit);
  new Settings(parts).register(party.Party("/account", auth.Require("/login")), limit);
  new Passkeys(accounts, new URL(url)).register(party, limit);
  return { manager, queue, accounts, requireFactor };

  function requireFactor(ctx: fw.Context): void | Promise<void> {
    const account = accounts.byID(ctx.User()?.ID ?? "");
    return account === undefined || account.totp === null ? ctx.Redirect("/account/factor", 303) : ctx.Next();
  }
}
