/**
 * Ports for servers that cannot choose one themselves.
 *
 * @module
 */

const given = new Set<number>();

/** Returns a free port, never the same one twice, because a server may not listen on it yet. */
export function freePort(): number {
  // The port is outside the range from which systems choose ports, so that no other test gets it in the meantime.
  while (true) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    if (given.has(port)) continue;
    given.add(port);
    try {
      Deno.listen({ hostname: "127.0.0.1", port }).close();
      return port;
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
}
