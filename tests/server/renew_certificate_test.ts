import { assert, assertEquals, assertRejects } from "@std/assert";
import { Child, temporaryFolder, tlsFile } from "./support.ts";

const hasOpenSSL = await new Deno.Command("openssl", { args: ["version"], stdout: "null" }).output().then(
  ({ success }) => success,
  () => false,
);
const ignore = !hasOpenSSL || Deno.build.os === "windows";

/** Replaces the certificate and the key in a folder with new ones. */
async function writeCertificate(folder: string): Promise<string> {
  const names = [
    "-subj",
    "/CN=localhost",
    "-addext",
    "subjectAltName=DNS:localhost",
    "-addext",
    "basicConstraints=critical,CA:FALSE",
  ];
  const files = ["-keyout", `${folder}/new.key`, "-out", `${folder}/new.crt`];
  const args = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", ...names, ...files];
  assert((await new Deno.Command("openssl", { args, stdout: "null", stderr: "null" }).output()).success);
  await Deno.rename(`${folder}/new.crt`, `${folder}/tls.crt`);
  await Deno.rename(`${folder}/new.key`, `${folder}/tls.key`);
  return await Deno.readTextFile(`${folder}/tls.crt`);
}

/** Sends a request over TLS and trusts only the given certificate. */
async function ask(port: number, certificate: string): Promise<string> {
  using client = Deno.createHttpClient({ caCerts: [certificate], poolMaxIdlePerHost: 0 });
  return await (await fetch(`https://localhost:${port}/`, { client })).text();
}

Deno.test({
  name: "TLS() serves with the renewed certificate after SIGHUP, and loses no request in flight",
  ignore,
  async fn() {
    await using folder = await temporaryFolder();
    const first = await writeCertificate(folder.path);
    await using child = Child.serve("tls-slow", `${folder.path}/tls.crt`, `${folder.path}/tls.key`);
    const port = await child.port();
    const inFlight = ask(port, first);
    assertEquals(await child.line(), "request");
    const second = await writeCertificate(folder.path);
    child.kill("SIGHUP");
    assertEquals(await inFlight, "hello from the child");
    for (let line = await child.line(); line !== "Certificate reloaded"; line = await child.line());
    assertEquals(await ask(port, second), "hello from the child");
    await assertRejects(() => ask(port, first));
  },
});

Deno.test({
  name: "TLS() keeps the old certificate if the new one is invalid",
  ignore,
  async fn() {
    await using folder = await temporaryFolder();
    const certificate = await writeCertificate(folder.path);
    await using child = Child.serve("tls", `${folder.path}/tls.crt`, `${folder.path}/tls.key`);
    const port = await child.port();
    await Deno.copyFile(tlsFile("other.key"), `${folder.path}/tls.key`);
    child.kill("SIGHUP");
    const line = await child.line();
    assert(line?.startsWith("Cannot reload the certificate"), line);
    assertEquals(await ask(port, certificate), "hello from the child");
  },
});

Deno.test({
  name: "Addr() finishes the requests in flight after SIGHUP, as after SIGTERM",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using child = Child.serve("slow");
    const port = await child.port();
    const inFlight = fetch(`http://127.0.0.1:${port}/`).then((response) => response.text());
    assertEquals(await child.line(), "request");
    child.kill("SIGHUP");
    assertEquals(await inFlight, "hello from the child");
    assertEquals((await child.end()).lines.at(-1), "finished SIGHUP true");
  },
});
