import { assertEquals, assertStringIncludes } from "@std/assert";
import { askOverSocket } from "../../serving.ts";
import { besides, Child, temporaryFolder } from "./support.ts";

const SITE = besides("shared_site.ts");

/** Waits until a number of members are serving, each having responded on a separate connection. */
async function untilMembers(port: number, count: number): Promise<void> {
  const members = new Set<string>();
  while (members.size < count) members.add((await askOverSocket(port, "/member")).text);
}

/** Sends many requests at once over separate connections, so that they are distributed over all members. */
async function assertShared(port: number): Promise<void> {
  const first = await askOverSocket(port, "/visit");
  const cookie = first.headers.get("set-cookie")?.split(";", 1)[0] ?? "";
  const visit = () => askOverSocket(port, "/visit", { headers: { cookie } });
  await Promise.all(Array.from({ length: 60 }, visit));
  assertEquals((await visit()).text, "62");
  const statuses = await Promise.all(
    Array.from({ length: 40 }, async () => (await askOverSocket(port, "/rare")).status),
  );
  assertEquals(statuses.filter((status) => status === 200).length, 10);
  assertEquals(statuses.filter((status) => status === 429).length, 30);
}

Deno.test("deno serve --parallel shares sessions and rates through SQLite between its threads", async () => {
  await using folder = await temporaryFolder();
  const flags = ["serve", "-A", "--no-lock", "--no-check", "--parallel", "--port", "0", SITE];
  await using child = new Child(flags, { DENO_JOBS: "2", FOLDER: folder.path });
  const port = await child.port();
  await untilMembers(port, 2);
  await assertShared(port);
});

Deno.test("deno serve --parallel with sessions in memory logs a warning, and deno serve does not", async () => {
  const flags = ["serve", "-A", "--no-lock", "--no-check", "--port", "0"];
  await using parallel = new Child([...flags, "--parallel", besides("memory_site.ts")], { DENO_JOBS: "2" });
  assertEquals((await askOverSocket(await parallel.port(), "/")).text, "hello");
  assertStringIncludes(await parallel.line() ?? "", "Sessions are stored in the memory of each thread");
  await using single = new Child([...flags, besides("memory_site.ts")]);
  assertEquals((await askOverSocket(await single.port(), "/")).text, "hello");
  single.kill("SIGTERM");
  assertEquals((await single.end()).lines, []);
});

Deno.test("WithSocketSharding shares sessions and rates through SQLite between processes", async () => {
  await using folder = await temporaryFolder();
  const flags = ["run", "-A", "--no-lock", "--no-check", "--unstable-net", SITE, "sharded"];
  await using first = new Child([...flags, "127.0.0.1:0"], { FOLDER: folder.path });
  const port = await first.port();
  await using second = new Child([...flags, `127.0.0.1:${port}`], { FOLDER: folder.path });
  assertEquals(await second.port(), port);
  await untilMembers(port, 2);
  await assertShared(port);
});
