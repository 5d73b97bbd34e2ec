/**
 * Responses of applications that are called in process. The platform does not connect their bodies to the signal of the
 * request.
 *
 * @module
 */

/**
 * Connects the body of a response to a signal.
 *
 * @param response The response.
 * @param signal The signal of the request.
 * @returns A response whose body fails if the signal is aborted. The original body is then canceled.
 */
export function abortable(response: Response, signal: AbortSignal): Response {
  if (response.body === null) return response;
  const reader = response.body.getReader();
  let stop = () => {};
  const end = () => signal.removeEventListener("abort", stop);
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      stop = () => {
        controller.error(signal.reason);
        void reader.cancel(signal.reason).catch(() => {});
      };
      if (signal.aborted) stop();
      else signal.addEventListener("abort", stop, { once: true });
    },
    async pull(controller) {
      const { done, value } = await reader.read();
      if (signal.aborted) return;
      if (!done) return controller.enqueue(value);
      end();
      controller.close();
    },
    async cancel(reason) {
      end();
      await reader.cancel(reason);
    },
  }, { highWaterMark: 0 });
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}
