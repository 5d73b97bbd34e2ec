import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { walk } from "@std/fs";
import { newApp } from "../../examples/realworld/main.ts";
import type * as fw from "../../mod.ts";
import { overSocket } from "../serving.ts";

interface Asked {
  readonly body?: unknown;
  readonly token?: string;
}

/** A parsed response, without types. */
type Parsed = ReturnType<typeof JSON.parse>;

type Call = (method: string, path: string, asked?: Asked) => Promise<{ status: number; json: Parsed }>;

function quietApp(): fw.Application {
  const app = newApp({ Database: ":memory:", Secret: "a secret for tests only, of 32 bytes or more" });
  app.Logger().SetLevel("disable");
  return app;
}

async function withAPI(work: (call: Call, port: number) => Promise<void>): Promise<void> {
  const app = quietApp();
  await overSocket(app, async (ask, port) => {
    await work(async (method, path, { body, token } = {}) => {
      const headers = {
        ...body === undefined ? {} : { "content-type": "application/json" },
        ...token === undefined ? {} : { authorization: `Token ${token}` },
      };
      const question = { method, headers, ...body === undefined ? {} : { body: JSON.stringify(body) } };
      const { status, text } = await ask(`/api${path}`, question);
      return { status, json: text === "" ? {} : JSON.parse(text) };
    }, port);
  });
  await app.Shutdown();
}

/** Registers a user and returns the token. */
async function register(call: Call, username: string): Promise<string> {
  const user = { username, email: `${username}@example.com`, password: "correct horse" };
  const { status, json } = await call("POST", "/users", { body: { user } });
  assertEquals(status, 201);
  return json["user"]["token"];
}

Deno.test("examples/realworld registers, logs in and changes users", async () => {
  await withAPI(async (call) => {
    const token = await register(call, "ann");
    const taken = await call("POST", "/users", {
      body: { user: { username: "ANN", email: "other@example.com", password: "correct horse" } },
    });
    assertEquals([taken.status, taken.json], [409, { errors: { username: ["has already been taken"] } }]);
    const twin = { user: { username: "twin", email: "twin@example.com", password: "correct horse" } };
    const twins = await Promise.all([1, 2].map(() => call("POST", "/users", { body: twin })));
    assertEquals(twins.map(({ status }) => status).toSorted(), [201, 409]);
    const bad = await call("POST", "/users", { body: { user: { username: " ", email: "x", password: "short" } } });
    assertEquals([bad.status, bad.json], [422, {
      errors: {
        username: ["can't be blank"],
        email: ["is invalid"],
        password: ["is too short (minimum is 8 characters)"],
      },
    }]);
    const wrong = await call("POST", "/users/login", { body: { user: { email: "ann@example.com", password: "no" } } });
    assertEquals([wrong.status, wrong.json], [401, { errors: { credentials: ["invalid"] } }]);
    const login = { user: { email: "ann@example.com", password: "correct horse" } };
    assertEquals((await call("POST", "/users/login", { body: login })).json["user"]["username"], "ann");
    assertEquals((await call("GET", "/user")).status, 401);
    assertEquals((await call("GET", "/user", { token: "forged.token.here" })).status, 401);
    const changed = await call("PUT", "/user", { token, body: { user: { bio: "tea", image: "" } } });
    assertEquals([changed.json["user"]["bio"], changed.json["user"]["image"]], ["tea", null]);
  });
});

Deno.test("examples/realworld publishes, finds, favorites and removes articles", async () => {
  await withAPI(async (call) => {
    const [ann, bob] = [await register(call, "ann"), await register(call, "bob")];
    const article = { title: "How to brew?", description: "Tea", body: "Slowly", tagList: ["tea", "green"] };
    const created = await call("POST", "/articles", { token: ann, body: { article } });
    assertEquals([created.status, created.json["article"]["slug"]], [201, "how-to-brew"]);
    assertEquals(created.json["article"]["tagList"], ["green", "tea"]);
    assertMatch(created.json["article"]["createdAt"], /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    await call("POST", "/articles", { token: ann, body: { article } });
    assertEquals((await call("GET", "/articles/how-to-brew-2")).status, 200);
    assertEquals((await call("GET", "/articles?tag=green&limit=1")).json["articlesCount"], 2);
    assertEquals((await call("GET", "/articles?limit=1")).json["articles"][0]["body"], undefined);
    const favored = await call("POST", "/articles/how-to-brew/favorite", { token: bob });
    assertEquals([favored.json["article"]["favorited"], favored.json["article"]["favoritesCount"]], [true, 1]);
    assertEquals((await call("GET", "/articles?favorited=bob")).json["articlesCount"], 1);
    assertEquals((await call("GET", "/articles/feed", { token: bob })).json["articlesCount"], 0);
    assertEquals((await call("POST", "/profiles/ann/follow", { token: bob })).json["profile"]["following"], true);
    assertEquals((await call("GET", "/articles/feed", { token: bob })).json["articlesCount"], 2);
    const foreign = await call("DELETE", "/articles/how-to-brew", { token: bob });
    assertEquals([foreign.status, foreign.json], [403, { errors: { article: ["forbidden"] } }]);
    const renamed = await call("PUT", "/articles/how-to-brew", { token: ann, body: { article: { title: "Brewing" } } });
    assertEquals(renamed.json["article"]["slug"], "brewing");
    assertEquals((await call("DELETE", "/articles/brewing", { token: ann })).status, 204);
    assertEquals((await call("GET", "/articles/brewing")).json, { errors: { article: ["not found"] } });
    assertEquals((await call("GET", "/tags")).json, { tags: ["green", "tea"] });
  });
});

Deno.test("examples/realworld stores comments, which only their authors can delete", async () => {
  await withAPI(async (call) => {
    const [ann, bob] = [await register(call, "ann"), await register(call, "bob")];
    await call("POST", "/articles", { token: ann, body: { article: { title: "A", description: "b", body: "c" } } });
    const comment = await call("POST", "/articles/a/comments", { token: bob, body: { comment: { body: "Nice" } } });
    assertEquals([comment.status, comment.json["comment"]["author"]["username"]], [201, "bob"]);
    const id = comment.json["comment"]["id"];
    assertEquals((await call("GET", "/articles/a/comments")).json["comments"]["length"], 1);
    assertEquals((await call("DELETE", `/articles/a/comments/${id}`, { token: ann })).status, 403);
    assertEquals((await call("DELETE", `/articles/a/comments/${id}`, { token: bob })).status, 204);
    assertEquals((await call("DELETE", `/articles/a/comments/${id}`, { token: bob })).status, 404);
  });
});

Deno.test("examples/realworld renders escaped pages and documents its API", async () => {
  await withAPI(async (call, port) => {
    const token = await register(call, "ann");
    const article = { title: "<b>Tea</b>", description: "About tea", body: "One\n\nTwo", tagList: ["tea"] };
    await call("POST", "/articles", { token, body: { article } });
    const get = async (path: string) => await (await fetch(`http://127.0.0.1:${port}${path}`)).text();
    assertStringIncludes(await get("/"), "&lt;b&gt;Tea&lt;/b&gt;");
    assertStringIncludes(await get("/article/b-tea-b"), "<p>Two</p>");
    assertStringIncludes(await get("/profile/ann"), "About tea");
    assertStringIncludes(await get("/article/b-tea-b"), "<title>&lt;b&gt;Tea&lt;/b&gt;</title>");
    assertStringIncludes(await get("/article/none"), "There is no such page.");
    assertStringIncludes(await get("/static/style.css"), "color-scheme");
    const document = JSON.parse(await get("/openapi.json"));
    assertEquals(Object.keys(document.paths["/api/articles"]), ["get", "post"]);
    assertEquals(document.paths["/api/articles"].get.parameters.length, 5);
  });
});

Deno.test("examples/realworld has fewer than 1,000 lines", async () => {
  let lines = 0;
  for await (const { path } of walk(new URL("../../examples/realworld", import.meta.url), { includeDirs: false })) {
    lines += (await Deno.readTextFile(path)).split("\n").length - 1;
  }
  assert(lines < 1000, `${lines} lines`);
});
