/**
 * The features of logins that have to work in all surroundings.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import * as apikeys from "@fw/web/apikeys";
import * as auth from "@fw/web/auth";
import * as sessions from "@fw/web/sessions";
import type { Feature } from "./features.ts";

const sameSite = { "sec-fetch-site": "same-origin" };

/** Creates the feature of logins in sessions, and of the address to go on to. */
export function loginFeature(): Feature {
  const manager = sessions.New({ Cookie: "own" });
  return {
    add: (party) => {
      const Load = (ID: string) => ({ ID, Name: ID, Roles: [], Method: "session" });
      const own = party.Party("/own", auth.Session({ Sessions: manager, Load }));
      own.Post("/login", async (ctx) => {
        await auth.Login(ctx, { ID: "ada" });
        ctx.Redirect(await auth.Next(ctx), 303);
      });
      own.Get("/page", auth.Require("/own/login"), (ctx) => ctx.WriteString(`page of ${ctx.User()?.Name}`));
    },
    async check({ ask, prefix }) {
      // A guard around the feature may have set another user.
      assert(await (await ask("/own/page")).text() !== "page of ada");
      const origin = "http://tea.example";
      for (const next of ["//evil.example", `${prefix}//evil.example`, `${prefix}/..//evil.example`]) {
        const body = new URLSearchParams({ next });
        const done = await ask("/own/login", { method: "POST", headers: sameSite, body });
        await done.body?.cancel();
        const location = done.headers.get("location") ?? "";
        assertEquals(done.status, 303);
        assert(URL.parse(location, origin)?.origin === origin && !location.includes("evil"), location);
        const cookie = done.headers.getSetCookie().map((line) => line.split(";", 1)[0]).join("; ");
        const page = await ask("/own/page", { headers: { cookie } });
        assertEquals([page.status, await page.text()], [200, "page of ada"]);
      }
    },
  };
}

/** Creates the feature of API keys with scopes. */
export function keyFeature(): Feature {
  const keys = apikeys.New({ Store: apikeys.NewMemory(), Header: "X-API-Key" });
  return {
    add: (party) => {
      party.Get("/keyed", keys.Require("read"), (ctx) => ctx.WriteString(`page of ${ctx.User()?.ID}`));
      party.Get("/managed", keys.Require("read"), apikeys.Deny(), (ctx) => ctx.WriteString("managed"));
    },
    async check({ ask }) {
      const read = async (path: string, ...scopes: string[]) => {
        const { Key } = await keys.Create({ Owner: "ada", Name: "script", Scopes: scopes });
        const response = await ask(path, { headers: { "x-api-key": Key } });
        return [response.status, response.status === 200 ? await response.text() : await response.body?.cancel()];
      };
      assertEquals(await read("/keyed", "read"), [200, "page of ada"]);
      assertEquals((await read("/keyed", "write"))[0], 403);
      assertEquals((await read("/managed", "read"))[0], 403);
    },
  };
}
