/**
 * Requests as strings in which each character is one byte.
 *
 * @module
 */

/** The host name of the servers. */
export const host = "localhost";

/** Headers as pairs of name and value. */
export type Lines = readonly (readonly [string, string])[] | Readonly<Record<string, string>>;

/** Creates a GET request that ends the connection. */
export function get(path: string, headers: Lines = {}): string {
  return request("GET", path, headers);
}

/** Creates a request that ends the connection. The headers may include `host`. */
export function request(method: string, path: string, headers: Lines = {}, body?: string): string {
  const pairs = Array.isArray(headers) ? headers as [string, string][] : Object.entries(headers);
  const names = new Set(pairs.map(([name]) => name.toLowerCase()));
  const lines = [
    ...names.has("host") ? [] : [["Host", host]],
    ...pairs,
    ...body === undefined || names.has("content-length") || names.has("transfer-encoding")
      ? []
      : [["Content-Length", String(body.length)]],
    ...names.has("connection") ? [] : [["Connection", "close"]],
  ];
  return `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${
    body ?? ""
  }`;
}

/** Creates a POST request with a body and a content type. */
export function post(path: string, type: string, body: string, headers: Record<string, string> = {}): string {
  return request("POST", path, { "Content-Type": type, ...headers }, body);
}

/** Creates a POST request with JSON. */
export function postJSON(path: string, body: string): string {
  return post(path, "application/json", body);
}

/** Creates a POST request with a URL-encoded form. */
export function postForm(path: string, body: string): string {
  return post(path, "application/x-www-form-urlencoded", body);
}

/** The boundary of multipart bodies. */
export const boundary = "----attack7MA4YWxk";

/** Creates a POST request with a multipart body. Each part consists of header lines and content. */
export function postParts(path: string, ...parts: readonly (readonly [string, string])[]): string {
  return post(path, `multipart/form-data; boundary=${boundary}`, multipart(...parts));
}

/** Creates a multipart body. */
export function multipart(...parts: readonly (readonly [string, string])[]): string {
  const each = parts.map(([header, content]) => `--${boundary}\r\n${header}\r\n\r\n${content}\r\n`);
  return `${each.join("")}--${boundary}--\r\n`;
}

/** Creates a multipart part with a file. */
export function filePart(filename: string, content = "content", field = "file"): readonly [string, string] {
  return [
    `Content-Disposition: form-data; name="${field}"; filename="${filename}"\r\nContent-Type: text/plain`,
    content,
  ];
}

/** Creates a multipart part with a field. */
export function fieldPart(name: string, content: string): readonly [string, string] {
  return [`Content-Disposition: form-data; name="${name}"`, content];
}
