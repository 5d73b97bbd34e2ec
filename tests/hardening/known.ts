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
  "framing: A chunk with a blank before the size is refused":
    "Deno's own reader of HTTP/1 (denoland/deno#34446) skips blanks before the size of a chunk; what reaches fw is the body",
  "hosts and forwarding: HTTP/1.1 without a host is refused":
    "Deno serves such a request under the address it listens on (denoland/deno#26554); to notice it, fw would have to read a header of every request, and the address is its own",
  "bad clients: A head that never ends is cut off (CVE-2007-6750)":
    "Deno has no time limit for heads (denoland/deno#3515), and fw is not called before the head is whole",
  "bad clients: A connection that asks for nothing is closed":
    "Deno has no time limit for idle connections (denoland/deno#3515), and does not show them to fw",
  "HTTP/2: A path without its slash is refused":
    "Deno puts a slash before a path that has none; fw sees the same address as for a sound request",
};
