/**
 * Builds requests from the page's forms, sends them and shows the responses.
 *
 * @module
 */

/** The script that builds and sends requests. */
export const requestScript: string = String.raw`
function baseURL() {
  const server = spec.servers?.[chosenServer] ?? { url: "" };
  const filled = (server.url ?? "").replace(/\{(\w+)\}/g, (all, name) => server.variables?.[name]?.default ?? all);
  return new URL(filled || "/", new URL(routes.dataset.document, location.href)).href.replace(/[/]$/, "");
}

function field(label, input, hint) {
  return make("div", { class: "field" }, make("label", {}, label, input), hint ? make("span", { class: "hint" }, hint) : "");
}

/**
 * Creates an input for a value and a function that reads it as an array of strings or files. The array is empty if
 * nothing was entered.
 */
function editorOf(name, schema, isRequired) {
  const one = flat(schema);
  const types = typesOf(one);
  const list = types.includes("array");
  const item = list && !one.prefixItems ? flat(one.items ?? {}) : one;
  if (item.format === "binary") {
    const input = make("input", { type: "file", name, multiple: list, required: isRequired });
    return { input, read: () => [...input.files] };
  }
  const first = isRequired || one.default !== undefined ? sample(schema) : undefined;
  const choices = item.enum ?? (types[0] === "boolean" ? [true, false] : undefined);
  if (choices && !list) {
    const input = make("select", { name, required: isRequired }, ...(isRequired ? [] : [make("option", { value: "" }, "—")]),
      ...choices.map((value) => make("option", { value: String(value), selected: isRequired && value === first }, String(value))));
    return { input, read: () => input.value === "" ? [] : [input.value] };
  }
  if (list) {
    const input = make("textarea", { name, class: "short", spellcheck: "false", required: isRequired, rows: "2" });
    input.value = (Array.isArray(first) ? first : []).map(textOf).join("\n");
    const hint = one.prefixItems ? one.prefixItems.length + " lines, one per item" : "One item per line";
    return { input, hint, read: () => input.value.split("\n").map((line) => line.trim()).filter(Boolean) };
  }
  const input = make("input", { name, autocomplete: "off", required: isRequired, value: first === undefined ? "" : textOf(first),
    type: one.format === "password" ? "password" : "text", inputmode: types[0] === "integer" ? "numeric" : undefined,
    placeholder: isRequired ? undefined : "optional" });
  return { input, read: () => input.value === "" ? [] : [input.value] };
}

function textOf(value) {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
}

/** Creates an editor for a request body of one content type and a function that reads it. */
function bodyEditor(type, media, isRequired) {
  if (/json$/.test(type) || !/form/.test(type)) {
    const input = make("textarea", { spellcheck: "false", "aria-label": "Body" });
    const given = Object.entries(media.examples ?? {});
    const first = media.example ?? given[0]?.[1].value ?? sample(media.schema);
    const write = (value) => input.value = typeof value === "string" && !/json$/.test(type) ? value : JSON.stringify(value, null, 2);
    write(first);
    input.rows = Math.min(input.value.split("\n").length + 1, 24);
    const chooser = given.length > 1 ? make("select", { "aria-label": "Example",
      onchange: (event) => write(given[event.target.selectedIndex][1].value) }, ...given.map(([name]) => make("option", {}, name))) : "";
    return { element: make("div", {}, chooser, field(type, input)), read: () => input.value === "" && !isRequired ? undefined : input.value };
  }
  const one = flat(media.schema);
  const required = one.required ?? [];
  const editors = Object.entries(one.properties ?? {}).map(([name, schema]) => [name, editorOf(name, schema, required.includes(name))]);
  const element = make("div", { class: "fields" }, ...editors.map(([name, { input, hint }]) => field(name, input, hint)));
  const read = () => editors.flatMap(([name, editor]) => editor.read().map((value) => [name, value]));
  return { element, read };
}

/**
 * Returns the security schemes of a request. This is the first alternative with complete credentials, or else the first
 * one.
 */
function schemesOf(operation) {
  const alternatives = (operation.security ?? spec.security ?? []).map((each) => Object.keys(each));
  return alternatives.find((names) => names.length > 0 && names.every((name) => isFilled(name))) ?? alternatives[0] ?? [];
}

function isFilled(name) {
  return Object.values(credentials[name] ?? {}).some((value) => value !== "");
}

function schemeOf(name) {
  return resolve(spec.components?.securitySchemes?.[name]);
}

/**
 * Adds the credentials of a security scheme. Code samples contain a placeholder, because they are meant to be shared.
 */
function authorize(name, headers, query, isCode) {
  const scheme = schemeOf(name);
  const { user = "", secret = "" } = credentials[name] ?? {};
  if (!isCode && !isFilled(name)) return;
  if (scheme.type === "apiKey" && scheme.in === "query") query.append(scheme.name, isCode ? "KEY" : secret);
  else if (scheme.type === "apiKey" && scheme.in === "header") headers[scheme.name] = isCode ? "KEY" : secret;
  else if (scheme.type === "apiKey" && isCode) headers.cookie = scheme.name + "=KEY";
  else if (scheme.type === "apiKey") document.cookie = scheme.name + "=" + encodeURIComponent(secret) + "; path=/; samesite=strict";
  else if (scheme.scheme === "basic") {
    const bytes = new TextEncoder().encode(isCode ? "USER:PASSWORD" : user + ":" + secret);
    headers.authorization = "Basic " + btoa(String.fromCharCode(...bytes));
  } else headers.authorization = "Bearer " + (isCode ? "TOKEN" : secret);
}

/** Builds the request from the form. */
function requestOf({ path, method, operation, editors, body }, isCode) {
  const query = new URLSearchParams();
  const headers = {};
  let filled = path;
  for (const [parameter, editor] of editors) {
    const values = editor.read();
    if (parameter.in === "path") {
      const text = values.join(",");
      const parts = parameter.description?.includes("slashes") ? text.split("/") : [text];
      filled = filled.replace("{" + parameter.name + "}", () => parts.map(encodeURIComponent).join("/"));
    } else if (parameter.in === "query" && typesOf(flat(parameter.schema))[0] === "object" && values.length > 0) {
      for (const [key, value] of Object.entries(JSON.parse(values[0]))) [value].flat().forEach((each) => query.append(key, textOf(each)));
    } else if (parameter.in === "query" && parameter.explode === false && values.length > 0) query.append(parameter.name, values.join(","));
    else if (parameter.in === "query") values.forEach((value) => query.append(parameter.name, value));
    else if (parameter.in === "header" && values.length > 0) headers[parameter.name] = values.join(", ");
  }
  for (const name of schemesOf(operation)) authorize(name, headers, query, isCode);
  const given = body?.editor.read();
  if (given !== undefined && body.type !== "multipart/form-data") headers["content-type"] = body.type;
  return { url: baseURL() + filled + (query.size > 0 ? "?" + query : ""), method: method.toUpperCase(), headers, type: body?.type, given };
}

function encode({ type, given }) {
  if (!Array.isArray(given)) return given;
  if (type !== "multipart/form-data") return new URLSearchParams(given);
  const form = new FormData();
  for (const [key, value] of given) form.append(key, value);
  return form;
}

async function send(request, output) {
  const started = performance.now();
  try {
    const response = await fetch(request.url, { method: request.method, headers: request.headers, body: encode(request) });
    const bytes = await response.blob();
    const time = Math.round(performance.now() - started);
    const type = response.headers.get("content-type") ?? "";
    const isText = type === "" || /^text\/|json|xml|yaml|javascript|urlencoded/.test(type);
    output.replaceChildren(
      make("p", { class: response.ok ? "status" : "status bad" }, response.status + " " + response.statusText + " · " + time + " ms"),
      make("details", {}, make("summary", {}, "Response headers"), make("pre", { tabindex: "0" }, [...response.headers].map(([name, value]) => name + ": " + value).join("\n"))),
      isText ? make("pre", { tabindex: "0" }, pretty(await bytes.text()))
        : make("p", {}, make("a", { href: URL.createObjectURL(bytes), download: "response" }, "Save " + bytes.size + " bytes of " + type)));
  } catch (error) {
    output.replaceChildren(make("p", { class: "bad" }, "The request failed: " + error.message));
  }
}

function pretty(text) {
  // Parsing would change numbers with 16 or more digits.
  if (/\d{16}/.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text === "" ? "(no body)" : text;
  }
}
`;
