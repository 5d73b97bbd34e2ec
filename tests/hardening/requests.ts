/**
 * Requests as text, each character one byte.
 *
 * @module
 */

/** The name under which the servers are asked. */
export const host = "localhost";

/** Headers as lines of name and value. */
export type Lines = readonly (readonly [string, string])[] | Readonly<Record<string, string>>;

/** A GET request, the last on its connection. */
export function get(path: string, headers: Lines = {}): string {
  return request("GET", path, headers);
}

/** Any request, the last on its connection; `host` may be among the headers. */
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

/** A POST request with a body of some type. */
export function post(path: string, type: string, body: string, headers: Record<string, string> = {}): string {
  return request("POST", path, { "Content-Type": type, ...headers }, body);
}

/** A POST request with JSON. */
export function postJSON(path: string, body: string): string {
  return post(path, "application/json", body);
}

/** A POST request with a urlencoded form. */
export function postForm(path: string, body: string): string {
  return post(path, "application/x-www-form-urlencoded", body);
}

/** The boundary of the multipart bodies. */
export const boundary = "----attack7MA4YWxk";

/** A POST request with a multipart body of the given parts: header lines and content. */
export function postParts(path: string, ...parts: readonly (readonly [string, string])[]): string {
  return post(path, `multipart/form-data; boundary=${boundary}`, multipart(...parts));
}

/** A multipart body of the given parts. */
export function multipart(...parts: readonly (readonly [string, string])[]): string {
  const each = parts.map(([header, content]) => `--${boundary}\r\n${header}\r\n\r\n${content}\r\n`);
  return `${each.join("")}--${boundary}--\r\n`;
}

/** The part of a multipart body that holds a file. */
export function filePart(filename: string, content = "content", field = "file"): readonly [string, string] {
  return [
    `Content-Disposition: form-data; name="${field}"; filename="${filename}"\r\nContent-Type: text/plain`,
    content,
  ];
}

/** The part of a multipart body that holds a field. */
export function fieldPart(name: string, content: string): readonly [string, string] {
  return [`Content-Disposition: form-data; name="${name}"`, content];
}
