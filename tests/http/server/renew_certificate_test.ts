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
  const args = [
    "req",
    "-x509",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:prime256v1",
    "-nodes",
    "-days",
    "2",
    ...names,
    ...files,
  ];
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

/** Sends SIGHUP and waits until the certificate is in use. Fails if the listener was reported as broken. */
async function reload(child: Child): Promise<void> {
  child.kill("SIGHUP");
  let line = await child.line();
  // The stack trace of an earlier error.
  while (line?.startsWith("    at ")) line = await child.line();
  assertEquals(line, "Certificate reloaded");
}

/** Serves an application with a certificate of its own. */
async function withApp(run: (child: Child, port: number, folder: string) => Promise<void>): Promise<void> {
  await using folder = await temporaryFolder();
  await writeCertificate(folder.path);
  await using child = Child.serve("tls-app", `${folder.path}/tls.crt`, `${folder.path}/tls.key`);
  await run(child, await child.port(), folder.path);
  child.kill("SIGTERM");
  assertEquals((await child.end()).code, 0);
}

Deno.test({
  name: "TLS() survives ten reloads of an idle server, with a broken certificate in between",
  ignore,
  fn: () =>
    withApp(async (child, port, folder) => {
      for (let time = 0; time < 10; time++) {
        if (time === 5) {
          const key = await Deno.readTextFile(`${folder}/tls.key`);
          await Deno.writeTextFile(`${folder}/tls.key`, "broken");
          child.kill("SIGHUP");
          const line = await child.line();
          assert(line?.startsWith("Cannot reload the certificate, keeping the old one"), line);
          await Deno.writeTextFile(`${folder}/tls.key`, key);
        }
        await reload(child);
      }
      const certificate = await writeCertificate(folder);
      await reload(child);
      assertEquals(await ask(port, certificate), "hello from the child");
    }),
});

Deno.test({
  name: "TLS() reloads a certificate while a client holds an idle connection",
  ignore,
  fn: () =>
    withApp(async (child, port, folder) => {
      const first = await Deno.readTextFile(`${folder}/tls.crt`);
      using client = Deno.createHttpClient({ caCerts: [first], poolMaxIdlePerHost: 1 });
      const get = async () => await (await fetch(`https://localhost:${port}/`, { client })).text();
      assertEquals(await get(), "hello from the child");
      for (let time = 0; time < 3; time++) {
        await reload(child);
        assertEquals(await get(), "hello from the child");
      }
    }),
});

Deno.test({
  name: "TLS() finishes an event stream after a reload",
  ignore,
  fn: () =>
    withApp(async (child, port, folder) => {
      const caCerts = [await Deno.readTextFile(`${folder}/tls.crt`)];
      using client = Deno.createHttpClient({ caCerts, poolMaxIdlePerHost: 0 });
      const response = await fetch(`https://localhost:${port}/events`, { client });
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
      for (let text = ""; !text.includes("first"); text += (await reader?.read())?.value);
      await reload(child);
      child.kill("SIGUSR1");
      let rest = "";
      for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) rest += read.value;
      assertEquals(rest, "data: second\n\n");
    }),
});

Deno.test({
  name: "TLS() asks WebSocket clients to reconnect before a reload, and serves them again",
  ignore,
  fn: () =>
    withApp(async (child, port, folder) => {
      const certificate = await Deno.readTextFile(`${folder}/tls.crt`);
      using client = Deno.createHttpClient({ caCerts: [certificate] });
      const connect = () =>
        new WebSocket(`wss://localhost:${port}/live`, { protocols: ["fw.live.1"], client } as unknown as string[]);
      for (let time = 0; time < 2; time++) {
        const socket = connect();
        const messages: string[] = [];
        const closed = new Promise<number>((resolve) => socket.onclose = ({ code }) => resolve(code));
        await new Promise<void>((resolve, reject) => {
          socket.onerror = reject;
          socket.onmessage = ({ data }) => {
            messages.push(data);
            resolve();
          };
        });
        await reload(child);
        assertEquals(await closed, 1012);
        assert(messages.some((message) => message.includes("[11,")), messages.join());
      }
    }),
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
