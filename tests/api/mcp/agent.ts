/**
 * A minimal client of all revisions of the protocol, which shows the messages as they are.
 *
 * @module
 */

import type * as fw from "@fw/web";
import { type Ask, overSocket } from "../../serving.ts";

/** An object of a message. */
export type Params = Record<string, unknown>;

/** A response and the messages in it. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The messages, of which the last one is the response. */
  readonly messages: Params[];
  /** The result of the response, or an empty object. */
  readonly result: Params;
  /** The error of the response, or an empty object. */
  readonly error: Params;
}

/** The revision without sessions. */
export const modern = "2026-07-28";

/** A client. */
export class Agent {
  readonly #app: fw.Application;
  readonly #version: string;
  readonly #headers: Record<string, string>;
  readonly #capabilities: Params;
  /** Additional metadata of every request. */
  meta: Params = {};
  #id = 0;

  constructor(
    app: fw.Application,
    version: string = modern,
    headers: Record<string, string> = {},
    capabilities: Params = {},
  ) {
    this.#app = app;
    this.#version = version;
    this.#headers = { ...headers };
    this.#capabilities = capabilities;
  }

  /** Begins a session, if the revision has sessions. */
  async connect(): Promise<this> {
    if (this.#version === modern) return this;
    const info = { name: "agent", version: "1.0.0" };
    const params = { protocolVersion: this.#version, capabilities: this.#capabilities, clientInfo: info };
    const { headers } = await this.ask("initialize", params);
    this.#headers["mcp-session-id"] = headers.get("mcp-session-id") ?? "";
    return this;
  }

  /** Sends a request and reads the whole response. */
  async ask(method: string, params: Params = {}): Promise<Answer> {
    const response = await this.open(method, params);
    const text = await response.text();
    const isStream = response.headers.get("content-type") === "text/event-stream";
    const messages = isStream ? eventsOf(text) : text.startsWith("{") ? [JSON.parse(text)] : [];
    const last = messages.at(-1) ?? {};
    const { status, headers } = response;
    return { status, headers, messages, result: Object(last.result), error: Object(last.error) };
  }

  /** Sends a request. */
  open(method: string, params: Params = {}): Promise<Response> {
    const headers: Record<string, string> = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...this.#headers,
    };
    let _meta = this.meta;
    if (this.#version === modern) {
      headers["mcp-protocol-version"] = modern;
      headers["mcp-method"] = method;
      const name = params["name"] ?? params["uri"];
      if (typeof name === "string") headers["mcp-name"] = name;
      _meta = {
        "io.modelcontextprotocol/protocolVersion": modern,
        "io.modelcontextprotocol/clientCapabilities": this.#capabilities,
        ..._meta,
      };
    }
    return this.post({ id: ++this.#id, method, params: { ...params, _meta } }, headers);
  }

  /** Sends any message, with the headers of this client unless others are given. */
  async post(message: Params, headers: Record<string, string> = this.#headers): Promise<Response> {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    const all = { "content-type": "application/json", ...headers };
    return await this.#app.fetch(new Request("http://localhost/mcp", { method: "POST", headers: all, body }));
  }

  /** Calls a tool. */
  async call(name: string, given: Params = {}, more: Params = {}): Promise<Answer> {
    return await this.ask("tools/call", { name, arguments: given, ...more });
  }

  /** Opens the stream of the session, or sends another request without a body. */
  async stream(method = "GET"): Promise<Response> {
    const headers = { accept: "text/event-stream", ...this.#headers };
    return await this.#app.fetch(new Request("http://localhost/mcp", { method, headers }));
  }
}

/**
 * Serves an application on a free port while a function runs, and then shuts it down. This ends the streams of clients
 * whose connections Deno's `fetch` has not closed.
 */
export async function serving(
  app: fw.Application,
  run: (ask: Ask, port: number) => void | Promise<void>,
): Promise<void> {
  await overSocket(app, async (ask, port) => {
    try {
      await run(ask, port);
    } finally {
      await app.Shutdown();
    }
  });
}

/** Returns the text of a tool's result. */
export function textOf({ result }: Answer): string {
  return String(Object(result["content"])[0]?.text);
}

/** Reads the messages of an event stream. */
export function eventsOf(text: string): Params[] {
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => JSON.parse(data));
}

/** Reads an event stream message by message. */
export class Events implements AsyncDisposable {
  readonly #reader: ReadableStreamDefaultReader<string>;
  #text = "";

  constructor(response: Response) {
    const body = response.body ?? new ReadableStream<Uint8Array<ArrayBuffer>>();
    this.#reader = body.pipeThrough(new TextDecoderStream()).getReader();
  }

  /** Returns the next message, or `undefined` at the end. */
  async next(): Promise<Params | undefined> {
    for (;;) {
      const end = this.#text.indexOf("\n\n");
      if (end >= 0) {
        const [message] = eventsOf(this.#text.slice(0, end));
        this.#text = this.#text.slice(end + 2);
        if (message !== undefined) return message;
        continue;
      }
      const { done, value } = await this.#reader.read();
      if (done) return undefined;
      this.#text += value;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reader.cancel();
  }
}
