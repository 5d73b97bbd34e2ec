import { assert, assertEquals, assertRejects } from "@std/assert";
import { FrameworkError } from "../../../src/base/errors/errors.ts";
import { listenError } from "../../../src/http/server/listen_error.ts";
import { Addr, type Runner, TLS, Unix } from "../../../src/http/server/runner.ts";
import { serve, type ServeOptions } from "../../../src/http/server/serve.ts";
import { Child, temporaryFolder, tlsFile } from "./support.ts";

const CERTIFICATE = tlsFile("localhost.crt");
const KEY = tlsFile("localhost.key");

async function refusal(runner: Runner, options?: ServeOptions): Promise<FrameworkError> {
  const error = await assertRejects(() => serve(runner, () => new Response(), options), FrameworkError);
  assert(!error.message.includes("\n"), "more than one line");
  return error;
}

async function assertRefused(runner: Runner, message: string): Promise<void> {
  const error = await refusal(runner);
  assertEquals(error.message, message);
  assertEquals(error.Code, "FW_LISTEN");
}

Deno.test("serve() reports a port that is in use", async () => {
  using other = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const address = `127.0.0.1:${other.addr.port}`;
  const why = "the port is already in use; stop the program that uses it or choose another port";
  await assertRefused(Addr(address), `Cannot listen on "${address}": ${why}`);
  await assertRefused(TLS(address, CERTIFICATE, KEY), `Cannot listen on "${address}": ${why}`);
});

Deno.test("listenError() explains a port that is not allowed on every system", () => {
  const denied = new Deno.errors.PermissionDenied("denied");
  for (const system of ["linux", "darwin", "windows"] as const) {
    const { message } = listenError(Addr(":50000"), denied, system);
    assertEquals(message.includes("above 1023"), system !== "windows", message);
    assertEquals(message.includes("excludedportrange"), system === "windows", message);
  }
});

Deno.test("serve() reports an address that cannot be parsed", async () => {
  const error = await refusal(Addr("localhost"));
  assertEquals(error.Code, "FW_ADDRESS");
});

Deno.test("serve() reports an address of another machine", async () => {
  // 192.0.2.0/24 is reserved for documentation, so no machine has such an address.
  await assertRefused(
    Addr("192.0.2.1:0"),
    'Cannot listen on "192.0.2.1:0": no network interface of this machine has this address',
  );
  await assertRefused(
    Addr("no.such.invalid:0"),
    'Cannot listen on "no.such.invalid:0": the host name cannot be resolved',
  );
});

Deno.test("serve() reports a certificate or key that cannot be read", async () => {
  const folder = tlsFile("");
  const garbage = new URL("./support.ts", import.meta.url);
  await assertRefused(
    TLS(":0", "none.crt", KEY),
    'Cannot read certificate "none.crt": the file does not exist; check the path',
  );
  await assertRefused(
    TLS(":0", CERTIFICATE, folder),
    `Cannot read key "${folder}": it is a directory; specify a file in it`,
  );
  await assertRefused(
    TLS(":0", garbage, KEY),
    `Cannot listen on ":0": certificate "${garbage}" does not contain a valid certificate`,
  );
  await assertRefused(
    TLS(":0", CERTIFICATE, CERTIFICATE),
    `Cannot listen on ":0": key "${CERTIFICATE}" does not contain a valid, unencrypted private key`,
  );
});

Deno.test("serve() reports a key that does not match its certificate without printing the key", async () => {
  const other = tlsFile("other.key");
  await assertRefused(
    TLS(":0", CERTIFICATE, other),
    `Cannot listen on ":0": key "${other}" does not belong to certificate "${CERTIFICATE}"`,
  );
  await assertRefused(
    TLS(":0", await Deno.readTextFile(CERTIFICATE), await Deno.readTextFile(other)),
    'Cannot listen on ":0": the key given as text does not belong to the certificate given as text',
  );
});

Deno.test("Unix() reports a missing directory, a path that is too long, or an existing file", async () => {
  await using folder = await temporaryFolder();
  const missing = `${folder.path}/none/http.sock`;
  const long = `${folder.path}/${"x".repeat(200)}`;
  await assertRefused(
    Unix(missing),
    `Cannot listen on unix socket "${missing}": its directory does not exist; create it first`,
  );
  await assertRefused(Unix(long), `Cannot listen on unix socket "${long}": the path is too long for a socket`);
  await assertRefused(
    Unix(folder.path),
    `Cannot listen on unix socket "${folder.path}": the file exists and is not a socket; remove it or choose another path`,
  );
});

Deno.test("Unix() does not replace the socket of a running server, but replaces a stale one", async () => {
  await using folder = await temporaryFolder();
  const path = `${folder.path}/http.sock`;
  await using other = Child.serve("unix", path);
  assertEquals(await other.line(), "open");
  await assertRefused(
    Unix(path),
    `Cannot listen on unix socket "${path}": another server is using it; stop that server or choose another path`,
  );
  other.kill("SIGKILL");
  await other.end();
  assert((await Deno.lstat(path)).isSocket);

  const running = await serve(Unix(path), () => new Response("mine"));
  const connection = await Deno.connect({ transport: "unix", path });
  connection.close();
  await running.shutdown();
  await assertRejects(() => Deno.lstat(path), Deno.errors.NotFound);
});

Deno.test("serve() does not share a port if Deno would exit because of it", async () => {
  const error = await refusal(Addr(":0"), { reusePort: true });
  assertEquals(error.message, 'Cannot share ":0" between processes: Deno requires the flag --unstable-net');
});

Deno.test("serve() shares a port between processes", async () => {
  const child = (address: string) =>
    new Child([
      "run",
      "-A",
      "--no-lock",
      "--unstable-net",
      new URL("./child.ts", import.meta.url).href,
      "shared",
      address,
    ]);
  await using first = child("127.0.0.1:0");
  const port = await first.port();
  await using second = child(`127.0.0.1:${port}`);
  assertEquals(await second.port(), port);
});
