/**
 * A client that uploads a file in HTTP/1.1 chunks of a given size as fast as the server accepts them.
 *
 * @module
 */

const boundary = "----WebKitFormBoundary7MA4YWxkTrZu0gW";
const encoder = new TextEncoder();
const batchSize = 1 << 20;

/** The upload to send. */
export interface Upload {
  /** The file size, in bytes. */
  readonly size: number;
  /** The chunk size, in bytes. 0 declares the length instead. */
  readonly chunk: number;
  /** The path. Defaults to `/`. */
  readonly path?: string;
  readonly name?: string;
}

/** The result of an upload. */
export interface Uploaded {
  readonly response: string;
  readonly milliseconds: number;
  /** The number of file bytes sent before the response began. */
  readonly sentBefore: number;
}

/** Uploads a file of zeros like a browser. */
export async function uploadFile(port: number, upload: Upload): Promise<Uploaded> {
  const { size, chunk, path = "/", name = "a.bin" } = upload;
  const disposition = `Content-Disposition: form-data; name="file"; filename="${name}"`;
  const head = encoder.encode(`--${boundary}\r\n${disposition}\r\nContent-Type: application/octet-stream\r\n\r\n`);
  const tail = encoder.encode(`\r\n--${boundary}--\r\n`);
  const isChunked = chunk > 0;
  const framing = isChunked ? "Transfer-Encoding: chunked" : `Content-Length: ${head.length + size + tail.length}`;
  const type = `Content-Type: multipart/form-data; boundary=${boundary}`;
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const begin = performance.now();
  let sent = 0;
  const reading = readAll(connection, () => sent);
  const frame = isChunked ? inChunk : (bytes: Uint8Array) => bytes;
  try {
    await write(
      connection,
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${framing}\r\n${type}\r\n\r\n`,
    );
    await write(connection, frame(head));
    const unit = isChunked ? chunk : batchSize;
    const one = frame(new Uint8Array(unit));
    const perBatch = Math.max(1, Math.floor(batchSize / one.length));
    const batch = new Uint8Array(one.length * perBatch);
    for (let i = 0; i < perBatch; i++) batch.set(one, i * one.length);
    while (sent < size) {
      const count = Math.min(perBatch, Math.floor((size - sent) / unit));
      await write(connection, count > 0 ? batch.subarray(0, count * one.length) : frame(new Uint8Array(size - sent)));
      sent = count > 0 ? sent + count * unit : size;
    }
    await write(connection, frame(tail));
    if (isChunked) await write(connection, "0\r\n\r\n");
  } catch (error) {
    // A server that has responded may close the connection before it has received everything.
    if (!(error instanceof Deno.errors.BrokenPipe || error instanceof Deno.errors.ConnectionReset)) throw error;
  }
  const { text, sentBefore } = await reading;
  connection.close();
  return { response: text, milliseconds: performance.now() - begin, sentBefore };
}

function inChunk(bytes: Uint8Array): Uint8Array {
  const line = encoder.encode(`${bytes.length.toString(16)}\r\n`);
  const framed = new Uint8Array(line.length + bytes.length + 2);
  framed.set(line);
  framed.set(bytes, line.length);
  framed.set([13, 10], line.length + bytes.length);
  return framed;
}

async function write(connection: Deno.Conn, content: string | Uint8Array): Promise<void> {
  const bytes = typeof content === "string" ? encoder.encode(content) : content;
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}

async function readAll(connection: Deno.Conn, sent: () => number): Promise<{ text: string; sentBefore: number }> {
  const buffer = new Uint8Array(64 << 10);
  let [text, sentBefore] = ["", -1];
  try {
    for (let count = await connection.read(buffer); count !== null; count = await connection.read(buffer)) {
      if (sentBefore < 0) sentBefore = sent();
      text += new TextDecoder().decode(buffer.subarray(0, count));
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.ConnectionReset)) throw error;
  }
  return { text, sentBefore };
}
