/**
 * An application with a faulty callback, served on a free port.
 *
 * @module
 */

import * as fw from "@fw/web";
import { assertEquals } from "@std/assert";
import { type Fault, secret } from "./faults.ts";

/** A request to an application. */
export interface Asked {
  /** The address of the application, without a final slash. */
  readonly url: string;
  readonly app: fw.Application;
  readonly fault: Fault;
  /** The lines that were logged so far. */
  readonly lines: readonly string[];
}

/** The parts of a site that differ from others. */
export interface Site {
  /** Registers the callback. It must not be called for `/other`. */
  readonly set: (app: fw.Application, fault: Fault) => unknown;
  /** Sends the request that calls the callback. Defaults to a GET request for `/x`. */
  readonly ask?: (asked: Asked) => Promise<Response | string>;
  /** The time limit for handlers if the callback never settles, in milliseconds. */
  readonly limit?: number;
  /** Further configurators. */
  readonly configure?: readonly fw.Configurator[];
}

/** The time within which a server must respond and stop, in milliseconds. It is generous for busy machines. */
const patience = 10_000;

/**
 * Serves an application with a faulty callback and sends a request to it.
 *
 * @returns The status of the response, followed by "logged" if the log contains the error. Fails if the client
 * receives details, if another request fails, or if the server does not stop.
 */
export async function serve(fault: Fault, site: Site): Promise<string> {
  const { set, ask = ({ url }) => fetch(`${url}/x`), configure = [] } = site;
  // Only a callback that never settles has to reach the limit. Other cells run meanwhile, and may delay its call.
  const limit = fault.name === "never" ? site.limit ?? 600 : 5_000;
  const app = fw.New();
  const lines: string[] = [];
  app.Logger().SetTimeFormat("").SetLevel("debug").SetOutput((line) => lines.push(line));
  app.Get("/other", (ctx) => void ctx.WriteString("other"));
  await set(app, fault);
  const port = Promise.withResolvers<number>();
  const running = app.Run(
    fw.Addr("127.0.0.1:0"),
    fw.WithoutStartupLog,
    fw.WithoutInterruptHandler,
    fw.WithHandlerTimeout(limit),
    fw.WithShutdownTimeout(300),
    fw.WithOnListen((address) => port.resolve("port" in address ? address.port : 0)),
    ...configure,
  );
  running.catch(port.reject);
  const url = `http://127.0.0.1:${await port.promise}`;
  try {
    const result = await soon(ask({ url, app, fault, lines }), "the response");
    const text = typeof result === "string" ? result : `${result.status}`;
    const body = typeof result === "string" ? "" : await soon(result.text(), "the body");
    assertEquals(body.includes(secret), false, `the client received details: ${body}`);
    const other = await soon(fetch(`${url}/other`), "another request");
    assertEquals([other.status, await other.text()], [200, "other"], "another request failed");
    return lines.some((line) => /ERRO|WARN/.test(line)) ? `${text} logged` : text;
  } finally {
    await soon(app.Shutdown(), "the shutdown");
    await soon(running, "the end");
  }
}

/** Waits for a result. A callback that never ends may have none, which is known soon after its call. */
export async function orNothing(fault: Fault, result: Promise<string>, nothing: string): Promise<string> {
  if (fault.name !== "never") return await soon(result, "the result");
  const late = fault.called.then(() => new Promise<string>((resolve) => setTimeout(resolve, 300, nothing)));
  return await Promise.race([result, late]);
}

/** Waits for a promise, but not forever. */
export async function soon<T>(promise: Promise<T>, what: string): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`${what} did not come`)), patience);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
