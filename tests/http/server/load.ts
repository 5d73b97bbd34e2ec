/**
 * A load generator that tracks the outcome of every request.
 *
 * @module
 */

/** The outcomes of the requests. */
export interface Tally {
  /** The number of complete responses. */
  responded: number;
  /** The number of responses that announce that the connection will be closed. */
  goodbyes: number;
  /** The number of requests whose connection was closed in the middle of the response. */
  broken: number;
  /** The number of requests whose connection was closed or reset before the first byte of a response. */
  lost: number;
  /** The number of connections that were not accepted. */
  refused: number;
}

const REQUEST = new TextEncoder().encode("GET /load HTTP/1.1\r\nhost: localhost\r\n\r\n");

/**
 * Sends requests over many connections. Each connection sends the next request as soon as it has a response. If the
 * server asks to close a connection, a new one is opened, so the load does not decrease during a shutdown. It ends when
 * no more connections are accepted.
 */
export async function load(
  port: number,
  connections: number,
  onResponse: (responded: number) => void,
): Promise<Tally> {
  const tally: Tally = { responded: 0, goodbyes: 0, broken: 0, lost: 0, refused: 0 };
  await Promise.all(Array.from({ length: connections }, () => loadOne(port, tally, onResponse)));
  return tally;
}

async function loadOne(port: number, tally: Tally, onResponse: (responded: number) => void): Promise<void> {
  while (tally.refused === 0) {
    let connection: Deno.TcpConn;
    try {
      connection = await Deno.connect({ hostname: "127.0.0.1", port });
    } catch {
      tally.refused++;
      return;
    }
    await converse(connection, tally, onResponse);
    connection.close();
  }
}

async function converse(
  connection: Deno.TcpConn,
  tally: Tally,
  onResponse: (responded: number) => void,
): Promise<void> {
  const decoder = new TextDecoder();
  const chunk = new Uint8Array(4096);
  while (true) {
    let response = "";
    try {
      await connection.write(REQUEST);
      while (!isWhole(response)) {
        const count = await connection.read(chunk);
        if (count === null) throw new Error("The connection is closed");
        response += decoder.decode(chunk.subarray(0, count));
      }
    } catch {
      if (response === "") tally.lost++;
      else tally.broken++;
      return;
    }
    onResponse(++tally.responded);
    if (/^connection: close\r$/im.test(response)) {
      tally.goodbyes++;
      return;
    }
  }
}

function isWhole(response: string): boolean {
  const end = response.indexOf("\r\n\r\n");
  if (end < 0) return false;
  const length = Number(/^content-length: (\d+)\r$/im.exec(response)?.[1]);
  return response.length >= end + 4 + length;
}
