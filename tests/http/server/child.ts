/**
 * A server in a separate process. The first argument selects the kind. Prints its port.
 *
 * @module
 */

import { New, WithOnListen, WithoutStartupLog } from "../../../mod.ts";
import * as websocket from "../../../src/live/websocket/mod.ts";
import { reportFailure } from "../../../src/core/app/failure_report.ts";
import { Addr, type Runner, TLS, Unix } from "../../../src/http/server/runner.ts";
import { serve, type ServeOptions } from "../../../src/http/server/serve.ts";

const [mode = "", ...args] = Deno.args;
const log = { Info: say, Warn: say, Error: say };
const encoder = new TextEncoder();

function say(...values: unknown[]): void {
  const words = values.map((value) => value instanceof Error ? value.message : String(value));
  Deno.stdout.writeSync(encoder.encode(`${words.join(" ")}\n`));
}

function quick(): Response {
  return new Response("hello from the child");
}

function later(): Promise<Response> {
  return new Promise((resolve) => setTimeout(() => resolve(quick()), Math.random() * 20));
}

function slow(): Promise<Response> {
  say("request");
  return new Promise((resolve) => setTimeout(() => resolve(quick()), 400));
}

function never(): Promise<Response> {
  say("request");
  return new Promise(() => {});
}

function stray(request: Request): Response {
  if (request.url.endsWith("/stray")) Promise.reject(new Error("no code awaited this"));
  if (request.headers.has("upgrade")) return upgrade(request);
  if (request.url.endsWith("/timer")) {
    setTimeout(() => {
      throw new Error("thrown by a timer");
    });
  }
  return quick();
}

/** Accepts a WebSocket whose listeners throw what they receive. */
function upgrade(request: Request): Response {
  const { socket, response } = Deno.upgradeWebSocket(request);
  socket.onmessage = ({ data }) => {
    if (data === "asynchronous") return Promise.reject(new Error("rejected by a listener"));
    if (data === "timer") return void setTimeout(() => socket.onmessage?.(new MessageEvent("message", { data: "" })));
    if (data === "deep") return call(200, data);
    throw data === "text" ? "thrown text" : JSON.parse(data);
  };
  socket.onclose = () => {
    throw new Error("thrown on close");
  };
  return response;
}

/** Throws from a deep stack, which does not fit in the stack of an error. */
function call(depth: number, text: string): never {
  if (depth > 0) return call(depth - 1, text);
  throw new Error(`thrown from ${text} inside`);
}

function keepAlive(): void {
  setInterval(() => {}, 1_000);
}

function bug(): never {
  throw new TypeError("a bug");
}

async function run(runner: Runner, fetch: (request: Request) => Response | Promise<Response>, options?: ServeOptions) {
  const running = await serve(runner, fetch, {
    log,
    onListen: (address) => say("hostname" in address ? `port ${address.port}` : "open"),
    ...options,
  }).catch(reportFailure);
  if (running === undefined) return;
  const { signal, isDrained } = await running.finished;
  say(`finished ${signal} ${isDrained}`);
}

/** Serves an application with a page, an event stream that ends after a signal, and a WebSocket. */
async function runApp(runner: Runner): Promise<void> {
  const app = New();
  app.Logger().SetTimeFormat("").SetOutput((line) => say(line.trimEnd().replace(/^\[\w+\] /, "")));
  const server = websocket.New();
  server.On("echo", (_conn, data) => data);
  app.Get("/", () => quick());
  app.Get("/live", websocket.Handler(server));
  app.Get("/events", (ctx) =>
    ctx.Events(async function* () {
      yield "first";
      const { promise, resolve } = Promise.withResolvers<void>();
      Deno.addSignalListener("SIGUSR1", resolve);
      await promise;
      Deno.removeSignalListener("SIGUSR1", resolve);
      yield "second";
    }()));
  await app.Run(runner, WithoutStartupLog, WithOnListen((address) => say(`port ${(address as Deno.NetAddr).port}`)));
}

const modes: Record<string, () => Promise<unknown>> = {
  quick: () => run(Addr("127.0.0.1:0"), quick),
  later: () => run(Addr("127.0.0.1:0"), later),
  slow: () => run(Addr("127.0.0.1:0"), slow),
  two: () => Promise.all([run(Addr("127.0.0.1:0"), slow), run(Addr("127.0.0.1:0"), slow)]),
  never: () => run(Addr("127.0.0.1:0"), never, { shutdownTimeout: Number(args[0]) }),
  stray: () => run(Addr("127.0.0.1:0"), stray),
  addr: () => run(Addr(args[0] ?? ""), quick),
  app: () => New().Listen(args[0] ?? ""),
  bug: () => run(Addr("127.0.0.1:0"), quick, { onListen: bug }),
  shared: () => run(Addr(args[0] ?? ""), quick, { reusePort: true }),
  tls: () => run(TLS("127.0.0.1:0", args[0] ?? "", args[1] ?? ""), quick),
  "tls-slow": () => run(TLS("127.0.0.1:0", args[0] ?? "", args[1] ?? ""), slow),
  "tls-app": () => runApp(TLS("127.0.0.1:0", args[0] ?? "", args[1] ?? "")),
  unix: () => run(Unix(args[0] ?? ""), quick),
  interval: () => run(Addr("127.0.0.1:0"), quick, { shutdownTimeout: Number(args[0]) }).then(keepAlive),
  "unix-never": () => run(Unix(args[0] ?? ""), never),
};

await modes[mode]?.();
