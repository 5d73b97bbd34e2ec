/**
 * The pages of the error codes for sessions, stores, languages, live connections and authentication.
 *
 * @module
 */

import type { PageSources } from "./page.ts";

/** Sessions, shared stores, translations, WebSocket connections and logins. */
export const statePages: PageSources = {
  FW_SESSION: {
    cause: "A handler uses a session without a session manager, a value does not have the requested type, the " +
      "session was destroyed, or the session store cannot be reached. If the store is down, clients receive a " +
      "503 response.",
    remedy: "Add the manager's `Handler()` to the application or party before the routes that use sessions. Check " +
      "that the store is reachable. The reason is logged once per outage.",
    wrong: `class VisitController {
  #session = mvc.Inject(sessions.Session);
  Get() {
    return \`\${this.#session.Increment("visits", 1)}\`;
  }
}
const app = fw.New();
mvc.New(app).Handle(VisitController);
await app.fetch(new Request("http://localhost/"));`,
    right: [[
      "mvc.New(app)",
      `app.Use(sessions.New().Handler());
mvc.New(app)`,
    ]],
    chapter: "Sessions",
  },
  FW_STORE: {
    cause: "A shared store for rate limits, caches or blocklists cannot be opened or reached, or is full. Guards " +
      "that need the store respond with 503 until it is available again.",
    remedy: "Check the store's path or URL and the permissions of the process. With the `AllowWithoutStore` option, " +
      "`ratelimit` serves requests without a limit while the store is down.",
    wrong: `const store = sqlite.New({ File: "./deno.json/shared.db" }); // not a folder
await store.Close?.();`,
    right: `const folder = await Deno.makeTempDir();
const store = sqlite.New({ File: \`\${folder}/shared.db\` });
await store.Close?.();
await Deno.remove(folder, { recursive: true });`,
    chapter: "Security",
  },
  FW_JOB: {
    cause: "A job has no handler or an invalid option, a transaction does not belong to the job store's database, or " +
      "the job store's tables are missing or belong to a newer version.",
    remedy: "Pass the job's class or function to `Handle` before running jobs. Call the store's `Migrate` method at " +
      "start-up, and update fw in all processes before any of them migrates the tables.",
    wrong: `const queue = jobs.New(jobs.NewMemory());
queue.Handle(() => {}); // has no name`,
    right: [["() => {}); // has no name", "function greet() {});"]],
    chapter: "Jobs",
  },
  FW_LANGUAGE: {
    cause: "A translation folder does not exist, no file is named after the requested language, a translation is not " +
      "a string or refers to itself, or a date to format is invalid.",
    remedy: "Name the files after language tags, such as `en-US.json` or `el/messages.yml`, and load only languages " +
      "that have a file.",
    wrong: `const app = fw.New();
app.I18n.LoadKV({ en: { hi: "Hello" } }, "en", "el"); // Greek is missing
await app.Build();`,
    right: [[
      '{ hi: "Hello" } }, "en", "el"); // Greek is missing',
      '{ hi: "Hello" }, el: { hi: "Γεια" } }, "en", "el");',
    ]],
    chapter: "Languages",
  },
  FW_LIVE: {
    cause: "A WebSocket server, room, topic or backplane is used without an option that it requires, a message is " +
      "too large or cannot be sent, or the backplane cannot be reached.",
    remedy: "Set the option named in the message. If a backplane such as Redis is down, fw reconnects automatically.",
    wrong: `const server = websocket.New();
await server.Presence("kitchen");`,
    right: [["New()", "New({ Presence: true })"]],
    chapter: "Live",
  },
  FW_MAIL: {
    cause: "An email's address, subject, header or attachment is invalid, for example because it contains a line " +
      "break that would add another header, or the mailer lacks an option that the email requires.",
    remedy: "Pass one address per string, and an array for several recipients. Validate addresses when users enter " +
      "them.",
    wrong: `const mailer = mail.New({ Transport: mail.NewMemory(), From: "tea@example.com" });
await mailer.Send({ To: "ada@example.com, bob@example.com", Subject: "Tea", Text: "It is ready." });`,
    right: [['"ada@example.com, bob@example.com"', '["ada@example.com", "bob@example.com"]']],
    chapter: "Mail",
  },
  FW_AUTH: {
    cause: "A token, a password hash or a login is invalid, has expired or was revoked, or an identity provider's " +
      "keys cannot be fetched.",
    remedy: "Treat the error as a failed login and ask the user to log in again. If the message mentions keys or a " +
      "provider, check the provider's URL and the `--allow-net` permission.",
    wrong: `await auth.HashPassword("");`,
    right: `await auth.HashPassword("correct horse", { Memory: 64 });`,
    chapter: "Security",
  },
};
