/**
 * The function between Deno and the application that lets a server stop without losing requests.
 *
 * Deno's own shutdown finishes the requests it has read but immediately closes all other connections, including those
 * with a request on the way, and does not send `connection: close` with its last responses. A client that keeps its
 * connections busy loses one request on each. So a shutdown first holds responses back for a moment. Clients that
 * wait for a response do not send further requests, so in-flight requests soon drain. Then the listener is closed,
 * and the responses are
 * sent with `connection: close`. Measured over 80 shutdowns with 64 busy connections each: Deno alone loses a request
 * on every connection; with the gate, none is lost.
 *
 * The gate cannot help in two cases. A connection opened at the very moment the listener closes is closed before its
 * first request is read. A response that began before the shutdown and takes longer than that moment does not carry
 * `connection: close`. In both cases the client sees the connection close before any byte of a response.
 *
 * @module
 */

/** The handler signature of `Deno.serve`. */
export type ServeHandler = (request: Request, info: Deno.ServeHandlerInfo) => Response | Promise<Response>;

/** A fetch function whose responses can be held back. */
export interface Gate {
  /** The handler for `Deno.serve`. */
  readonly handler: ServeHandler;
  /** Sends `connection: close` with every response from now on. */
  announce(): void;
  /** Holds back every response from now on. They are sent with `connection: close` later. */
  hold(): void;
  /** Releases the responses. */
  release(): void;
  /** Releases the responses and returns to normal operation. */
  reopen(): void;
  /** Returns the number of requests received since {@linkcode Gate.hold}. */
  count(): number;
  /** Reports whether the caller runs inside a request handler, before its first `await`. */
  isInside(): boolean;
}

/**
 * Creates a gate in front of a fetch function.
 *
 * Before {@linkcode Gate.hold} is called, the gate costs about 4 ns per request (a call takes 5 ns instead of 1 ns; the
 * whole request takes 18,000 ns). It neither inspects nor creates promises.
 *
 * @param fetch The function that serves requests.
 * @returns The gate.
 */
export function makeGate(fetch: ServeHandler): Gate {
  let held: PromiseWithResolvers<void> | undefined = undefined;
  let isInside = false;
  let isAnnounced = false;
  let count = 0;

  function handler(request: Request, info: Deno.ServeHandlerInfo): Response | Promise<Response> {
    let response: Response | Promise<Response>;
    isInside = true;
    try {
      response = fetch(request, info);
    } finally {
      isInside = false;
    }
    if (held === undefined) return isAnnounced ? sayGoodbyeAfter(undefined, response) : response;
    count++;
    return sayGoodbyeAfter(held.promise, response);
  }

  return {
    handler,
    announce(): void {
      isAnnounced = true;
    },
    hold(): void {
      held ??= Promise.withResolvers();
    },
    release(): void {
      held?.resolve();
    },
    reopen(): void {
      held?.resolve();
      held = undefined;
    },
    count: (): number => count,
    isInside: (): boolean => isInside,
  };
}

async function sayGoodbyeAfter(
  moment: Promise<void> | undefined,
  response: Response | Promise<Response>,
): Promise<Response> {
  const last = sayGoodbye(await response);
  await moment;
  return last;
}

function sayGoodbye(response: Response): Response {
  if (response.status === 101) return response;
  try {
    response.headers.set("connection", "close");
    return response;
  } catch {
    // The headers of responses from fetch() and Response.redirect() are immutable.
    return copyWithGoodbye(response);
  }
}

function copyWithGoodbye(response: Response): Response {
  if (response.type === "error" || response.bodyUsed) return response;
  const headers = new Headers(response.headers);
  headers.set("connection", "close");
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}
