/**
 * What `Run` listens on.
 *
 * @module
 */

import { FrameworkError } from "../base/errors.ts";

/** A PEM file, or its contents: a file name, a `file:` URL, or text that holds `-----BEGIN`. */
export type PEM = string | URL;

/** Plain HTTP on a TCP address, created by {@linkcode Addr}. */
export interface AddrRunner {
  /** Tells the kinds of runners apart. */
  readonly Kind: "addr";
  /** The address as given. */
  readonly Address: string;
}

/** HTTPS on a TCP address, created by {@linkcode TLS}. */
export interface TLSRunner {
  /** Tells the kinds of runners apart. */
  readonly Kind: "tls";
  /** The address as given. */
  readonly Address: string;
  /** The certificate chain, the server's own certificate first. */
  readonly Certificate: PEM;
  /** The private key of the first certificate. */
  readonly Key: PEM;
}

/** Plain HTTP on a unix socket, created by {@linkcode Unix}. */
export interface UnixRunner {
  /** Tells the kinds of runners apart. */
  readonly Kind: "unix";
  /** The socket's file name. */
  readonly Path: string;
  /** The permissions of the socket's file. */
  readonly Mode?: number;
}

/** Options for {@linkcode Unix}. */
export interface UnixOptions {
  /**
   * The permissions of the socket's file, such as `0o660` for a proxy in the same group. If omitted, they are what the
   * process's umask leaves.
   */
  Mode?: number;
}

/** What a server listens on: the first argument of `Run`. */
export type Runner = AddrRunner | TLSRunner | UnixRunner;

/**
 * Listens for plain HTTP on a TCP address.
 *
 * @example Any free port of the local machine
 * ```ts
 * import * as fw from "@fw/web";
 *
 * fw.Addr("127.0.0.1:0").Address; // → "127.0.0.1:0"
 * ```
 *
 * @param address `host:port`, `:port`, `[::1]:port` or a bare port. Without a host it is every interface, port `0`
 * is any free one, and the empty address is `:8080`.
 * @returns A runner for `Run`.
 */
export function Addr(address: string): AddrRunner {
  return { Kind: "addr", Address: address };
}

/**
 * Listens for HTTPS on a TCP address; clients that can get HTTP/2.
 *
 * @example Files beside the module
 * ```ts
 * import * as fw from "@fw/web";
 *
 * const cert = new URL("./cert.pem", import.meta.url);
 * const key = new URL("./key.pem", import.meta.url);
 * fw.TLS(":443", cert, key).Certificate; // → cert
 * ```
 *
 * @param address As for {@linkcode Addr}.
 * @param certificate The certificate chain: a file name, a `file:` URL, or the PEM text itself.
 * @param key The private key, not encrypted: a file name, a `file:` URL, or the PEM text itself.
 * @returns A runner for `Run`.
 */
export function TLS(address: string, certificate: PEM, key: PEM): TLSRunner {
  return { Kind: "tls", Address: address, Certificate: certificate, Key: key };
}

/**
 * Listens for plain HTTP on a unix socket.
 *
 * A socket file that a dead server left behind is replaced; the file is removed on shutdown.
 *
 * @example Behind a proxy of the same machine
 * ```ts
 * import * as fw from "@fw/web";
 *
 * fw.Unix("/run/app/http.sock").Path; // → "/run/app/http.sock"
 * ```
 *
 * @param path The socket's file name; its directory must exist.
 * @param options The permissions of the file.
 * @returns A runner for `Run`.
 */
export function Unix(path: string, options: UnixOptions = {}): UnixRunner {
  const { Mode } = options;
  if (Mode !== undefined && !(Number.isInteger(Mode) && Mode >= 0 && Mode <= 0o777)) {
    throw new FrameworkError("FW_CONFIG", `Cannot create a unix socket with mode "${Mode}": it must be 0 to 0o777`);
  }
  return { Kind: "unix", Path: path, ...Mode !== undefined && { Mode } };
}

/**
 * Takes what a program gives to `Run`: a runner, or an address for {@linkcode Addr}.
 *
 * @param given The runner, address or port.
 * @returns The runner.
 */
export function toRunner(given: Runner | string | number): Runner {
  if (typeof given === "string" || typeof given === "number") return Addr(String(given));
  const kind: unknown = given?.Kind;
  if (kind === "addr" || kind === "tls" || kind === "unix") return given;
  throw new FrameworkError(
    "FW_ADDRESS",
    `Cannot run on "${typeof given === "function" ? "a function" : Deno.inspect(given)}": ` +
      'the first argument says where to listen, as in fw.Addr(":8080")',
  );
}
