/**
 * The page's script. It loads the document, shows the routes and sends requests.
 *
 * Strings from the document are always inserted as text, never as markup.
 *
 * @module
 */

import { codeScript } from "./code_script.ts";
import { markdownScript } from "./markdown_script.ts";
import { requestScript } from "./request_script.ts";
import { sampleScript } from "./sample_script.ts";
import { schemaScript } from "./schema_script.ts";

const elements = String.raw`
"use strict";
const routes = document.getElementById("routes");
const find = document.getElementById("find");
const about = document.getElementById("about");
const settings = document.getElementById("settings");
const methods = ["get", "post", "put", "patch", "delete", "head", "options", "trace"];
let spec = {};
let chosenServer = 0;
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

function row(...cells) {
  return make("tr", {}, ...cells.map((cell) => make("td", {}, cell ?? "")));
}

function table(heads, rows) {
  return make("table", {}, make("thead", {}, make("tr", {}, ...heads.map((head) => make("th", { scope: "col" }, head)))),
    make("tbody", {}, ...rows));
}
`;

const page = String.raw`
function parametersTree(parameters) {
  return make("ul", { class: "tree" }, ...parameters.map((parameter) => {
    const item = leaf([parameter.name, parameter.schema ?? {}, parameter.required]);
    item.querySelector(".member").append(make("span", { class: "soft" }, "in " + parameter.in));
    const isSaid = parameter.description && parameter.description !== flat(parameter.schema).description;
    item.append(isSaid ? markdown(parameter.description) : "");
    return item;
  }));
}

function responsesList(responses) {
  return Object.entries(responses ?? {}).map(([status, given]) => {
    const response = resolve(given);
    const content = Object.entries(response.content ?? {});
    const headers = Object.entries(response.headers ?? {}).map(([name, header]) => leaf([name, resolve(header).schema ?? {}, true]));
    const line = make("span", { class: "member" }, make("code", { class: /^[45]/.test(status) ? "name bad" : "name" }, status),
      make("span", {}, ...inline(response.description ?? "")), make("span", { class: "soft" }, content.map(([type]) => type).join(", ")));
    if (content.every(([, media]) => !media.schema) && headers.length === 0) return make("div", { class: "response" }, line);
    const details = make("details", { class: "response" }, make("summary", {}, line));
    details.addEventListener("toggle", () => {
      if (!details.open || details.children.length > 1) return;
      if (headers.length > 0) details.append(make("h4", {}, "Headers"), make("ul", { class: "tree" }, ...headers));
      for (const [type, media] of content) {
        if (content.length > 1) details.append(make("h4", {}, type));
        if (media.schema) details.append(tree(media.schema));
      }
    });
    return details;
  });
}

function formOf(path, method, operation) {
  const parameters = (operation.parameters ?? []).map(resolve).filter((parameter) => parameter.in !== "cookie");
  const requestBody = resolve(operation.requestBody);
  const content = Object.entries(requestBody.content ?? {});
  const editors = parameters.map((parameter) => [parameter, editorOf(parameter.name, parameter.schema ?? {}, parameter.required)]);
  const form = { path, method, operation, editors, body: undefined };
  const place = make("div");
  const choose = (at) => {
    const [type, media] = content[at] ?? [];
    if (type === undefined) return;
    form.body = { type, editor: bodyEditor(type, media, requestBody.required) };
    place.replaceChildren(form.body.editor.element);
  };
  choose(0);
  const kinds = content.length > 1 ? make("select", { "aria-label": "Content type", class: "kinds", onchange: (event) => choose(event.target.selectedIndex) },
    ...content.map(([type]) => make("option", {}, type))) : "";
  const output = make("div", { role: "status" });
  const button = make("button", { type: "submit" }, "Send");
  const code = codeOf(form);
  const needed = schemesOf(operation);
  const note = needed.length > 0 ? make("p", { class: "soft" }, "Needs ", ...needed.flatMap((name, at) => [at > 0 ? " and " : "", make("a", { href: "#credentials" }, name)])) : "";
  const element = make("form", { onsubmit: (event) => {
    event.preventDefault();
    button.disabled = true;
    let request;
    try {
      request = requestOf(form, false);
    } catch (error) {
      output.replaceChildren(make("p", { class: "bad" }, "The request cannot be built: " + error.message));
    }
    Promise.resolve(request && send(request, output)).finally(() => button.disabled = false);
  }, oninput: code.write, onchange: code.write }, note, make("div", { class: "fields" }, ...editors.map(([parameter, { input, hint }]) => field(parameter.name, input, hint))),
    kinds, place, button, output, code.details);
  return [make("h3", {}, "Try it"), element];
}

function idOf(path, method, operation) {
  return operation.operationId ?? method + path.replace(/[^\w]+/g, "-");
}

function routeOf(path, method, operation) {
  const id = idOf(path, method, operation);
  const details = make("details", { class: operation.deprecated ? "route deprecated" : "route", id,
    "data-words": [method, path, operation.summary, operation.operationId, ...(operation.tags ?? [])].join(" ").toLowerCase() },
    make("summary", {}, make("span", { class: "method " + method }, method.toUpperCase()),
      make("span", { class: "path" }, path), make("span", { class: "soft" }, operation.summary ?? ""),
      (operation.security ?? spec.security ?? []).some((each) => Object.keys(each).length > 0) ? make("span", { class: "lock", title: "Needs credentials" }, "auth") : ""));
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1) details.append(inside(path, method, operation, id));
  });
  return details;
}

function inside(path, method, operation, id) {
  const item = make("div", { class: "inside" });
  if (operation.deprecated) item.append(make("p", { class: "bad" }, "Deprecated"));
  if (operation.description) item.append(markdown(operation.description));
  const links = make("p", { class: "soft" }, make("a", { href: "#" + encodeURIComponent(id) }, "Link to this route"));
  if (operation.externalDocs) links.append(" · ", linkTo(operation.externalDocs.url, operation.externalDocs.description ?? operation.externalDocs.url));
  item.append(links);
  if (operation.parameters?.length) item.append(make("h3", {}, "Parameters"), parametersTree(operation.parameters.map(resolve)));
  const contents = Object.entries(resolve(operation.requestBody).content ?? {});
  const shapes = new Map(contents.map(([type, media]) => [JSON.stringify(media.schema), media.schema]));
  for (const [text, schema] of shapes) {
    const types = contents.filter(([, media]) => JSON.stringify(media.schema) === text).map(([type]) => type);
    item.append(make("h3", {}, "Body · " + types.join(", ") + (resolve(operation.requestBody).required ? "" : " · optional")), tree(schema ?? {}));
  }
  item.append(make("h3", {}, "Responses"), ...responsesList(operation.responses), ...formOf(path, method, operation));
  return item;
}

function credentialFields(name) {
  const scheme = schemeOf(name);
  const own = credentials[name] = {};
  const input = (key, type) => make("input", { type, autocomplete: "off", oninput: (event) => own[key] = event.target.value });
  const where = scheme.type === "apiKey" ? "key in the " + scheme.in + " “" + scheme.name + "”" : scheme.scheme === "basic" ? "user and password" : scheme.scheme ?? scheme.type;
  const fields = scheme.scheme === "basic" ? [field("User", input("user", "text")), field("Password", input("secret", "password"))]
    : [field(scheme.type === "apiKey" ? "Key" : "Token", input("secret", "password"))];
  const links = [scheme.openIdConnectUrl, ...Object.values(scheme.flows ?? {}).map((flow) => flow.authorizationUrl ?? flow.tokenUrl)].filter(Boolean)
    .map((href) => make("p", { class: "soft" }, "Tokens are issued by ", linkTo(href, href)));
  return make("fieldset", {}, make("legend", {}, make("strong", {}, name), make("span", { class: "soft" }, " · " + where)),
    scheme.description ? markdown(scheme.description) : "", make("div", { class: "fields" }, ...fields), ...links);
}

function showSettings() {
  const servers = spec.servers ?? [];
  const names = Object.keys(spec.components?.securitySchemes ?? {});
  const parts = [];
  if (servers.length > 1) {
    parts.push(field("Server", make("select", { onchange: (event) => chosenServer = event.target.selectedIndex },
      ...servers.map((server) => make("option", {}, server.url + (server.description ? " · " + server.description : ""))))));
  }
  if (names.length > 0) {
    parts.push(make("details", { class: "route", id: "credentials" }, make("summary", {}, "Credentials",
      make("span", { class: "soft" }, "for all routes, kept until the page is left")), make("div", { class: "inside" }, ...names.map(credentialFields))));
  }
  settings.replaceChildren(...parts);
}

function showAbout() {
  const { info } = spec;
  const link = (href, text) => href ? linkTo(href, text) : undefined;
  const links = [link(info.contact?.url ?? (info.contact?.email && "mailto:" + info.contact.email), info.contact?.name ?? "Contact"),
    link(info.license?.url, info.license?.name) ?? info.license?.name, link(info.termsOfService, "Terms of service"),
    link(spec.externalDocs?.url, spec.externalDocs?.description ?? "More documentation"),
    make("a", { href: routes.dataset.document }, "OpenAPI " + (routes.dataset.yaml ? "JSON" : "document")),
    routes.dataset.yaml ? make("a", { href: routes.dataset.yaml }, "YAML") : undefined].filter(Boolean);
  about.replaceChildren(make("p", { class: "soft" }, "Version " + info.version, ...links.flatMap((each) => [" · ", each])),
    info.summary ? make("p", {}, info.summary) : "", markdown(info.description));
}

function show() {
  document.title = spec.info.title;
  document.querySelector("h1").textContent = spec.info.title;
  showAbout();
  showSettings();
  const groups = new Map((spec.tags ?? []).map(({ name }) => [name, []]));
  for (const [path, item] of Object.entries(spec.paths ?? {})) {
    for (const method of methods) {
      if (!item[method]) continue;
      const operation = item.parameters ? { ...item[method], parameters: [...item.parameters, ...(item[method].parameters ?? [])] } : item[method];
      const tag = operation.tags?.[0] ?? "Routes";
      if (!groups.has(tag)) groups.set(tag, []);
      groups.get(tag).push(routeOf(path, method, operation));
    }
  }
  const filled = [...groups].filter(([, list]) => list.length > 0);
  routes.replaceChildren(...filled.map(([tag, list]) => {
    const said = spec.tags?.find(({ name }) => name === tag)?.description;
    return make("section", {}, make("h2", {}, tag), said ? markdown(said) : "", ...list);
  }));
  if (filled.length === 0) routes.replaceChildren(make("p", { class: "note" }, "There are no routes yet."));
  openLinked();
}

/** Opens the route that the page's URL points to. */
function openLinked() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target?.tagName !== "DETAILS") return;
  target.open = true;
  target.scrollIntoView();
}

find.addEventListener("input", () => {
  const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const section of routes.querySelectorAll("section")) {
    const list = [...section.querySelectorAll(".route")];
    for (const route of list) route.hidden = !words.every((word) => route.dataset.words.includes(word));
    section.hidden = list.every((route) => route.hidden);
  }
});
addEventListener("hashchange", openLinked);

fetch(routes.dataset.document).then((response) => {
  if (!response.ok) throw new Error("status " + response.status);
  return response.json();
}).then((document) => {
  spec = document;
  show();
}).catch((error) => routes.replaceChildren(make("p", { class: "bad" }, "Cannot load the document: " + error.message)));
`;

/** The complete script of the page. */
export const pageScript: string = [
  elements,
  markdownScript,
  schemaScript,
  sampleScript,
  requestScript,
  codeScript,
  page,
].join("");
