/**
 * Accounts: sign-up, login, second factors, passkeys and settings. This code belongs to the application: change it.
 */
import * as fw from "@fw/web";
import * as apikeys from "@fw/web/apikeys";
import * as keyFile from "@fw/web/apikeys/sqlite";
import * as auth from "@fw/web/auth";
import * as jobs from "@fw/web/jobs";
import * as jobFile from "@fw/web/jobs/sqlite";
import * as keys from "@fw/web/keys";
import * as mail from "@fw/web/mail";
import * as csrf from "@fw/web/middleware/csrf";
import * as ratelimit from "@fw/web/middleware/ratelimit";
import * as secure from "@fw/web/middleware/secure";
import * as policy from "@fw/web/policy";
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
  /** The keys for scripts: `apiKeys.Require("api")` is the guard of the routes that accept them. */
  readonly apiKeys: apikeys.Keys;
  /** A guard for routes that only users who have logged in with two factors may see. */
  readonly requireFactor: fw.Handler;
}

/** Reads the options from the environment. Data that outlives the process needs a secret that does, too. */
export function optionsFromEnv(transport: mail.Transport): Options {
  const env = (name: string) => Deno.env.get(name) ?? "";
  const missing = env("DATA") === "" ? [] : ["SECRET", "PUBLIC_URL"].filter((name) => env(name) === "");
  if (missing.length > 0) throw new Error(`Cannot start with DATA: ${missing.join(" and ")} must be set, too`);
  const [URL, From] = [env("PUBLIC_URL") || "http://localhost:8080", env("MAIL_FROM") || "accounts@example.com"];
  return { Folder: env("DATA"), Secret: env("SECRET") || keys.Generate(), URL, From, Transport: transport };
}

/** Adds accounts to an application: `/signup`, `/login`, `/account` and so on, and `ctx.User()` for all later routes. */
export function useAccounts(app: fw.Application, options: Options): Site {
  const { Folder, Secret, URL: url, From, Transport } = options;
  const ring = keys.New(Secret);
  const isStored = Folder !== "";
  if (isStored) Deno.mkdirSync(Folder, { recursive: true });
  if (isStored && Transport instanceof mail.Memory) app.Logger().Warn("Mails are not sent: pass an SMTP transport");
  const database = openDatabase(isStored ? `${Folder}/accounts.db` : ":memory:");
  const jobStore = isStored ? jobFile.New({ File: `${Folder}/jobs.db` }) : jobs.NewMemory();
  const isReady = Promise.resolve(jobStore.Migrate?.()); // creates the tables of the jobs
  const sessionStore = isStored ? sessionFile.New({ File: `${Folder}/sessions.db` }) : sessions.NewMemory();
  const keyStore = isStored ? keyFile.New({ File: `${Folder}/keys.db` }) : undefined;
  app.RegisterOnShutdown(async () => {
    keyStore?.Close();
    await sessionStore.Close?.();
    await jobStore.Close?.();
    database.close();
  });

  const [accounts, queue] = [new Accounts(database), jobs.New(jobStore).RunWith(app)];
  const [day, prefix] = [24 * 3_600_000, url.startsWith("https:") ? "__Host-" : ""];
  const lifetime = { Expires: 14 * day, Rolling: true, MaxLifetime: 90 * day };
  const manager = sessions.New({ Cookie: `${prefix}sid`, Store: sessionStore, CacheControl: "no-store", ...lifetime });
  const Views = fw.HTML(new URL("./mails/", import.meta.url));
  // Links begin with this URL. The host of a request is never used.
  const mailer = mail.New({ Transport, From, Views, App: app, URL: url, Queue: queue });
  const links = new Links(ring, accounts, queue, mailer, isReady);

  app.I18n.Load(new URL("./locales/", import.meta.url), "en", "de");
  app.Use(secure.New(), csrf.New(), auth.Session({ Sessions: manager, Load: userOf }));
  const apiKeys = apikeys.New({ Store: keyStore ?? apikeys.NewMemory(), Prefix: "app", User: userOf });
  const party = app.Party("/");
  party.RegisterView(fw.HTML(new URL("./views", import.meta.url), ".html").Layout("layout"));
  party.HandleDir("/accounts", new URL("./public", import.meta.url)).SetName("accounts");
  // This limit per address protects the CPU. The limits per account are in sign_in.ts.
  const limit = ratelimit.New({ Name: "accounts", Limit: 30, Period: 60_000 });
  const [factors, deviceCookie] = [new Factors(accounts, ring, new URL(url).host), `${prefix}device`];
  const parts = { accounts, links, factors, manager, keys: ring, apiKeys, deviceCookie };
  const requireLogin = auth.Require("/login");
  const open = party.Party("/", policy.Anyone);
  const own = party.Party("/account", requireLogin, apikeys.Deny());
  new SignIn(parts).register(open, limit);
  new Settings(parts).register(own, limit);
  new Passkeys(parts, new URL(url)).register(open, own, limit);
  return { manager, queue, accounts, apiKeys, requireFactor: policy.Guard(requireFactor) };

  function userOf(id: string): fw.User | undefined {
    const account = accounts.byID(id);
    return account && { ID: id, Name: account.mail, Roles: [], Method: "session" };
  }

  function requireFactor(ctx: fw.Context): ReturnType<fw.Handler> {
    const account = accounts.byID(ctx.User()?.ID ?? "");
    if (account === undefined) return requireLogin(ctx);
    if (ctx.User()?.Method === "key") return ctx.StopWithStatus(403);
    const hasFactor = account.totp !== null || sessions.Get(ctx)?.GetBoolDefault("passkey", false);
    return hasFactor ? ctx.Next() : ctx.Redirect("/account#factor", 303);
  }
}
