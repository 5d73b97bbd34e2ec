/**
 * Calls the functions of the other features that take options.
 *
 * @module
 */

import * as fw from "../../../../mod.ts";
import * as client from "../../../../src/api/client/mod.ts";
import * as mcp from "../../../../src/api/mcp/mod.ts";
import * as openapi from "../../../../src/api/openapi/mod.ts";
import * as apps from "../../../../src/hosts/apps/mod.ts";
import * as answersClient from "../../../../src/live/answers/client/mod.ts";
import * as answers from "../../../../src/live/answers/mod.ts";
import * as live from "../../../../src/live/hub/mod.ts";
import * as nats from "../../../../src/live/hub/nats.ts";
import * as redisLive from "../../../../src/live/hub/redis.ts";
import * as sqliteLive from "../../../../src/live/hub/sqlite/mod.ts";
import * as threads from "../../../../src/live/hub/threads.ts";
import * as websocket from "../../../../src/live/websocket/mod.ts";
import * as socketio from "../../../../src/live/websocket/socketio.ts";
import * as jsx from "../../../../src/pages/view/engines/jsx.ts";
import * as httptest from "../../../../src/tools/httptest/mod.ts";
import * as jobs from "../../../../src/work/jobs/mod.ts";
import * as page from "../../../../src/work/jobs/page.ts";
import * as postgresJobs from "../../../../src/work/jobs/stores/postgres.ts";
import * as sqliteJobs from "../../../../src/work/jobs/stores/sqlite.ts";
import * as mail from "../../../../src/work/mail/mod.ts";
import * as webhooks from "../../../../src/work/webhooks/mod.ts";
import { inHandler, type Recipes } from "./recipe.ts";

// deno-lint-ignore no-explicit-any -- Clients of databases and brokers are not needed for their options.
const redis: any = { sendCommand() {}, subscribe() {}, unsubscribe() {}, duplicate: () => redis, call() {}, on() {} };
// deno-lint-ignore no-explicit-any
const broker: any = {
  publish() {},
  subscribe: () => ({ unsubscribe() {}, async *[Symbol.asyncIterator]() {} }),
  request: () => Promise.reject(new Error("There is no broker")),
  flush: () => Promise.resolve(),
  closed: () => Promise.resolve(),
  status: () => ({ stop() {}, async *[Symbol.asyncIterator]() {} }),
  getServer: () => "",
  info: {},
};
const secret = "a secret of at least thirty-two bytes";

const authorized = { Authorization: { Servers: ["https://login.example"] } };

function work(): void {}

function queue(): jobs.Queue {
  return jobs.New(jobs.NewMemory()).Handle(work);
}

function mailer(): mail.Mailer {
  return mail.New({ Transport: mail.NewMemory(), From: "a@tea.example", Queue: jobs.New(jobs.NewMemory()) });
}

const letter = { To: "b@tea.example", Subject: "Tea", Text: "x" };

/** Opens a socket for a function. */
async function withSocket(use: (socket: httptest.TestSocket) => unknown): Promise<void> {
  const server = websocket.New({ Origins: ["*"] });
  const app = fw.New();
  app.Logger().SetLevel("disable");
  app.Get("/ws", websocket.Handler(server));
  const socket = await httptest.New(app).WebSocket("/ws");
  try {
    await use(socket);
  } finally {
    await socket.Close();
  }
}

/** Waits until a call has checked its options. Its other errors do not matter. */
async function briefly(call: Promise<unknown>): Promise<void> {
  const checked = call.catch((error) => {
    if (error instanceof fw.FrameworkError) throw error;
  });
  checked.catch(() => {});
  await Promise.race([checked, new Promise((resolve) => setTimeout(resolve))]);
}

/** The functions of features. */
export const featureRecipes: Recipes = {
  "answers New": answers.New,
  "answers Answers.constructor": (options) => new answers.Answers(options),
  "answers Answers.Start": (options) =>
    inHandler((ctx) => answers.New({ Owner: () => "a" }).Start(ctx, "a", async function* () {}, options)),
  "answers Answers.Resume": (options) =>
    inHandler((ctx) => answers.New({ Owner: () => "a" }).Resume(ctx, "a", undefined, options)),
  "answers/client NewFetch": answersClient.NewFetch,
  "apps Switch": [(options) => apps.Switch([options]), { Pattern: "a.example", Target: "b.example" }],
  "client New": (options) => client.New("http://localhost", options),
  "client Application": (options) => client.Application("http://localhost", options),
  "client Routed": [(options) => client.Routed("http://localhost", options), { Routes: {} }],
  "client Retry": [client.Retry, { Times: 1 }],
  "client Live": (options) => client.Live("ws://127.0.0.1:1", options).Close(),
  "httptest Client.WebSocket": (options) => withSocketOptions(options),
  "httptest TestSocket.Emit": (options) => withSocket((socket) => socket.Emit("a", 1, options)),
  "httptest TestSocket.Ask": (options) => withSocket((socket) => briefly(socket.Ask("a", 1, options))),
  "httptest TestSocket.Join": (options) => withSocket((socket) => briefly(socket.Join("a", options))),
  "httptest TestSocket.WatchPresence": (options) => withSocket((socket) => briefly(socket.WatchPresence("a", options))),
  "httptest TestSocket.Leave": (options) => withSocket((socket) => briefly(socket.Leave("a", options))),
  "jobs New": [(options) => jobs.New(jobs.NewMemory(), options), {}, { Rate: { Limit: 1, Period: 1 } }],
  "jobs Check": (options) => jobs.Check(queue(), options),
  "jobs Adder.Add": (options) => queue().Add(work, undefined, options),
  "jobs Queue.Schedule": (options) => queue().Schedule("* * * * *", work, undefined, options),
  "jobs Adder.AddAll": (options) => queue().AddAll(work, [undefined], options),
  "jobs Operations.List": (options) => queue().List(options),
  "jobs/page New": (options) => page.New(queue(), options),
  "jobs/page Page.constructor": (options) => new page.Page([queue()], options),
  // deno-lint-ignore no-explicit-any
  "jobs/postgres New": (options) => postgresJobs.New((() => {}) as any, options),
  "jobs/sqlite New": [sqliteJobs.New, { File: ":memory:" }],
  "live New": live.New,
  "live Hub.constructor": (options) => new live.Hub(options),
  "live Hub.Topic": (options) => live.New().Topic("a", options),
  "live Hub.Presence": (options) => live.New().Presence("a", options),
  "live Topic": (options) => live.Topic(`t${crypto.randomUUID()}`, options),
  "live Presence": (options) => live.Presence("a", options),
  "live LiveTopic.Events": (options) => live.New().Topic("a").Events(options),
  "live/nats New": (options) => nats.New(broker, options),
  "live/redis New": (options) => redisLive.New(redis, options),
  "live/sqlite New": [sqliteLive.New, { File: ":memory:" }],
  "live/threads New": threads.New,
  "mail New": [mail.New, { Transport: mail.NewMemory(), From: "a@tea.example" }],
  "mail Send.Later": (options) => mailer().Send.Later(letter, options),
  "mail Send.Later mail.LaterMail": [(mail) => mailer().Send.Later(mail), letter],
  "mail Memory.Expect": (options) => sent((memory) => memory.Expect(options)),
  "mail Memory.ExpectNone": (options) => mail.NewMemory().ExpectNone(options),
  "mcp New": [(options) => mcp.New(fw.New(), options), { Name: "a", Routes: () => true }, authorized],
  "mcp Server.constructor": [
    (options) => new mcp.Server(fw.New(), options),
    { Name: "a", Routes: () => true },
    authorized,
  ],
  "openapi New": [openapi.New, { Title: "a", Version: "1" }],
  "openapi Document.constructor": [(options) => new openapi.Document(options), { Title: "a", Version: "1" }],
  "openapi UI": openapi.UI,
  "view/jsx New": [(options) => jsx.New(options), { Render: () => "" }],
  "webhooks Send": [webhooks.Send, { Secret: () => secret }],
  "webhooks Verify": [webhooks.Verify, { Secret: secret, Scheme: "github" }],
  "websocket New": [websocket.New, {}, { Rate: { Limit: 1, Period: 1 } }],
  "websocket Server.constructor": [(options) => new websocket.Server(options), {}, { Rate: { Limit: 1, Period: 1 } }],
  "websocket Server.Broadcast": (options) => websocket.New().Broadcast(null, "a", 1, options),
  "websocket Server.To": (options) => websocket.New().To("a", options),
  "websocket Server.ToUser": (options) => websocket.New().ToUser("a", options),
  "websocket Server.Fetch": (options) => websocket.New().Fetch(options),
  "websocket Server.Presence": (options) => websocket.New({ Presence: true }).Presence("a", options),
  "websocket Server.Conns": (options) => websocket.New().Conns(options),
  "websocket Conn.Join": (options) => withConn((conn) => conn.Join("a", options)),
  "websocket/socketio Handler": (options) => socketio.Handler(websocket.New({ Rooms: { History: 1 } }), options),
};

/** Runs a function with the server side of a connection. */
async function withConn(use: (conn: websocket.Conn) => unknown): Promise<void> {
  const server = websocket.New({ Origins: ["*"] });
  const { promise, resolve } = Promise.withResolvers<websocket.Conn>();
  server.On("enter", (conn) => resolve(conn));
  const app = fw.New();
  app.Get("/ws", websocket.Handler(server));
  const socket = await httptest.New(app).WebSocket("/ws");
  socket.Emit("enter");
  try {
    await use(await promise);
  } finally {
    await socket.Close();
  }
}

async function withSocketOptions(options: httptest.SocketOptions): Promise<void> {
  const app = fw.New();
  app.Logger().SetLevel("disable");
  app.Get("/ws", websocket.Handler(websocket.New({ Origins: ["*"] })));
  const socket = await httptest.New(app).WebSocket("/ws", options);
  await socket.Close();
}

async function sent(use: (memory: mail.Memory) => unknown): Promise<void> {
  const memory = mail.NewMemory();
  await mail.New({ Transport: memory, From: "a@tea.example" }).Send(letter);
  use(memory);
}
