/**
 * The script of the page for an OpenAPI document. It loads the document and shows its routes.
 *
 * @module
 */

import { about, chosenIndex, documentURL, field, find, make, messageOf, routes, settings } from "./elements.ts";
import { linkTo, markdown } from "./markdown.ts";
import { routeOf } from "./operation.ts";
import { schemeOf } from "./request.ts";
import { type Credentials, page, type Spec } from "./spec.ts";

const methods = ["get", "post", "put", "patch", "delete", "head", "options", "trace"];

function credentialFields(name: string): HTMLElement {
  const scheme = schemeOf(name);
  const own: Credentials = page.credentials[name] = {};
  const input = (key: keyof Credentials, type: string) =>
    make("input", {
      type,
      autocomplete: "off",
      oninput: (event) => own[key] = (event.target as HTMLInputElement).value,
    });
  const where = scheme.type === "apiKey"
    ? "key in the " + scheme.in + " “" + scheme.name + "”"
    : scheme.scheme === "basic"
    ? "user and password"
    : scheme.scheme ?? scheme.type;
  const fields = scheme.scheme === "basic"
    ? [field("User", input("user", "text")), field("Password", input("secret", "password"))]
    : [field(scheme.type === "apiKey" ? "Key" : "Token", input("secret", "password"))];
  const links = [
    scheme.openIdConnectUrl,
    ...Object.values(scheme.flows ?? {}).map((flow) => flow.authorizationUrl ?? flow.tokenUrl),
  ].filter((href) => href !== undefined)
    .map((href) => make("p.soft", "Tokens are issued by ", linkTo(href, href)));
  return make(
    "fieldset",
    make("legend", make("strong", name), make("span.soft", " · " + where)),
    scheme.description ? markdown(scheme.description) : "",
    make("div.fields", ...fields),
    ...links,
  );
}

function showSettings(): void {
  const servers = page.spec.servers ?? [];
  const names = Object.keys(page.spec.components?.securitySchemes ?? {});
  const parts: HTMLElement[] = [];
  if (servers.length > 1) {
    parts.push(
      field(
        "Server",
        make(
          "select",
          { onchange: (event) => page.server = chosenIndex(event) },
          ...servers.map((server) =>
            make("option", server.url + (server.description ? " · " + server.description : ""))
          ),
        ),
      ),
    );
  }
  if (names.length > 0) {
    parts.push(
      make(
        "details",
        { class: "route", id: "credentials" },
        make("summary", "Credentials", make("span.soft", "for all routes, kept until the page is left")),
        make("div.inside", ...names.map(credentialFields)),
      ),
    );
  }
  settings.replaceChildren(...parts);
}

function showAbout(): void {
  const { info, externalDocs } = page.spec;
  const { yaml } = routes.dataset;
  const link = (href: string | undefined, text = "") => href ? linkTo(href, text) : undefined;
  const links = [
    link(info.contact?.url ?? (info.contact?.email && "mailto:" + info.contact.email), info.contact?.name ?? "Contact"),
    link(info.license?.url, info.license?.name) ?? info.license?.name,
    link(info.termsOfService, "Terms of service"),
    link(externalDocs?.url, externalDocs?.description ?? "More documentation"),
    make("a", { href: documentURL }, "OpenAPI " + (yaml ? "JSON" : "document")),
    yaml ? make("a", { href: yaml }, "YAML") : undefined,
  ].filter((each) => each !== undefined);
  about.replaceChildren(
    make("p.soft", "Version " + info.version, ...links.flatMap((each) => [" · ", each])),
    info.summary ? make("p", info.summary) : "",
    markdown(info.description),
  );
}

function show(): void {
  const { spec } = page;
  document.title = spec.info.title;
  const [heading] = document.getElementsByTagName("h1");
  if (heading !== undefined) heading.textContent = spec.info.title;
  showAbout();
  showSettings();
  const groups = new Map((spec.tags ?? []).map(({ name }) => [name, [] as HTMLElement[]]));
  for (const [path, item] of Object.entries(spec.paths ?? {})) {
    for (const method of methods) {
      if (!item[method]) continue;
      const operation = item.parameters
        ? { ...item[method], parameters: [...item.parameters, ...(item[method].parameters ?? [])] }
        : item[method];
      const tag = operation.tags?.[0] ?? "Routes";
      if (!groups.has(tag)) groups.set(tag, []);
      groups.get(tag)?.push(routeOf(path, method, operation));
    }
  }
  const filled = [...groups].filter(([, list]) => list.length > 0);
  routes.replaceChildren(...filled.map(([tag, list]) => {
    const said = spec.tags?.find(({ name }) => name === tag)?.description;
    return make("section", make("h2", tag), said ? markdown(said) : "", ...list);
  }));
  if (filled.length === 0) routes.replaceChildren(make("p.note", "There are no routes yet."));
  openLinked();
}

/** Opens the route that the page's URL points to. */
function openLinked(): void {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!(target instanceof HTMLDetailsElement)) return;
  target.open = true;
  target.scrollIntoView();
}

find.addEventListener("input", () => {
  const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const section of routes.querySelectorAll("section")) {
    const list = [...section.querySelectorAll<HTMLElement>(".route")];
    for (const route of list) route.hidden = !words.every((word) => route.dataset.words?.includes(word));
    section.hidden = list.every((route) => route.hidden);
  }
});
addEventListener("hashchange", openLinked);

fetch(documentURL).then((response) => {
  if (!response.ok) throw new Error("Status " + response.status);
  return response.json();
}).then((document: Spec) => {
  page.spec = document;
  show();
}).catch((error) => routes.replaceChildren(make("p.bad", "Cannot load the document: " + messageOf(error))));
