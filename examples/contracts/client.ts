// Calls the server of main.ts: deno run --allow-net client.ts
import * as client from "jsr:@fw/web/client";
// Only the type: nothing of the server is loaded.
import type { TeaController } from "./teas.ts";

/** Adds a tea and finds it again. */
export async function addAndFind(base: string, fetch: typeof globalThis.fetch = globalThis.fetch): Promise<string> {
  const teas = client.New<TeaController>(`${base}/teas`, { Fetch: fetch });
  const [added, refused] = await teas.Post({ Body: { name: "Assam", grams: 100 } });
  if (refused !== null) throw refused;
  const [found, missing] = await teas.GetBy(added.id);
  if (missing !== null) throw missing;
  return `${found.name}, ${found.grams} g, picked ${found.picked}`;
}

// deno-lint-ignore no-console -- a program of the command line speaks on the terminal
if (import.meta.main) console.log(await addAndFind("http://localhost:8080"));
