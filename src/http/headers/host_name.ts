/**
 * Host names in requests.
 *
 * @module
 */

/** A name or a bracketed address, followed by an optional port (RFC 3986, section 3.2.2). */
const hostText = /^(?:\[[0-9A-Fa-f:.]*\]|[A-Za-z0-9.\-_~!$&'()*+,;=%]*)(?::\d*)?$/;
/** The characters that occur in real host names and addresses. A lone percent sign would make a link invalid. */
const commonText = /^[A-Za-z0-9.\-_~:[\]]+$/;
/**
 * Matches strings that have the syntax of a host but may still be invalid: addresses, Punycode names and long ports.
 */
const inDoubt = /^\[|(?:^|\.)(?:\d+|0x[0-9a-f]*)\.?(?::\d*)?$|xn--|:\d{5,}$/i;

/**
 * Reports whether a string is a host with an optional port. The empty string is valid. Every accepted host can be used
 * in a URL.
 */
export function isHost(text: string): boolean {
  return hostText.test(text) && (!inDoubt.test(text) || URL.canParse(`http://${text}/`));
}

/** Reports whether a string is a host name or address, as used in practice, with an optional port. */
export function isCommonHost(text: string): boolean {
  return commonText.test(text) && isHost(text);
}

/** Returns the host in lower case, without its port and without the trailing dot of a fully qualified name. */
export function hostName(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, "").replace(/\.$/, "");
}
