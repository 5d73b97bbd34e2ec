import { assertEquals } from "@std/assert";
import * as fw from "../../mod.ts";
import * as mvc from "../../mvc/mod.ts";
import * as sessions from "../../src/state/sessions/mod.ts";
import { quietApp } from "./serve.ts";

const REQUESTS = 1_000;

/** Lets other requests run for a random time. */
async function pause(): Promise<void> {
  const turns = Math.floor(Math.random() * 4);
  for (let i = 0; i < turns; i++) await new Promise((done) => setTimeout(done, Math.random() * 3));
}

class Connection {
  readonly owner: string;
  constructor(owner: string) {
    this.owner = owner;
  }
}

async function shared(): Promise<{ readonly name: string }> {
  await pause();
  return { name: "shared" };
}

async function connection(ctx: fw.Context): Promise<Connection> {
  const owner = ctx.GetHeader("x-id");
  await pause();
  return new Connection(owner);
}

/** Is asynchronous without being declared `async`, and has an asynchronous dependency. */
function user(ctx: fw.Context, from = mvc.Inject(connection), of = mvc.Inject(shared)): Promise<string> {
  const name = ctx.GetHeader("x-id");
  return pause().then(() => `${name} by ${from.owner} of ${of.name}`);
}

class Isolated {
  Ctx!: fw.Context;
  connection = mvc.Inject(connection);
  session = mvc.Inject(sessions.Session);
  readonly #user = mvc.Inject(user);
  begun = "";

  async BeginRequest(ctx: fw.Context): Promise<void> {
    await pause();
    this.begun = ctx.GetHeader("x-id");
    this.session.Set("id", this.begun);
  }

  async GetBy(id = 0, again = mvc.Inject(connection), context = mvc.Inject(fw.Context)): Promise<unknown> {
    await pause();
    const seen = [this.Ctx.GetHeader("x-id"), this.begun, this.connection.owner, again.owner, this.session.Get("id")];
    await pause();
    return { id, seen, user: this.#user, same: context === this.Ctx && again === this.connection };
  }

  async EndRequest(ctx: fw.Context): Promise<void> {
    await pause();
    ctx.Header("x-ended", this.begun);
  }
}

type Send = (request: Request) => Response | Promise<Response>;

async function check(send: Send, base: string, requests: number = REQUESTS): Promise<void> {
  await Promise.all(Array.from({ length: requests }, async (_, i) => {
    const id = String(i);
    const response = await send(new Request(`${base}/${i}`, { headers: { "x-id": id } }));
    assertEquals(await response.json(), {
      id: i,
      seen: [id, id, id, id, id],
      user: `${id} by ${id} of shared`,
      same: true,
    });
    assertEquals(response.headers.get("x-ended"), id);
  }));
}

function newApp(): fw.Application {
  const app = quietApp();
  mvc.New(app).Register(shared, connection, user, sessions.New().Start).Handle(Isolated);
  return app;
}

Deno.test("1,000 concurrent requests in process do not share a Ctx, session or dependency", async () => {
  await check(newApp().fetch, "http://localhost");
});

/** The number of connections at once. Windows queues no more than 200 of them. */
const connections = Deno.build.os === "windows" ? 100 : REQUESTS;

Deno.test(`${connections} concurrent requests over a socket do not share a Ctx, session or dependency`, async () => {
  const app = newApp();
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, app.fetch);
  await check(fetch, `http://127.0.0.1:${server.addr.port}`, connections);
});
