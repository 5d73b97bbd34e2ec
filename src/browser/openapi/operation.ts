/**
 * Shows an operation and its form.
 *
 * @module
 */

import { codeOf } from "./code.ts";
import { bodyEditor, editorOf } from "./editors.ts";
import { chosenIndex, field, make, messageOf } from "./elements.ts";
import { inline, linkTo, markdown } from "./markdown.ts";
import { type BuiltRequest, type Form, requestOf, schemesOf, send } from "./request.ts";
import { flat, leaf, tree } from "./schema.ts";
import { type Operation, page, type Parameter, parametersOf, resolve } from "./spec.ts";

function parametersTree(parameters: readonly Parameter[]): HTMLElement {
  return make(
    "ul.tree",
    ...parameters.map((parameter) => {
      const item = leaf([parameter.name, parameter.schema ?? {}, parameter.required === true]);
      item.querySelector(".member")?.append(make("span.soft", "in " + parameter.in));
      const isSaid = parameter.description && parameter.description !== flat(parameter.schema).description;
      item.append(isSaid ? markdown(parameter.description) : "");
      return item;
    }),
  );
}

function responsesList(responses: Operation["responses"]): HTMLElement[] {
  return Object.entries(responses ?? {}).map(([status, given]) => {
    const response = resolve(given);
    const content = Object.entries(response.content ?? {});
    const headers = Object.entries(response.headers ?? {}).map(([name, header]) =>
      leaf([name, resolve(header).schema ?? {}, true])
    );
    const line = make(
      "span.member",
      make("code", { class: /^[45]/.test(status) ? "name bad" : "name" }, status),
      make("span", ...inline(response.description ?? "")),
      make("span.soft", content.map(([type]) => type).join(", ")),
    );
    if (content.every(([, media]) => !media.schema) && headers.length === 0) {
      return make("div.response", line);
    }
    const details = make("details.response", make("summary", line));
    details.addEventListener("toggle", () => {
      if (!details.open || details.children.length > 1) return;
      if (headers.length > 0) details.append(make("h4", "Headers"), make("ul.tree", ...headers));
      for (const [type, media] of content) {
        if (content.length > 1) details.append(make("h4", type));
        if (media.schema) details.append(tree(media.schema));
      }
    });
    return details;
  });
}

function formOf(path: string, method: string, operation: Operation): HTMLElement[] {
  const parameters = parametersOf(operation).filter((parameter) => parameter.in !== "cookie");
  const requestBody = resolve(operation.requestBody);
  const content = Object.entries(requestBody.content ?? {});
  const editors = parameters.map((parameter) =>
    [parameter, editorOf(parameter.name, parameter.schema ?? {}, parameter.required)] as const
  );
  const form: Form = { path, method, operation, editors, body: undefined };
  const place = make("div");
  const choose = (at: number) => {
    const [type, media] = content[at] ?? [];
    if (type === undefined || media === undefined) return;
    form.body = { type, editor: bodyEditor(type, media, requestBody.required) };
    place.replaceChildren(form.body.editor.element);
  };
  choose(0);
  const kinds = content.length > 1
    ? make("select", {
      "aria-label": "Content type",
      class: "kinds",
      onchange: (event) => choose(chosenIndex(event)),
    }, ...content.map(([type]) => make("option", type)))
    : "";
  const output = make("div", { role: "status" });
  const button = make("button", { type: "submit" }, "Send");
  const code = codeOf(form);
  const needed = schemesOf(operation);
  const note = needed.length > 0
    ? make(
      "p.soft",
      "Needs ",
      ...needed.flatMap((name, at) => [at > 0 ? " and " : "", make("a", { href: "#credentials" }, name)]),
    )
    : "";
  const element = make(
    "form",
    {
      onsubmit: (event) => {
        event.preventDefault();
        button.disabled = true;
        let request: BuiltRequest | undefined;
        try {
          request = requestOf(form, false);
        } catch (error) {
          output.replaceChildren(make("p.bad", "The request cannot be built: " + messageOf(error)));
        }
        Promise.resolve(request && send(request, output)).finally(() => button.disabled = false);
      },
      oninput: code.write,
      onchange: code.write,
    },
    note,
    make("div.fields", ...editors.map(([parameter, { input, hint }]) => field(parameter.name, input, hint))),
    kinds,
    place,
    button,
    output,
    code.details,
  );
  return [make("h3", "Try it"), element];
}

function idOf(path: string, method: string, operation: Operation): string {
  return operation.operationId ?? method + path.replace(/[^\w]+/g, "-");
}

/** Shows an operation. Its details are created when it is opened. */
export function routeOf(path: string, method: string, operation: Operation): HTMLElement {
  const id = idOf(path, method, operation);
  const details = make(
    "details",
    {
      class: operation.deprecated ? "route deprecated" : "route",
      id,
      "data-words": [method, path, operation.summary, operation.operationId, ...(operation.tags ?? [])].join(" ")
        .toLowerCase(),
    },
    make(
      "summary",
      make("span", { class: "method " + method }, method.toUpperCase()),
      make("span.path", path),
      make("span.soft", operation.summary ?? ""),
      (operation.security ?? page.spec.security ?? []).some((each) => Object.keys(each).length > 0)
        ? make("span", { class: "lock", title: "Needs credentials" }, "auth")
        : "",
    ),
  );
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1) details.append(inside(path, method, operation, id));
  });
  return details;
}

function inside(path: string, method: string, operation: Operation, id: string): HTMLElement {
  const item = make("div.inside");
  if (operation.deprecated) item.append(make("p.bad", "Deprecated"));
  if (operation.description) item.append(markdown(operation.description));
  const links = make("p.soft", make("a", { href: "#" + encodeURIComponent(id) }, "Link to this route"));
  if (operation.externalDocs) {
    links.append(
      " · ",
      linkTo(operation.externalDocs.url, operation.externalDocs.description ?? operation.externalDocs.url),
    );
  }
  item.append(links);
  if (operation.parameters?.length) {
    item.append(make("h3", "Parameters"), parametersTree(parametersOf(operation)));
  }
  const contents = Object.entries(resolve(operation.requestBody).content ?? {});
  const shapes = new Map(contents.map(([, media]) => [JSON.stringify(media.schema), media.schema]));
  for (const [text, schema] of shapes) {
    const types = contents.filter(([, media]) => JSON.stringify(media.schema) === text).map(([type]) => type);
    item.append(
      make("h3", "Body · " + types.join(", ") + (resolve(operation.requestBody).required ? "" : " · optional")),
      tree(schema ?? {}),
    );
  }
  item.append(make("h3", "Responses"), ...responsesList(operation.responses), ...formOf(path, method, operation));
  return item;
}
