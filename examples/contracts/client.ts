// Calls the server in main.ts. Run it with: deno run --allow-net client.ts
import * as client from "jsr:@fw/web/client";
// Imports only the type, so no server code is loaded.
import type { TeaController } from "./teas.ts";

/** Adds a tea and reads it back. */
export async function addAndFind(base: string, fetch: typeof globalThis.fetch = globalThis.fetch): Promise<string> {
  const teas = client.New<TeaController>(`${base}/teas`, { Fetch: fetch });
  const [added, refused] = await teas.Post({ Body: { name: "Assam", grams: 100 } });
  if (refused !== null) throw refused;
  const [found, missing] = await teas.GetBy(added.id);
  if (missing !== null) throw missing;
  return `${found.name}, ${found.grams} g, picked ${found.picked}`;
}

// deno-lint-ignore no-console -- this is a command-line program
if (import.meta.main) console.log(await addAndFind("http://localhost:8080"));
