/**
 * A client that reads answers as server-sent events and continues after the last part.
 *
 * @module
 */

/** An event of an answer. */
export interface Received {
  readonly id: string;
  readonly data: string;
}

/** Reads the events of a response. Ends if the connection is lost. */
export async function* eventsOf(response: Response): AsyncGenerator<Received> {
  let rest = "";
  try {
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const events = (rest + chunk).split("\n\n");
      rest = events.pop() ?? "";
      for (const event of events) {
        const id = /^id: (.*)$/m.exec(event)?.[1] ?? "";
        const data = /^data: (.*)$/m.exec(event)?.[1];
        if (data !== undefined) yield { id, data };
      }
    }
  } catch (error) {
    if (!(error instanceof TypeError) && !(error instanceof DOMException)) throw error;
  }
}

/** Reads one answer across connections. */
export class Reader {
  /** The data of all events, in order. */
  readonly data: string[] = [];
  lastID = "";
  #wake: (() => void) | undefined = undefined;

  /** Reports whether the answer is complete. */
  get isDone(): boolean {
    return this.data.at(-1) === "[DONE]";
  }

  /** Returns the text that has been received. */
  get text(): string {
    const parts = this.data.filter((each) => each !== "[DONE]").map((each) => JSON.parse(each));
    return parts.filter(({ type }) => type === "text-delta").map(({ delta }) => delta).join("");
  }

  /** Returns the types of the parts, without repetitions. */
  get types(): string[] {
    const types = this.data.map((each) => each === "[DONE]" ? each : JSON.parse(each).type);
    return types.filter((type, at) => type !== types[at - 1]);
  }

  async read(response: Response): Promise<void> {
    for await (const { id, data } of eventsOf(response)) {
      if (id !== "") this.lastID = id;
      this.data.push(data);
      this.#wake?.();
    }
    this.#wake?.();
  }

  /** Waits for a number of parts. */
  async until(count: number): Promise<void> {
    while (this.data.length < count && !this.isDone) await new Promise<void>((resolve) => this.#wake = resolve);
  }

  /** Connects again and again until the answer is complete. */
  async finish(url: string): Promise<void> {
    while (!this.isDone) {
      try {
        const headers: Record<string, string> = this.lastID === "" ? {} : { "last-event-id": this.lastID };
        const response = await fetch(url, { headers });
        if (response.status === 204) throw new Error(`There is no answer after ${this.lastID}`);
        if (response.ok) await this.read(response);
        else await response.body?.cancel();
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
        // The process is starting.
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  }
}
