/**
 * The HTTP methods for routes.
 *
 * @module
 */

/**
 * The name of an HTTP method. Editors suggest the standard methods; any other string is accepted and validated at
 * registration.
 */
export type MethodName =
  | "GET"
  | "POST"
  | "PUT"
  | "DELETE"
  | "CONNECT"
  | "HEAD"
  | "PATCH"
  | "OPTIONS"
  | "TRACE"
  | (string & Record<never, never>);

/** The standard HTTP methods. Routes may use other methods too, and `Any` registers a route for those as well. */
export const Methods: readonly string[] = [
  "GET",
  "POST",
  "PUT",
  "DELETE",
  "CONNECT",
  "HEAD",
  "PATCH",
  "OPTIONS",
  "TRACE",
];

/** The methods that the platform writes in upper case when it creates a request. */
const normalized: ReadonlySet<string> = new Set(["DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT"]);

/**
 * Returns a method as the platform would write it. Others than the six above depend on the case.
 *
 * A method that arrives over a connection is a new string, and each comparison with it calls a function. The standard
 * methods are therefore returned as they are above, because the comparison of constants only takes an instruction.
 */
export function normalizeMethod(method: string): string {
  const known = Methods[Methods.indexOf(method)];
  if (known !== undefined) return known;
  const name = method.toUpperCase();
  return normalized.has(name) ? name : method;
}

/**
 * Returns the method of a request that has arrived. A request for `delete` is one for `DELETE` from the start, because
 * it would become one behind the guards, when it is passed on to another application or server.
 *
 * @throws {TypeError} If the value is not a request.
 */
export function arrivedMethod(request: Request): string {
  const method = request?.method;
  // Most requests are GET requests, and a comparison is cheaper than a search.
  if (method === "GET") return "GET";
  if (typeof method !== "string") throw new TypeError("Cannot serve a request: fetch takes a Request");
  const name = normalizeMethod(method);
  if (name !== method) Reflect.defineProperty(request, "method", { value: name, configurable: true, enumerable: true });
  return name;
}

/** Reports whether the client has sent another spelling of the method than the request now has. */
export function isRespelled(request: Request): boolean {
  return Object.hasOwn(request, "method");
}
