/**
 * Rows that fw does not pass yet, and rows that it cannot pass because of the platform.
 *
 * @module
 */

/**
 * Rows that fail until they are fixed, by full name. The test fails if one of them passes, so that it is removed from
 * the list.
 */
export const expectedFailures: readonly string[] = [];

/** Rows that fw cannot pass because of the platform, by full name, with the reason. */
export const platform: Readonly<Record<string, string>> = {
  "framing: A chunk with a blank before the size is rejected":
    "Deno's HTTP/1 parser skips spaces before the size of a chunk (denoland/deno#34446), so fw only sees the body",
  "hosts and forwarding: HTTP/1.1 without a host is rejected":
    "Deno uses the address it listens on as the host (denoland/deno#26554), and reading a header to detect this would slow down every request",
  "bad clients: Endless headers are aborted (CVE-2007-6750)":
    "Deno has no time limit for headers (denoland/deno#3515), and fw is not called before they are complete",
  "bad clients: An idle connection is closed":
    "Deno has no time limit for idle connections (denoland/deno#3515), and fw cannot see them",
  "WebSocket: A message of endless fragments takes no more memory than messages may have":
    "Deno joins the fragments of a message without a limit, and fw only sees complete messages",
  "HTTP/2: A path without its slash is rejected": "Deno adds the missing slash, so fw sees a valid path",
};
