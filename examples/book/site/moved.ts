/**
 * The pages that have another name now. Their old addresses lead to the new ones.
 *
 * @module
 */

/** The files of the pages, relative to the folder of the book. */
export const movedPages: Readonly<Record<string, string>> = {
  "howto/apache.md": "howto/other-proxies.md",
  "howto/caddy.md": "howto/other-proxies.md",
  "howto/haproxy.md": "howto/other-proxies.md",
  "howto/varnish.md": "howto/other-proxies.md",
};

/** Returns a page that leads to another one. It also works on static hosts, which cannot redirect. */
export function movedPage(target: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>This page has moved – fw</title>
<meta name="robots" content="noindex">
<meta http-equiv="refresh" content="0; url=${target}">
</head>
<body>
<p>This page has <a href="${target}">moved</a>.</p>
</body>
</html>
`;
}
