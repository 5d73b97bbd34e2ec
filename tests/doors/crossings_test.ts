import { type Client, features } from "./features.ts";
import { type Site, surroundings } from "./surroundings.ts";

/** Unpacks a response as a browser does. In process, nobody else would. */
function unpacked(response: Response): Response {
  if (response.headers.get("content-encoding") !== "gzip") return response;
  const headers = new Headers(response.headers);
  headers.delete("content-encoding");
  headers.delete("content-length");
  const body = response.body?.pipeThrough(new DecompressionStream("gzip")) ?? null;
  return new Response(body, { status: response.status, headers });
}

function clientOf({ app, prefix, host = "localhost", headers = {} }: Site): Client {
  return {
    prefix,
    isVersioned: "accept-version" in headers,
    async ask(path, init = {}) {
      const all = { ...headers, ...Object.fromEntries(new Headers(init.headers)) };
      return unpacked(await app.fetch(new Request(`http://${host}${prefix}${path}`, { ...init, headers: all })));
    },
  };
}

for (const [name, newFeature] of Object.entries(features)) {
  Deno.test(`${name} work in all surroundings`, async (t) => {
    for (const [place, build] of Object.entries(surroundings)) {
      await t.step(place, async () => {
        const feature = newFeature();
        const site = build(feature.add);
        try {
          await feature.check(clientOf(site));
        } finally {
          await feature.end?.();
          await site.app.Shutdown();
        }
      });
    }
  });
}
