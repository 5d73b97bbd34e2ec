import { assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { tlsFile } from "../http/server/support.ts";
import { freePort } from "../free_port.ts";
import { currentPage, page } from "./permission_table.ts";
import { anyRedis, ignoredFor, redisIsMissing } from "../state/sessions/redis_server.ts";

const program = fromFileUrl(new URL("./permitted.ts", import.meta.url));

/** Returns the flags for a feature from the guide. */
async function flagsOf(feature: string): Promise<string> {
  const line = (await Deno.readTextFile(page)).split("\n").find((each) =>
    each.startsWith("|") && each.includes(feature) && each.includes("--allow-")
  );
  return /\| `(--[^`]*)`/.exec(line ?? "")?.[1] ?? "";
}

async function run(flags: readonly string[], args: readonly string[], env: Record<string, string>): Promise<string> {
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--no-lock", ...flags, program, ...args],
    env: { NO_COLOR: "1", ...env },
  }).output();
  return new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
}

Deno.test("the guide lists the flags that the permissions command finds", async () => {
  assertEquals(await Deno.readTextFile(page), await currentPage());
});

const features = [
  "fw.Addr",
  "fw.TLS",
  "fw.Unix",
  "app.HandleDir",
  "ctx.UploadFormFiles",
  "Forms with files",
  "@fw/web/sessions/sqlite",
  "@fw/web/sessions/redis",
  "fw.Env",
  "Log files",
];

for (const feature of features) {
  const reason = feature.endsWith("redis") ? redisIsMissing : undefined;
  Deno.test({
    name: `${feature} needs the permissions that the guide lists, and no others${ignoredFor(reason)}`,
    ignore: reason !== undefined,
    async fn() {
      const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "fw_permissions_" }));
      await using redis = feature.endsWith("redis") ? await anyRedis() : undefined;
      try {
        await Deno.writeTextFile(`${folder}/a.txt`, "a");
        const address = `127.0.0.1:${freePort()}`;
        const [certificate, key] = [tlsFile("localhost.crt"), tlsFile("localhost.key")];
        const names: Record<string, string> = {
          ADDRESS: address,
          CERTIFICATE: certificate,
          KEY: key,
          SOCKET: `${folder}/s.sock`,
          FOLDER: folder,
          TMPDIR: folder,
          FILE: `${folder}/a.db`,
          NAMES: "PORT,APP_SECRET",
          REDIS: redis === undefined ? "" : new URL(redis.URL).host,
        };
        const flags = await flagsOf(feature);
        const place = /unix:SOCKET|ADDRESS|FOLDER|TMPDIR|FILE|REDIS/.exec(flags)?.[0].replace("unix:", "") ?? "";
        const args = [feature, names[place] ?? "", `${certificate},${key}`];
        const given = flags.split(" ").map((flag) => flag.replace(/\b[A-Z]+\b/g, (name) => names[name] ?? name));
        const env = { TMPDIR: folder };
        assertEquals(await run(given, args, env), "works\n");
        for (const [at, flag] of given.entries()) {
          const said = await run(given.toSpliced(at, 1), args, env);
          assertStringIncludes(said, flag.split("=")[0] ?? flag, `without ${flag}`);
        }
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    },
  });
}
