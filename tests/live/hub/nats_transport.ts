/**
 * The TCP connection to NATS. The transport for Node.js has no error listener while it connects, and under Deno, a
 * connection that is reset at that moment would end the process.
 *
 * @module
 */
import {
  checkOptions,
  type ConnectionOptions,
  DataBuffer,
  extractProtocolMessage,
  INFO,
  type NatsConnection,
  NatsConnectionImpl,
  type Server,
  type ServerInfo,
  setTransportFactory,
  type Transport,
} from "npm:@nats-io/nats-core@^3/internal";

const READ_BYTES = 64 << 10;

/** Connects to NATS. */
export function connect(options: ConnectionOptions): Promise<NatsConnection> {
  setTransportFactory({ factory: () => new DenoTransport() });
  return NatsConnectionImpl.connect(options);
}

/** A connection of `Deno.connect`. */
class DenoTransport implements Transport {
  readonly lang = "fw";
  readonly version = "1";
  closeError?: Error;
  #conn: Deno.TcpConn | Deno.TlsConn | undefined = undefined;
  readonly #buffer = new Uint8Array(READ_BYTES);
  /** The server's first message, which the client reads again. */
  #greeting: Uint8Array = new Uint8Array();
  #writing: Promise<void> = Promise.resolve();
  #isConnected = false;
  #isEncrypted = false;
  #isDone = false;
  readonly #closed = Promise.withResolvers<void | Error>();

  get isClosed(): boolean {
    return this.#isDone;
  }

  isEncrypted(): boolean {
    return this.#isEncrypted;
  }

  async connect({ hostname, port, tlsName }: Server, options: ConnectionOptions): Promise<void> {
    try {
      const conn = await Deno.connect({ hostname, port });
      this.#conn = conn;
      conn.setNoDelay();
      const info = await this.#readInfo();
      checkOptions(info, options);
      if (info.tls_required || info.tls_available && options.tls !== null) {
        const secure = await Deno.startTls(conn, { hostname: tlsName || hostname });
        this.#conn = secure;
        // Otherwise, a certificate that is not trusted would only be noticed as a timeout.
        await secure.handshake();
        this.#isEncrypted = true;
      }
      if (this.#isDone) throw new Error("The connection was closed");
      this.#isConnected = true;
    } catch (error) {
      this.discard();
      throw error;
    }
  }

  async *[Symbol.asyncIterator](): AsyncIterableIterator<Uint8Array> {
    yield this.#greeting;
    let failure: Error | undefined;
    try {
      for (let bytes = await this.#read(); bytes !== null; bytes = await this.#read()) yield bytes;
    } catch (error) {
      failure = error as Error;
    }
    await this.close(failure);
  }

  send(frame: Uint8Array): void {
    this.#writing = this.#writing.then(() => this.#write(frame)).catch(ignore);
  }

  close(error?: Error): Promise<void> {
    const isFirst = this.#isConnected && !this.#isDone;
    this.discard();
    if (!isFirst) return Promise.resolve();
    if (error !== undefined) this.closeError = error;
    this.#closed.resolve(error);
    return Promise.resolve();
  }

  disconnect(): void {
    void this.#writing.then(() => this.close());
  }

  closed(): Promise<void | Error> {
    return this.#closed.promise;
  }

  discard(): void {
    this.#isDone = true;
    try {
      this.#conn?.close();
    } catch {
      // The connection is closed already.
    }
    this.#conn = undefined;
  }

  async #readInfo(): Promise<ServerInfo> {
    for (;;) {
      const bytes = await this.#read();
      if (bytes === null) throw new Error("The server closed the connection");
      this.#greeting = DataBuffer.concat(this.#greeting, bytes);
      const message = extractProtocolMessage(this.#greeting);
      if (message === "") continue;
      const [, info = ""] = INFO.exec(message) ?? [];
      if (info === "") throw new Error("The server does not use the protocol of NATS");
      return JSON.parse(info);
    }
  }

  async #read(): Promise<Uint8Array | null> {
    const count = await this.#conn?.read(this.#buffer) ?? null;
    return count === null ? null : this.#buffer.slice(0, count);
  }

  async #write(frame: Uint8Array): Promise<void> {
    for (let at = 0; at < frame.length;) {
      if (this.#conn === undefined) return;
      at += await this.#conn.write(frame.subarray(at));
    }
  }
}

/** Ignores a failed write, because the next read or ping fails as well. */
function ignore(): void {}
