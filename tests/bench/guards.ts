/**
 * `deno task bench guards`: measures the cost of each guard on a route that responds with plain text, compared to
 * Hono's equivalent.
 *
 * All applications run in one process and are called in turn, in short batches, so that other load on the machine
 * affects them equally. The cost is the difference to the same application without the guard, in microseconds per
 * request, based on the fastest round. Guards without an equivalent in Hono are listed alone.
 *
 * Options: --rounds=N (40), --batch=N requests (400), --only=NAME.
 *
 * @module
 */

import * as fw from "@fw/web";
import * as keys from "@fw/web/keys";
import * as accesslog from "@fw/web/middleware/accesslog";
import * as basicauth from "@fw/web/middleware/basicauth";
import * as cache from "@fw/web/middleware/cache";
import * as compress from "@fw/web/middleware/compress";
import * as cors from "@fw/web/middleware/cors";
import * as csrf from "@fw/web/middleware/csrf";
import * as etag from "@fw/web/middleware/etag";
import * as ipfilter from "@fw/web/middleware/ipfilter";
import * as jwt from "@fw/web/middleware/jwt";
import * as logger from "@fw/web/middleware/logger";
import * as methodoverride from "@fw/web/middleware/methodoverride";
import * as metrics from "@fw/web/middleware/metrics";
import * as ratelimit from "@fw/web/middleware/ratelimit";
import * as requestid from "@fw/web/middleware/requestid";
import * as rewrite from "@fw/web/middleware/rewrite";
import * as secure from "@fw/web/middleware/secure";
import * as telemetry from "@fw/web/middleware/telemetry";
import * as timeout from "@fw/web/middleware/timeout";
import { type Context, Hono, type MiddlewareHandler } from "npm:hono@4.13.17";
import { basicAuth } from "npm:hono@4.13.17/basic-auth";
import { bodyLimit } from "npm:hono@4.13.17/body-limit";
import { compress as honoCompress } from "npm:hono@4.13.17/compress";
import { getSignedCookie } from "npm:hono@4.13.17/cookie";
import { cors as honoCORS } from "npm:hono@4.13.17/cors";
import { csrf as honoCSRF } from "npm:hono@4.13.17/csrf";
import { getConnInfo } from "npm:hono@4.13.17/deno";
import { etag as honoETag } from "npm:hono@4.13.17/etag";
import { ipRestriction } from "npm:hono@4.13.17/ip-restriction";
import { jwt as honoJWT, sign } from "npm:hono@4.13.17/jwt";
import { logger as honoLogger } from "npm:hono@4.13.17/logger";
import { methodOverride } from "npm:hono@4.13.17/method-override";
import { requestId } from "npm:hono@4.13.17/request-id";
import { secureHeaders } from "npm:hono@4.13.17/secure-headers";
import { timeout as honoTimeout } from "npm:hono@4.13.17/timeout";
import { timing } from "npm:hono@4.13.17/timing";
import { rateLimiter } from "npm:hono-rate-limiter@^0.4";
import { Figures, option, printRow } from "./report.ts";

type Serve = (request: Request, info: Deno.ServeHandlerInfo) => Response | Promise<Response>;

/** A guard in both frameworks. */
interface Row {
  readonly name: string;
  readonly init?: RequestInit;
  /** The response body. Defaults to a short one. */
  readonly text?: string;
  /** Whether to read the whole response. Hono compresses with a stream, whose work is done while it is read. */
  readonly isRead?: boolean;
  readonly fw: (app: fw.Application) => void;
  readonly hono?: (app: Hono) => void;
}

const secret = "s".repeat(32);
const signed = await sign({ sub: "ada", exp: Math.floor(Date.now() / 1000) + 3600 }, secret, "HS256");
const ring = keys.New(secret);
const info = {
  remoteAddr: { transport: "tcp", hostname: "192.0.2.1", port: 50000 },
  completed: Promise.resolve(),
} as const;
const shop = "https://shop.example";
const origins = [shop, "https://admin.example"];
const items = JSON.stringify(
  Array.from({ length: 185 }, (_, id) => ({ id, name: `Tea ${id * 7919 % 977}`, price: id })),
);
const page = { accept: "text/html", "user-agent": "bench", host: "localhost" };

const rows: readonly Row[] = [
  { name: "cors, every origin", fw: (app) => app.UseRouter(cors.New()), hono: use(honoCORS()) },
  {
    name: "cors, two origins",
    init: { headers: { ...page, origin: shop } },
    fw: (app) => app.UseRouter(cors.New({ Origins: origins, AllowCredentials: true })),
    hono: use(honoCORS({ origin: origins, credentials: true })),
  },
  { name: "csrf, GET", fw: (app) => app.Use(csrf.New()), hono: use(honoCSRF()) },
  {
    name: "csrf, POST of a form",
    init: {
      method: "POST",
      body: "a=1",
      headers: {
        ...page,
        origin: "http://localhost",
        "sec-fetch-site": "same-origin",
        "content-type": "application/x-www-form-urlencoded",
      },
    },
    fw: (app) => app.Use(csrf.New()),
    hono: use(honoCSRF()),
  },
  { name: "secure", fw: (app) => app.UseRouter(secure.New()), hono: use(helmetHeaders()) },
  {
    name: "ratelimit, in memory",
    fw: (app) => app.Use(ratelimit.New({ Limit: 1e6, Period: 1000 })),
    hono: use(rateLimiter({
      windowMs: 60_000,
      limit: 1e9,
      standardHeaders: "draft-6",
      keyGenerator: (c) => getConnInfo(c as Context).remote.address ?? "",
    }) as unknown as MiddlewareHandler),
  },
  { name: "timeout, sync handler", fw: (app) => app.Use(timeout.New({ After: 5000 })), hono: use(honoTimeout(5000)) },
  {
    name: "ipfilter",
    fw: (app) => app.Use(ipfilter.New({ Allow: ["192.0.2.0/24"], Deny: ["192.0.2.66"] })),
    hono: use(ipRestriction(getConnInfo, { allowList: ["192.0.2.0/24"], denyList: ["192.0.2.66"] })),
  },
  {
    name: "methodoverride, by header",
    init: { method: "POST", headers: { ...page, "x-http-method-override": "DELETE" } },
    fw: (app) => void app.WrapRouter(methodoverride.New()),
    hono: (app) => app.use(methodOverride({ app, header: "x-http-method-override" })),
  },
  {
    name: "rewrite, no rule fits",
    fw: (app) => void app.WrapRouter(rewrite.New({ Rules: [{ From: "/old", To: "/" }] })),
  },
  {
    name: "basicauth",
    init: { headers: { ...page, authorization: `Basic ${btoa("ada:engine")}` } },
    fw: (app) => app.Use(basicauth.New({ Users: [{ Name: "ada", Password: "engine" }] })),
    hono: use(basicAuth({ username: "ada", password: "engine" })),
  },
  {
    name: "jwt, HS256",
    init: { headers: { ...page, authorization: `Bearer ${signed}` } },
    fw: (app) => app.Use(jwt.New({ Algorithms: ["HS256"], Key: secret })),
    hono: use(honoJWT({ secret, alg: "HS256" })),
  },
  {
    name: "signed cookie, read",
    init: { headers: { ...page, cookie: await bothCookies() } },
    fw: (app) =>
      app.Use((ctx) => {
        if (ctx.GetCookie("fw", { Sign: ring }) !== "value") throw new Error("Cannot read the cookie");
        return ctx.Next();
      }),
    hono: (app) =>
      app.use(async (c, next) => {
        if (await getSignedCookie(c, secret, "hono") !== "value") throw new Error("Cannot read the cookie");
        await next();
      }),
  },
  { name: "requestid", fw: (app) => app.UseRouter(requestid.New()), hono: use(requestId()) },
  {
    name: "logger",
    fw: (app) => {
      app.Logger().SetOutput(() => {});
      app.UseRouter(logger.New());
    },
    hono: use(honoLogger(() => {})),
  },
  {
    name: "accesslog, text",
    fw: (app) => app.UseRouter(accesslog.New({ Output: () => {} }).Handler()),
    hono: use(honoLogger(() => {})),
  },
  {
    name: "accesslog, JSON",
    fw: (app) => app.UseRouter(accesslog.New({ Format: "json", Output: () => {} }).Handler()),
    hono: use(honoLogger(() => {})),
  },
  { name: "etag", isRead: true, fw: (app) => app.Use(etag.New()), hono: use(honoETag()) },
  { name: "etag, 7 KB", text: items, isRead: true, fw: (app) => app.Use(etag.New()), hono: use(honoETag()) },
  {
    name: "compress, 7 KB by gzip",
    text: items,
    isRead: true,
    init: { headers: { ...page, "accept-encoding": "gzip" } },
    fw: (app) => app.UseRouter(compress.New()),
    hono: use(honoCompress()),
  },
  {
    name: "compress, too short",
    init: { headers: { ...page, "accept-encoding": "gzip" } },
    fw: (app) => app.UseRouter(compress.New()),
    hono: use(honoCompress()),
  },
  { name: "cache, hit", isRead: true, fw: (app) => app.Use(cache.New({ MaxAge: 3_600_000 })) },
  {
    name: "bodylimit, POST of 1 KB",
    init: { method: "POST", body: "x".repeat(1000), headers: { ...page, "content-length": "1000" } },
    fw: (app) => app.Use(fw.LimitRequestBodySize(5 << 20)),
    hono: use(bodyLimit({ maxSize: 5 << 20 })),
  },
  { name: "metrics, beside timing", fw: (app) => app.UseRouter(metrics.New().Handler()), hono: use(timing()) },
  { name: "telemetry, not asked for", fw: (app) => app.UseRouter(telemetry.New()) },
];

function use(...handlers: MiddlewareHandler[]): (app: Hono) => void {
  return (app) => void app.use(...handlers);
}

/** Adds the headers that helmet sets to Hono's, so that both send the same headers. */
function helmetHeaders(): MiddlewareHandler {
  return secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'self'"],
      baseUri: ["'self'"],
      fontSrc: ["'self'", "https:", "data:"],
      formAction: ["'self'"],
      frameAncestors: ["'self'"],
      imgSrc: ["'self'", "data:"],
      objectSrc: ["'none'"],
      scriptSrc: ["'self'"],
      scriptSrcAttr: ["'none'"],
      styleSrc: ["'self'", "https:", "'unsafe-inline'"],
      upgradeInsecureRequests: [],
    },
  });
}

async function bothCookies(): Promise<string> {
  const { generateSignedCookie } = await import("npm:hono@4.13.17/cookie");
  const theirs = (await generateSignedCookie("hono", "value", secret)).split(";")[0];
  return `fw=${encodeURIComponent(ring.Sign("cookie:fw", "value"))}; ${theirs}`;
}

function fwServe({ text = "plain text" }: Row, guard?: (app: fw.Application) => void): Serve {
  const app = fw.New();
  guard?.(app);
  app.Any("/", (ctx) => ctx.WriteString(text));
  return app.fetch;
}

function honoServe({ text = "plain text" }: Row, guard?: (app: Hono) => void): Serve {
  const app = new Hono();
  guard?.(app);
  app.all("/", (c) => c.text(text));
  return (request, connection) => app.fetch(request, connection);
}

/** Returns the time per request of one batch, in microseconds. */
async function time(serve: Serve, { init = { headers: page }, isRead }: Row, batch: number): Promise<number> {
  const requests = Array.from({ length: batch }, () => new Request("http://localhost/", init));
  const started = performance.now();
  for (const request of requests) {
    const response = serve(request, info);
    const ended = response instanceof Promise ? await response : response;
    if (isRead === true) await ended.bytes();
  }
  return (performance.now() - started) * 1000 / batch;
}

async function measure(row: Row, figures: Figures, rounds: number, batch: number): Promise<void> {
  const serves: [string, Serve][] = [
    ["fw base", fwServe(row)],
    ["fw", fwServe(row, row.fw)],
  ];
  if (row.hono !== undefined) serves.push(["hono base", honoServe(row)], ["hono", honoServe(row, row.hono)]);
  for (const [name, serve] of serves) {
    const { status } = await serve(new Request("http://localhost/", row.init ?? { headers: page }), info);
    if (status !== 200) throw new Error(`Cannot measure "${row.name}": ${name} responds ${status}`);
    await time(serve, row, 1000);
  }
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < serves.length; i++) {
      const [name, serve] = serves[(round + i) % serves.length] as [string, Serve];
      figures.add(`${row.name} ${name}`, await time(serve, row, batch));
    }
  }
}

const [rounds, batch] = [Number(option("rounds", "40")), Number(option("batch", "400"))];
const only = option("only", "");
printRow("µs per request", "fw", "Hono", "fw adds", "Hono adds");
let isLess = true;
for (const row of rows) {
  if (!row.name.includes(only)) continue;
  const figures = new Figures();
  await measure(row, figures, rounds, batch);
  const at = (name: string) => figures.best(`${row.name} ${name}`);
  const [ours, theirs] = [at("fw") - at("fw base"), at("hono") - at("hono base")];
  const show = (value: number) => Number.isFinite(value) ? value.toFixed(2) : "-";
  printRow(row.name, show(at("fw")), show(at("hono")), show(ours), show(theirs));
  if (ours >= theirs) isLess = false;
}
printRow(isLess ? "Each guard costs less than Hono's." : "Not every guard costs less than Hono's.");
