/** Attacks on webhooks in both directions, and on the headers of mails. */

import { createHmac } from "node:crypto";
import type { Attack } from "../attack.ts";
import { all, never, responds, respondsInTurn, tells } from "../expect.ts";
import { post, postForm, request } from "../requests.ts";
import { hookSecret } from "../subject_outside.ts";

const json = "application/json";
const body = '{"type":"paid"}';
const now = Math.floor(Date.now() / 1000);

function hmac(text: string, encoding: "hex" | "base64", key: string | Uint8Array = hookSecret): string {
  return createHmac("sha256", key).update(text).digest(encoding);
}

/** Signs as Standard Webhooks. */
function signed(time: string | number = now, id = "msg_1", text = body, key = hookSecret): Record<string, string> {
  const raw = Uint8Array.fromBase64(key.replace(/^whsec_/, ""));
  const signature = `v1,${hmac(`${id}.${time}.${text}`, "base64", raw)}`;
  return { "webhook-id": id, "webhook-timestamp": String(time), "webhook-signature": signature };
}

const good = signed();
const { "webhook-signature": signature = "" } = good;
const refused = all(responds(400, 401), never());

const forged: readonly (readonly [name: string, path: string, headers: Record<string, string>])[] = [
  ["without a signature", "standard", { "webhook-id": "a", "webhook-timestamp": `${now}` }],
  ["with an empty signature", "standard", { ...good, "webhook-signature": "v1," }],
  ["with a signature of another version", "standard", { ...good, "webhook-signature": signature.replace("v1", "v2") }],
  ["with a version but no comma", "standard", { ...good, "webhook-signature": signature.replace("v1,", "v1") }],
  ["with a signature that is too short", "standard", { ...good, "webhook-signature": signature.slice(0, -4) }],
  ["with a signature that is too long", "standard", { ...good, "webhook-signature": `${signature}AAAA` }],
  ["with a thousand signatures", "standard", { ...good, "webhook-signature": `${"v1,AAAA ".repeat(900)}${signature}` }],
  ["with another ID", "standard", { ...good, "webhook-id": "msg_2" }],
  ["with a dot moved from the ID to the time", "standard", { ...signed(now, "a.1"), "webhook-id": "a" }],
  ["with another time", "standard", { ...good, "webhook-timestamp": `${now - 1}` }],
  ["of an hour ago", "standard", signed(now - 3600)],
  ["of the next hour", "standard", signed(now + 3600)],
  ["of no time", "standard", signed("")],
  ["of a time that is not a number", "standard", signed("NaN")],
  ["of an infinite time", "standard", signed("1e999")],
  ["of a negative time", "standard", signed("-1")],
  ["of a time in hexadecimal", "standard", signed(`0x${now.toString(16)}`)],
  ["signed with another secret", "standard", signed(now, "msg_1", body, "whsec_YW5vdGhlcg==")],
  ["signed with the secret as text", "standard", {
    ...good,
    "webhook-signature": `v1,${hmac(`msg_1.${now}.${body}`, "base64")}`,
  }],
  ["signed for another scheme", "standard", { "x-hub-signature-256": `sha256=${hmac(body, "hex")}` }],
  ["of another body", "standard", signed(now, "msg_1", "{}")],
  ["like Stripe, without a time", "stripe", { "stripe-signature": `v1=${hmac(`.${body}`, "hex")}` }],
  ["like Stripe, of an old version", "stripe", { "stripe-signature": `t=${now},v0=${hmac(`${now}.${body}`, "hex")}` }],
  ["like Stripe, of an hour ago", "stripe", {
    "stripe-signature": `t=${now - 3600},v1=${hmac(`${now - 3600}.${body}`, "hex")}`,
  }],
  ["like Stripe, with two times", "stripe", { "stripe-signature": `t=${now},t=1,v1=${hmac(`1.${body}`, "hex")}` }],
  ["like GitHub, by SHA-1", "github", {
    "x-hub-signature": `sha1=${createHmac("sha1", hookSecret).update(body).digest("hex")}`,
  }],
  ["like GitHub, without the name of the hash", "github", { "x-hub-signature-256": hmac(body, "hex") }],
  ["like GitHub, in capitals", "github", { "x-hub-signature-256": `sha256=${hmac(body, "hex").toUpperCase()}` }],
  ["like GitHub, with an empty secret", "github", { "x-hub-signature-256": `sha256=${hmac(body, "hex", "")}` }],
  ["like Shopify, in hexadecimal", "shopify", { "x-shopify-hmac-sha256": hmac(body, "hex") }],
  ["like Shopify, in two headers", "shopify", { "x-shopify-hmac-sha256": `x, ${hmac(body, "base64")}` }],
];

const inside: readonly string[] = [
  ...["http://127.0.0.1:9/", "http://127.1:9/", "http://2130706433:9/", "http://0x7f000001:9/", "http://0177.0.0.1:9/"],
  ...["http://0:9/", "http://0.0.0.0:9/", "http://127.0.0.1.:9/", "http://①②⑦.⓪.⓪.①:9/", "http://%31%32%37.0.0.1:9/"],
  ...[
    "http://[::1]:9/",
    "http://[::]:9/",
    "http://[::ffff:127.0.0.1]:9/",
    "http://[::ffff:7f00:1]:9/",
    "http://[::127.0.0.1]:9/",
  ],
  ...[
    "http://[64:ff9b::7f00:1]:9/",
    "http://[2002:7f00:1::]:9/",
    "http://[fe80::1]:9/",
    "http://[fd00:ec2::254]/latest/",
  ],
  ...["http://169.254.169.254/latest/meta-data/", "http://[::ffff:169.254.169.254]/", "http://100.100.100.200/latest/"],
  ...[
    "http://10.0.0.1:9/",
    "http://172.16.0.1:9/",
    "http://192.168.0.1:9/",
    "http://100.64.0.1:9/",
    "http://224.0.0.1:9/",
  ],
  ...[
    "http://localhost:9/",
    "http://LOCALHOST:9/",
    "http://a@127.0.0.1:9/",
    "http://example.com@127.0.0.1:9/",
    "http://127.0.0.1:9\\@example.com/",
  ],
  ...["file:///etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1:25/_HELO", "data:text/plain,a", "//127.0.0.1/", ""],
];

const eve = "eve@evil.example";
const injected: readonly (readonly [name: string, field: string, value: string])[] = [
  ["a line break in the subject", "subject", `Hi\r\nBcc: ${eve}`],
  ["a line feed in the subject", "subject", `Hi\nBcc: ${eve}`],
  ["a carriage return in the subject", "subject", `Hi\rBcc: ${eve}`],
  ["a Unicode line separator in the subject", "subject", `Hi\u2028Bcc: ${eve}`],
  ["a folded line in the subject", "subject", `Hi\r\n Bcc: ${eve}`],
  ["a NUL in the subject", "subject", "Hi\0"],
  ["an encoded line break in the subject", "subject", `=?utf-8?q?Hi=0D=0ABcc:_${eve}?=`],
  ["a second recipient after a comma", "to", `ada@example.com, ${eve}`],
  ["a second recipient after a semicolon", "to", `ada@example.com;${eve}`],
  ["a second recipient after a space", "to", `ada@example.com ${eve}`],
  ["a second recipient in brackets", "to", `<ada@example.com>,<${eve}>`],
  ["a recipient with a line break", "to", `ada@example.com\r\nBcc: ${eve}`],
  ["a recipient that ends the SMTP command", "to", `ada@example.com>\r\nRCPT TO:<${eve}`],
  ["a recipient with a quoted recipient", "to", `"${eve} x"@example.com`],
  ["a recipient with an encoded recipient", "to", "=?utf-8?q?eve=40evil.example=3e=00?=@example.com"],
  ["a recipient with a comment", "to", `${eve}(@example.com`],
  ["a recipient of a domain literal", "to", "root@[127.0.0.1]"],
  ["a group of recipients", "to", `all: ada@example.com, ${eve};`],
  ["a name with a line break", "name", `Ada\r\nBcc: ${eve}`],
  ["a name with an encoded word", "name", `=?utf-8?b?${btoa(`"x" <${eve}>`)}?=`],
  ["a name that reverses the text", "name", "Ada \u202emoc.elpmaxe"],
  ["an address with a name", "reply", `Ada <${eve}>, ada@example.com`],
  ["a header value with a line break", "tag", `a\r\nBcc: ${eve}`],
  ["a header name with a line break", "field", `X-A: b\r\nBcc: ${eve}\r\nX-C`],
  ["a header name with a colon", "field", "Bcc: eve@evil.example, X"],
  ["the header for hidden copies", "field", "BCC"],
  ["the header for the type", "field", "Content-Type"],
  ["a file name with a line break", "file", `a\r\n\r\n<script>`],
  ["a file name with a quote", "file", 'a"; filename="b.exe'],
  ["a media type with a line break", "type", "text/plain\r\n\r\nx"],
];

const names: readonly (readonly [name: string, value: string, shown: string])[] = [
  ["a comma", "Lovelace, Ada", '"Lovelace, Ada" <ada@example.com>'],
  ["an address", `${eve}, Ada`, `"${eve}, Ada" <ada@example.com>`],
  ["brackets", `<${eve}>`, `"<${eve}>" <ada@example.com>`],
  ["quotes", `" <${eve}>, "`, `"\\" <${eve}>, \\"" <ada@example.com>`],
  ["a backslash before the quote", "Ada\\", '"Ada\\\\" <ada@example.com>'],
];

/** Attacks on the guard of webhooks. */
export const webhookAttacks: readonly Attack[] = [
  ...forged.map(([name, path, headers]): Attack => ({
    name: `a webhook ${name}`,
    needs: ["webhooks"],
    send: post(`/hooks/${path}`, json, body, headers),
    expect: refused,
  })),
  {
    name: "a webhook that is sent twice",
    needs: ["webhooks"],
    send: request("POST", "/hooks/standard", { ...signed(now, "twice"), connection: "keep-alive" }, body) +
      post("/hooks/standard", json, body, signed(now, "twice")),
    expect: respondsInTurn(200, 409),
  },
  {
    name: "a webhook like GitHub that is sent twice, with another ID",
    needs: ["webhooks"],
    send: ["1", "2"].map((id) => {
      const connection: Record<string, string> = id === "1" ? { connection: "keep-alive" } : {};
      const sum = `sha256=${hmac(body, "hex")}`;
      return request(
        "POST",
        "/hooks/github",
        { "x-hub-signature-256": sum, "x-github-delivery": id, ...connection },
        body,
      );
    }).join(""),
    expect: respondsInTurn(200, 409),
  },
  {
    name: "a signed webhook with a body over the limit",
    needs: ["webhooks"],
    send: post("/hooks/standard", json, "x".repeat(2000), signed(now, "long", "x".repeat(2000))),
    expect: all(responds(413), never()),
  },
  ...inside.map((url): Attack => ({
    name: `a webhook to "${url}"`,
    needs: ["webhooks"],
    send: postForm("/deliver", `url=${encodeURIComponent(url)}`),
    expect: all(responds(422), never()),
  })),
];

/** Attacks on the headers of mails. */
export const mailAttacks: readonly Attack[] = [
  ...injected.map(([name, field, value]): Attack => ({
    name: `a mail with ${name}`,
    needs: ["mail"],
    send: postForm("/mail", `${field}=${encodeURIComponent(value)}`),
    // A form with a NUL character is rejected before the mail is created.
    expect: all(responds(value.includes("\0") ? 400 : 422), never("Bcc:")),
  })),
  ...names.map(([name, value, shown]): Attack => ({
    name: `a mail to a name with ${name}`,
    needs: ["mail"],
    send: postForm("/mail", `name=${encodeURIComponent(value)}`),
    expect: tells(200, `Reply-To: ${shown}\r\n`),
  })),
];
