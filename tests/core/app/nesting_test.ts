import * as fw from "@fw/web";
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { Child } from "../../http/server/support.ts";
import { quiet } from "../../serving.ts";

const names = ["outer", "left", "right", "shared"];
const program = fromFileUrl(new URL("./nested_app.ts", import.meta.url));

function run(...args: string[]): Child {
  return new Child(["run", "-A", "--no-lock", "--no-check", program, ...args]);
}

/** Reads lines until one of them is found. */
async function linesUntil(child: Child, last: (line: string) => boolean): Promise<string[]> {
  const lines: string[] = [];
  for (let line = await child.line(); line !== undefined; line = await child.line()) {
    lines.push(line);
    if (last(line)) break;
  }
  return lines;
}

/** Asserts that a step was taken once by every application. */
function assertOnce(lines: readonly string[], step: string): void {
  for (const name of names) {
    assertEquals(lines.filter((line) => line === `${name}: ${step}`).length, 1, `${name}: ${step}`);
  }
}

/** Returns the names in the order in which they took a step. */
function order(lines: readonly string[], step: string): string[] {
  return lines.filter((line) => line.endsWith(`: ${step}`)).map((line) => line.slice(0, line.indexOf(":")));
}

Deno.test("Application: nested applications start once and end once, in order, when a signal stops the outer one", async () => {
  await using child = run("run");
  const begin = await linesUntil(child, (line) => line === "outer: started");
  assertOnce(begin, "checked");
  assertOnce(begin, "started");
  assertEquals(order(begin, "started").at(-1), "outer");
  const port = begin.find((line) => line.startsWith("port "))?.slice(5);
  for (
    const [path, host, text] of [
      ["/sites/controller", "left.test", "left"],
      ["/sites/shared/controller", "right.test", "shared"],
      ["/left/shared/controller", "x.test", "shared"],
    ] as const
  ) {
    const client = Deno.createHttpClient({ allowHost: true });
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { host }, client });
    assertEquals(await response.text(), text);
    client.close();
  }
  child.kill("SIGTERM");
  const { code, lines } = await child.end();
  assertEquals(code, 0);
  for (const step of ["told to stop", "drained", "interrupted", "shutdown", "disposed"]) assertOnce(lines, step);
  assertEquals(order(lines, "shutdown")[0], "outer");
  assertEquals(order(lines, "shutdown").at(-1), "shared");
  for (const name of ["left", "shared"]) {
    assertEquals(lines.filter((line) => line === `${name}: singleton disposed`).length, 1);
  }
  for (const name of names) {
    const steps = ["told to stop", "drained", "shutdown", "disposed"].map((step) => lines.indexOf(`${name}: ${step}`));
    assertEquals(steps, steps.toSorted((a, b) => a - b), name);
  }
});

Deno.test("Application: nested applications run no work but end once if a start-up check inside fails", async () => {
  await using child = run("check");
  const { code, lines, errors } = await child.end();
  assertEquals(code, 1);
  assertStringIncludes(errors, 'the check "broken" of "steps" failed');
  assertEquals(order(lines, "started"), []);
  for (const step of ["shutdown", "disposed"]) assertOnce(lines, step);
});

Deno.test("Application: nested applications end once if the outer one cannot listen", async () => {
  using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  await using child = run("run", String(taken.addr.port));
  const { code, lines } = await child.end();
  assertEquals(code, 1);
  assertEquals(order(lines, "started"), []);
  for (const step of ["shutdown", "disposed"]) assertOnce(lines, step);
});

Deno.test("Application: nested applications start and end with deno serve", async () => {
  await using child = new Child(["serve", "-A", "--no-lock", "--no-check", "--port", "0", program]);
  const begin = await linesUntil(child, (line) => line === "outer: started");
  assertOnce(begin, "started");
  child.kill("SIGTERM");
  const { lines } = await child.end();
  for (const step of ["told to stop", "drained", "shutdown", "disposed"]) assertOnce(lines, step);
});

Deno.test("Application: an application that is reached in two ways ends with the last of them", async () => {
  const steps: string[] = [];
  const inner = quiet();
  inner.Get("/", (ctx) => ctx.WriteString("inner"));
  inner.Install({
    Name: "steps",
    Install: (host) =>
      host.Run(() => void steps.push("started"), {
        Drain: () => void steps.push("drained"),
        Dispose: () => void steps.push("disposed"),
      }),
  });
  const both = [quiet(), quiet()];
  const addresses: number[] = [];
  const runs = both.map((app) => {
    app.Mount("/m", inner);
    const { promise, resolve } = Promise.withResolvers<void>();
    const running = app.Run(
      "127.0.0.1:0",
      fw.WithoutStartupLog,
      fw.WithOnListen((addr) => {
        addresses.push((addr as Deno.NetAddr).port);
        resolve();
      }),
    );
    return { listening: promise, running };
  });
  await Promise.all(runs.map(({ listening }) => listening));
  await both[0]?.Shutdown();
  await runs[0]?.running;
  assertEquals(steps, ["started"]);
  const response = await fetch(`http://127.0.0.1:${addresses[1]}/m`);
  assertEquals(await response.text(), "inner");
  await both[1]?.Shutdown();
  await runs[1]?.running;
  assertEquals(steps, ["started", "drained", "disposed"]);
});

Deno.test("Party.Mount() refuses an application that would pass requests to itself", () => {
  const app = quiet();
  const inner = quiet();
  inner.Mount("/back", app);
  for (const mounted of [app, app.fetch, inner, inner.fetch]) {
    const error = assertThrows(() => app.Mount("/m", mounted), fw.FrameworkError);
    assertEquals(error.Code, "FW_STATE");
    assertStringIncludes(error.message, 'Cannot mount an application at "/m"');
  }
});
