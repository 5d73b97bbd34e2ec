/**
 * A model that counts its calls. Like the background mode of real models, it keeps writing if no client reads, and a reader
 * can continue after any event by the ID of the response.
 *
 * @module
 */

/** The number of events that a response has, and the time between two of them, in milliseconds. */
export interface Pace {
  readonly events: number;
  readonly every: number;
}

/** A response that the model is writing. */
interface Written {
  readonly question: string;
  readonly begun: number;
  isAborted: boolean;
}

/** A model on a port of its own. */
export class FakeModel {
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #pace: Pace;
  readonly #responses = new Map<string, Written>();
  /** The number of calls by question. */
  readonly calls: Map<string, number> = new Map<string, number>();
  /** The questions whose readers have disconnected before the end. */
  readonly aborted: string[] = [];
  #notify: (() => void) | undefined = undefined;
  #gate: { readonly at: number; readonly opened: Promise<void>; readonly open: () => void } | undefined = undefined;

  constructor(pace: Pace) {
    this.#pace = pace;
    this.#server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => this.#serve(request));
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}`;
  }

  /** Returns the text of a response. */
  textOf(question: string): string[] {
    return Array.from({ length: this.#pace.events }, (_, at) => `${question}:${at + 1} `);
  }

  /** Makes all responses wait before an event, until {@linkcode FakeModel.continue} is called. */
  pauseBefore(event: number): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#gate = { at: event, opened: promise, open: resolve };
  }

  continue(): void {
    this.#gate?.open();
    this.#gate = undefined;
  }

  /** Waits until a reader of a question has disconnected, for at most a minute. */
  async untilAborted(question: string): Promise<void> {
    const limit = AbortSignal.timeout(60_000);
    while (!this.aborted.includes(question)) {
      limit.throwIfAborted();
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#notify = resolve;
      limit.onabort = () => resolve();
      await promise;
    }
  }

  async close(): Promise<void> {
    this.continue();
    await this.#server.shutdown();
  }

  async #serve(request: Request): Promise<Response> {
    const url = new URL(request.url);
    if (request.method === "POST") {
      const question = await request.text();
      this.calls.set(question, (this.calls.get(question) ?? 0) + 1);
      const id = crypto.randomUUID();
      this.#responses.set(id, { question, begun: performance.now(), isAborted: false });
      return Response.json({ id });
    }
    const written = this.#responses.get(url.pathname.slice(1));
    if (written === undefined) return new Response(null, { status: 404 });
    return new Response(this.#read(written, Number(url.searchParams.get("after"))));
  }

  #read(written: Written, after: number): ReadableStream<Uint8Array> {
    const { events, every } = this.#pace;
    const texts = this.textOf(written.question);
    let at = after;
    return new ReadableStream({
      pull: async (controller) => {
        if (at === events) return controller.close();
        const due = written.begun + at * every;
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
        if (at + 1 >= (this.#gate?.at ?? Infinity)) await this.#gate?.opened;
        at++;
        controller.enqueue(new TextEncoder().encode(`${JSON.stringify({ at, text: texts[at - 1] })}\n`));
      },
      cancel: () => {
        this.aborted.push(written.question);
        this.#notify?.();
      },
    }, { highWaterMark: 0 });
  }
}
