/**
 * A chat application in a separate process: `chat_site.ts PORT MODEL BACKPLANE LEASE [SCRIPT]`. The backplane is the
 * path of a SQLite file or the URL of a Redis server, and the script is that of the page for browsers.
 *
 * @module
 */

import * as fw from "../../../mod.ts";
import * as answers from "../../../src/live/answers/mod.ts";
import * as live from "../../../src/live/hub/mod.ts";
import * as sqlite from "../../../src/live/hub/sqlite/mod.ts";
import { clusterStores } from "../hub/cluster_stores.ts";

/** The position in a response of the model. */
interface Cursor {
  readonly response: string;
  readonly at: number;
}

/** Creates the application. */
export function newSite(model: string, chat: answers.Answers): fw.Application {
  const app = fw.New();
  app.Post("/api/chat", async (ctx) => {
    const { id, question, messages } = await ctx.Request().json();
    const asked = question ?? messages.at(-1).parts[0].text;
    await chat.Start(ctx, id, (answer) => reply(model, answer, asked));
  });
  app.Get(
    "/api/chat/{id}/stream",
    (ctx) =>
      chat.Resume(ctx, ctx.Params().Get("id"), (answer) => reply(model, answer), {
        Ended: ctx.URLParam("ended") !== "",
      }),
  );
  app.Post("/api/chat/{id}/stop", (ctx) => chat.Stop(ctx, ctx.Params().Get("id")));
  return app;
}

/** Calls the model once, or continues its response. */
export async function* reply(
  model: string,
  { Cursor: cursor, Signal: signal }: answers.Answer,
  question = "",
): AsyncGenerator<answers.PartsAt> {
  const { response, at: after } = cursor as Cursor | undefined ?? await call(model, question, signal);
  if (after === 0) yield answers.At({ response, at: 0 });
  // Deno forgets the signal of a response that is garbage collected while its body is read.
  const events = await fetch(`${model}/${response}?after=${after}`, { signal });
  let rest = "";
  for await (const chunk of events.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const { at, text } = JSON.parse(line);
      yield answers.At({ response, at }, text);
    }
  }
}

async function call(model: string, question: string, signal: AbortSignal): Promise<Cursor> {
  const response = await fetch(model, { method: "POST", body: question, signal });
  return { response: (await response.json()).id, at: 0 };
}

if (import.meta.main) {
  const [port = "0", model = "", store = "", lease = "1000", script] = Deno.args;
  const Backplane = store.startsWith("redis:")
    ? clusterStores.redis.backplane({ url: store, name: "answers" })
    : sqlite.New({ File: store });
  const hub = live.New({ Backplane });
  const chat = answers.New({ Hub: hub, Owner: (ctx) => ctx.GetHeader("x-user") || "ada", Lease: Number(lease) });
  const app = newSite(model, chat);
  if (script !== undefined) {
    app.Get("/", (ctx) => ctx.HTML('<!doctype html><main></main><script type="module" src="/page.js"></script>'));
    app.Get("/page.js", (ctx) => ctx.SendFile(script));
  }
  await app.Run(fw.Addr(`127.0.0.1:${port}`), fw.WithoutStartupLog);
  await chat.Close();
  await hub.Close();
}
