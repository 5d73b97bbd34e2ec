/**
 * Arguments that only programs without types can pass. Every function refuses them with an error of fw, and names the
 * argument.
 *
 * @module
 */

// deno-lint-ignore-file no-explicit-any -- programs without types pass anything

import * as fw from "@fw/web";
import * as apikeys from "@fw/web/apikeys";
import * as auth from "@fw/web/auth";
import * as httptest from "@fw/web/httptest";
import * as jobs from "@fw/web/jobs";
import * as page from "@fw/web/jobs/page";
import * as keys from "@fw/web/keys";
import * as mail from "@fw/web/mail";
import * as health from "@fw/web/middleware/health";
import * as monitor from "@fw/web/middleware/monitor";
import * as mvc from "@fw/web/mvc";
import * as policy from "@fw/web/policy";
import * as tokens from "@fw/web/tokens";
import * as versioning from "@fw/web/versioning";
import * as websocket from "@fw/web/websocket";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { quiet } from "../../../serving.ts";

const values: readonly unknown[] = [undefined, null, 5, NaN, true, [], {}, Symbol("x"), 5n, () => {}];

function isFunction(value: unknown): boolean {
  return typeof value === "function";
}

function isList(value: unknown): boolean {
  return value === undefined || Array.isArray(value);
}

function isObject(value: unknown): boolean {
  return Object.prototype.toString.call(value) === "[object Object]";
}

function none(): boolean {
  return false;
}

function host(): any {
  return quiet().Install({ Name: "x", Install: (own) => own });
}

const key = fw.Key<number>("x");
const text = { Meaning: "It is cold", Remedy: "Boil it" };
const queue = jobs.New(jobs.NewMemory());
const reset = tokens.New({ Keys: keys.New(keys.Generate()), Purpose: "reset" });
function work(_: any): void {}

/** The functions, with a test for the values that they accept. */
const calls: Readonly<Record<string, readonly [call: (value: any) => unknown, accepts?: (value: unknown) => boolean]>> =
  {
    "extension Needs": [(value) => quiet().Install({ Name: "x", Needs: value, Install() {} }), isList],
    "extension Needs[0]": [(value) => quiet().Install({ Name: "x", Needs: [value], Install() {} })],
    "extension Many": [
      (value) => quiet().Install({ Name: "x", Many: value, Install() {} }),
      (value) => value === undefined || value === true,
    ],
    "extension Seam": [
      (value) => quiet().Install({ Name: "x", Seam: value, Install() {} }),
      (value) => value === undefined,
    ],
    "Extend": [(value) => fw.Extend(() => {}, value)],
    "Extend again": [(value) => fw.Extend(fw.Extend(() => {}, { Name: "x", Install() {} }), value)],
    "host.Options rules": [(value) => host().Options({}, value), isObject],
    "host.Errors": [(value) => host().Errors(value), isObject],
    "host.Errors factory": [(value) => host().Errors({ TEA_COLD: text })(value, "Cold")],
    "host.Provide carry": [(value) => host().Provide(key, () => 1, value), (value) => value === undefined],
    "host.Label": [(value) => host().Label(value, () => "", {})],
    "host.ViewFunc": [(value) => host().ViewFunc(value, () => "")],
    "host.Page": [(value) => host().Page(value, () => {})],
    "host.Check": [(value) => host().Check(value, () => {}, "start")],
    "Key": [(value) => fw.Key(value)],
    "app.Configure": [(value) => quiet().Configure(value), isFunction],
    "app.ConfigureContainer": [(value) => quiet().ConfigureContainer(value), isFunction],
    "app.Subdomain": [(value) => quiet().Subdomain(value)],
    "app.Party": [(value) => quiet().Party(value)],
    "app.Handle": [(value) => quiet().Handle(value, "/", () => {})],
    "app.OnErrorCode": [(value) => quiet().OnErrorCode(value, () => {})],
    "app.OnError": [(value) => quiet().OnError(value), isFunction],
    "app.Reverse": [(value) => quiet().Reverse(value)],
    "app.HandleDir": [(value) => quiet().HandleDir(value, ".")],
    "app.HandleDir dir": [(value) => quiet().HandleDir("/x", value)],
    "ctx.URLPath": [(value) => thrownIn((ctx) => ctx.URLPath(value))],
    "ctx.URL": [(value) => thrownIn((ctx) => ctx.URL(value))],
    "app.Report": [(value) => quiet().Report(new Error("x"), value)],
    "app.RegisterView": [(value) => quiet().RegisterView(value)],
    "app.RegisterOnShutdown": [(value) => quiet().RegisterOnShutdown(value), isFunction],
    "app.RegisterOnInterrupt": [(value) => quiet().RegisterOnInterrupt(value), isFunction],
    "app.WrapRouter": [(value) => quiet().WrapRouter(value), isFunction],
    "mvc.Configure": [(value) => mvc.Configure(quiet(), value), isFunction],
    "queue.RunWith": [(value) => queue.RunWith(value)],
    "health.Register": [(value) => health.New().Register(value)],
    "monitor.Register": [(value) => monitor.New().Register(value)],
    "page.Register": [(value) => page.New(queue).Register(value)],
    "queue.Get": [(value) => queue.Get(value)],
    "queue.Delete": [(value) => queue.Delete(value), (value) => value === undefined || isObject(value)],
    "queue.Cancel": [(value) => queue.Cancel(value), (value) => value === undefined || isObject(value)],
    "queue.Pause": [(value) => queue.Pause(value), (value) => value === undefined],
    "queue.AddAll": [(value) => queue.AddAll(work, value), Array.isArray],
    "queue.AddBatch": [(value) => queue.AddBatch(work, value, work, null), Array.isArray],
    "tokens.Issue": [(value) => reset.Issue(value, ["hash"])],
    "tokens.Issue stamp": [(value) => reset.Issue("ann", value)],
    "tokens.Verify": [(value) => reset.Verify(reset.Issue("ann", ["hash"]), value), isFunction],
    "apikeys.Require": [(value) => apikeys.New({ Store: apikeys.NewMemory() }).Require(value)],
    "auth.Require": [(value) => auth.Require(value)],
    "policy.Deny": [(value) => policy.Deny(value)],
    "policy.Deny options": [(value) => policy.Deny("closed", value), (value) => value === undefined || isObject(value)],
    "policy.Deny Status": [(value) => policy.Deny("closed", { Status: value }), (value) => value === undefined],
    "policy.SetLogger": [(value) => policy.SetLogger(value)],
    "mail.Memory.Register": [(value) => mail.NewMemory().Register(value)],
    "websocket.On": [(value) => websocket.New().On(value, () => {})],
    "httptest.Start": [(value) => httptest.Start(value)],
    "httptest.Do": [(value) => httptest.Do(value, new Request("http://localhost/")), isFunction],
    "httptest.Do request": [(value) => httptest.Do(() => {}, value)],
    "versioning.If": [(value) => versioning.If(value, "1.0.0")],
    "versioning.If range": [(value) => versioning.If("1.0.0", value)],
    "versioning.Match": [(value) => versioning.Match(value, "1.0.0")],
    "versioning.SetVersion": [(value) => versioning.SetVersion(value, "1.0.0")],
    "versioning.WriteDeprecated": [(value) => versioning.WriteDeprecated(value)],
  };

/** Runs a function in a handler, and throws what it throws. */
async function thrownIn(run: (ctx: fw.Context) => unknown): Promise<void> {
  const app = quiet();
  let thrown: unknown;
  app.OnError((_ctx, error) => thrown = error);
  app.Get("/", (ctx) => void run(ctx));
  await app.fetch(new Request("http://localhost/"));
  if (thrown !== undefined) throw thrown;
}

for (const [name, [call, accepts = none]] of Object.entries(calls)) {
  Deno.test(`${name} refuses arguments of the wrong kind with an error of fw`, async () => {
    for (const value of values) {
      let thrown: unknown;
      try {
        await call(value);
      } catch (error) {
        thrown = error;
      }
      const shown = Deno.inspect(value);
      if (accepts(value)) assertEquals(thrown, undefined, shown);
      else assert(thrown instanceof fw.FrameworkError, `${shown}: ${thrown}`);
    }
  });
}

const ways: Readonly<Record<string, (app: fw.Application) => unknown>> = {
  "a new application": () => {},
  "a built application": (app) => app.Build(),
  "an application with view functions": (app) => app.Install({ Name: "x", Install: (own) => own.ViewFunc("f", none) }),
  "an application with a wrapper": (app) => app.WrapRouter((request, next) => next(request)),
  "an application with a base path": (app) => app.Configure(fw.WithBasePath("/base")),
  "an application without a check of hosts": (app) =>
    app.Configure(fw.WithoutHostCheck).WrapRouter((request, next) => next(request)),
};

for (const [name, prepare] of Object.entries(ways)) {
  Deno.test(`Application.fetch() of ${name} explains that it takes a request`, async () => {
    const app = quiet();
    await prepare(app);
    for (const value of [...values, "http://localhost/", new URL("http://localhost/")]) {
      const reason = "Cannot serve a request: fetch takes a Request";
      await assertRejects(async () => await app.fetch(value as Request), TypeError, reason, Deno.inspect(value));
    }
  });
}
