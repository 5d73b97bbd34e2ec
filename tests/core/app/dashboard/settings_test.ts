import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import * as fw from "../../../../mod.ts";
import { listen, logged, overSocket } from "../../../serving.ts";

const json = { headers: { accept: "application/json" } };
const here = fromFileUrl(import.meta.url);

/** The settings, as the page shows them. */
interface Settings {
  readonly Versions: readonly { Name: string; Version: string }[];
  readonly Options: readonly { Name: string; Value: string; Place: string }[];
  readonly Permissions: readonly { Permission: string; State: string }[];
  readonly Environment: readonly { Name: string; Value: string }[];
}

/** Returns the line of the caller. */
function line(): number {
  const [, found] = /settings_test\.ts:(\d+)/.exec(new Error().stack?.split("\n")[2] ?? "") ?? [];
  return Number(found);
}

Deno.test("/_fw/settings shows the file and line that has set an option, or that it is a default", async () => {
  const { app } = logged();
  app.Configure(fw.WithCharset("latin1"), fw.WithMaxBody(7_000));
  app.Configure(fw.WithDevelopment, fw.WithMaxBody(8_000));
  const second = line() - 1;
  const { url, ended } = await listen(app);
  try {
    const { Options }: Settings = await (await fetch(`${url}_fw/settings`, json)).json();
    const found = new Map(Options.map(({ Name, Value, Place }) => [Name, [Value, Place]]));
    // Outside of development, nothing is kept.
    assertEquals(found.get("Charset"), ['"latin1"', "before fw.WithDevelopment"]);
    assertEquals(found.get("MaxBody"), ["8000", `${here}:${second}`]);
    assertEquals(found.get("Development"), ["true", `${here}:${second}`]);
    assertEquals(found.get("MaxForm"), ["10485760", "default"]);
    // The options of Run are set by the helper of the tests.
    assertMatch(found.get("StartupLog")?.join(" ") ?? "", /^false .*serving\.ts:\d+$/);
    const page = await (await fetch(`${url}_fw/settings`)).text();
    assertMatch(page, /<td>MaxBody<\/td><td>8000<\/td><td><a href="[a-z]+:\/\/[^"]*settings_test\.ts:\d+">/);
    assertStringIncludes(page, "<td>MaxForm</td><td>10485760</td><td>default</td>");
  } finally {
    await app.Shutdown();
    await ended;
  }
});

Deno.test("/_fw/settings shows versions, permissions, and the environment without secrets", async () => {
  const variables: Record<string, string> = {
    FW_TEST_PLAIN: "Assam",
    FW_TEST_PASSWORD: "pot-word",
    FW_TEST_API_KEY: "pot-word",
    FW_TEST_SIGNING_KEY: "pot-word",
    FW_TEST_URL: "postgres://ada:pot-word@localhost/teas?sslmode=off",
  };
  for (const [name, value] of Object.entries(variables)) Deno.env.set(name, value);
  try {
    const { app } = logged(fw.New().Configure(fw.WithDevelopment));
    await overSocket(app, async (ask) => {
      const { text } = await ask("/_fw/settings", json);
      assert(!text.includes("pot-word"));
      const { Versions, Permissions, Environment }: Settings = JSON.parse(text);
      assertEquals(Versions.find(({ Name }) => Name === "Deno")?.Version, Deno.version.deno);
      assertEquals(Permissions.find(({ Permission }) => Permission === "net")?.State, "granted");
      const shown = Object.fromEntries(Environment.map(({ Name, Value }) => [Name, Value]));
      assertEquals(shown.FW_TEST_PLAIN, "Assam");
      assertEquals(shown.FW_TEST_URL, "postgres://ada:(hidden)@localhost/teas?sslmode=off");
    });
  } finally {
    for (const name of Object.keys(variables)) Deno.env.delete(name);
  }
});
