import { assertEquals, assertMatch } from "@std/assert";
import { besides, Child, output, tlsFile } from "./support.ts";

const PORT_80 = 'Cannot listen on "127.0.0.1:80": the system does not allow this port, ' +
  "choose one above 1023 or grant the right to bind it\n";

async function end(child: Child): Promise<{ code: number; lines: string[]; errors: string }> {
  await using running = child;
  return await running.end();
}

Deno.test("reportFailure() prints one line without a stack, and ends the process with code 1", async () => {
  using other = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const address = `127.0.0.1:${other.addr.port}`;
  const why = "the port is in use, stop the program that holds it or choose another port";
  assertEquals(await end(Child.serve("addr", address)), {
    code: 1,
    lines: [],
    errors: `Cannot listen on "${address}": ${why}\n`,
  });
  assertEquals(await end(Child.serve("app", address)), {
    code: 1,
    lines: [],
    errors: `Cannot listen on "${address}": ${why}\n`,
  });
  assertEquals(await end(Child.serve("addr", ":x")), {
    code: 1,
    lines: [],
    errors: 'Cannot read listen address ":x": port "x" is not a number\n',
  });
  assertEquals(await end(Child.serve("tls", tlsFile("localhost.crt"), "none.key")), {
    code: 1,
    lines: [],
    errors: 'Cannot read key "none.key": there is no such file, check the path\n',
  });
});

Deno.test("reportFailure() names the permission that Deno was not given", async () => {
  const run = (...args: string[]) => end(new Child(["run", "--no-lock", "--no-prompt", ...args]));
  const child = besides("child.ts");
  assertEquals(
    (await run(child, "addr", "127.0.0.1:0")).errors,
    [
      'Cannot listen on "127.0.0.1:0": Deno has no permission for it, run with --allow-net\n',
    ].join(""),
  );
  assertEquals(
    (await run("--allow-net", child, "tls", "a.crt", "a.key")).errors,
    [
      'Cannot read certificate "a.crt": Deno may not read it, run with --allow-read\n',
    ].join(""),
  );
  assertEquals(
    (await run("--allow-net", child, "unix", "a.sock")).errors,
    [
      'Cannot listen on unix socket "a.sock": Deno has no permission for it, run with --allow-read and --allow-write\n',
    ].join(""),
  );
});

Deno.test({
  name: "reportFailure() says that the system does not allow a port",
  // Root may bind every port unless the right is taken away, which setpriv does.
  ignore: Deno.build.os !== "linux" || Deno.uid() !== 0,
  async fn() {
    const limits = ["--bounding-set", "-net_bind_service", "--inh-caps", "-net_bind_service"];
    const args = [...limits, Deno.execPath(), "run", "-A", "--no-lock", besides("child.ts"), "addr", "127.0.0.1:80"];
    assertEquals(await output("setpriv", ...args), PORT_80);
  },
});

Deno.test("reportFailure() shows the stack of what is a bug and not a failure to start", async () => {
  const { code, errors } = await end(Child.serve("bug"));
  assertEquals(code, 1);
  assertMatch(errors, /^TypeError: a bug\n {4}at /);
});
