import * as fw from "@fw/web";
import * as cache from "@fw/web/middleware/cache";
import * as compress from "@fw/web/middleware/compress";
import * as etag from "@fw/web/middleware/etag";
import * as mvc from "@fw/web/mvc";
import * as versioning from "@fw/web/versioning";
import { assert } from "@std/assert";
import fc from "npm:fast-check@^4";
import { quiet } from "../../../serving.ts";

/** The way in which a guard treats every request. All but the first refuse it. */
type Verdict = "pass" | "status" | "later" | "stop" | "throw" | "redirect" | "return" | "text" | "header" | "stream";
/** The way in which the last handler of a route ends. */
type Ending = "write" | "json" | "later" | "stop" | "status" | "throw" | "return" | "next";

interface RandomRoute {
  readonly kind: "Get" | "Any" | "Post" | "Head" | "Mount" | "controller" | "container";
  readonly path: string;
  readonly argument: Verdict;
  readonly ending: Ending;
}

interface RandomParty {
  /** The version range, or an empty string for a party of all versions. */
  readonly range: string;
  readonly prefix: string;
  readonly place: "Use" | "UseRouter" | "argument" | "inner";
  readonly guard: Verdict;
  readonly routes: readonly RandomRoute[];
}

interface RandomApp {
  readonly isOverlapping: boolean;
  readonly isMounted: boolean;
  readonly recorders: readonly string[];
  readonly parties: readonly RandomParty[];
}

interface RandomRequest {
  readonly method: string;
  readonly path: string;
  readonly language: string;
  readonly version: string;
}

/** An event of a request. A route that stops without a response leaves the request to the next one. */
interface Heard {
  readonly what: "refused" | "ran" | "stopped";
  readonly isVersioned: boolean;
  /** Whether a guard in front of the handler refuses all requests. */
  readonly isForbidden: boolean;
}

const verdict = fc.oneof(
  { weight: 16, arbitrary: fc.constant<Verdict>("pass") },
  {
    weight: 4,
    arbitrary: fc.constantFrom<Verdict>(
      "status",
      "later",
      "stop",
      "throw",
      "redirect",
      "return",
      "text",
      "header",
      "stream",
    ),
  },
);
const route: fc.Arbitrary<RandomRoute> = fc.record({
  kind: fc.constantFrom<RandomRoute["kind"]>("Get", "Any", "Post", "Head", "Mount", "controller", "container"),
  path: fc.constantFrom("/teas", "/teas", "/{name}", "/{tea}", "/{rest:path}"),
  argument: verdict,
  ending: fc.constantFrom<Ending>("write", "json", "later", "stop", "stop", "status", "throw", "return", "next"),
});
const party: fc.Arbitrary<RandomParty> = fc.record({
  range: fc.constantFrom("", "", "1.x", "2.x", ">=1.0.0", ">=2.0.0 <4.0.0"),
  prefix: fc.constantFrom("/", "/api"),
  place: fc.constantFrom<RandomParty["place"]>("Use", "UseRouter", "argument", "inner"),
  guard: verdict,
  routes: fc.array(route, { minLength: 1, maxLength: 3 }),
});
const application: fc.Arbitrary<RandomApp> = fc.record({
  isOverlapping: fc.boolean(),
  isMounted: fc.boolean(),
  recorders: fc.subarray(["compress", "cache", "etag"]),
  parties: fc.array(party, { minLength: 1, maxLength: 4 }),
});
const request: fc.Arbitrary<RandomRequest> = fc.record({
  method: fc.constantFrom("GET", "GET", "POST", "HEAD", "OPTIONS", "DELETE"),
  path: fc.constantFrom(
    "/teas",
    "/teas",
    "/teas",
    "/api/teas",
    "/api/teas",
    "/green",
    "/api/green",
    "/api/a/b",
    "/api%2Fteas",
    "//teas",
    "/teas/",
  ),
  language: fc.constantFrom("", "", "/el", "/en-US"),
  version: fc.constantFrom("", "1.0.0", "2.0.0", "2.5.0", "9.0.0", "x"),
});

/** Applies the verdict of a guard. */
async function judge(ctx: fw.Context, guard: Verdict): Promise<void | Response> {
  if (guard === "later") await Promise.resolve();
  if (guard === "status" || guard === "later") return ctx.StopWithStatus(401);
  if (guard === "stop") return ctx.StopExecution();
  if (guard === "throw") throw new fw.HTTPError(403);
  if (guard === "redirect") ctx.Redirect("/login");
  if (guard === "return") {
    ctx.StopExecution();
    return new Response("refused", { status: 403 });
  }
  if (guard === "text") ctx.WriteString("refused");
  if (guard === "header") ctx.Header("www-authenticate", "Basic");
  if (guard === "stream") ctx.Stream(new Blob(["refused"]).stream());
  ctx.StopExecution();
}

/** Builds the application. Every guard and every handler reports to `heard`. */
function build({ isOverlapping, isMounted, recorders, parties }: RandomApp, heard: Heard[]): fw.Application {
  const app = quiet();
  app.Logger().SetLevel("disable");
  app.I18n.LoadKV({ "en-US": { hi: "hello" }, "el-GR": { hi: "γεια" } }, "en-US", "el-GR");
  if (isOverlapping) app.SetRegisterRule(fw.RouteOverlap);
  if (recorders.includes("compress")) app.Use(compress.New());
  if (recorders.includes("etag")) app.Use(etag.New());
  if (recorders.includes("cache")) app.Use(cache.New());
  for (const each of parties) {
    const isVersioned = each.range !== "";
    const guard = (verdict: Verdict, isOwn: boolean): fw.Handler => (ctx) => {
      if (verdict === "pass") return ctx.Next();
      const what = isOwn && verdict === "stop" ? "stopped" : "refused";
      heard.push({ what, isVersioned, isForbidden: false });
      return judge(ctx, verdict);
    };
    const outer = isVersioned ? versioning.NewGroup(app.Party(each.prefix), each.range) : app.Party(each.prefix);
    const own = each.place === "argument" ? outer.Party("/", guard(each.guard, false)) : outer;
    const target = each.place === "inner" ? own.Party("/").Use(guard(each.guard, false)) : own;
    if (each.place === "Use") target.Use(guard(each.guard, false));
    if (each.place === "UseRouter") target.UseRouter(guard(each.guard, false));
    for (const route of each.routes) {
      const isForbidden = each.guard !== "pass" || route.argument !== "pass";
      addRoute(target, route, guard(route.argument, true), async (ctx) => {
        const isSilent = route.ending === "stop";
        heard.push({ what: isSilent ? "stopped" : "ran", isVersioned, isForbidden });
        if (route.ending === "later") await Promise.resolve();
        if (isSilent) return ctx.StopExecution();
        if (route.ending === "status") return ctx.StopWithStatus(409);
        if (route.ending === "throw") throw new fw.HTTPError(418);
        if (route.ending === "return") return new Response("ran");
        if (route.ending === "json") ctx.JSON({ ran: true });
        else ctx.WriteString("ran");
        if (route.ending === "next") { for (let at = 0; at < 3; at++) await ctx.Next(); }
      });
    }
  }
  return isMounted ? mounted(app) : app;
}

function mounted(inner: fw.Application): fw.Application {
  const app = quiet();
  app.Mount("/", inner.fetch);
  return app;
}

function addRoute(
  party: fw.Party,
  { kind, path, argument }: RandomRoute,
  guard: fw.Handler,
  handler: fw.Handler,
): void {
  // A hook of a controller cannot return a response.
  const begin = async (ctx: fw.Context) => {
    if (argument !== "pass" && await guard(ctx) instanceof Response) ctx.StopWithStatus(403);
  };
  if (kind === "Get") party.Get(path, guard, handler);
  else if (kind === "Any") party.Any(path, guard, handler);
  else if (kind === "Post") party.Post(path, guard, handler);
  else if (kind === "Head") party.Head(path, guard, handler);
  else if (kind === "container") party.ConfigureContainer((api) => void api.Get(path, guard, handler));
  else if (kind === "Mount") {
    const inner = quiet();
    inner.Any("/{rest:path}", guard, handler);
    inner.Any("/", guard, handler);
    party.Party("/").Mount("/teas", inner.fetch);
  } else {
    class Teas {
      BeginRequest(ctx: fw.Context): Promise<void> {
        return begin(ctx);
      }
      async Get(ctx: fw.Context): Promise<void> {
        const returned = await handler(ctx);
        if (returned !== undefined) ctx.WriteString("ran");
      }
    }
    mvc.New(party.Party("/teas")).Handle(Teas);
  }
}

/** Returns a description of the fault in the events of a request, or `undefined` if there is none. */
function faultOf(heard: readonly Heard[], isOverlapping: boolean): string | undefined {
  const end = heard.findIndex((each) => each.what !== "stopped" || each.isVersioned || !isOverlapping);
  if (heard.some((each) => each.isForbidden)) return "a handler behind a refusing guard ran";
  if (end >= 0 && end < heard.length - 1) return `something ran after ${heard[end]?.what}`;
  return undefined;
}

Deno.test("random applications: no handler behind a refused guard runs, and one route decides each response", async () => {
  const tried = { ran: 0, refused: 0, handedOver: 0 };
  await fc.assert(
    fc.asyncProperty(application, fc.array(request, { minLength: 6, maxLength: 12 }), async (random, requests) => {
      const heard: Heard[] = [];
      const app = build(random, heard);
      for (const { method, path, language, version } of requests) {
        heard.length = 0;
        const headers = version === "" ? {} : { "accept-version": version };
        const response = await app.fetch(new Request(`http://localhost${language}${path}`, { method, headers }));
        await response.body?.cancel();
        const fault = faultOf(heard, random.isOverlapping);
        assert(fault === undefined, `${method} ${language}${path} ${version}: ${fault}\n${JSON.stringify(heard)}`);
        if (heard.length > 1) tried.handedOver++;
        const last = heard.at(-1)?.what;
        if (last === "ran" || last === "refused") tried[last]++;
      }
    }),
    { seed: 33, numRuns: 400 },
  );
  // The property would hold trivially if no application served or refused anything.
  assert(tried.ran > 200 && tried.refused > 200 && tried.handedOver > 4, JSON.stringify(tried));
});
