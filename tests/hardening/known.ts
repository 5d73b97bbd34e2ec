/**
 * Rows that fw does not hold: those that are still to be mended, and those that the platform does not let it hold.
 *
 * @module
 */

/** Rows that fail until their mend lands, by full name: the test fails when one of them holds, and it leaves the list. */
export const expectedFailures: readonly string[] = [
  "files: ServeFile with a path of the client's does not lead up by plain dots (CVE-2024-32869)",
  "files: ServeFile with a path of the client's does not lead up by escaped dots (CVE-2021-41773)",
  "files: ServeFile with a path of the client's does not lead up by an escaped slash",
  "files: ServeFile with a path of the client's does not lead up by all escaped in capitals",
  "files: ServeFile with a path of the client's does not lead up by half-escaped dots (CVE-2021-41773)",
  "files: ServeFile with a path of the client's does not lead up by a folder and back out of it",
  "files: ServeFile with a path of the client's does not lead up by many levels to the root",
  "files: ServeFile with a path of the client's does not lead up by a doubled slash",
  "files: ServeFile with a path of the client's does not lead up by a dot between",
  "files: ServeFile with a path of the client's does not lead up by a sibling folder whose name begins alike (CVE-2014-6394)",
  "files: ServeFile bound to a folder does not leave it by an absolute path",
  "files: ServeFile with one parameter in its path does not lead up by an escaped slash",
  "files: SendFile does not lead up by plain dots",
  "files: SendFile does not lead up by escaped dots",
  "files: ServeFile bound to a folder still serves what is in it",
  "files: ServeFile bound to a folder still serves what is in a folder of it",
  "hosts and forwarding: A host with bytes beyond ASCII is refused where it is read",
  "HTTP/2: A file outside of the folder is not served",
  "HTTP/2: A path without its slash is refused",
];

/** Rows that the platform does not let fw hold, by full name, each with its reason. */
export const platform: Readonly<Record<string, string>> = {
  "framing: A chunk with a blank before the size is refused":
    "Deno's own reader of HTTP/1 takes blanks before the size of a chunk; requests reach fw after that",
  "hosts and forwarding: HTTP/1.1 without a host is refused":
    "Deno puts the address it listens on in place of a missing Host and serves the request; fw reads no header of most",
};
