/**
 * Host names as requests write them.
 *
 * @module
 */

/** A name or an address in brackets, then the port (RFC 3986, 3.2.2). */
const hostText = /^(?:\[[0-9A-Fa-f:.]*\]|[A-Za-z0-9.\-_~!$&'()*+,;=%]*)(?::\d*)?$/;
/** What names and addresses that exist are written with: in a link, a percent sign alone is an error. */
const plainText = /^[A-Za-z0-9.\-_~:[\]]+$/;
/** What is shaped like a host and may still be none: addresses, names in Punycode, long ports. */
const inDoubt = /^\[|(?:^|\.)(?:\d+|0x[0-9a-f]*)\.?(?::\d*)?$|xn--|:\d{5,}$/i;

/**
 * Reports whether a text is a host, with or without port; an empty one is. What it accepts can stand in a URL, so that
 * no link to this host fails.
 */
export function isHost(text: string): boolean {
  return hostText.test(text) && (!inDoubt.test(text) || URL.canParse(`http://${text}/`));
}

/** Reports whether a text is a host name or an address as they are in use, with or without port. */
export function isPlainHost(text: string): boolean {
  return plainText.test(text) && isHost(text);
}

/** A host in lower case, without its port and without the final dot of a full name. */
export function hostName(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, "").replace(/\.$/, "");
}
