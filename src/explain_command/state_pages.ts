/**
 * The pages of the error codes for sessions, stores, languages, live connections and authentication.
 *
 * @module
 */

import type { Page } from "./page.ts";

type Code =
  | "FW_SESSION"
  | "FW_STORE"
  | "FW_JOB"
  | "FW_LANGUAGE"
  | "FW_LIVE"
  | "FW_MAIL"
  | "FW_AUTH";

/** Sessions, shared stores, translations, WebSocket connections and logins. */
export const statePages: Readonly<Record<Code, Page>> = {
  FW_SESSION: {
    cause: "A handler uses a session without a session manager, a value has another type than the requested one, the " +
      "session was destroyed, or the session store cannot be reached. If the store is down, clients receive 503.",
    remedy:
      "Add the manager's `Handler()` to the application or party before the routes that use sessions. Check that " +
      "the store is reachable. The log names the reason once per outage.",
    wrong: `class VisitController {
  #session = mvc.Inject(sessions.Session);
  Get() {
    return \`\${this.#session.Increment("visits", 1)}\`;
  }
}
const app = fw.New();
mvc.New(app).Handle(VisitController);
await app.fetch(new Request("http://localhost/"));`,
    right: `class VisitController {
  #session = mvc.Inject(sessions.Session);
  Get() {
    return \`\${this.#session.Increment("visits", 1)}\`;
  }
}
const app = fw.New();
app.Use(sessions.New().Handler());
mvc.New(app).Handle(VisitController);
await app.fetch(new Request("http://localhost/"));`,
    chapter: "Sessions",
  },
  FW_STORE: {
    cause:
      "A shared store for rate limits, caches or blocklists cannot be opened or reached, or is full. Guards that " +
      "need the store respond with 503 until it works again.",
    remedy:
      "Check the path or URL of the store and the permissions of the process. `AllowWithoutStore` of `ratelimit` " +
      "serves requests without a limit while the store is down.",
    wrong: `const store = sqlite.New({ File: "./deno.json/shared.db" }); // not a folder
await store.Close?.();`,
    right: `const folder = await Deno.makeTempDir();
const store = sqlite.New({ File: \`\${folder}/shared.db\` });
await store.Close?.();
await Deno.remove(folder, { recursive: true });`,
    chapter: "Security",
  },
  FW_JOB: {
    cause: "A job has no handler or an invalid option, a transaction does not belong to the database of the jobs, or " +
      "the tables of the jobs are missing or belong to a newer version.",
    remedy: "Pass the class or function of the job to `Handle` before jobs are run. Call `Migrate` of the store at " +
      "start-up, and update fw in all processes before one of them migrates the tables.",
    wrong: `const queue = jobs.New(jobs.NewMemory());
queue.Handle(() => {}); // has no name`,
    right: `const queue = jobs.New(jobs.NewMemory());
queue.Handle(function greet() {});`,
    chapter: "Jobs",
  },
  FW_LANGUAGE: {
    cause:
      "A folder with translations does not exist, no file is named after the requested language, a translation is " +
      "not a string or refers to itself, or a date to format is not valid.",
    remedy:
      "Name the files after language tags, such as `en-US.json` or `el/messages.yml`, and load only languages that " +
      "have a file.",
    wrong: `const app = fw.New();
app.I18n.LoadKV({ en: { hi: "Hello" } }, "en", "el"); // Greek is missing
await app.Build();`,
    right: `const app = fw.New();
app.I18n.LoadKV({ en: { hi: "Hello" }, el: { hi: "Γεια" } }, "en", "el");
await app.Build();`,
    chapter: "Languages",
  },
  FW_LIVE: {
    cause: "A WebSocket server, room, topic or backplane is used without the option that it needs, a message is too " +
      "large or cannot be sent, or the backplane cannot be reached.",
    remedy: "Set the option that the message names. If a backplane such as Redis is down, fw reconnects by itself.",
    wrong: `const server = websocket.New();
await server.Presence("kitchen");`,
    right: `const server = websocket.New({ Presence: true });
await server.Presence("kitchen");`,
    chapter: "Live",
  },
  FW_MAIL: {
    cause:
      "An address, a subject, a header or an attachment of a mail is invalid, for example because it contains a line " +
      "break that would add another header, or the mailer lacks an option that the mail needs.",
    remedy: "Pass one address per string and a list for several recipients. Validate addresses when users enter them.",
    wrong: `const mailer = mail.New({ Transport: mail.NewMemory(), From: "tea@example.com" });
await mailer.Send({ To: "ada@example.com, bob@example.com", Subject: "Tea", Text: "It is ready." });`,
    right: `const mailer = mail.New({ Transport: mail.NewMemory(), From: "tea@example.com" });
await mailer.Send({ To: ["ada@example.com", "bob@example.com"], Subject: "Tea", Text: "It is ready." });`,
    chapter: "Mail",
  },
  FW_AUTH: {
    cause: "A token, a password hash or a login is invalid, has expired or was revoked, or the keys of an identity " +
      "provider cannot be fetched.",
    remedy:
      "Treat the error as a failed login and let the user log in again. If the message names keys or a provider, " +
      "check the URL of the provider and the permission `--allow-net`.",
    wrong: `await auth.HashPassword("");`,
    right: `await auth.HashPassword("correct horse", { Memory: 64 });`,
    chapter: "Security",
  },
};
