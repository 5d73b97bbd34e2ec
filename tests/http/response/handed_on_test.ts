import { assertEquals } from "@std/assert";
import { type IncomingMessage, request } from "node:http";
import { buffer } from "node:stream/consumers";
import { brotliCompressSync, brotliDecompressSync, deflateSync, gunzipSync, gzipSync, inflateSync } from "node:zlib";
import * as fw from "../../../mod.ts";
import * as mvc from "../../../mvc/mod.ts";
import * as apps from "../../../src/hosts/apps/mod.ts";
import * as accesslog from "../../../src/middleware/accesslog/mod.ts";
import * as cache from "../../../src/middleware/cache/mod.ts";
import * as compress from "../../../src/middleware/compress/mod.ts";
import * as cors from "../../../src/middleware/cors.ts";
import * as etag from "../../../src/middleware/etag.ts";
import * as metrics from "../../../src/middleware/metrics/mod.ts";
import * as ratelimit from "../../../src/middleware/ratelimit.ts";
import * as requestid from "../../../src/middleware/requestid.ts";
import * as secure from "../../../src/middleware/secure/mod.ts";
import * as sessions from "../../../src/state/sessions/mod.ts";
import * as telemetry from "../../../src/middleware/telemetry.ts";
import * as timeout from "../../../src/middleware/timeout.ts";

// `fetch` decompresses bodies and keeps their headers. A server must not send both to its own clients.

const text = "The tea is served at four. ".repeat(40);

/** The codings of the upstream server. `fetch` decompresses the first two. */
const codings: Readonly<Record<string, (text: string) => Uint8Array<ArrayBuffer>>> = {
  gzip: (text) => new Uint8Array(gzipSync(text)),
  br: (text) => new Uint8Array(brotliCompressSync(text)),
  deflate: (text) => new Uint8Array(deflateSync(text)),
  identity: (text) => new TextEncoder().encode(text),
};

const decoders: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
  deflate: inflateSync,
  identity: (bytes) => bytes,
};

/** The ways of handing on a response of another server. */
const ways: Readonly<Record<string, (app: fw.Application, upstream: string) => void>> = {
  "returned by a handler": (app, upstream) => void app.Get("/x", () => fetch(upstream)),
  "returned by a synchronous chain": (app, upstream) => void app.Get("/x", (ctx) => ctx.Next(), () => fetch(upstream)),
  "a clone": (app, upstream) => void app.Get("/x", async () => (await fetch(upstream)).clone()),
  "a clone of a read response": (app, upstream) =>
    void app.Get("/x", async () => {
      const response = await fetch(upstream);
      const copy = response.clone();
      await response.bytes();
      return copy;
    }),
  "rebuilt with other headers": (app, upstream) =>
    void app.Get("/x", async () => {
      const { body, headers } = await fetch(upstream);
      const changed = new Headers(headers);
      changed.set("x-changed", "1");
      return new Response(body, { headers: changed });
    }),
  "rebuilt from itself": (app, upstream) =>
    void app.Get("/x", async () => {
      const response = await fetch(upstream);
      return new Response(response.body, response);
    }),
  "rebuilt through a transformation": (app, upstream) =>
    void app.Get("/x", async () => {
      const response = await fetch(upstream);
      return new Response(response.body?.pipeThrough(new TransformStream()) ?? null, response);
    }),
  "rebuilt from its bytes": (app, upstream) =>
    void app.Get("/x", async () => {
      const response = await fetch(upstream);
      return new Response(await response.bytes(), response);
    }),
  "with a header of the context": (app, upstream) =>
    void app.Get("/x", (ctx) => {
      ctx.Header("x-changed", "1");
      return fetch(upstream);
    }),
  "with a status of the context": (app, upstream) =>
    void app.Get("/x", async (ctx) => {
      await ctx.Next();
      ctx.StatusCode(203);
    }, () => fetch(upstream)),
  "with a cookie": (app, upstream) =>
    void app.Get("/x", (ctx) => {
      ctx.SetCookie("a", "b");
      return fetch(upstream);
    }),
  "Mount": (app, upstream) => void app.Mount("/x", () => fetch(upstream)),
  "Mount of an application": (app, upstream) => {
    const inner = fw.New();
    inner.Get("/", () => fetch(upstream));
    app.Mount("/x", inner.fetch);
  },
  "FromFetch": (app, upstream) => void app.Get("/x", fw.FromFetch(() => fetch(upstream))),
  "FromFetch with the request": (app, upstream) =>
    void app.Get("/x", fw.FromFetch((request) => fetch(new Request(upstream, request)))),
  "Switch": (app, upstream) => {
    const inner = fw.New();
    inner.Get("/x", () => fetch(upstream));
    app.Get("/x", fw.FromFetch(apps.Switch([{ Pattern: /./, Target: inner }]).fetch));
  },
  "WrapRouter": (app, upstream) =>
    void app.WrapRouter((request, next) => new URL(request.url).pathname === "/x" ? fetch(upstream) : next(request)),
  "a controller": (app, upstream) => {
    class Teas {
      Get() {
        return fetch(upstream);
      }
    }
    mvc.New(app.Party("/x")).Handle(Teas);
  },
  "an error handler": (app, upstream) => {
    app.Get("/x", (ctx) => ctx.StatusCode(418));
    app.OnErrorCode(418, () => fetch(upstream));
  },
  "Proxy": (app, upstream) => void app.Get("/x", fw.Proxy(upstream)),
};

/** The middleware that inspects or changes responses. */
const middleware: Readonly<Record<string, (app: fw.Application) => void>> = {
  "no middleware": () => {},
  compress: (app) => app.Use(compress.New({ MinBody: 1 })),
  etag: (app) => app.Use(etag.New()),
  cache: (app) => app.Use(cache.New({ MaxAge: 60_000 })),
  accesslog: (app) => app.Use(accesslog.New({ Output: () => {}, ResponseBody: true }).Handler()),
  cors: (app) => app.Use(cors.New()),
  secure: (app) => app.Use(secure.New()),
  requestid: (app) => app.Use(requestid.New()),
  sessions: (app) => {
    const manager = sessions.New({ Cookie: "sid" });
    app.Use(async (ctx) => {
      (await manager.Start(ctx)).Set("seen", 1);
      await ctx.Next();
    });
  },
  timeout: (app) => app.Use(timeout.New({ After: 10_000 })),
  ratelimit: (app) => app.Use(ratelimit.New({ Limit: 1_000, Period: 60_000 })),
  metrics: (app) => app.Use(metrics.New().Handler()),
  telemetry: (app) => app.Use(telemetry.New()),
  "the recorder": (app) =>
    app.Use(async (ctx) => {
      await ctx.Next();
      await ctx.Recorder().ReadBody();
      ctx.Recorder().OnSend(() => {});
    }),
  "a transformation": (app) =>
    app.Use(async (ctx) => {
      ctx.Recorder().Transform((stream) => stream.pipeThrough(new TransformStream()));
      await ctx.Next();
    }),
  "OnClose": (app) =>
    app.Use((ctx) => {
      ctx.OnClose(() => {});
      return ctx.Next();
    }),
  "several at once": (app) => app.Use(compress.New({ MinBody: 1 }), etag.New(), requestid.New()),
};

for (const [way, register] of Object.entries(ways)) {
  Deno.test(`Response of fetch(), ${way}, reaches clients as the upstream server has sent it`, async (t) => {
    const upstream = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
      const coding = new URL(request.url).pathname.slice(1).split("/")[0] ?? "";
      const bytes = codings[coding]?.(text) ?? null;
      const headers = { "content-type": "text/plain", etag: '"tea"', "content-length": String(bytes?.length) };
      return new Response(bytes, {
        headers: coding === "identity" ? headers : { ...headers, "content-encoding": coding },
      });
    });
    try {
      for (const [name, use] of Object.entries(middleware)) {
        for (const coding of Object.keys(codings)) {
          await t.step(`${name}, ${coding}`, async () => {
            const app = fw.New();
            app.Logger().SetOutput(() => {});
            use(app);
            register(app, `http://127.0.0.1:${upstream.addr.port}/${coding}`);
            const front = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, app.fetch);
            try {
              for (const accept of ["identity", "gzip, br, deflate"]) {
                const url = `http://127.0.0.1:${front.addr.port}/x`;
                assertEquals(await readWith(url, accept), text, accept);
              }
              const response = await app.fetch(new Request("http://localhost/x"));
              // The response of a wrapper is the one of `fetch()` itself, which the platform sends without the header.
              const coded = way === "WrapRouter" && coding !== "deflate"
                ? "identity"
                : response.headers.get("content-encoding") ?? "identity";
              assertEquals(new TextDecoder().decode(decoders[coded]?.(await response.bytes())), text, "in process");
            } finally {
              await front.shutdown();
            }
          });
        }
      }
    } finally {
      await upstream.shutdown();
    }
  });
}

Deno.test("Response with a compressed body of the application keeps its Content-Encoding", async (t) => {
  for (const coding of ["gzip", "br", "deflate"]) {
    const bytes = codings[coding]?.(text) ?? new Uint8Array();
    const headers = { "content-encoding": coding, "content-length": String(bytes.length), etag: '"tea"' };
    const bodies = {
      bytes: () => new Response(bytes, { headers }),
      "a stream": () => new Response(ReadableStream.from([bytes.subarray(0, 1), bytes.subarray(1)]), { headers }),
      "a part": () =>
        new Response(bytes.subarray(3, 9), { status: 206, headers: { ...headers, "content-range": "x" } }),
      "a response that fetch did not decompress": () => fetchIdentity(bytes, headers),
    };
    for (const [name, body] of Object.entries(bodies)) {
      await t.step(`${coding}, ${name}`, async () => {
        const app = fw.New();
        app.Get("/x", body);
        const response = await app.fetch(new Request("http://localhost/x"));
        assertEquals(response.headers.get("content-encoding"), coding);
        assertEquals(response.headers.get("etag"), '"tea"');
        assertEquals(await response.bytes(), name === "a part" ? bytes.slice(3, 9) : bytes);
      });
    }
  }
});

/** Fetches a compressed body without accepting compression. */
async function fetchIdentity(bytes: Uint8Array<ArrayBuffer>, headers: Record<string, string>): Promise<Response> {
  const upstream = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => new Response(bytes, { headers }),
  );
  const response = await fetch(`http://127.0.0.1:${upstream.addr.port}`, {
    headers: { "accept-encoding": "identity" },
  });
  const copy = response.clone();
  await response.bytes();
  await upstream.shutdown();
  return copy;
}

/** Reads a response as a browser does: decodes the body as its headers say. */
async function readWith(url: string, accept: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request(url, { headers: { "accept-encoding": accept }, agent: false }, resolve).on("error", reject).end();
  const message = await promise;
  const bytes = await buffer(message);
  const decode = decoders[message.headers["content-encoding"] ?? "identity"];
  return new TextDecoder().decode(decode?.(bytes));
}
