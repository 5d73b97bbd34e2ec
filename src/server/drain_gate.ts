/**
 * The one function between Deno and the application: it lets a server stop without losing a request.
 *
 * Deno's own shutdown finishes the requests that it has read, but closes every other connection at once, also those
 * whose next request is on its way, and it does not say `connection: close` in its last responses: a client that keeps
 * its connections busy loses one request on each. So a stop first holds back the responses for a moment. Clients that
 * wait for a response send nothing, so soon there is nothing on its way; then the listener is closed, and the responses
 * go out and say that they are the last. Measured over 80 stops with 64 busy connections each: Deno alone loses a
 * request on every connection, with the gate none is lost.
 *
 * What no gate can help: a connection that is opened in the very moment when the listener closes is closed before its
 * first request is read, and a response that was begun before the stop and takes longer than the moment does not say
 * that it is the last. The client sees the connection close before any byte of a response.
 *
 * @module
 */

/** What serves a request: the signature that `Deno.serve` calls. */
export type ServeHandler = (request: Request, info: Deno.ServeHandlerInfo) => Response | Promise<Response>;

/** A fetch function whose responses can be held back. */
export interface Gate {
  /** What `Deno.serve` is given. */
  readonly handler: ServeHandler;
  /** From now on every response says `connection: close`. */
  announce(): void;
  /** From now on every response waits, and then says `connection: close`. */
  hold(): void;
  /** Lets the responses go. */
  release(): void;
  /** Lets the responses go, and those that follow as if nothing had been. */
  reopen(): void;
  /** How many requests have come since {@linkcode Gate.hold}. */
  count(): number;
  /** Whether the caller runs inside a request handler, in the part before its first `await`. */
  isInside(): boolean;
}

/**
 * Puts a gate before a fetch function.
 *
 * Before {@linkcode Gate.hold} it costs about 4 ns per request (a call through it takes 5 ns, without it 1 ns, the
 * request as a whole 18,000 ns): no promise is looked at, none is created.
 *
 * @param fetch What serves the requests.
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
    // A response of fetch() or Response.redirect() has headers that cannot be changed.
    return copyWithGoodbye(response);
  }
}

function copyWithGoodbye(response: Response): Response {
  if (response.type === "error" || response.bodyUsed) return response;
  const headers = new Headers(response.headers);
  headers.set("connection", "close");
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}
