import { assertEquals, assertLess } from "@std/assert";
import { spy } from "@std/testing/mock";
import { commandLineByPs, isServeCommand, underDenoServe } from "../../../src/http/server/deno_serve.ts";
import { Addr } from "../../../src/http/server/runner.ts";
import { besides, Child } from "./support.ts";

const APP = besides("served_app.ts");

/** Starts the program and returns its output. */
async function told(flags: string[], env: Record<string, string> = {}): Promise<string | undefined> {
  await using child = new Child(["run", "--no-lock", ...flags, APP, "tell"], env);
  return await child.line();
}

/** Starts `deno serve` on a free port and sends it an HTTP request. */
async function asked(...flags: string[]): Promise<string> {
  await using child = new Child(["serve", "--no-lock", "--port", "0", ...flags, APP]);
  return await (await fetch(`http://127.0.0.1:${await child.port()}`)).text();
}

Deno.test("underDenoServe() is false in a test", () => {
  assertEquals(underDenoServe(), false);
});

Deno.test("underDenoServe() is false under deno run, regardless of the permissions", async () => {
  for (const flags of [["-A"], ["-N", "-R"], ["--no-prompt"], ["--no-prompt", "--allow-net=127.0.0.1:0"]]) {
    assertEquals(await told(flags), "served: false", flags.join(" "));
  }
});

Deno.test("underDenoServe() is true under deno serve with all permissions", async () => {
  assertEquals(await asked("-A"), "served: true");
});

Deno.test("underDenoServe() is true if only the address of deno serve is permitted", async () => {
  assertEquals(await told(["--no-prompt", "--allow-net=0.0.0.0:8000"]), "served: true");
  assertEquals(await told(["--no-prompt", "--allow-net=0.0.0.0:8080"]), "served: false");
  assertEquals(await told(["--no-prompt", "--allow-net=0.0.0.0:8080,0.0.0.0:8000"]), "served: false");
});

Deno.test("underDenoServe() queries only a few permissions", () => {
  using query = spy(Deno.permissions, "querySync");
  underDenoServe(Addr(":8080"));
  assertLess(query.calls.length, 8);
});

Deno.test("underDenoServe() is true in every thread of deno serve --parallel", async () => {
  for (const flags of [["-A"], ["--allow-net", "--allow-read"], ["--no-prompt"]]) {
    assertEquals(await asked("--parallel", ...flags), "served: true", flags.join(" "));
  }
});

Deno.test("underDenoServe() is true if DENO_AUTO_SERVE makes deno run serve", async () => {
  assertEquals(await told(["-E"], { DENO_AUTO_SERVE: "1" }), "served: true");
  assertEquals(await told(["-E"]), "served: false");
});

Deno.test("isServeCommand() checks the first argument that is not an option", () => {
  const cases: [line: string, isServe: boolean][] = [
    ["deno serve main.ts", true],
    ["/usr/bin/deno -q serve -A --port 80 main.ts", true],
    ["deno -L debug serve main.ts", true],
    ["deno --log-level=debug serve main.ts", true],
    ["deno run main.ts serve", false],
    ["deno main.ts serve", false],
    ["deno task serve", false],
    ["deno test -A", false],
    ["deno", false],
  ];
  for (const [line, isServe] of cases) assertEquals(isServeCommand(line.split(" ")), isServe, line);
  assertEquals(isServeCommand([]), false);
});

Deno.test({
  name: "commandLineByPs() finds the command of this process",
  ignore: Deno.build.os === "windows",
  fn() {
    const [program, command] = commandLineByPs();
    assertEquals(program, "deno");
    assertEquals(command, "test");
  },
});
