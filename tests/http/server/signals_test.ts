import { assert, assertEquals, assertGreater, assertRejects } from "@std/assert";
import { inTime } from "../../in_time.ts";
import { load } from "./load.ts";
import { besides, Child, temporaryFolder } from "./support.ts";

const HELLO = "Received SIGTERM: draining requests; send a second signal to exit immediately";

/** The time within which a repeated signal is treated as one. */
const MOMENT_MS = 100;

/** Requests a URL. A failure is only reported when the response is awaited. */
function textOf(url: string): Promise<string> {
  const text = fetch(url).then((response) => response.text());
  text.catch(() => {});
  return text;
}

for (const mode of ["quick", "later"]) {
  Deno.test(`SIGTERM under load loses no request: 64 busy connections, ${mode} handler`, async () => {
    await using child = Child.serve(mode);
    const port = await child.port();
    const tally = await load(port, 64, (responded) => {
      if (responded === 200) child.kill("SIGTERM");
    });
    const { code, lines } = await child.end();
    assertEquals({ lost: tally.lost, broken: tally.broken }, { lost: 0, broken: 0 });
    assertGreater(tally.responded, 200);
    assertGreater(tally.goodbyes, 60);
    assertEquals(lines, [HELLO, "finished SIGTERM true"]);
    assertEquals(code, 0);
  });
}

Deno.test("SIGTERM and SIGINT finish a request in flight, then the process ends with code 0", async () => {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    await using child = Child.serve("slow");
    const port = await child.port();
    const response = fetch(`http://127.0.0.1:${port}`);
    assertEquals(await child.line(), "request");
    child.kill(signal);
    assertEquals(await (await response).text(), "hello from the child");
    const { code, lines } = await child.end();
    assertEquals(lines, [HELLO.replace("SIGTERM", signal), `finished ${signal} true`]);
    assertEquals(code, 0);
    await assertRejects(() => Deno.connect({ hostname: "127.0.0.1", port }), Deno.errors.ConnectionRefused);
  }
});

Deno.test("SIGTERM stops every server of the process", async () => {
  await using child = Child.serve("two");
  const responses = [await child.port(), await child.port()].map((port) => fetch(`http://127.0.0.1:${port}`));
  assertEquals([await child.line(), await child.line()], ["request", "request"]);
  child.kill("SIGTERM");
  for (const response of responses) assertEquals(await (await response).text(), "hello from the child");
  const { code, lines } = await child.end();
  assertEquals(lines, [HELLO, HELLO, "finished SIGTERM true", "finished SIGTERM true"]);
  assertEquals(code, 0);
});

Deno.test("A second signal ends the process immediately and removes the Unix socket", async () => {
  await using folder = await temporaryFolder();
  const path = `${folder.path}/http.sock`;
  for (const [signal, code] of [["SIGTERM", 143], ["SIGINT", 130]] as const) {
    await using child = Child.serve("unix-never", path);
    assertEquals(await child.line(), "open");
    const connection = await Deno.connect({ transport: "unix", path });
    await connection.write(new TextEncoder().encode("GET / HTTP/1.1\r\nhost: a\r\n\r\n"));
    assertEquals(await child.line(), "request");
    child.kill("SIGTERM");
    assertEquals(await child.line(), HELLO);
    // A single Ctrl+C may arrive twice, but a person takes longer than this to press it again.
    await new Promise((resolve) => setTimeout(resolve, 150));
    child.kill(signal);
    assertEquals(await child.end(), { code, lines: [], errors: "" });
    connection.close();
    await assertRejects(() => Deno.lstat(path), Deno.errors.NotFound);
  }
});

Deno.test("The same signal twice within a moment is treated as one", async () => {
  await inTime(MOMENT_MS, async (begin) => {
    await using child = Child.serve("slow");
    const response = textOf(`http://127.0.0.1:${await child.port()}`);
    assertEquals(await child.line(), "request");
    begin();
    child.kill("SIGTERM");
    assertEquals(await child.line(), HELLO);
    child.kill("SIGTERM");
    assertEquals(await response, "hello from the child");
    assertEquals((await child.end()).code, 0);
  });
});

Deno.test("SIGINT and SIGTERM within a moment are treated as one, as deno run --watch sends them", async () => {
  await inTime(MOMENT_MS, async (begin) => {
    await using child = Child.serve("slow");
    const response = textOf(`http://127.0.0.1:${await child.port()}`);
    assertEquals(await child.line(), "request");
    begin();
    child.kill("SIGINT");
    child.kill("SIGTERM");
    assertEquals(await response, "hello from the child");
    assertEquals((await child.end()).code, 0);
  });
});

Deno.test("Ctrl+C under deno run --watch finishes a request in flight and prints nothing else", async () => {
  await inTime(MOMENT_MS, async (begin) => {
    await using child = new Child(["run", "-A", "--no-lock", "--watch", besides("child.ts"), "slow"]);
    const response = textOf(`http://127.0.0.1:${await child.port()}`);
    assertEquals(await child.line(), "request");
    begin();
    child.kill("SIGINT");
    assertEquals(await response, "hello from the child");
    const { lines } = await child.end();
    assertEquals(lines, [HELLO.replace("SIGTERM", "SIGINT"), "finished SIGINT true"]);
  });
});

Deno.test("SIGTERM ends a process within the limit even if a request never ends", async () => {
  await inTime(1000, async (begin) => {
    await using child = Child.serve("never", "1000");
    const port = await child.port();
    const response = assertRejects(() => fetch(`http://127.0.0.1:${port}`), TypeError);
    assertEquals(await child.line(), "request");
    begin();
    const killed = performance.now();
    child.kill("SIGTERM");
    const { code, lines } = await child.end();
    const took = performance.now() - killed;
    await response;
    assertEquals(lines, [
      HELLO,
      `Cut off the requests on http://127.0.0.1:${port} that were still in flight after 875 ms; the remaining 125 ms ` +
      "of the shutdown timeout are reserved for shutdown tasks",
      "finished SIGTERM false",
    ]);
    assertEquals(code, 143);
    assert(took > 875, `took ${took} ms`);
  });
});

Deno.test("SIGTERM ends a process that something else keeps alive after the limit, with code 0", async () => {
  await using child = Child.serve("interval", "1000");
  await child.port();
  child.kill("SIGTERM");
  const { code, lines } = await child.end();
  assertEquals(lines, [HELLO, "finished SIGTERM true"]);
  assertEquals(code, 0);
});
