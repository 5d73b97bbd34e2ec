/**
 * What the page does: it reads the document, shows the routes, and sends what the reader fills in.
 *
 * Texts of the document are only ever set as text, never as markup.
 *
 * @module
 */

/** The script of the page. */
export const pageScript = `
"use strict";
const routes = document.getElementById("routes");
const find = document.getElementById("find");
const methods = ["get", "post", "put", "patch", "delete", "head", "options", "trace"];
let spec = {};
const credentials = {};

function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== undefined && child !== ""));
  return element;
}

function resolve(schema, depth = 0) {
  if (!schema || typeof schema.$ref !== "string" || depth > 20) return schema ?? {};
  let found = spec;
  for (const part of schema.$ref.slice(2).split("/")) found = found?.[part.replaceAll("~1", "/").replaceAll("~0", "~")];
  return resolve(found, depth + 1);
}

function describe(schema, depth = 0) {
  const one = resolve(schema);
  if (depth > 4) return "…";
  if (one.const !== undefined) return JSON.stringify(one.const);
  if (one.enum) return one.enum.map((value) => JSON.stringify(value)).join(" | ");
  const any = one.anyOf ?? one.oneOf;
  if (any) return any.map((part) => describe(part, depth + 1)).join(" | ");
  if (one.type === "array") return describe(one.items, depth + 1) + "[]";
  const bounds = [["minimum", "≥"], ["exclusiveMinimum", ">"], ["maximum", "≤"], ["exclusiveMaximum", "<"],
    ["minLength", "length ≥"], ["maxLength", "length ≤"], ["pattern", "matches"]]
    .filter(([key]) => one[key] !== undefined).map(([key, sign]) => sign + " " + one[key]);
  const type = Array.isArray(one.type) ? one.type.join(" | ") : one.type ?? "any";
  return [one.format ? type + " (" + one.format + ")" : type, ...bounds].join(", ");
}

function sample(schema, depth = 0) {
  const one = resolve(schema);
  if (depth > 6) return null;
  for (const key of ["example", "default", "const"]) if (one[key] !== undefined) return one[key];
  if (one.examples?.length) return one.examples[0];
  if (one.enum) return one.enum[0];
  const part = one.anyOf?.[0] ?? one.oneOf?.[0];
  if (part) return sample(part, depth + 1);
  if (one.allOf) return Object.assign({}, ...one.allOf.map((each) => sample(each, depth + 1)));
  const type = Array.isArray(one.type) ? one.type[0] : one.type;
  if (type === "object" || one.properties) {
    return Object.fromEntries(Object.entries(one.properties ?? {}).map(([key, value]) => [key, sample(value, depth + 1)]));
  }
  if (type === "array") return [sample(one.items, depth + 1)];
  if (type === "integer" || type === "number") return one.minimum ?? (one.exclusiveMinimum ?? 0) + 1;
  if (type === "boolean") return true;
  if (type === "null") return null;
  return { email: "ann@example.com", uuid: crypto.randomUUID(), date: "2026-01-31", "date-time": "2026-01-31T12:00:00Z",
    uri: "https://example.com" }[one.format] ?? "text".padEnd(one.minLength ?? 0, "x");
}

function row(...cells) {
  return make("tr", {}, ...cells.map((cell) => make("td", {}, cell ?? "")));
}

function table(heads, rows) {
  return make("table", {}, make("thead", {}, make("tr", {}, ...heads.map((head) => make("th", { scope: "col" }, head)))),
    make("tbody", {}, ...rows));
}

function parametersTable(parameters) {
  return table(["Parameter", "In", "Type", ""], parameters.map((parameter) =>
    row(make("code", {}, parameter.name + (parameter.required ? "" : "?")), parameter.in,
      make("code", {}, describe(parameter.schema)), parameter.description)));
}

function schemaBlock(schema) {
  return make("pre", { tabindex: "0" }, JSON.stringify(resolve(schema), null, 2));
}

function responsesTable(responses) {
  return table(["Status", "Meaning", "Body"], Object.entries(responses ?? {}).map(([status, response]) => {
    const [type, media] = Object.entries(response.content ?? {})[0] ?? [];
    const body = media ? make("details", {}, make("summary", {}, type), schemaBlock(media.schema)) : "";
    return row(make("code", {}, status), response.description, body);
  }));
}

function field(label, input) {
  return make("label", {}, label, input);
}

function formOf(path, method, operation, item) {
  const parameters = operation.parameters ?? [];
  const [type, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const inputs = parameters.map((parameter) => [parameter, make("input", {
    name: parameter.name, autocomplete: "off", required: parameter.required,
    value: parameter.required ? String(sample(parameter.schema)) : "",
  })]);
  const body = media && make("textarea", { spellcheck: "false", "aria-label": "Body" });
  if (body) body.value = JSON.stringify(sample(media.schema), null, 2);
  const schemes = Object.keys(Object.assign({}, ...(operation.security ?? spec.security ?? [])));
  const secrets = schemes.map((name) => field(name + " (credential)", make("input", {
    type: "password", autocomplete: "off", value: credentials[name] ?? "",
    oninput: (event) => credentials[name] = event.target.value,
  })));
  const output = make("div", { role: "status" });
  const button = make("button", { type: "submit" }, "Send");
  const form = make("form", { onsubmit: (event) => {
    event.preventDefault();
    button.disabled = true;
    send({ path, method, inputs, type, body: body?.value, schemes }, output).finally(() => button.disabled = false);
  } }, make("div", { class: "fields" }, ...inputs.map(([parameter, input]) => field(parameter.name, input)), ...secrets),
    body ? field(type, body) : "", button, output);
  item.append(make("h3", {}, "Try it"), form);
}

async function send({ path, method, inputs, type, body, schemes }, output) {
  let url = (spec.servers?.[0]?.url ?? "").replace(/[/]$/, "") + path;
  const query = new URLSearchParams();
  const headers = {};
  for (const [parameter, { value }] of inputs) {
    if (parameter.in === "path") {
      const parts = parameter.description?.includes("slashes") ? value.split("/") : [value];
      url = url.replace("{" + parameter.name + "}", parts.map(encodeURIComponent).join("/"));
    } else if (value !== "" && parameter.in === "query") query.append(parameter.name, value);
    else if (value !== "" && parameter.in === "header") headers[parameter.name] = value;
  }
  for (const name of schemes) authorize(name, headers, query);
  if (query.size > 0) url += "?" + query;
  const started = performance.now();
  try {
    const response = await fetch(url, { method: method.toUpperCase(), headers: contentHeaders(type, headers),
      body: body === undefined ? undefined : encode(type, body) });
    const text = await response.text();
    const time = Math.round(performance.now() - started);
    output.replaceChildren(
      make("p", { class: response.ok ? "status" : "status bad" }, response.status + " " + response.statusText + " · " + time + " ms"),
      make("pre", { tabindex: "0" }, [...response.headers].map(([name, value]) => name + ": " + value).join("\\n")),
      make("pre", { tabindex: "0" }, pretty(text)));
  } catch (error) {
    output.replaceChildren(make("p", { class: "bad" }, "The request failed: " + error.message));
  }
}

function authorize(name, headers, query) {
  const scheme = spec.components?.securitySchemes?.[name] ?? {};
  const secret = credentials[name] ?? "";
  if (secret === "") return;
  if (scheme.type === "apiKey" && scheme.in === "query") query.append(scheme.name, secret);
  else if (scheme.type === "apiKey") headers[scheme.name] = secret;
  else if (scheme.scheme === "basic") headers.authorization = "Basic " + btoa(String.fromCharCode(...new TextEncoder().encode(secret)));
  else headers.authorization = "Bearer " + secret;
}

function contentHeaders(type, headers) {
  return type === undefined || type === "multipart/form-data" ? headers : { ...headers, "content-type": type };
}

function encode(type, text) {
  if (type === "application/json") return text;
  const fields = Object.entries(JSON.parse(text)).flatMap(([key, value]) => [value].flat().map((each) => [key, String(each)]));
  if (type !== "multipart/form-data") return new URLSearchParams(fields);
  const form = new FormData();
  for (const [key, value] of fields) form.append(key, value);
  return form;
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text === "" ? "(no body)" : text;
  }
}

function routeOf(path, method, operation) {
  const details = make("details", { class: operation.deprecated ? "route deprecated" : "route",
    "data-words": [method, path, operation.summary, operation.operationId].join(" ").toLowerCase() },
    make("summary", {}, make("span", { class: "method " + method }, method.toUpperCase()),
      make("span", { class: "path" }, path), make("span", { class: "soft" }, operation.summary ?? "")));
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1) details.append(inside(path, method, operation));
  });
  return details;
}

function inside(path, method, operation) {
  const item = make("div", { class: "inside" });
  if (operation.deprecated) item.append(make("p", { class: "bad" }, "Deprecated"));
  if (operation.description) item.append(make("p", {}, operation.description));
  if (operation.parameters) item.append(make("h3", {}, "Parameters"), parametersTable(operation.parameters));
  for (const [type, media] of Object.entries(operation.requestBody?.content ?? {})) {
    item.append(make("h3", {}, "Body · " + type), schemaBlock(media.schema));
  }
  item.append(make("h3", {}, "Responses"), responsesTable(operation.responses));
  formOf(path, method, operation, item);
  return item;
}

function show() {
  document.title = spec.info.title;
  document.querySelector("h1").textContent = spec.info.title;
  document.getElementById("about").textContent = ["Version " + spec.info.version, spec.info.description].filter(Boolean).join(" · ");
  const groups = new Map();
  for (const [path, item] of Object.entries(spec.paths ?? {})) {
    for (const method of methods) {
      if (!item[method]) continue;
      const tag = item[method].tags?.[0] ?? "Routes";
      if (!groups.has(tag)) groups.set(tag, []);
      groups.get(tag).push(routeOf(path, method, item[method]));
    }
  }
  routes.replaceChildren(...[...groups].map(([tag, list]) => make("section", {}, make("h2", {}, tag), ...list)));
  if (groups.size === 0) routes.replaceChildren(make("p", { class: "note" }, "There are no routes yet."));
}

find.addEventListener("input", () => {
  const words = find.value.toLowerCase().split(/\\s+/).filter(Boolean);
  for (const section of routes.querySelectorAll("section")) {
    const list = [...section.querySelectorAll(".route")];
    for (const route of list) route.hidden = !words.every((word) => route.dataset.words.includes(word));
    section.hidden = list.every((route) => route.hidden);
  }
});

fetch(routes.dataset.document).then((response) => {
  if (!response.ok) throw new Error("status " + response.status);
  return response.json();
}).then((document) => {
  spec = document;
  show();
}).catch((error) => routes.replaceChildren(make("p", { class: "bad" }, "Cannot load the document: " + error.message)));
`;
