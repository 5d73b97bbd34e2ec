/**
 * The ways on which a value leaves a call. Each one sends a value for real and returns what arrives.
 *
 * @module
 */

import pg from "npm:pg@^8";
import * as answers from "../../../src/live/answers/mod.ts";
import { Conversation } from "../../../src/live/answers/conversation.ts";
import { settingsOf } from "../../../src/live/answers/options.ts";
import * as httptest from "../../../src/tools/httptest/mod.ts";
import * as jobs from "../../../src/work/jobs/mod.ts";
import * as postgres from "../../../src/work/jobs/stores/postgres.ts";
import * as sqlite from "../../../src/work/jobs/stores/sqlite.ts";
import * as live from "../../../src/live/hub/mod.ts";
import * as mcp from "../../../src/api/mcp/mod.ts";
import * as sessions from "../../../src/state/sessions/mod.ts";
import type { Store as SessionStore } from "../../../src/state/sessions/store.ts";
import { Key } from "../../../src/core/exchange/values.ts";
import { parseLossless } from "../../../src/base/text/lossless_json.ts";
import * as webhooks from "../../../src/work/webhooks/mod.ts";
import * as websocket from "../../../src/live/websocket/mod.ts";
import * as socketio from "../../../src/live/websocket/socketio.ts";
import type { Ends } from "../../live/hub/backplanes.ts";
import { kinds as backplanes } from "../../live/hub/backplanes.ts";
import { postgresIsMissing, startPostgres } from "../../recipes/postgres_server.ts";
import { logged, quiet } from "../../serving.ts";
import { kinds as sessionStores } from "../../state/sessions/stores.ts";
import type { Fate, Wire } from "./kinds.ts";

/** Sends a value and returns what arrives. Rejects with the error of the place where the value enters. */
export type Carry = (value: unknown) => Promise<unknown>;

/** A way out. */
export interface Way {
  readonly name: string;
  readonly wire: Wire;
  /** The file that writes the value. */
  readonly source: string;
  /** The reason why it cannot be tested here. */
  readonly missing?: string | undefined;
  /** The kinds that this way treats differently from the others of its wire. */
  readonly cells?: Readonly<Record<string, Fate>>;
  readonly use: (run: (carry: Carry) => Promise<void>) => Promise<void>;
}

/** Bytes within other values are Base64 strings for all clients but those of Socket.IO. */
const base64Bytes: Readonly<Record<string, Fate>> = {
  "Uint8Array": { becomes: "AP8=" },
  "ArrayBuffer": { becomes: "AQ==" },
  "other typed array": { becomes: "AAAAAAAA8D8=" },
};

/** Server-sent events and tool results are parsed once more on their way. */
const reparsed: Readonly<Record<string, Fate>> = { "-0": { becomes: 0 } };

/** A webhook is a job, so its data is stored first. */
const storedFirst: Readonly<Record<string, Fate>> = {
  "instance of a class": "refused",
  "instance with toJSON": "refused",
  "property whose name is a symbol": "refused",
  "array with properties": "refused",
};

const attachedBytes: Readonly<Record<string, Fate>> = {
  "Uint8Array": "same",
  "ArrayBuffer": { becomes: new Uint8Array([1]) },
  "other typed array": { becomes: new Uint8Array(new Float64Array([1]).buffer) },
};

export const ways: readonly Way[] = [
  ...Object.entries({ memory: useMemory, sqlite: useSQLite, postgres: usePostgres }).flatMap(([name, use]): Way[] => {
    const missing = name === "postgres" ? postgresIsMissing : undefined;
    const way = (
      what: string,
      source: string,
      carry: (store: jobs.Store, value: unknown) => Promise<unknown>,
    ): Way => ({
      name: `${what} in ${name}`,
      wire: "stored",
      source,
      missing,
      use: (run) => use((store) => run((value) => carry(store, value))),
    });
    return [
      way("job data", "src/work/jobs/job.ts", data),
      way("progress", "src/work/jobs/context.ts", progress),
      way("job result", "src/work/jobs/stored_part.ts", result),
      way("value of a call", "src/core/context/carried.ts", carried),
    ];
  }),
  ...sessionStores.flatMap(({ name, missing, use }): Way[] => {
    const common = { wire: "stored" as const, source: "src/state/sessions/value.ts", missing };
    return [
      { ...common, name: `session value in ${name}`, use: (run) => use((store) => run(sessionCarry(store, "Set"))) },
      { ...common, name: `flash in ${name}`, use: (run) => use((store) => run(sessionCarry(store, "SetFlash"))) },
    ];
  }),
  { name: "answer's cursor", wire: "stored", source: "src/live/answers/producer.ts", use: (run) => run(cursor) },
  {
    name: "answer's part",
    wire: "sent",
    source: "src/live/answers/producer.ts",
    cells: reparsed,
    use: (run) => run(part),
  },
  { name: "webhook", wire: "sent", source: "src/work/webhooks/send.ts", cells: storedFirst, use: useWebhook },
  ...backplanes.flatMap(({ name, ignore, open }): Way[] => {
    const common = { wire: "sent" as const, missing: ignore ? `no ${name}` : undefined };
    const over = (use: (ends: Ends, run: (carry: Carry) => Promise<void>) => Promise<void>) => {
      return async (run: (carry: Carry) => Promise<void>) => {
        const ends = await open();
        try {
          await use(ends, run);
        } finally {
          await ends.close();
        }
      };
    };
    const payload = "src/live/hub/payload.ts";
    return [
      {
        ...common,
        name: `topic over ${name}`,
        source: payload,
        cells: { ...base64Bytes, ...reparsed },
        use: over(useTopic),
      },
      { ...common, name: `presence over ${name}`, source: "src/live/hub/room_members.ts", use: over(usePresence) },
      { ...common, name: `room over ${name}`, source: payload, cells: base64Bytes, use: over(useRoom) },
    ];
  }),
  {
    name: "Socket.IO event",
    wire: "sent",
    source: "src/live/websocket/wire/socketio_codec.ts",
    cells: attachedBytes,
    use: useSocketIO,
  },
  {
    name: "WebSocket event",
    wire: "sent",
    source: "src/live/websocket/wire/packet.ts",
    cells: base64Bytes,
    use: (run) => useSocket(run, async (socket) => (await socket.Ask("emit", null), await socket.ExpectEvent("said"))),
  },
  {
    name: "WebSocket reply",
    wire: "sent",
    source: "src/live/websocket/wire/packet.ts",
    cells: base64Bytes,
    use: (run) => useSocket(run, (socket) => socket.Ask("reply", null)),
  },
  { name: "mcp.Content", wire: "sent", source: "src/api/mcp/tool/tool_result.ts", use: (run) => run(content) },
  { name: "tool result", wire: "sent", source: "src/api/mcp/calls.ts", cells: reparsed, use: (run) => run(tool) },
  { name: "ctx.JSON", wire: "response", source: "src/http/response/json_body.ts", use: (run) => run(response) },
];

async function useMemory(run: (store: jobs.Store) => Promise<void>): Promise<void> {
  const store = jobs.NewMemory();
  await run(store);
  await store.Close();
}

async function useSQLite(run: (store: jobs.Store) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  const store = sqlite.New({ File: `${folder}/jobs.db` });
  await store.Migrate();
  await run(store);
  await store.Close();
  await Deno.remove(folder, { recursive: true });
}

async function usePostgres(run: (store: jobs.Store) => Promise<void>): Promise<void> {
  await using server = await startPostgres();
  const pool = new pg.Pool({ connectionString: server.url });
  const store = postgres.New(pool);
  await store.Migrate();
  await run(store);
  await store.Close();
  await pool.end();
}

function newQueue(store: jobs.Store): jobs.Queue {
  const logger = quiet().Logger();
  return jobs.New(store, { Name: crypto.randomUUID(), Logger: logger });
}

async function data(store: jobs.Store, value: unknown): Promise<unknown> {
  let arrived: unknown;
  const work = (data: unknown) => void (arrived = data);
  const queue = newQueue(store).Handle(work);
  await queue.Add(work, value);
  await queue.Drain();
  return arrived;
}

async function carried(store: jobs.Store, value: unknown): Promise<unknown> {
  const key = Key<unknown>("carried");
  const app = quiet();
  app.Install({
    Name: "carrying",
    Install: (host) => host.Provide(key, () => 0, { Encode: () => value, Decode: (data) => data }),
  });
  let arrived: unknown;
  let thrown: unknown;
  const work = (_: undefined, ctx: jobs.Context) => void (arrived = ctx.Values().Get(key));
  const queue = newQueue(store).Handle(work);
  app.Get("/", async () => void await queue.Add(work).catch((error) => thrown = error));
  await app.fetch(new Request("http://localhost/"));
  await queue.Drain();
  if (thrown !== undefined) throw thrown;
  return arrived;
}

async function progress(store: jobs.Store, value: unknown): Promise<unknown> {
  let thrown: unknown;
  const work = (_: undefined, ctx: jobs.Context) => ctx.Progress(value).catch((error) => thrown = error).then(() => {});
  const queue = newQueue(store).Handle(work);
  const { ID } = await queue.Add(work);
  await queue.Drain();
  if (thrown !== undefined) throw thrown;
  return (await queue.Get(ID))?.Progress;
}

async function result(store: jobs.Store, value: unknown): Promise<unknown> {
  const work = () => value;
  const queue = newQueue(store).Handle(work);
  const { ID } = await queue.Add(work);
  await queue.Drain();
  const job = await queue.Get(ID);
  if (typeof job?.Error === "string") throw new Error(job.Error);
  return job?.Result;
}

function sessionCarry(store: SessionStore, method: "Set" | "SetFlash"): Carry {
  const manager = sessions.New({ Store: store });
  const app = quiet();
  let value: unknown;
  let outcome: { readonly error?: unknown; readonly arrived?: unknown } = {};
  app.Use(manager.Handler());
  app.Get("/write", (ctx) => {
    outcome = {};
    try {
      sessions.Get(ctx)?.[method]("cart", value);
    } catch (error) {
      outcome = { error };
    }
  });
  app.Get("/read", async (ctx) => {
    const session = sessions.Get(ctx);
    outcome = { arrived: method === "Set" ? session?.Get("cart") : await session?.GetFlash("cart") };
  });
  return async (sent) => {
    value = sent;
    const test = httptest.New(app);
    await test.GET("/write").Expect().Status(200);
    if (outcome.error !== undefined) throw outcome.error;
    await test.GET("/read").Expect().Status(200);
    return outcome.arrived;
  };
}

/** Lets a second process continue an answer, and returns the cursor that it receives. */
async function cursor(value: unknown): Promise<unknown> {
  await using hub = live.New();
  const errors: unknown[] = [];
  const chats = [1, 2].map(() => answers.New({ Hub: hub, Owner: () => "ada", Lease: 60_000 }));
  const [one, two] = chats as [answers.Answers, answers.Answers];
  const taken = Promise.withResolvers<unknown>();
  const recorded = Promise.withResolvers<void>();
  const { app, lines } = logged();
  app.Post("/one", (ctx) =>
    one.Start(ctx, "a", async function* ({ Signal }) {
      yield answers.At(value, "1");
      recorded.resolve();
      await new Promise((_, reject) => Signal.addEventListener("abort", () => reject(Signal.reason), { once: true }));
    }));
  app.Get("/two", (ctx) =>
    two.Resume(ctx, "a", ({ Cursor }) => {
      taken.resolve(Cursor);
      return ["2"];
    }));
  const first = await app.fetch(new Request("http://localhost/one", { method: "POST" }));
  const reading = first.text();
  await Promise.race([recorded.promise, reading]);
  if (lines.length > 0) errors.push(lines.join("\n"));
  else {
    await new Conversation(settingsOf({ Hub: hub }), "ada", "a").lease.release();
    const second = await app.fetch(new Request("http://localhost/two"));
    await second.text();
  }
  await reading;
  for (const chat of chats) await chat.Close();
  if (errors.length > 0) throw new Error(String(errors[0]));
  return await taken.promise;
}

async function part(value: unknown): Promise<unknown> {
  await using hub = live.New();
  const chat = answers.New({ Hub: hub, Owner: () => "ada" });
  const { app, lines } = logged();
  app.Post("/chat", (ctx) => chat.Start(ctx, "a", () => [{ type: "data-value", data: value }]));
  const text = await (await app.fetch(new Request("http://localhost/chat", { method: "POST" }))).text();
  await chat.Close();
  if (lines.length > 0) throw new Error(lines.join("\n"));
  const line = text.split("\n").find((each) => each.includes("data-value")) ?? "";
  return (parseLossless(line.replace("data: ", "")) as { data: unknown }).data;
}

async function useWebhook(run: (carry: Carry) => Promise<void>): Promise<void> {
  let body = "";
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    body = await request.text();
    return new Response(null, { status: 204 });
  });
  const send = webhooks.Send({ Secret: () => "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", Allow: ["127.0.0.1"] });
  const queue = newQueue(jobs.NewMemory()).Handle(send);
  await run(async (value) => {
    await queue.Add(send, { URL: `http://127.0.0.1:${server.addr.port}/`, Data: value });
    await queue.Drain();
    return parseLossless(body);
  });
  await queue.Store.Close();
  await server.shutdown();
}

async function useTopic({ one, other }: Ends, run: (carry: Carry) => Promise<void>): Promise<void> {
  const [here, there] = [live.New({ Backplane: one }), live.New({ Backplane: other })];
  const app = quiet();
  app.Get("/events", (ctx) => ctx.Events(there.Topic("tea").Events()));
  const topic = here.Topic("tea");
  const events = await httptest.New(app).GET("/events").Events();
  await subscribed(events, topic);
  await run(async (value) => {
    await topic.Publish("said", value);
    return parseLossless((await nextSaid(events)).Data);
  });
  await events.Close();
  await here.Close();
  await there.Close();
}

/** Publishes until an event arrives. A backplane may need a moment before it delivers. */
async function subscribed(events: httptest.TestEvents, topic: live.LiveTopic): Promise<void> {
  let isSubscribed = false;
  const first = events.Next().finally(() => isSubscribed = true);
  while (!isSubscribed) {
    await topic.Publish("ready", null);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await first;
}

async function nextSaid(events: httptest.TestEvents): Promise<httptest.TestEvent> {
  for (;;) {
    const event = await events.Next();
    if (event.Name !== "ready") return event;
  }
}

async function usePresence({ one, other }: Ends, run: (carry: Carry) => Promise<void>): Promise<void> {
  const [here, there] = [live.New({ Backplane: one }), live.New({ Backplane: other })];
  await run(async (value) => {
    await here.Presence("tea").Add("ada", value);
    const [member] = await there.Presence("tea").List();
    return member?.Info;
  });
  await here.Presence("tea").Remove("ada");
  await here.Close();
  await there.Close();
}

async function useRoom({ one, other }: Ends, run: (carry: Carry) => Promise<void>): Promise<void> {
  const hubs = [live.New({ Backplane: one }), live.New({ Backplane: other })];
  const [here, there] = hubs.map((Hub) => websocket.New({ Hub })) as [websocket.Server, websocket.Server];
  there.On(websocket.OnRoomJoin, () => true);
  const app = quiet();
  app.Get("/ws", websocket.Handler(there));
  const socket = await httptest.New(app).WebSocket("/ws");
  await socket.Join("tea");
  await run(async (value) => {
    await here.To("tea").Emit("said", value);
    return await socket.ExpectEvent("said");
  });
  await socket.Close();
  for (const hub of hubs) await hub.Close();
}

async function useSocket(
  run: (carry: Carry) => Promise<void>,
  ask: (socket: httptest.TestSocket) => Promise<unknown>,
): Promise<void> {
  const { app, lines } = logged();
  const server = websocket.New();
  let value: unknown;
  server.On("emit", (conn) => {
    conn.Emit("said", value);
  });
  server.On("reply", () => value);
  app.Get("/ws", websocket.Handler(server));
  const socket = await httptest.New(app).WebSocket("/ws");
  await run(async (sent) => {
    value = sent;
    lines.length = 0;
    try {
      return await ask(socket);
    } catch (error) {
      throw new Error(`${error}\n${lines.join("\n")}`);
    }
  });
  await socket.Close();
}

async function useSocketIO(run: (carry: Carry) => Promise<void>): Promise<void> {
  const hub = live.New();
  const server = websocket.New({ Hub: hub });
  const app = quiet();
  server.On(websocket.OnNamespaceConnected, (conn) => conn.Join("tea"));
  server.On(websocket.OnRoomJoin, () => true);
  server.On("ping", () => "pong");
  app.Get("/io", socketio.Handler(server));
  const socket = await httptest.New(app).WebSocket("/io?EIO=4&transport=websocket", { Protocols: [] });
  socket.Write("40");
  await socket.ExpectMessage();
  await socket.ExpectMessage();
  socket.Write('420["ping"]');
  await socket.ExpectMessage('430["pong"]');
  await run(async (value) => {
    await server.To("tea").Emit("said", value);
    const text = String(await socket.ExpectMessage());
    const bytes = text.startsWith("451-") ? await socket.ExpectMessage() : undefined;
    const [, data] = parseLossless(text.slice(text.indexOf("["))) as [string, { items: [number, { at?: unknown }] }];
    if (bytes !== undefined) data.items[1].at = bytes;
    return data;
  });
  await socket.Close();
  await hub.Close();
}

async function content(value: unknown): Promise<unknown> {
  const [item] = parseLossless(await mcp.Content({ type: "data", value }).text()) as { value: unknown }[];
  return item?.value;
}

async function tool(value: unknown): Promise<unknown> {
  const { app, lines } = logged();
  app.Get("/value", (ctx) => ctx.JSON({ value }));
  mcp.New(app, { Name: "values", Routes: ({ Path }) => Path === "/value", Sessions: false });
  const params = { name: "get_value", arguments: {} };
  const reply = await app.fetch(
    new Request("http://localhost/mcp", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
    }),
  );
  const { result, error } = parseLossless(await reply.text()) as Record<string, Record<string, unknown>>;
  if (result?.["isError"] === true) throw new Error(JSON.stringify(result) + lines.join("\n"));
  if (result === undefined) throw new Error(`Unexpected: ${JSON.stringify(error)}`);
  return (result["structuredContent"] as { value: unknown }).value;
}

async function response(value: unknown): Promise<unknown> {
  const { app, lines } = logged();
  app.Get("/", (ctx) => ctx.JSON(value));
  const answer = await app.fetch(new Request("http://localhost/"));
  const text = await answer.text();
  if (!answer.ok) throw new Error(lines.join("\n"));
  return parseLossless(text);
}
