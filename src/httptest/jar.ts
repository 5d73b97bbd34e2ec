/**
 * The cookies of a test client.
 *
 * @module
 */

/** Cookies by name, as one site would hold them. Paths and domains are left out: a test has one site. */
export class Jar {
  readonly #cookies = new Map<string, string>();

  /** What the next request sends; empty if there is nothing. */
  header(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  /** Takes the cookies of a response, and forgets those that it ends. */
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
