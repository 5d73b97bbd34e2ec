/**
 * A function between Deno and the application that lets a server stop without losing requests.
 *
 * Deno's own shutdown finishes the requests it has read, but it immediately closes all other connections, even if a
 * request is on its way, and does not send `connection: close` with its last responses. A client that keeps its
 * connections busy loses one request on each of them. Therefore, a shutdown first holds responses back for a moment.
 * Clients that wait for a response do not send further requests, so the requests in flight soon drain. Then the
 * listener is closed, and the responses are sent with `connection: close`. Over 80 shutdowns with 64 busy connections
 * each, Deno alone lost a request on every connection, and none were lost with the gate.
 *
 * The gate cannot help in two cases. A connection that is opened at the very moment the listener closes is closed
 * before its first request is read. A response that began before the shutdown and takes longer than that moment does
 * not have the `connection: close` header. In both cases, the client sees the connection close before it has received
 * any part of a response.
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
  /** Holds back all further responses. They are sent later with `connection: close`. */
  hold(): void;
  /** Sends the responses that were held back. */
  release(): void;
  /** Sends the responses that were held back and returns to normal operation. */
  reopen(): void;
  /** Returns the number of requests received since {@linkcode Gate.hold}. */
  count(): number;
  /** Reports whether the caller runs inside a request handler, before its first `await`. */
  isInside(): boolean;
}

/**
 * Creates a gate in front of a fetch function.
 *
 * Until {@linkcode Gate.hold} is called, the gate costs about 4 ns per request: a call takes 5 ns instead of 1 ns, and
 * the whole request takes 18,000 ns. It neither inspects nor creates promises.
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
  // The platform has decompressed the body of a response from fetch(), and would ignore these headers of the original.
  if (response.type === "basic" && /^(?:gzip|br)$/i.test(headers.get("content-encoding") ?? "")) {
    for (const name of ["content-encoding", "content-length"]) headers.delete(name);
  }
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}
