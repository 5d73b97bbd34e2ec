import { assertEquals, assertLess } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { exampleNames } from "../repo/example.ts";
import { Child } from "../server/support.ts";

const runner = fromFileUrl(new URL("../repo/example.ts", import.meta.url));
const root = fromFileUrl(new URL("../../", import.meta.url));
/** This example starts several processes and needs Redis. It is run by examples/sessions_test.ts. */
const others = ["sessions/redis"];

/** The environment variables of the examples. The login provider is contacted only at the first login. */
const settings: Readonly<Record<string, Record<string, string>>> = {
  "auth/oidc": { ISSUER: "https://login.example", CLIENT_ID: "fw", CLIENT_SECRET: "a secret for tests only" },
};

for (const name of (await exampleNames()).filter((name) => !others.includes(name))) {
  Deno.test(`deno task example ${name} serves with its permissions and leaves nothing behind`, async () => {
    const before = await names(root);
    await using child = new Child(["run", "-A", "--no-check", runner, name], {
      DENO_SERVE_ADDRESS: "tcp:127.0.0.1:0",
      ...settings[name],
    });
    let line: string | undefined;
    do line = await child.line(); while (line !== undefined && !line.includes("Now listening on: "));
    const url = line?.split("Now listening on: ")[1] ?? "http://it.did.not.listen";
    const response = await fetch(url);
    await response.text();
    assertLess(response.status, 500);
    if (name === "upload") await upload(url);
    child.kill("SIGTERM");
    assertEquals((await child.end()).code, 0);
    assertEquals(await names(root), before);
  });
}

async function upload(url: string): Promise<void> {
  const body = new FormData();
  body.append("files[]", new File(["hello"], "hello.txt"));
  const response = await fetch(`${url}/upload`, { method: "POST", body });
  assertEquals((await response.json()).total, 5);
}

async function names(folder: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(folder), ({ name }) => name)).sort();
}
