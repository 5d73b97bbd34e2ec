import { assertEquals, assertStringIncludes } from "@std/assert";
import { type ClientHttp2Session, connect } from "node:http2";
import * as fw from "../../../mod.ts";
import * as apps from "../../../src/hosts/apps/mod.ts";
import * as etag from "../../../src/middleware/etag.ts";
import { quiet } from "../../serving.ts";
import { tlsFile } from "./support.ts";

/** The events that handlers report, by the name of the request. */
class Events {
  readonly #events = new Map<string, PromiseWithResolvers<void>>();

  of(name: string): PromiseWithResolvers<void> {
    const event = this.#events.get(name) ?? Promise.withResolvers<void>();
    this.#events.set(name, event);
    return event;
  }
}

function site(events: Events): fw.Application {
  const app = quiet();
  app.Get("/host", (ctx) => ctx.WriteString(`${ctx.Scheme()} ${ctx.Host()} ${ctx.RemoteAddr()}`));
  app.Subdomain("api.").Get("/host", (ctx) => ctx.WriteString("api"));
  app.Get("/cookies", (ctx) => ctx.WriteString(["a", "b"].map((name) => ctx.GetCookie(name)).join()));
  app.Get("/hop", () => new Response("hop", { headers: { connection: "x-hop", "keep-alive": "timeout=1" } }));
  app.Get("/close", (ctx) => {
    for (const name of ["connection", "keep-alive", "upgrade"]) ctx.Header(name, "close");
    ctx.WriteString("close");
  });
  app.Get("/none", (ctx) => ctx.StatusCode(204));
  app.Get("/tag", etag.New(), (ctx) => ctx.WriteString("tagged"));
  app.Get("/socket", (ctx) => ctx.StopWithStatus(ctx.GetHeader("upgrade") === "" ? 426 : 500));
  app.Post("/length", async (ctx) => ctx.WriteString(String((await ctx.GetBody())[0]?.length)));
  app.Get("/wait", async (ctx) => {
    const signal = ctx.Signal();
    const name = ctx.URLParam("name");
    signal.addEventListener("abort", () => events.of(`left ${name}`).resolve());
    events.of(`arrived ${name}`).resolve();
    await events.of(`left ${name}`).promise;
  });
  app.Get("/events", (ctx) => {
    const name = ctx.URLParam("name");
    ctx.Events(async function* () {
      try {
        yield "first";
        await Promise.withResolvers<void>().promise;
      } finally {
        events.of(`left ${name}`).resolve();
      }
    });
    ctx.OnConnectionClose(() => events.of(`left ${name}`).resolve());
  });
  return app;
}

/** Runs an application that trusts proxies at some addresses. Returns its port, and a promise for its end. */
async function listen(app: fw.Application, runner: fw.Runner, ...Trust: string[]): Promise<[number, Promise<unknown>]> {
  const port = Promise.withResolvers<number>();
  const ended = app.Run(
    runner,
    fw.WithoutStartupLog,
    fw.WithoutInterruptHandler,
    fw.WithProxy({ Trust }),
    fw.WithOnListen((address) => port.resolve("port" in address ? address.port : 0)),
  );
  return [await port.promise, ended];
}

interface Reply {
  readonly headers: Record<string, unknown>;
  readonly text: string;
}

function ask(session: ClientHttp2Session, path: string, fields: Record<string, unknown> = {}, body?: Uint8Array) {
  const stream = session.request({ ":path": path, ...fields } as never, { endStream: body === undefined });
  if (body !== undefined) stream.end(body);
  return new Promise<Reply>((resolve, reject) => {
    let [headers, text] = [{}, ""];
    stream.on("response", (received) => headers = received);
    stream.setEncoding("utf8").on("data", (chunk) => text += chunk);
    stream.on("error", reject);
    stream.on("close", () => resolve({ headers, text }));
  });
}

/** The ways to the same site. */
const fronts: Record<string, (inner: fw.Application, upstream: number) => fw.Application> = {
  alone: (inner) => inner,
  "in a mount": (inner) => {
    const app = quiet();
    app.Mount("/", inner);
    return app;
  },
  "in apps.Switch": (inner) => {
    const app = apps.Switch([{ Pattern: "localhost", Target: inner }, { Pattern: "api.localhost", Target: inner }]);
    app.Logger().SetLevel("disable");
    return app;
  },
  "behind fw.Proxy": (_, upstream) => {
    const app = quiet();
    app.Any("/{path:path}", fw.Proxy(`http://127.0.0.1:${upstream}`));
    return app;
  },
};

for (const [name, front] of Object.entries(fronts)) {
  Deno.test(`an application ${name} serves HTTP/2 clients as others`, async () => {
    const events = new Events();
    const inner = site(events);
    const [inside, upstream] = name === "behind fw.Proxy"
      ? await listen(inner, fw.Addr("127.0.0.1:0"), "127.0.0.1")
      : [0, undefined];
    const app = front(inner, inside);
    const [port, ended] = await listen(
      app,
      fw.TLS("127.0.0.1:0", tlsFile("localhost.crt"), tlsFile("localhost.key")),
    );
    const host = `localhost:${port}`;
    const session = connect(`https://${host}`, { ca: await Deno.readTextFile(tlsFile("localhost.crt")) });
    const text = async (...args: [string, Record<string, unknown>?, Uint8Array?]) => (await ask(session, ...args)).text;

    assertEquals(await text("/host"), `https ${host} 127.0.0.1`);
    assertEquals(await text("/host", { ":authority": host, host: "other.example" }), `https ${host} 127.0.0.1`);
    assertEquals(await text("/host", { ":authority": "api.localhost" }), "api");
    assertEquals(await text("/cookies", { cookie: ["a=1", "b=2"] }), "1,2");
    for (const path of ["/hop", "/close"]) {
      const { headers, text } = await ask(session, path);
      assertEquals([text, headers.connection, headers["keep-alive"], headers.upgrade], [
        path.slice(1),
        undefined,
        undefined,
        undefined,
      ]);
    }
    assertEquals((await ask(session, "/none")).headers[":status"], 204);
    assertEquals((await ask(session, "/socket")).headers[":status"], 426);
    const { headers: { etag } } = await ask(session, "/tag");
    const known = await ask(session, "/tag", { "if-none-match": etag });
    assertEquals([known.headers[":status"], known.headers.etag, known.text], [304, etag, ""]);
    for (const length of [0, 10, 300_000]) {
      const fields = { ":method": "POST", ...length === 10 && { "content-length": "10" } };
      assertEquals(await text("/length", fields, new Uint8Array(length)), String(length));
    }

    // A client that leaves at once is noticed, too.
    const waiting = session.request({ ":path": "/wait?name=wait" });
    waiting.on("error", () => {});
    await events.of("arrived wait").promise;
    waiting.close(8);
    await events.of("left wait").promise;
    const stream = session.request({ ":path": "/events?name=events" });
    stream.on("error", () => {});
    const first = await new Promise((resolve) => stream.once("data", resolve));
    assertStringIncludes(new TextDecoder().decode(first as Uint8Array), ":");
    stream.close(8);
    await events.of("left events").promise;

    // Deno's client may abort the process if it receives the server's GOAWAY after canceled streams.
    const closed = new Promise((resolve) => session.once("close", resolve));
    session.destroy();
    await closed;
    for (const each of [app, inner]) await each.Shutdown();
    await Promise.all([ended, upstream]);
  });
}
