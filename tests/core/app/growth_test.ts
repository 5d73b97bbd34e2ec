import { assertEquals } from "@std/assert";
import * as fw from "../../../mod.ts";
import { assertLinear } from "../../growth.ts";
import { quiet } from "../../serving.ts";

/** Creates an application that reads every part of a request except the body. */
function newApp(): fw.Application {
  const app = quiet();
  app.Get("/n/{n}", (ctx) => ctx.JSON([ctx.Params().GetFloat64Default("n", 0), ctx.Params().GetIntDefault("n", 0)]));
  app.Get("/q", (ctx) => {
    const numbers = [ctx.URLParamFloat64Default("n", 0), ctx.URLParamIntDefault("n", 0)];
    ctx.JSON([...numbers, String(ctx.URLParamInt64Default("n", 0n)), Object.keys(ctx.URLParams()).length]);
  });
  app.Get("/c", (ctx) => ctx.WriteString(ctx.GetCookie("a")));
  app.Get("/h", (ctx) => ctx.JSON([ctx.Host(), ctx.Subdomain(), ctx.RemoteAddr()]));
  app.Get("/typed/{n:int}/{d:date}/{m:mail}/{u:uuid}", (ctx) => ctx.WriteString("typed"));
  app.Get("/files/{rest:path}", (ctx) => ctx.WriteString(ctx.Params().Get("rest").slice(0, 10)));
  app.Get("/redirect", (ctx) => ctx.Redirect(ctx.URLParam("to")));
  app.Configure(fw.WithProxy({ Trust: ["127.0.0.1"], Take: ["X-Forwarded-For", "X-Forwarded-Host"] }));
  return app;
}

const paths: Readonly<Record<string, (text: string) => string>> = {
  "of nothing that is there": (text) => `/${text}`,
  "with a final slash": (text) => `/q${text}/`,
  "with a final slash far behind": (text) => `/files/${text}x/`,
  "with a parameter": (text) => `/n/${text}x`,
  "with typed parameters": (text) => `/typed/${text}/${text}/${text}/${text}x`,
  "with a query": (text) => `/q?n=${text}x&${text}`,
  "to another place": (text) => `/redirect?to=${text}`,
};
const headers: Readonly<Record<string, readonly [path: string, name: string]>> = {
  "cookies": ["/c", "cookie"],
  "forwarded addresses": ["/h", "x-forwarded-for"],
  "forwarded hosts": ["/h", "x-forwarded-host"],
};
const units = [
  "/",
  "1",
  "0",
  "1.",
  "-",
  "a",
  ":",
  ".",
  "%41",
  "%C3",
  "%zz",
  "&",
  "=",
  ";",
  ",",
  " ",
  "a=",
  "[",
  "1e",
  "@",
];

async function ask(app: fw.Application, path: string, header?: readonly [string, string]): Promise<void> {
  const request = new Request(`http://localhost${path}`, header === undefined ? {} : { headers: [[...header]] });
  const response = await app.fetch(request, {
    remoteAddr: { transport: "tcp", hostname: "127.0.0.1", port: 1 },
  });
  await response.body?.cancel();
  assertEquals(response.status < 500, true, `${response.status}`);
}

for (const [what, write] of Object.entries(paths)) {
  Deno.test(`Application takes time linear in the length of a path ${what}`, async () => {
    const app = newApp();
    for (const unit of units) {
      const prepare = (size: number) => write(unit.repeat(size));
      await assertLinear((path) => ask(app, path), { size: 8_000, prepare });
    }
  });
}

for (const [what, [path, name]] of Object.entries(headers)) {
  Deno.test(`Application takes time linear in the length of ${what}`, async () => {
    const app = newApp();
    for (const unit of units) {
      const prepare = (size: number) => `1${unit.repeat(size)}1`;
      await assertLinear((value) => ask(app, path, [name, value]), { size: 8_000, prepare });
    }
  });
}
