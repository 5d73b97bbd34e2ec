/**
 * Host names as requests write them.
 *
 * @module
 */

/** What a host with a port may be written with (RFC 3986, 3.2.2). */
const hostText = /^[A-Za-z0-9.\-_~!$&'()*+,;=%:[\]]*$/;
/** What names and addresses that exist are written with: in a link, a percent sign alone is an error. */
const plainText = /^[A-Za-z0-9.\-_~:[\]]+$/;

/** Reports whether a text is a host by the letter of the standard, with or without port; an empty one is. */
export function isHost(text: string): boolean {
  return hostText.test(text);
}

/** Reports whether a text is a host name or an address as they are in use, with or without port. */
export function isPlainHost(text: string): boolean {
  return plainText.test(text);
}

/** A host in lower case, without its port and without the final dot of a full name. */
export function hostName(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, "").replace(/\.$/, "");
}
