import { assertEquals } from "@std/assert";
import * as fw from "../../../../mod.ts";
import * as mvc from "../../../../mvc/mod.ts";
import * as client from "../../../../src/api/client/mod.ts";
import * as mcp from "../../../../src/api/mcp/mod.ts";
import * as openapi from "../../../../src/api/openapi/mod.ts";
import * as versioning from "../../../../src/hosts/versioning/mod.ts";
import * as live from "../../../../src/live/hub/mod.ts";
import * as socketio from "../../../../src/live/websocket/socketio.ts";
import * as auth from "../../../../src/middleware/auth.ts";
import * as cache from "../../../../src/middleware/cache/mod.ts";
import * as jwt from "../../../../src/middleware/jwt/mod.ts";
import * as policy from "../../../../src/middleware/policy/mod.ts";
import * as ratelimit from "../../../../src/middleware/ratelimit.ts";
import * as i18n from "../../../../src/pages/i18n/mod.ts";
import * as sessions from "../../../../src/state/sessions/mod.ts";
import * as markdown from "../../../../src/pages/view/engines/markdown.ts";
import * as httptest from "../../../../src/tools/httptest/mod.ts";
import * as jobs from "../../../../src/work/jobs/mod.ts";
import * as page from "../../../../src/work/jobs/page.ts";
import * as sqlite from "../../../../src/work/jobs/stores/sqlite.ts";
import { shown } from "./cells.ts";

function nothing(): void {}

/** Values of most kinds. */
const values: readonly unknown[] = [
  undefined,
  null,
  5,
  NaN,
  -1,
  "",
  "x",
  [],
  [null],
  {},
  true,
  nothing,
  Symbol("x"),
  Promise.resolve({}),
];

class ViewPolicy {
  view(): boolean {
    return true;
  }
}

// deno-lint-ignore no-explicit-any -- The arguments are wrong on purpose.
type Call = (value: any) => unknown;

const strings = ['"x"'];
const functions = ["function"];
const directories = ['""', '"x"'];

/** Functions that take something other than options first, and the values that they accept. */
const calls: Readonly<Record<string, readonly [call: Call, accepted: readonly string[]]>> = {
  "fw.Cache304": [fw.Cache304, ["5"]],
  "fw.Env": [fw.Env, []],
  "fw.Extend": [(handler) => fw.Extend(handler, { Name: "x", Install: nothing }), functions],
  "fw.FromFetch": [fw.FromFetch, functions],
  "fw.HTML": [fw.HTML, directories],
  "fw.HTML, extension": [(extension) => fw.HTML("", extension), ["undefined", '""', '"x"']],
  "fw.LimitDocument": [fw.LimitDocument, ["5"]],
  "fw.LimitRequestBodySize": [fw.LimitRequestBodySize, ["5"]],
  "fw.NewConditionalHandler": [(filter) => fw.NewConditionalHandler(filter, nothing), functions],
  "fw.NewSubdomainPartyRedirectHandler": [fw.NewSubdomainPartyRedirectHandler, []],
  "fw.Proxy": [fw.Proxy, []],
  "fw.StaticCache": [fw.StaticCache, ["5"]],
  "auth.Allow": [auth.Allow, strings],
  "auth.AllowFunc": [auth.AllowFunc, functions],
  "cache.FromStore": [cache.FromStore, []],
  "cache.NewMemory": [cache.NewMemory, ["undefined", "5"]],
  "client.Live": [(url) => client.Live(url), []],
  "httptest.New": [httptest.New, []],
  "i18n.MissingKeys": [i18n.MissingKeys, ["{}", "Promise"]],
  "i18n.MissingKeys, tags": [(tag) => i18n.MissingKeys({ en: {} }, tag), []],
  "jobs.Check": [jobs.Check, []],
  "jobs.Define": [(name) => jobs.Define(name, schema, () => {}), strings],
  "jobs.Define, schema": [(schema) => jobs.Define("x", schema, () => {}), []],
  "jobs.Define, run": [(run) => jobs.Define("x", schema, run), functions],
  "jobs.FullJitter": [(base) => jobs.FullJitter(base, 10), ["5"]],
  "jobs.FullJitter, max": [(max) => jobs.FullJitter(1, max), ["5"]],
  "jobs.Measure": [jobs.Measure, []],
  "jobs.New": [jobs.New, []],
  "jobs/page.New": [page.New, []],
  "jobs/sqlite.Transaction": [(database) => sqlite.Transaction(database, () => {}), []],
  "jobs/sqlite.Transaction, work": [
    (work) => sqlite.Transaction({ isTransaction: false, exec: nothing }, work),
    functions,
  ],
  "jwt.FromCookie": [jwt.FromCookie, strings],
  "jwt.FromQuery": [jwt.FromQuery, strings],
  "live.Presence": [live.Presence, strings],
  "markdown.Markdown": [markdown.Markdown, directories],
  "mcp.Content": [mcp.Content, ['""', '"x"', "{}"]],
  "mvc.Configure": [mvc.Configure, []],
  "mvc.New": [mvc.New, []],
  "mvc.Signature": [(method) => mvc.Signature(method, "()"), functions],
  "mvc.Signature, original": [(original) => mvc.Signature(() => {}, original), functions],
  "mvc.Version": [mvc.Version, strings],
  "openapi.Security": [(guard) => openapi.Security(guard, "key", {}), functions],
  "policy.Guard": [policy.Guard, functions],
  "policy.Require": [(value) => policy.Require(value, "view" as never), []],
  "policy.Require, action": [(action) => policy.Require(ViewPolicy, action as never), []],
  "ratelimit.ByHeader": [ratelimit.ByHeader, strings],
  "sessions.AddTo": [(text) => sessions.AddTo(text, 1), ["undefined", '""', '"x"']],
  "sessions.AddTo, n": [(n) => sessions.AddTo("1", n), ["5", "-1"]],
  "socketio.Handler": [socketio.Handler, []],
  "versioning.Aliases": [versioning.Aliases, ["{}"]],
  "versioning.Deprecated": [versioning.Deprecated, functions],
  "versioning.FromQuery": [versioning.FromQuery, strings],
  "versioning.NewGroup": [(party) => versioning.NewGroup(party, "1.0.0"), []],
  "versioning.NotFoundHandler": [versioning.NotFoundHandler, functions],
};

const schema: fw.StandardSchema<unknown> = {
  "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) },
};

/** Returns a new function, because some functions name or mark the one that they are given. */
function fresh(value: unknown): unknown {
  return value === nothing ? () => {} : value;
}

for (const [name, [call, accepted]] of Object.entries(calls)) {
  Deno.test(`${name}() refuses arguments of the wrong kind where they are passed`, async () => {
    const wrong: string[] = [];
    for (const value of values) {
      const given = shown(value);
      try {
        await call(fresh(value));
        if (!accepted.includes(given)) wrong.push(`${given}: accepted`);
      } catch (error) {
        if (accepted.includes(given) || !(error instanceof fw.FrameworkError)) wrong.push(`${given}: ${error}`);
      }
    }
    assertEquals(wrong, []);
  });
}
