/** Attacks with the names of built-in properties: `__proto__`, `constructor`, `toString`. */

import type { Attack } from "../attack.ts";
import { all, never, noFault, responds, saysJSON, so, tells } from "../expect.ts";
import type { Outcome } from "../outcome.ts";
import { fieldPart, filePart, get, post, postForm, postJSON, postParts } from "../requests.ts";
import type { Wire } from "../wire.ts";
import { cookieOf } from "../cookies.ts";

const names = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "__defineGetter__"];

/** Sends bytes and then checks whether the prototype of all objects has changed. */
function polluting(bytes: string): (wire: Wire) => Promise<Outcome> {
  return async (wire) => {
    const first = await wire.send(bytes);
    const second = await wire.send(get("/readquery?a=b"));
    return { ...second, replies: [...first.replies, ...second.replies], text: first.text + second.text };
  };
}

const clean = all(
  noFault(),
  so("leaves all objects as they are", ({ replies }) => replies.at(-1)?.body.includes('"polluted":null') === true),
);

/** All attacks by names. */
export const prototypeAttacks: readonly Attack[] = [
  {
    name: "A query with __proto__ does not change objects",
    advisory: "CVE-2022-24999",
    needs: ["forms"],
    send: polluting(get("/readquery?__proto__[polluted]=yes&__proto__=yes&constructor[prototype][polluted]=yes")),
    expect: clean,
  },
  {
    name: "A form with __proto__ does not change objects",
    advisory: "CVE-2022-24999",
    needs: ["forms"],
    send: polluting(postForm("/readform", "__proto__[polluted]=yes&__proto__.polluted=yes&__proto__=yes")),
    expect: clean,
  },
  {
    name: "A list of form fields with __proto__ does not change objects",
    advisory: "CVE-2017-1000048",
    needs: ["forms"],
    send: polluting(postForm("/readform", "__proto__[]=yes&__proto__[]=no&]=toString&[]=x")),
    expect: clean,
  },
  {
    name: "A multipart field with __proto__ does not change objects",
    advisory: "CVE-2020-8136",
    needs: ["forms"],
    send: polluting(postParts("/readform", fieldPart("__proto__", "yes"), fieldPart("__proto__[polluted]", "yes"))),
    expect: clean,
  },
  {
    name: "A file in a field with __proto__ does not change objects",
    advisory: "CVE-2020-8136",
    needs: ["forms"],
    send: polluting(postParts("/readform", filePart("a", "b", "__proto__"), filePart("a", "b", "__proto__[]"))),
    expect: clean,
  },
  {
    name: "JSON with __proto__ does not change objects",
    needs: ["json"],
    send: polluting(
      postJSON("/json", '{"__proto__":{"polluted":"yes"},"constructor":{"prototype":{"polluted":"yes"}}}'),
    ),
    expect: clean,
  },
  {
    name: "JSON with __proto__ as an escape does not change objects",
    needs: ["json"],
    send: polluting(postJSON("/json", '{"\\u005f\\u005fproto\\u005f\\u005f":{"polluted":"yes"}}')),
    expect: clean,
  },
  {
    name: "JSON with __proto__ inside a list does not change objects",
    needs: ["json"],
    send: polluting(postJSON("/json", '[{"__proto__":{"polluted":"yes"}}]')),
    expect: clean,
  },
  {
    name: "Template data with __proto__ does not change objects or templates",
    needs: ["views"],
    send: polluting(postJSON("/deep", '{"__proto__":{"polluted":"yes"},"Name":"n"}')),
    expect: clean,
  },
  {
    name: "Template data with __proto__ does not reach the template through the prototype",
    needs: ["views"],
    send: postJSON("/deep", '{"__proto__":{"polluted":"yes"},"Name":"n"}'),
    expect: tells(200, "clean"),
  },
  {
    name: "Template data with options of a template engine has no effect",
    advisory: "CVE-2022-29078",
    needs: ["views"],
    send: postJSON(
      "/deep",
      '{"Name":"n","settings":{"view options":{"outputFunctionName":"x;throw 1;//"}},"escapeFunction":"1;throw 1;","client":true,"cache":false,"filename":"/etc/passwd"}',
    ),
    expect: tells(200, "clean"),
  },
  ...names.map((name): Attack => ({
    name: `A form field named ${name} is only a field`,
    needs: ["forms"],
    send: postForm("/form", `${name}=yes`),
    expect: saysJSON(200, JSON.parse(`{"${name}":["yes"]}`)),
  })),
  ...names.map((name): Attack => ({
    name: `A query parameter named ${name} is only a parameter`,
    send: get(`/query?${name}=yes`),
    expect: saysJSON(200, JSON.parse(`{"${name}":["yes"]}`)),
  })),
  ...names.map((name): Attack => ({
    name: `A session's key named ${name} is only a key`,
    needs: ["sessions"],
    send: async (wire) => {
      const first = await wire.send(get(`/session/set?key=${name}&value=yes`));
      const second = await wire.send(get(`/session/get?key=${name}`, { Cookie: cookieOf(first) }));
      return { ...second, text: first.text + second.text };
    },
    expect: saysJSON(200, JSON.parse(`{"value":"yes","all":{"${name}":"yes"}}`)),
  })),
  ...names.slice(0, 4).map((name): Attack => ({
    name: `A session without the key ${name} has no value for it`,
    needs: ["sessions"],
    send: get(`/session/get?key=${name}`),
    expect: saysJSON(200, { value: null, all: {} }),
  })),
  ...names.slice(0, 4).map((name): Attack => ({
    name: `A cookie named ${name} that was not sent is empty`,
    needs: ["cookies"],
    send: get(`/cookie?name=${name}`),
    expect: saysJSON(200, { value: "" }),
  })),
  ...names.slice(0, 4).map((name): Attack => ({
    name: `The path ${name} does not match a route`,
    send: get(`/${name}`),
    expect: responds(404),
  })),
  ...names.slice(0, 4).map((name): Attack => ({
    name: `A view named ${name} is not found`,
    needs: ["views"],
    send: get(`/view?view=${name}`),
    expect: all(responds(404, 500), never("native code")),
  })),
  {
    name: "A method named __proto__ is not found",
    send: "__proto__ /ping HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    expect: responds(400, 404, 405, 501),
  },
  {
    name: "A method named constructor is not found",
    send: "constructor /ping HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    expect: responds(400, 404, 405, 501),
  },
  {
    name: "A content type named __proto__ is unknown",
    needs: ["forms"],
    send: post("/readform", "__proto__", "a=b"),
    expect: noFault(),
  },
  {
    name: "A form with two __proto__ fields has two values",
    needs: ["forms"],
    send: postForm("/form", "__proto__=a&__proto__=b"),
    expect: saysJSON(200, JSON.parse('{"__proto__":["a","b"]}')),
  },
  {
    name: "A parameter named __proto__ has no special meaning",
    send: get("/param/__proto__"),
    expect: saysJSON(200, { name: "__proto__" }),
  },
];
