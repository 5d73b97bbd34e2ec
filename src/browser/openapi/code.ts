/**
 * Generates code samples for the shell, for `fetch` and for fw's client.
 *
 * @module
 */

import type { Editor } from "./editors.ts";
import { make, messageOf } from "./elements.ts";
import { baseURL, type BuiltRequest, type Form, requestOf } from "./request.ts";
import { flat, typesOf } from "./schema.ts";
import type { Parameter } from "./spec.ts";

function quoted(text: string): string {
  return "'" + text.replaceAll("'", "'\\''") + "'";
}

function curlCode({ url, method, headers, type, given }: BuiltRequest): string {
  const lines = ["curl " + (method === "GET" ? "" : "-X " + method + " ") + quoted(url)];
  for (const [name, value] of Object.entries(headers)) {
    if (!(Array.isArray(given) && name === "content-type")) lines.push("-H " + quoted(name + ": " + value));
  }
  if (typeof given === "string") lines.push("--data-raw " + quoted(given));
  else {for (const [name, value] of given ?? []) {
      if (type !== "multipart/form-data") lines.push("--data-urlencode " + quoted(name + "=" + value));
      else {lines.push(
          (value instanceof File ? "-F " : "--form-string ") +
            quoted(name + "=" + (value instanceof File ? "@" + value.name : value)),
        );}
    }}
  return lines.join(" \\\n  ");
}

function fetchCode({ url, method, headers, type, given }: BuiltRequest): string {
  const members = [method === "GET" ? "" : "  method: " + JSON.stringify(method) + ",\n"];
  if (Object.keys(headers).length > 0) members.push("  headers: " + indented(headers) + ",\n");
  let before = "";
  if (typeof given === "string") {
    try {
      members.push("  body: JSON.stringify(" + (/\d{16}/.test(given) ? given : indented(JSON.parse(given))) + "),\n");
    } catch {
      members.push("  body: " + JSON.stringify(given) + ",\n");
    }
  } else if (given) {
    before = "const form = new " + (type === "multipart/form-data" ? "FormData" : "URLSearchParams") + "();\n" +
      given.map(([name, value]) =>
        "form.append(" + JSON.stringify(name) + ", " + (value instanceof File ? "file" : JSON.stringify(value)) + ");\n"
      ).join("");
    members.push("  body: form,\n");
  }
  const options = members.join("");
  return before + "const response = await fetch(" + JSON.stringify(url) +
    (options === "" ? "" : ", {\n" + options + "}") + ");\nconst value = await response.json();";
}

function indented(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll("\n", "\n  ");
}

/** A parameter and its entered values. */
type Written = readonly [parameter: Parameter, read: ReturnType<Editor["read"]>];

/** Returns a call of fw's client if the route's path matches the name of a controller method. */
function clientCode({ path, operation, editors }: Form, { headers, given }: BuiltRequest): string | undefined {
  const [, controller, action] = /^(\w+Controller)_([A-Z]\w*)$/.exec(operation.operationId ?? "") ?? [];
  if (controller === undefined || action === undefined) return undefined;
  const words = action.match(/[A-Z][a-z0-9]*/g)?.slice(1) ?? [];
  const segments = path.split("/").slice(1).filter(Boolean);
  const own = segments.slice(segments.length - words.length);
  if (
    own.length < words.length ||
    !words.every((word, at) => word === "By" ? own[at]?.startsWith("{") : own[at] === word.toLowerCase())
  ) return undefined;
  const base = [baseURL(), ...segments.slice(0, segments.length - words.length)].join("/");
  if (base.includes("{")) return undefined;
  const values = (place: string): Written[] =>
    editors.filter(([parameter]) => parameter.in === place).map((
      [parameter, editor],
    ): Written => [parameter, editor.read()])
      .filter(([, read]) => read.length > 0);
  const written = ([parameter, read]: Written) => {
    const types = typesOf(flat(parameter.schema));
    const one = (text: string) =>
      types[0] === "integer" || types[0] === "number"
        ? text + (flat(parameter.schema).format === "int64" ? "n" : "")
        : types[0] === "boolean"
        ? text
        : JSON.stringify(text);
    return types[0] === "array"
      ? "[" + read.map((text) => JSON.stringify(text)).join(", ") + "]"
      : one(String(read[0]));
  };
  const record = (list: readonly Written[]) =>
    "{ " + list.map((each) => JSON.stringify(each[0].name) + ": " + written(each)).join(", ") + " }";
  const inputs: string[] = [];
  for (const [place, name] of [["query", "Query"], ["header", "Header"]] as const) {
    const list = values(place);
    if (list.length > 0) inputs.push(name + ": " + record(list));
  }
  if (typeof given === "string") inputs.push("Body: " + given.replaceAll("\n", "\n  "));
  else if (given !== undefined && given.length > 0) {
    inputs.push(
      "Form: { " + given.map(([name, value]) =>
        JSON.stringify(name) + ": " + (value instanceof File ? "file" : JSON.stringify(value))
      ).join(", ") + " }",
    );
  }
  if (headers.authorization) inputs.push("Headers: { authorization: " + JSON.stringify(headers.authorization) + " }");
  const call = [...values("path").map(written), ...(inputs.length > 0 ? ["{\n  " + inputs.join(",\n  ") + ",\n}"] : [])]
    .join(", ");
  const name = controller.charAt(0).toLowerCase() + controller.slice(1).replace(/Controller$/, "");
  return 'import * as client from "@fw/web/client";\nimport type { ' + controller + ' } from "./server.ts";\n\n' +
    "const " + name + " = client.New<" + controller + ">(" + JSON.stringify(base) +
    ");\nconst [value, error] = await " + name + "." + action + "(" + call + ");";
}

/** Creates the samples of a form. They are written while they are open. */
export function codeOf(form: Form): { details: HTMLElement; write: () => void } {
  const box = make("pre", { tabindex: "0", class: "code" });
  const kinds: Readonly<Record<string, (request: BuiltRequest) => string | undefined>> = {
    curl: curlCode,
    fetch: fetchCode,
    "fw client": (request) => clientCode(form, request),
  };
  const choose = make("select", { "aria-label": "Language", onchange: write });
  const copy = make("button", {
    type: "button",
    class: "plain",
    onclick: () =>
      navigator.clipboard?.writeText(box.textContent).then(() => {
        copy.textContent = "Copied";
        setTimeout(() => copy.textContent = "Copy", 1500);
      }),
  }, "Copy");
  function write(): void {
    try {
      const request = requestOf(form, true);
      const usable = Object.keys(kinds).filter((kind) => kinds[kind]?.(request) !== undefined);
      const chosen = usable.includes(choose.value) ? choose.value : usable[0];
      choose.replaceChildren(...usable.map((kind) => make("option", { selected: kind === chosen }, kind)));
      box.textContent = kinds[chosen ?? ""]?.(request) ?? "";
    } catch (error) {
      box.textContent = messageOf(error);
    }
  }
  const details = make("details.codes", make("summary", "Code"), make("div.bar", choose, copy), box);
  details.addEventListener("toggle", () => details.open && write());
  return { details, write: () => details.open && write() };
}
