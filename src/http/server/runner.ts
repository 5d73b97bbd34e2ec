/**
 * Runners. They describe the addresses that `Run` can listen on.
 *
 * @module
 */

import { count, where } from "../../base/config/option_kinds.ts";
import { optionTable, readOptions } from "../../base/config/option_table.ts";
import { FrameworkError } from "../../base/errors/errors.ts";

/** A PEM file or its content: a file name, a `file:` URL, or a string that contains `-----BEGIN`. */
export type PEM = string | URL;

/** A runner for plain HTTP on a TCP address, created by {@linkcode Addr}. */
export interface AddrRunner {
  /** The kind of runner. */
  readonly Kind: "addr";
  /** The address. */
  readonly Address: string;
}

/** A runner for HTTPS on a TCP address, created by {@linkcode TLS}. */
export interface TLSRunner {
  /** The kind of runner. */
  readonly Kind: "tls";
  /** The address. */
  readonly Address: string;
  /** The certificate chain, with the server's own certificate first. */
  readonly Certificate: PEM;
  /** The private key of the first certificate. */
  readonly Key: PEM;
}

/** A runner for plain HTTP on a unix socket, created by {@linkcode Unix}. */
export interface UnixRunner {
  /** The kind of runner. */
  readonly Kind: "unix";
  /** The file name of the socket. */
  readonly Path: string;
  /** The permissions of the socket file. */
  readonly Mode?: number;
}

/** Options for {@linkcode Unix}. */
export interface UnixOptions {
  /**
   * The permissions of the socket file, such as `0o660` for a proxy in the same group. If omitted, the process umask
   * determines them.
   */
  Mode?: number;
}

const table = optionTable<UnixOptions>("UnixOptions", "Unix")({
  Mode: where(count(undefined, { from: 0 }), "an integer from 0 to 0o777", (mode) => mode <= 0o777),
});

/** The address that a server listens on, passed to `Run` as its first argument. */
export type Runner = AddrRunner | TLSRunner | UnixRunner;

/**
 * Creates a runner for plain HTTP on a TCP address.
 *
 * @param address The address: `host:port`, `:port`, `[::1]:port` or a port. If the host is omitted, the server listens
 * on all interfaces. Port `0` selects any free port. An empty string means `:8080`.
 * @returns A runner for `Run`.
 *
 * @example Listen on any free port of the local machine
 * ```ts
 * import * as fw from "@fw/web";
 *
 * fw.Addr("127.0.0.1:0").Address; // → "127.0.0.1:0"
 * ```
 */
export function Addr(address: string): AddrRunner {
  return { Kind: "addr", Address: address };
}

/**
 * Creates a runner for HTTPS on a TCP address. HTTP/2 is used for clients that support it.
 *
 * @param address The address, as for {@linkcode Addr}.
 * @param certificate The certificate chain: a file name, a `file:` URL, or the PEM itself.
 * @param key The unencrypted private key: a file name, a `file:` URL, or the PEM itself.
 * @returns A runner for `Run`.
 *
 * @example Use the certificate next to this module
 * ```ts
 * import * as fw from "@fw/web";
 *
 * const cert = new URL("./cert.pem", import.meta.url);
 * const key = new URL("./key.pem", import.meta.url);
 * fw.TLS(":443", cert, key).Certificate; // → cert
 * ```
 */
export function TLS(address: string, certificate: PEM, key: PEM): TLSRunner {
  return { Kind: "tls", Address: address, Certificate: certificate, Key: key };
}

/**
 * Creates a runner for plain HTTP on a unix socket. A socket file left behind by a dead server is replaced. The file is
 * removed on shutdown.
 *
 * @param path The file name of the socket. Its directory must exist.
 * @param options The options, such as the file permissions.
 * @returns A runner for `Run`.
 *
 * @example Listen behind a proxy on the same machine
 * ```ts
 * import * as fw from "@fw/web";
 *
 * fw.Unix("/run/app/http.sock").Path; // → "/run/app/http.sock"
 * ```
 */
export function Unix(path: string, options: UnixOptions = {}): UnixRunner {
  const { Mode } = readOptions(table, options);
  return { Kind: "unix", Path: path, ...Mode !== undefined && { Mode } };
}

/**
 * Converts the first argument of `Run` to a runner. Strings and numbers are addresses for {@linkcode Addr}.
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
      'the first argument must be a runner or an address, such as fw.Addr(":8080")',
  );
}
