/**
 * Names in the list of callbacks that have no row, with the reason. A name that ends with `*` matches all names with
 * this beginning.
 *
 * @module
 */

const ownObject = "an object of fw, which the application only passes on";
const driver = "a driver: its failures are those of the store or backplane that uses it, which have rows";
const inClient = "called in a client of the application, not in a server";
const ofLibrary = "a library for templates: its failures are those of Engine.Render";
const alias = "the type of callbacks that have rows where they are registered";
const byCaller = "called by the application itself, not by fw";
const inTests = "called in tests of the application";

const inHostTable = "has a row in host_members_test.ts";

/** A gap in the table: the callback is newer than the rows. */
const notYet = "has no row yet";

/** The reasons. */
export const exempt: Readonly<Record<string, string>> = {
  "middleware/policy/compare.*": inTests,
  "answers/client/*": inClient,
  "app/api_container.ResultMiddleware()": alias,
  "apps/mod.*": "a handler that checks its options when it is created; it returns the application to run",
  "client/*": inClient,
  "context/extension.ErrorFactory": byCaller,
  "context/extension.Extension.Install": "called by the application when it is set up",
  "context/extension.Host.Check(check)": inHostTable,
  "context/extension.Host.Errors()": byCaller,
  "context/extension.Host.Meter(read)": inHostTable,
  "context/extension.Host.Panel(read)": inHostTable,
  "context/extension.Host.Run(work)": inHostTable,
  "context/extension.Host*": ownObject,
  "context/extension.Installed.*": ownObject,
  "context/extension.RunOptions.*": inHostTable,
  "context/handler.Handler": alias,
  "context/router_wrapper.RouterWrapper*": alias,
  "engine/default/html.HTMLEngine.*": "functions of views, like ViewFunc",
  "engine/engine.Engine.AddFunc": "called by the application when it is set up",
  "engine/engine.Engine.HasFunc":
    "called when the application is built: a failure of it ends the start like Engine.Load",
  "engine/engine.Engine.ParseTemplate": "called by the application when it is set up",
  "engine/engine.Engine.Reload": "called before Engine.Render with the option Development",
  "engine/engine.Engine.RenderElement": "called like Engine.Render",
  "engine/engine.Links.*": ownObject,
  "engine/template_parts.SourceLanguage.translate": "part of an engine: its failures are those of Engine.Load",
  "httptest/*": inTests,
  "i18n/missing_keys.TrContext.Tr": ownObject,
  "jobs/job.JobFunction": alias,
  "jobs/store.Store.Reported": notYet,
  "jobs/store.Store.Started": notYet,
  "jobs/store.Store.Unreported": notYet,
  "jobs/meter.Measurable.*": ownObject,
  "jobs/store.Store.Close": byCaller,
  "jobs/store.Store.Migrate": byCaller,
  "jobs/store.Store.Schedules": byCaller,
  "jobs/store.Store.Unschedule": byCaller,
  "jobs/store.Store.Watch(*": "part of Store.Watch",
  "jobs/store.Store.Watch()": "part of Store.Watch",
  "jobs/stores/*": driver,
  "store/postgres.*": driver,
  "store/sqlite_transaction.*": driver,
  "hub/backplane.Backplane.Close": "called by hub.Close, whose promise has the same outcome",
  "hub/backplane.Listener.*": ownObject,
  "hub/nats_connection.*": driver,
  "mail/message.OpenAttachment.Open": ownObject,
  "mail/render.ViewSource.*": ownObject,
  "mcp/completion.Completer": alias,
  "mcp/options.Options.Complete": "called like a tool: a failure is an error of the call",
  "mcp/options.Options.Convert": "called when the application is built, like Routes",
  "middleware/oauth/flow.*": ownObject,
  "middleware/oauth/mod.Options.OnRefuse*": "a handler, which runs like any other",
  "middleware/oauth/mod.Options.User": "checked like User of jwt",
  "middleware/telemetry.Options.Attributes": "called like Fields of accesslog, and only while Deno exports telemetry",
  "mvc/application.Application.Handle(options)": alias,
  "mvc/inject/inject.*": "a token, which is not called",
  "mvc/reflect/token.AnyToken": "a token, which is not called",
  "openapi/document_options.Options.Convert": "called like Amend of the same document",
  "openapi/json_schema.SchemaConverter": alias,
  "redis/client.*": driver,
  "response/file/file_options.RangeSource.*": "a source of bytes, like the one of Stream",
  "sessions/kv_rows.*": driver,
  "sessions/session.Session.Visit(visitor)": "runs in the caller, like the callback of Array.forEach",
  "sessions/store.Store.Close": byCaller,
  "signature/signature.Signature(original)": "only read, not called",
  "store/store.Store.Close": byCaller,
  "versioning/party_option.ControllerOption": "called when the application is set up",
  "view/engines/*": ofLibrary,
  "webhooks/verify.VerifyOptions.OnReplay": "a handler, which runs like OnRefuse of csrf",
  "websocket/client/*": inClient,
  "websocket/conn.*": ownObject,
  "websocket/server.Server.Namespace(name)": "not a function",
};

/** Returns the reason why a callback has no row, if there is one. */
export function reasonFor(name: string): string | undefined {
  const found = Object.keys(exempt).find((each) =>
    each.endsWith("*") ? name.startsWith(each.slice(0, -1)) : each === name
  );
  return found === undefined ? undefined : exempt[found];
}
