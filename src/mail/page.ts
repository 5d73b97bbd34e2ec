/**
 * The pages that show mails in development.
 *
 * @module
 */

import { escapeHTML } from "../text/escape_html.ts";
import type { Address } from "./address.ts";
import { style } from "./media.ts";
import type { Message } from "./message.ts";

/** Returns the page with all mails, the latest first. */
export function listPage(messages: readonly Message[]): string {
  const rows = messages.map(({ ID, Subject, From, To }) =>
    row([`<a href="${linkTo(ID)}">${escapeHTML(Subject) || "(no subject)"}</a>`, listed(To), listed([From])])
  ).toReversed();
  const head = "<tr><th>Subject</th><th>To</th><th>From</th></tr>";
  return page("Mails", rows.length === 0 ? "<p>No mail has been sent.</p>" : `<table>${head}${rows.join("")}</table>`);
}

/** Returns the page of a mail. The HTML part is shown in a sandbox without scripts. */
export function messagePage(message: Message): string {
  const { ID, From, To, CC, BCC, ReplyTo, Headers, HTML, Text, Attachments } = message;
  const lists = Object.entries({ From: [From], To, CC, BCC, "Reply-To": ReplyTo }).filter(([, list]) =>
    list.length > 0
  );
  const fields = [
    ...lists.map(([name, list]) => row([name, listed(list)])),
    ...Object.entries(Headers).map(([name, value]) => row([escapeHTML(name), escapeHTML(value)])),
    ...Attachments.map(({ Name }, file) =>
      row(["Attachment", `<a href="${linkTo(ID)}&amp;file=${file}">${escapeHTML(Name)}</a>`])
    ),
  ];
  const html = HTML === "" ? "" : `<h2>HTML</h2><iframe sandbox srcdoc="${escapeHTML(HTML)}"></iframe>`;
  return page(message.Subject, `<table>${fields.join("")}</table>${html}<h2>Text</h2><pre>${escapeHTML(Text)}</pre>`);
}

function page(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${
    escapeHTML(title)
  }</title><style>${style}</style>` +
    `</head><body><h1>${escapeHTML(title)}</h1>${body}</body></html>`;
}

/** Returns a link that works with and without a slash at the end of the page's path. */
function linkTo(id: string): string {
  return `?mail=${encodeURIComponent(id)}`;
}

function row(cells: readonly string[]): string {
  return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
}

function listed(addresses: readonly Address[]): string {
  return addresses.map(({ Name, Address }) => escapeHTML(Name === "" ? Address : `${Name} <${Address}>`)).join("<br>");
}
