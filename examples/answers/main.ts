/**
 * Answers of a model that survive: reload the page, open it twice, or kill and restart the program in the middle of an
 * answer, and the answer continues at its next word.
 *
 * Run it with `deno task example answers` and open http://localhost:8080.
 *
 * Permissions: `--allow-net --allow-read=.,examples/answers --allow-write=.`.
 *
 * @module
 */

import * as fw from "jsr:@fw/web";
import * as answers from "jsr:@fw/web/answers";
import * as live from "jsr:@fw/web/live";
import * as sqlite from "jsr:@fw/web/live/sqlite";
import * as sessions from "jsr:@fw/web/sessions";
import { z } from "npm:zod@^4";

const asked = z.object({ id: z.string().max(100), question: z.string().min(1).max(500) });

/** The position in an answer of the model. */
interface Cursor {
  readonly question: string;
  readonly word: number;
}

/** The pause between two words, in milliseconds. */
export interface Pace {
  readonly pause: number;
}

/** Creates the application. */
export function newApp(hub: live.Hub = live.New(), { pause }: Pace = { pause: 150 }): fw.Application {
  const app = fw.Default();
  const manager = sessions.New({ Cookie: "answers" });
  const chat = answers.New({ Hub: hub, Owner: async (ctx) => (await manager.Start(ctx)).ID() });
  const idOf = (ctx: fw.Context) => ctx.Params().Get("id");

  app.Get("/", async (ctx) => {
    // A session without values is not stored.
    (await manager.Start(ctx)).Set("visited", true);
    await ctx.ServeFile(new URL("index.html", import.meta.url));
  });
  app.Post("/api/chat", async (ctx) => {
    const [input, error] = await ctx.ReadJSON(asked);
    if (error !== null) throw error;
    await chat.Start(ctx, input.id, (answer) => model(answer, { question: input.question, word: 0 }, pause));
  });
  // Without the second function, an answer whose process has ended would end with an error.
  app.Get("/api/chat/{id}/stream", (ctx) => {
    return chat.Resume(ctx, idOf(ctx), (answer) => model(answer, answer.Cursor as Cursor, pause), { Ended: true });
  });
  app.Post("/api/chat/{id}/stop", (ctx) => chat.Stop(ctx, idOf(ctx)));
  app.RegisterOnShutdown(async () => {
    await chat.Close();
    await hub.Close();
  });
  return app;
}

/** Stands in for a model that can continue a response, such as one with a background mode. */
async function* model(
  { Signal: signal }: answers.Answer,
  { question, word }: Cursor,
  pause: number,
): AsyncGenerator<answers.PartsAt> {
  const words = `You asked “${question}”. ${"This word is one of many. ".repeat(10)}`.split(/(?<= )/);
  for (let at = word; at < words.length; at++) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    signal.throwIfAborted();
    yield answers.At({ question, word: at + 1 }, words[at] ?? "");
  }
}

if (import.meta.main) {
  await newApp(live.New({ Backplane: sqlite.New({ File: "answers.db" }) })).Run(fw.Addr(":8080"));
}
