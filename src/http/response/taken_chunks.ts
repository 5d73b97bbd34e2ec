/**
 * Frees the chunks of files as soon as the platform has taken them.
 *
 * The garbage collector knows little of the memory outside of its heap: the file of a slow client left 4 MiB of unused
 * chunks behind. A chunk can only be freed early if no JavaScript reads the response, so the last function before the
 * platform says so.
 *
 * @module
 */

/** The functions that free the chunks of a body from now on. */
const owners = new WeakMap<ReadableStream | Response, () => void>();
/** The number of files that are being opened or sent by a stream. */
let files = 0;

/** Notes that a file is being opened or sent, until the returned function is called. */
export function noteFile(): () => void {
  files++;
  return () => void files--;
}

/**
 * Notes the stream of a file.
 *
 * @param stream The stream.
 * @param free Called if the platform reads the stream. From then on, a chunk may be freed when the next one is read.
 */
export function ownChunks(stream: ReadableStream, free: () => void): void {
  owners.set(stream, free);
}

/** Notes the response that sends a stream. */
export function noteResponse(stream: ReadableStream, response: Response): void {
  const free = owners.get(stream);
  if (free !== undefined) owners.set(response, free);
}

/** Notes that the platform sends the response, which no other code has read. Costs nothing while no file is sent. */
export function leaveChunks(response: Response | Promise<Response>): Response | Promise<Response> {
  return files > 0 ? leave(response) : response;
}

async function leave(promise: Response | Promise<Response>): Promise<Response> {
  const response = await promise;
  owners.get(response)?.();
  return response;
}
