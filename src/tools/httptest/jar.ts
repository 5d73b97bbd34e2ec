/**
 * The cookie jar of a test client.
 *
 * @module
 */

import { decodeValue } from "../../http/response/cookies.ts";

/** Cookies by name. Paths and domains are ignored, because a test client sends requests to a single site. */
export class Jar {
  readonly #cookies = new Map<string, string>();

  /** Returns the `Cookie` header for the next request, or an empty string if the jar is empty. */
  header(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  /** Returns the decoded value of a cookie, or an empty string. */
  value(name: string): string {
    return decodeValue(this.#cookies.get(name) ?? "");
  }

  /** Stores the cookies that a response sets and removes those that have expired. */
  take(headers: Headers): void {
    for (const line of headers.getSetCookie()) {
      const [pair = "", ...attributes] = line.split(";");
      const at = pair.indexOf("=");
      const name = pair.slice(0, at).trim();
      if (isEnded(attributes)) this.#cookies.delete(name);
      else this.#cookies.set(name, pair.slice(at + 1).trim());
    }
  }
}

function isEnded(attributes: readonly string[]): boolean {
  return attributes.some((attribute) => {
    const [name = "", value = ""] = attribute.trim().split("=");
    if (/^max-age$/i.test(name)) return Number(value) <= 0;
    return /^expires$/i.test(name) && Date.parse(value) <= Date.now();
  });
}
