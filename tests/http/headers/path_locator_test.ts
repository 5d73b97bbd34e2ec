import { assertEquals } from "@std/assert";
import fc from "npm:fast-check@^4";
import { PathLocator } from "../../../src/http/headers/path_locator.ts";

const hostLetters = /^[A-Za-z0-9.\-_~!$&'()*+,;=%:[\]]*$/;

/** Reports whether a host is accepted by URL parsers and allowed by the standard. */
function isGoodHost(host: string): boolean {
  // Not "x", because the parser takes "0x" for a number.
  const name = host.replaceAll("%", "y");
  return hostLetters.test(host) && (host === "" || name.startsWith(":") || URL.canParse(`http://${name}/`)) &&
    (!name.startsWith(":") || URL.canParse(`http://x${name}/`));
}

/** Computes the same result slowly and without a cache. */
function obvious(url: string) {
  const [, origin = "", host = "", path = "", rest = ""] = /^(https?:\/\/([^/?#]*))((?:\/[^?#]*)?)(.*)$/s.exec(url) ??
    [];
  const hasPath = path !== "";
  const hasMore = path + rest !== "";
  const isHostGood = isGoodHost(host);
  return {
    start: origin.length,
    end: origin.length + path.length,
    isCanonical: hasPath && !/[%\\]|\/\//.test(path) && !path.split("/").some((part) => part === "." || part === ".."),
    isDoubtful: (hasMore && !isHostGood) || rest.includes("/") || path.split("/").length > 2,
    isHostGood,
  };
}

function located(locator: PathLocator, url: string) {
  const { start, end, isCanonical, isDoubtful, isHostGood } = locator.locate(url);
  return { start, end, isCanonical, isDoubtful, isHostGood };
}

Deno.test("PathLocator.locate() finds the path, and reports if it may differ from the requested one", () => {
  const locator = new PathLocator();
  const cases: Record<string, [path: string, isCanonical: boolean, isDoubtful: boolean]> = {
    "http://a/b": ["/b", true, false],
    "http://a/b?c": ["/b", true, false],
    "http://a/b#c/d": ["/b", true, true],
    "http://a/b?c=/d": ["/b", true, true],
    "http://a/b/c": ["/b/c", true, true],
    "http://a/b//c": ["/b//c", false, true],
    "http://a/..": ["/..", false, false],
    "http://a/.?b": ["/.", false, false],
    "http://a/..b": ["/..b", true, false],
    "http://a/.b/...": ["/.b/...", true, true],
    "http://a/b\\c": ["/b\\c", false, false],
    "http://[::1/b": ["/b", true, true],
    "http://a:80a/b": ["/b", true, true],
    "http://a:99999/b": ["/b", true, true],
    "https://a/%62": ["/%62", false, false],
    "http://a?/b": ["", false, true],
    "http://a#/b": ["", false, true],
    "http://a?b": ["", false, false],
    "http://a@b/c": ["/c", true, true],
    "http://a": ["", false, false],
  };
  for (const [url, [path, isCanonical, isDoubtful]] of [...Object.entries(cases), ...Object.entries(cases)]) {
    const place = locator.locate(url);
    assertEquals(
      [url.slice(place.start, place.end), place.isCanonical, place.isDoubtful],
      [path, isCanonical, isDoubtful],
      url,
    );
  }
});

Deno.test("PathLocator.locate() recognizes only the exact origin that it remembers", () => {
  const known = "http://host.example:8080/a";
  const others = [
    "http://host.example:808/a",
    "http://host.example:80800/a",
    "http://host.example:8080?/a",
    "http://host.example:8080#/a",
    "http://host.example:8080@b/a",
    "http://host.example:8080",
    "http://host.example:8080.b/a",
    "http://host.example:8081/a",
    "http://Host.example:8080/a",
    "https://host.example:8080/a",
    "http://host.example:808\u0100/a",
  ];
  for (const other of others) {
    const locator = new PathLocator();
    locator.locate(known);
    assertEquals(located(locator, other), obvious(other), other);
    assertEquals(located(locator, known), obvious(known), other);
  }
});

Deno.test("PathLocator.locate() agrees with a slow implementation, regardless of earlier calls", () => {
  const letters = fc.constantFrom(
    "a",
    "b",
    ".",
    ":",
    "8",
    "0",
    "/",
    "\\",
    "[",
    "]",
    "?",
    "#",
    "%",
    "@",
    " ",
    "-",
    "\u00e4",
    "\u{1f42f}",
  );
  const text = fc.array(letters, { maxLength: 8 }).map((all) => all.join(""));
  const url = fc.tuple(fc.constantFrom("http://", "https://"), text, text).map(([scheme, host, path]) =>
    `${scheme}${host}/${path}`
  );
  fc.assert(fc.property(fc.array(url, { minLength: 1, maxLength: 40 }), (urls) => {
    const locator = new PathLocator();
    for (const each of [...urls, ...urls]) assertEquals(located(locator, each), obvious(each), each);
  }));
});
