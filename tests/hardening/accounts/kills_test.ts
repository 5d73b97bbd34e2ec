import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import * as keys from "@fw/web/keys";
import { cpSync } from "node:fs";
import { bundle } from "../../repo/bundler.ts";
import type { Account } from "../../tools/init/accounts/store.ts";
import { ada, type Browser, Ground, newPassword, password, setCost } from "./ground.ts";

/** The application after a kill. */
interface Remains {
  readonly ground: Ground;
  /** The link that the killed request has redeemed. */
  readonly link: string;
  /** A browser with a session from before. */
  readonly session: string;
}

/** A request during which the process is killed. */
interface Step {
  /** The fewest statements that the request consists of. If there are fewer, they are not counted. */
  readonly fewest: number;
  /** Prepares the files, and returns the path and the form of the request. */
  readonly prepare: (ground: Ground) => Promise<{ path: string; form: Record<string, string>; session?: Browser }>;
  /** The states that the kills leave, in order. */
  readonly outcomes: readonly string[];
  /** Checks the files. Returns the state in words. */
  readonly check: (remains: Remains) => Promise<string>;
}

const root = fromFileUrl(new URL("../../../", import.meta.url));
const sid = "__Host-sid";
/** The number of processes that run at the same time. */
const atOnce = 6;

/** The folder of the killed program in one file, which starts in a third of the time. All tests share it. */
const program = await Deno.makeTempDir();
Deno.test.beforeAll(async () => {
  setCost("fast");
  const source = fromFileUrl(new URL("../../tools/init/accounts", import.meta.url));
  for (const name of ["locales", "mails", "public", "views"]) {
    cpSync(`${source}/${name}`, `${program}/${name}`, { recursive: true });
  }
  const entry = fromFileUrl(new URL("stopped.ts", import.meta.url));
  await bundle(["--platform=deno", "--output", `${program}/stopped.js`, entry], { cwd: root });
});
Deno.test.afterAll(() => Deno.remove(program, { recursive: true }));

async function canLogIn(ground: Ground, word: string): Promise<boolean> {
  return (await ground.browser().logIn(ada, word)).Status === 303;
}

const steps: Readonly<Record<string, Step>> = {
  "the request of a sign-up": {
    outcomes: ["no account"],
    fewest: 3,
    prepare: () => Promise.resolve({ path: "/signup", form: { mail: ada } }),
    async check({ ground }) {
      assertEquals(ground.site.accounts.byMail(ada), undefined);
      const path = await ground.mailed() || await ground.link("/signup");
      assertEquals((await ground.browser().post(path, { "new-password": newPassword })).Status, 303);
      return "no account";
    },
  },
  "the link of a sign-up": {
    outcomes: ["no account", "an account"],
    fewest: 3,
    async prepare(ground) {
      return { path: await ground.link("/signup"), form: { "new-password": newPassword } };
    },
    async check({ ground, link }) {
      const isThere = ground.site.accounts.byMail(ada) !== undefined;
      const { Status } = await ground.browser().post(link, { "new-password": newPassword });
      assertEquals(Status, isThere ? 410 : 303);
      assert(await canLogIn(ground, newPassword));
      return isThere ? "an account" : "no account";
    },
  },
  "the request of a reset": {
    outcomes: ["the old password"],
    fewest: 3,
    async prepare(ground) {
      await ground.add();
      return { path: "/reset", form: { mail: ada } };
    },
    async check({ ground }) {
      assert(await canLogIn(ground, password));
      const path = await ground.mailed() || await ground.link("/reset");
      assertEquals((await ground.browser().post(path, { "new-password": newPassword })).Status, 303);
      return "the old password";
    },
  },
  "the link of a reset": {
    outcomes: ["the old password", "the new password"],
    fewest: 6,
    async prepare(ground) {
      const session = await ground.member();
      const account = ground.site.accounts.byMail(ada) as Account;
      ground.site.accounts.addPasskey(account, "of a thief", new Uint8Array(8), 0);
      await ground.site.apiKeys.Create({ Owner: String(account.id), Name: "of a thief", Scopes: ["api"] });
      return { path: await ground.link("/reset"), form: { "new-password": newPassword }, session };
    },
    async check({ ground, link, session }) {
      const [isOld, isNew] = [await canLogIn(ground, password), await canLogIn(ground, newPassword)];
      assert(isOld !== isNew, "both passwords are valid, or none is");
      const { Status } = await ground.browser().client.GET("/account").WithCookie(sid, session).Expect();
      if (isNew) {
        assertEquals(Status, 401, "a session has outlived the old password");
        assertEquals(ground.site.accounts.passkeysOf(1), [], "a passkey has outlived the old password");
        assertEquals(await ground.site.apiKeys.List("1"), [], "a key has outlived the old password");
      }
      const again = await ground.browser().post(link, { "new-password": newPassword });
      assertEquals(again.Status, isNew ? 410 : 303);
      return isNew ? "the new password" : "the old password";
    },
  },
};

for (const [name, { fewest, outcomes, prepare, check }] of Object.entries(steps)) {
  Deno.test(`init --accounts: kill -9 before any statement of ${name} leaves no account half made`, async () => {
    const [folder, secret] = [await Deno.makeTempDir(), keys.Generate()];
    try {
      const { path, form, session } = await within(`${folder}/0`, secret, prepare);
      const killAt = async (at: number) => {
        const place = `${folder}/${at}`;
        cpSync(`${folder}/0`, place, { recursive: true });
        return { place, ...await send(place, secret, path, form, at) };
      };
      const { stdout, stderr } = await killAt(-1);
      const count = Number(new TextDecoder().decode(stdout));
      assert(count >= fewest, `${count} statements: ${new TextDecoder().decode(stderr)}`);
      const states = new Set<string>();
      let kills = 0;
      for (let at = 1; at <= count; at += atOnce) {
        const killed = await Promise.all(
          Array.from({ length: Math.min(atOnce, count + 1 - at) }, (_, i) => killAt(at + i)),
        );
        for (const { place, signal } of killed) {
          // Work in the background makes a few statements more or fewer, so the last processes may survive.
          if (signal === "SIGKILL") kills++;
          const cookie = session?.client.Cookie(sid) ?? "";
          states.add(await within(place, secret, (ground) => check({ ground, link: path, session: cookie })));
        }
      }
      assert(kills >= fewest, `only ${kills} of ${count} processes were killed`);
      assertEquals([...states], outcomes);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}

/**
 * Runs a function with an application whose data is in a folder. It is built but not started, because a job that its
 * own worker runs would not be awaited.
 */
async function within<T>(folder: string, secret: string, run: (ground: Ground) => Promise<T>): Promise<T> {
  const ground = new Ground(folder, secret);
  await ground.app.Build();
  try {
    return await run(ground);
  } finally {
    await ground.app.Shutdown();
  }
}

async function send(folder: string, secret: string, path: string, form: Record<string, string>, at: number) {
  const body = new URLSearchParams(form).toString();
  const args = ["run", "-A", "--no-check", `--config=${root}deno.json`, `${program}/stopped.js`];
  return await new Deno.Command(Deno.execPath(), {
    args: [...args, folder, secret, path, body, String(at)],
    cwd: root,
  }).output();
}
