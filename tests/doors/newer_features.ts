/**
 * Further features that have to work in all surroundings: extensions, policies, links with tokens, the operations on
 * jobs, and cached versions.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import * as fw from "@fw/web";
import * as jobs from "@fw/web/jobs";
import * as keys from "@fw/web/keys";
import * as cache from "@fw/web/middleware/cache";
import * as policy from "@fw/web/policy";
import * as tokens from "@fw/web/tokens";
import * as versioning from "@fw/web/versioning";
import type { Feature } from "./features.ts";
import { quiet } from "../serving.ts";

const sameSite = { "sec-fetch-site": "same-origin" };

/** Creates the feature of an extension: a value, a page, a view function, and a label that caches distinguish. */
export function extensionFeature(): Feature {
  const tenant = fw.Key<string>("tenant");
  let runs = 0;
  return {
    add: (party, app) => {
      app.RegisterView(fw.HTML("").ParseTemplate("whose.html", "<%= whose() %>"));
      app.Install({
        Name: "tenants",
        Install(host) {
          host.Provide(tenant, (call) => call.GetHeader("x-tenant") || "none");
          host.Label("tenant", (call) => call.Values().Get(tenant) ?? "none", { Vary: "x-tenant" });
          host.ViewFunc("whose", (call: fw.Call) => call.Values().Get(tenant));
        },
      });
      party.Install({
        Name: "page of tenants",
        Many: true,
        Install: (host) => host.Page("/tenant", (ctx) => ctx.WriteString(ctx.Values().Get(tenant) ?? "")),
      });
      party.Get("/whose", (ctx) => ctx.View("whose"));
      party.Get("/counted", cache.New({ MaxAge: 60_000 }), (ctx) => {
        ctx.WriteString(`${ctx.Values().Get(tenant)} ${++runs}`);
      });
    },
    async check({ ask }) {
      const read = async (path: string, name: string) =>
        await (await ask(path, { headers: { "x-tenant": name } })).text();
      assertEquals(await read("/tenant", "acme"), "acme");
      assertEquals(await read("/whose", "acme"), "acme");
      const [first, other] = [await read("/counted", "a"), await read("/counted", "b")];
      assertEquals([first.split(" ")[0], other.split(" ")[0]], ["a", "b"]);
      assertStringIncludes(await read("/counted", "a"), "a ");
    },
  };
}

class TeaPolicy {
  view(user: fw.User, tea: string): boolean | ReturnType<typeof policy.Deny> {
    return user.ID === "ada" && (tea !== "secret" || policy.Deny("it is secret", { Status: 404 }));
  }

  create(user: fw.User): boolean {
    return user.ID === "ada";
  }
}

/** Creates the feature of policies, in middleware and in handlers. */
export function policyFeature(): Feature {
  return {
    add: (party) => {
      policy.SetLogger(quiet().Logger());
      const own = party.Party("/policy", (ctx) => {
        ctx.SetUser({ ID: ctx.GetHeader("x-user"), Name: "", Roles: [], Method: "test" });
        return ctx.Next();
      });
      own.Get("/teas/{tea}", (ctx) => {
        policy.Check(ctx.User(), TeaPolicy, "view", ctx.Params().Get("tea"));
        ctx.WriteString("tea");
      });
      own.Post("/teas", policy.Require(TeaPolicy, "create"), (ctx) => ctx.StatusCode(201));
    },
    async check({ ask }) {
      const status = async (user: string, path: string, method = "GET") => {
        const response = await ask(path, { method, headers: { ...sameSite, "x-user": user } });
        await response.body?.cancel();
        return response.status;
      };
      assertEquals(await status("ada", "/policy/teas/assam"), 200);
      assertEquals(await status("ada", "/policy/teas/secret"), 404);
      assertEquals(await status("bob", "/policy/teas/assam"), 403);
      assertEquals(await status("ada", "/policy/teas", "POST"), 201);
      assertEquals(await status("bob", "/policy/teas", "POST"), 403);
    },
  };
}

/** Creates the feature of links with tokens, which lead back to the application. */
export function tokenFeature(): Feature {
  const invitations = tokens.New({ Keys: keys.New(keys.Generate()), Purpose: "invitation", Lifetime: 60_000 });
  return {
    add: (party) => {
      party.Get("/invite", (ctx) => ctx.WriteString(ctx.URLPath("join", invitations.Issue("ada", ["free"]))));
      party.Get("/join/{token}", async (ctx) => {
        ctx.WriteString(await invitations.Verify(ctx.Params().Get("token"), () => ["free"]) ?? "gone");
      }).SetName("join");
    },
    async check({ ask, prefix }) {
      const link = await (await ask("/invite")).text();
      // Only the application knows its rewritten paths.
      const own = prefix === "/old" ? link : link.slice(prefix.length);
      assert(own.startsWith("/join/") && (prefix === "/old" || link.startsWith(prefix)), link);
      assertEquals(await (await ask(own)).text(), "ada");
      assertEquals(await (await ask(`${own}x`)).text(), "gone");
    },
  };
}

/** Creates the feature of operations on jobs: pauses, jobs that run now, schedules and batches. */
export function operationsFeature(): Feature {
  const done: string[] = [];
  function pack({ id }: { id: string }): void {
    done.push(id);
  }
  function notify(): void {
    done.push("notified");
  }
  const queue = jobs.New(jobs.NewMemory()).Handle(pack, notify);
  return {
    add: (party) => {
      party.Post("/pack/{id}", async (ctx) => {
        await queue.Add(pack, { id: ctx.Params().Get("id") }, { In: 3_600_000 });
      });
      party.Post("/packs", async () => void await queue.AddBatch(pack, [{ id: "2" }, { id: "3" }], notify));
    },
    async check({ ask }) {
      const post = async (path: string) => {
        const response = await ask(path, { method: "POST", headers: sameSite });
        await response.body?.cancel();
        assertEquals(response.status, 200);
      };
      await queue.Pause(pack);
      await post("/pack/1");
      await post("/packs");
      assertEquals(await queue.RunNow({ Name: "pack" }), 3);
      assertEquals([await queue.Drain(), done], [0, []]);
      await queue.Resume(pack);
      await queue.Drain();
      assertEquals(done.toSorted(), ["1", "2", "3", "notified"]);
      await queue.Schedule("0 3 1 1 *", notify);
      assert(await queue.RunSchedule("notify") !== null);
      assertEquals(await queue.Drain(), 1);
    },
    end: () => queue.Shutdown(),
  };
}

/** Creates the feature of versions that are cached apart. */
export function versionFeature(): Feature {
  let runs = 0;
  return {
    add: (party) => {
      const own = party.Party("/versions", versioning.FromQuery("v", "1.0.0"));
      for (const version of ["1.0.0", "2.0.0"]) {
        versioning.NewGroup(own, version).Get("/tea", cache.New({ MaxAge: 60_000 }), (ctx) => {
          ctx.WriteString(`${version} ${++runs}`);
        });
      }
    },
    async check({ ask, isVersioned }) {
      // The party around it has chosen the version already.
      if (isVersioned) return;
      const read = async (version: string) => await (await ask(`/versions/tea?v=${version}`)).text();
      const [one, two] = [await read("1.0.0"), await read("2.0.0")];
      assertEquals([one.split(" ")[0], two.split(" ")[0]], ["1.0.0", "2.0.0"]);
      assertEquals((await read("1.0.0")).split(" ")[0], "1.0.0");
    },
  };
}
